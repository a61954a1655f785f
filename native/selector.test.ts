import { describe, expect, it } from 'vitest';
import type { Selector } from '../core/workflow/selector.ts';
import type { Bounds, Element, ElementTree, Role } from './desktop.ts';
import { match, readingOrder } from './selector.ts';

interface Plan extends Partial<Element> {
  role: Role;
  children?: Plan[];
}

function treeOf(plans: Plan[], cut?: 'count'): ElementTree {
  const elements: Element[] = [];
  const visit = ({ children = [], ...plan }: Plan, parent: number) => {
    const position = elements.length;
    elements.push({
      ref: `e${position}`,
      name: '',
      bounds: { x: 0, y: 0, width: 10, height: 10 },
      enabled: true,
      visible: true,
      focused: false,
      secret: false,
      patterns: [],
      index: 0,
      parent,
      ...plan,
    });
    for (const child of children) visit(child, position);
  };
  visit({ role: 'window', name: 'Form', children: plans }, -1);
  const window = {
    id: 'w',
    title: 'Form',
    app: 'app',
    pid: 1,
    bounds: at(0, 0),
    kind: 'normal',
    state: 'normal',
    modal: false,
  } as const;
  return { window, elements, takenAt: '2026-01-01T00:00:00Z', ...(cut !== undefined && { cut }) };
}

function at(x: number, y: number, width = 60, height = 20): Bounds {
  return { x, y, width, height };
}

function found(tree: ElementTree, selector: Selector): string[] {
  return match(tree, selector).matches.map(({ name, id }) => id ?? name);
}

describe('match', () => {
  it('finds by role and name, folded', () => {
    const tree = treeOf([
      { role: 'button', name: 'Ｓａｖｅ　all' },
      { role: 'button', name: 'Save' },
      { role: 'link', name: 'Save all' },
    ]);
    expect(match(tree, { role: 'button', name: 'Save all' })).toEqual({ matches: [tree.elements[1]] });
    expect(found(tree, { role: 'button', name: 'Save*' })).toHaveLength(2);
    expect(match(tree, { role: 'button', name: 'save' }).miss?.message).toBe(
      'no element matches {"role":"button","name":"save"}',
    );
  });

  it('counts several as a miss', () => {
    const tree = treeOf([
      { role: 'button', name: 'Save' },
      { role: 'button', name: 'Save' },
    ]);
    expect(match(tree, { role: 'button', name: 'Save' })).toMatchObject({
      miss: {
        message: '2 elements match {"role":"button","name":"Save"}; add in, near, or nth',
        reason: '2 elements match',
      },
    });
  });

  it('sees no hidden elements', () => {
    const tree = treeOf([
      { role: 'button', name: 'Save', id: 'hidden', visible: false },
      { role: 'button', name: 'Save', id: 'shown' },
    ]);
    expect(found(tree, { role: 'button', name: 'Save' })).toEqual(['shown']);
    expect(found(tree, { role: 'button', id: 'hidden' })).toEqual([]);
  });

  it('says that a part of the window was not read', () => {
    expect(match(treeOf([], 'count'), { role: 'button', name: 'Save' }).miss?.reason).toBe(
      'it is not there; only a part of the window could be read',
    );
  });

  describe('id', () => {
    const tree = treeOf([
      { role: 'button', name: 'Save', id: 'one' },
      { role: 'button', name: 'Save', id: 'two' },
      { role: 'button', name: 'Open', id: 'two' },
      { role: 'link', name: 'Open', id: 'two' },
    ]);

    it('wins when it is unique, whatever the rest says', () => {
      expect(
        found(tree, { role: 'link', name: 'Other', id: 'one', nth: 4, near: { label: 'x', side: 'left' } }),
      ).toEqual(['one']);
    });

    it('never falls back to the name', () => {
      expect(match(tree, { role: 'button', name: 'Save', id: 'three' }).miss?.reason).toBe('it is not there');
    });

    it('is compared as written', () => {
      expect(found(tree, { role: 'button', id: 'ONE' })).toEqual([]);
    });

    it('of several elements is narrowed by role and name', () => {
      expect(match(tree, { role: 'button', name: 'Open', id: 'two' }).matches).toEqual([tree.elements[3]]);
      expect(match(tree, { role: 'button', id: 'two' }).miss?.reason).toBe('2 elements match');
      expect(match(tree, { role: 'button', name: 'Close', id: 'two' }).miss?.reason).toBe('it is not there');
    });
  });

  describe('in', () => {
    const tree = treeOf([
      {
        role: 'group',
        name: 'Buyer',
        children: [{ role: 'group', name: 'Line', children: [{ role: 'button', name: 'Save', id: 'a' }] }],
      },
      {
        role: 'group',
        name: 'Seller',
        children: [
          { role: 'button', name: 'Save', id: 'b' },
          { role: 'group', name: 'Seller' },
        ],
      },
    ]);

    it('narrows to what is below the container', () => {
      expect(found(tree, { role: 'button', name: 'Save', in: { role: 'group', name: 'Buyer' } })).toEqual(['a']);
      expect(found(tree, { role: 'group', name: 'Buyer', in: { role: 'group', name: 'Buyer' } })).toEqual([]);
    });

    it('wants one container', () => {
      expect(match(tree, { role: 'button', name: 'Save', in: { role: 'group', name: 'Seller' } }).miss?.message).toBe(
        'container {"role":"group","name":"Seller"}: 2 elements match {"role":"group","name":"Seller"}; add in, near, or nth',
      );
      expect(match(tree, { role: 'button', name: 'Save', in: { role: 'list', name: 'x' } }).miss?.reason).toBe(
        'container {"role":"list","name":"x"}: no element matches {"role":"list","name":"x"}',
      );
    });

    it('narrows an id as well', () => {
      expect(found(tree, { role: 'button', id: 'b', in: { role: 'group', name: 'Buyer' } })).toEqual([]);
    });

    it('takes a container of its own', () => {
      const inner: Selector = { role: 'group', name: 'Line', in: { role: 'group', name: 'Buyer' } };
      expect(found(tree, { role: 'button', name: '*', in: inner })).toEqual(['a']);
    });
  });

  describe('near', () => {
    it('takes what the application links to the label, whatever the side', () => {
      const tree = treeOf([
        { role: 'text', name: 'Amount：', bounds: at(0, 0) },
        { role: 'text_field', id: 'beside', bounds: at(70, 0) },
        { role: 'text_field', id: 'linked', label: 'Amount:', bounds: at(500, 500) },
      ]);
      expect(found(tree, { role: 'text_field', near: { label: 'Amount', side: 'right' } })).toEqual(['linked']);
    });

    it.each([
      ['right', 'east'],
      ['left', 'west'],
      ['above', 'north'],
      ['below', 'south'],
    ] as const)('takes the nearest to the %s', (side, id) => {
      const tree = treeOf([
        { role: 'text', name: 'Amount', bounds: at(200, 200) },
        { role: 'text_field', id: 'east', bounds: at(270, 205) },
        { role: 'text_field', id: 'far east', bounds: at(370, 200) },
        { role: 'text_field', id: 'west', bounds: at(130, 195) },
        { role: 'text_field', id: 'north', bounds: at(210, 170) },
        { role: 'text_field', id: 'south', bounds: at(150, 230) },
        { role: 'text_field', id: 'south east', bounds: at(262, 222) },
      ]);
      expect(found(tree, { role: 'text_field', near: { label: 'Amount:', side } })).toEqual([id]);
    });

    it('lets an element reach 4 pixels over the label, and no more', () => {
      const tree = (x: number) =>
        treeOf([
          { role: 'text', name: 'Amount', bounds: at(0, 0, 60) },
          { role: 'text_field', id: 'field', bounds: at(x, 0) },
        ]);
      expect(found(tree(56), { role: 'text_field', near: { label: 'Amount', side: 'right' } })).toEqual(['field']);
      expect(found(tree(55), { role: 'text_field', near: { label: 'Amount', side: 'right' } })).toEqual([]);
    });

    it('does not choose between two that are equally near', () => {
      const tree = treeOf([
        { role: 'text', name: 'Amount', bounds: at(0, 0, 60, 60) },
        { role: 'text_field', id: 'upper', bounds: at(70, 0) },
        { role: 'text_field', id: 'lower', bounds: at(70, 30) },
      ]);
      expect(match(tree, { role: 'text_field', near: { label: 'Amount', side: 'right' } }).miss?.reason).toBe(
        '2 elements match',
      );
    });

    it('takes one for each text of the label, and each once', () => {
      const tree = treeOf([
        { role: 'text', name: 'Net', bounds: at(0, 0) },
        { role: 'text', name: 'Net', bounds: at(0, 2) },
        { role: 'text', name: 'Net', bounds: at(0, 100) },
        { role: 'text_field', id: 'first', bounds: at(70, 0) },
        { role: 'text_field', id: 'second', bounds: at(70, 100) },
      ]);
      expect(found(tree, { role: 'text_field', near: { label: 'Net', side: 'right' } })).toEqual(['first', 'second']);
      expect(found(tree, { role: 'text_field', near: { label: 'Net', side: 'right' }, nth: 1 })).toEqual(['second']);
    });

    it('takes no other role for a label', () => {
      const tree = treeOf([
        { role: 'button', name: 'Net', bounds: at(0, 0) },
        { role: 'text_field', id: 'first', bounds: at(70, 0) },
      ]);
      expect(found(tree, { role: 'text_field', near: { label: 'Net', side: 'right' } })).toEqual([]);
    });
  });

  it('picks by nth in reading order', () => {
    const tree = treeOf([
      { role: 'button', name: 'x', id: 'c', bounds: at(0, 100) },
      { role: 'button', name: 'x', id: 'b', bounds: at(100, 0) },
      { role: 'button', name: 'x', id: 'a', bounds: at(0, 8) },
    ]);
    const pick = (nth: number) => found(tree, { role: 'button', name: 'x', nth });
    expect([pick(0), pick(1), pick(2), pick(3)]).toEqual([['a'], ['b'], ['c'], []]);
  });
});

it('reading order starts a row below the middle of the row above', () => {
  const order = (...tops: number[]) =>
    readingOrder(tops.map((y, index) => element(`${index}`, at(100 - index * 10, y)))).map(({ ref }) => ref);
  expect(order(0, 10)).toEqual(['1', '0']);
  expect(order(0, 11)).toEqual(['0', '1']);
  // A row is told by its first element, not by the one before.
  expect(order(0, 8, 16)).toEqual(['1', '0', '2']);
});

function element(ref: string, bounds: Bounds): Element {
  return { ref, bounds } as Element;
}

/** The rules once more, written as plainly as they are told, to check the matcher against. */
function plainMatch(tree: ElementTree, selector: Selector): Element[] | 'no container' {
  const all = tree.elements;
  const isBelow = (one: Element, top: Element): boolean => {
    const parent = all[one.parent];
    return parent !== undefined && (parent === top || isBelow(parent, top));
  };
  let scope = all.filter(({ visible }) => visible);
  if (selector.in !== undefined) {
    const containers = plainMatch(tree, selector.in);
    if (containers === 'no container' || containers.length !== 1) return 'no container';
    scope = scope.filter((one) => isBelow(one, containers[0] as Element));
  }
  let pool = scope;
  if (selector.id !== undefined) {
    pool = scope.filter(({ id }) => id === selector.id);
    if (pool.length < 2) return pool;
  }
  pool = pool.filter(
    ({ role, name }) => role === selector.role && (selector.name === undefined || name === selector.name),
  );
  const { near, nth } = selector;
  if (near !== undefined) {
    const linked = pool.filter(({ label }) => label === near.label);
    if (linked.length > 0) pool = linked;
    else {
      const keep = new Set<Element>();
      for (const label of scope.filter(({ role, name }) => role === 'text' && name === near.label)) {
        const distances = pool.map((one) =>
          one === label ? Number.NaN : distance(label.bounds, one.bounds, near.side),
        );
        const least = Math.min(...distances.filter((value) => !Number.isNaN(value)));
        for (const [index, one] of pool.entries()) if (distances[index] === least) keep.add(one);
      }
      pool = pool.filter((one) => keep.has(one));
    }
  }
  const rows: Element[][] = [];
  for (const one of pool.toSorted((a, b) => a.bounds.y - b.bounds.y || a.bounds.x - b.bounds.x)) {
    const first = rows.at(-1)?.[0]?.bounds;
    if (first !== undefined && one.bounds.y <= first.y + first.height / 2) rows.at(-1)?.push(one);
    else rows.push([one]);
  }
  const ordered = rows.flatMap((row) => row.sort((a, b) => a.bounds.x - b.bounds.x || a.bounds.y - b.bounds.y));
  return nth === undefined ? ordered : ordered.filter((_, index) => index === nth);
}

function distance(label: Bounds, one: Bounds, side: string): number {
  const span = (box: Bounds, axis: 'x' | 'y'): [number, number] => [
    box[axis],
    box[axis] + (axis === 'x' ? box.width : box.height),
  ];
  const along = side === 'right' || side === 'left' ? 'x' : 'y';
  const [labelFrom, labelTo] = span(label, along);
  const [from, to] = span(one, along);
  const [crossFrom, crossTo] = span(label, along === 'x' ? 'y' : 'x');
  const [otherFrom, otherTo] = span(one, along === 'x' ? 'y' : 'x');
  if (Math.min(crossTo, otherTo) - Math.max(crossFrom, otherFrom) <= 0) return Number.NaN;
  const gap = side === 'right' || side === 'below' ? from - labelTo : labelFrom - to;
  return gap < -4 ? Number.NaN : Math.max(gap, 0);
}

describe('match agrees with the plainly written rules', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed + 1))('on random windows of seed %d', (seed) => {
    const random = generator(seed);
    const pick = <T>(...from: T[]): T => from[Math.floor(random() * from.length)] as T;
    const bounds = () =>
      at(pick(0, 20, 58, 62, 100, 140), pick(0, 5, 18, 24, 40, 90), pick(20, 40, 60), pick(10, 20, 40));
    const plan = (depth: number): Plan => ({
      role: pick<Role>('button', 'text_field', 'text', 'text', 'group'),
      name: pick('A', 'B', 'Amount', ''),
      ...(random() < 0.3 && { id: pick('one', 'two', 'three') }),
      ...(random() < 0.15 && { label: pick('A', 'Amount') }),
      bounds: bounds(),
      visible: random() < 0.9,
      children: depth > 2 ? [] : Array.from({ length: Math.floor(random() * 4) }, () => plan(depth + 1)),
    });
    const selector = (depth: number): Selector => ({
      role: pick<Role>('button', 'text_field', 'text', 'group'),
      ...(random() < 0.6 && { name: pick('A', 'B', 'Amount') }),
      ...(random() < 0.25 && { id: pick('one', 'two', 'four') }),
      ...(random() < 0.4 && { near: { label: pick('A', 'Amount'), side: pick('right', 'below', 'left', 'above') } }),
      ...(depth < 1 && random() < 0.3 && { in: selector(depth + 1) }),
      ...(random() < 0.2 && { nth: pick(0, 1, 2) }),
    });
    let hits = 0;
    for (let round = 0; round < 60; round++) {
      const tree = treeOf(Array.from({ length: 6 }, () => plan(0)));
      for (let probe = 0; probe < 5; probe++) {
        const wanted = selector(0);
        const plain = plainMatch(tree, wanted);
        const { matches, miss } = match(tree, wanted);
        const told = JSON.stringify(wanted);
        expect(
          matches.map(({ ref }) => ref),
          told,
        ).toEqual(plain === 'no container' ? [] : plain.map(({ ref }) => ref));
        expect(miss === undefined, told).toBe(matches.length === 1);
        if (miss === undefined) hits++;
      }
    }
    expect(hits).toBeGreaterThan(20);
  });
});

/** Numbers in [0, 1) that are the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed * 0x9e3779b1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}
