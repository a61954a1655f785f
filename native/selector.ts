import { type Selector, selectorJson } from '../core/workflow/selector.ts';
import type { Bounds, Element, ElementTree } from './desktop.ts';
import { normaliseLabel, patternTest, showPattern } from './normalise.ts';

/** Finding the element that a selector names (spec: Elements). Pure. */

/** What a selector finds in a window: the elements, in reading order, or why there is not exactly one. */
export interface Match {
  matches: Element[];
  /** Absent when exactly one element matches. */
  miss?: Miss;
}

export interface Miss {
  /** The whole reason, naming the selector: `3 elements match {…}; add in, near, or nth`. */
  message: string;
  /** The reason alone, for a sentence that names the element: `3 elements match`, `it is not there`. */
  reason: string;
}

/**
 * The visible elements that a selector matches, in the fixed order of the spec: `in`,
 * then an id, else role and name, then `near`, then `nth`. Its `app` and `window` choose
 * the window and are not looked at here.
 */
export function match(tree: ElementTree, selector: Selector): Match {
  const shown = showPattern(selectorJson(selector));
  const scope = narrow(tree, selector);
  if ('message' in scope) return { matches: [], miss: scope };
  const matches = select(scope.elements, selector);
  if (matches.length === 1) return { matches };
  const cut = tree.cut === undefined ? '' : '; only a part of the window could be read';
  if (matches.length === 0) {
    return { matches, miss: { message: `no element matches ${shown}${cut}`, reason: `it is not there${cut}` } };
  }
  const count = `${matches.length} elements match`;
  return { matches, miss: { message: `${count} ${shown}; add in, near, or nth`, reason: count } };
}

/** The visible elements that are searched: those below the container, or all. */
function narrow(tree: ElementTree, selector: Selector): { elements: Element[] } | Miss {
  const visible = tree.elements.filter((element) => element.visible);
  if (selector.in === undefined) return { elements: visible };
  const found = match(tree, selector.in);
  const container = found.matches[0];
  if (container === undefined || found.miss !== undefined) {
    const message = `container ${showPattern(selectorJson(selector.in))}: ${found.miss?.message ?? ''}`;
    return { message, reason: message };
  }
  const below = descendants(tree, tree.elements.indexOf(container));
  return { elements: visible.filter((element) => below.has(element)) };
}

/** The elements below one, without itself. The tree is in preorder, so parents come first. */
function descendants(tree: ElementTree, top: number): Set<Element> {
  const inside = new Set([top]);
  const below = new Set<Element>();
  for (const [position, element] of tree.elements.entries()) {
    if (!inside.has(element.parent)) continue;
    inside.add(position);
    below.add(element);
  }
  return below;
}

/** The elements that are meant, in reading order; more than one when the selector does not tell them apart. */
function select(elements: Element[], selector: Selector): Element[] {
  const { id, role, name, near, nth } = selector;
  const pool = id ? elements.filter((element) => element.id === id) : elements;
  // An id wins when it is unique, and one that matches nothing never falls back to the name.
  if (id && pool.length <= 1) return pool;
  const named = name === undefined ? () => true : patternTest(name, { anywhere: false });
  const chosen = pool.filter((element) => element.role === role && named(element.name));
  const ordered = readingOrder(near === undefined ? chosen : nearby(elements, chosen, near));
  return nth === undefined ? ordered : ordered.slice(nth, nth + 1);
}

/** Pixels by which an element may reach over the label and still count as beside it. */
const slack = 4;

/** The candidates that the application links to the label or, when it links none, those beside it. */
function nearby(elements: Element[], chosen: Element[], near: NonNullable<Selector['near']>): Element[] {
  const wanted = normaliseLabel(near.label);
  const linked = chosen.filter((element) => element.label !== undefined && normaliseLabel(element.label) === wanted);
  if (linked.length > 0) return linked;
  const labels = elements.filter((element) => element.role === 'text' && normaliseLabel(element.name) === wanted);
  const nearest = labels.flatMap((label) => nearestTo(label, chosen, near.side));
  return chosen.filter((element) => nearest.includes(element));
}

/** The nearest candidates on one side of a label that overlap it in the other direction; several when equally near. */
function nearestTo(label: Element, chosen: Element[], side: NonNullable<Selector['near']>['side']): Element[] {
  const beside = chosen
    .filter((element) => element !== label)
    .map((element) => ({ element, gap: gap(label.bounds, element.bounds, side) }))
    .filter(({ gap }) => gap !== undefined) as { element: Element; gap: number }[];
  const least = Math.min(...beside.map(({ gap }) => gap));
  return beside.filter(({ gap }) => gap === least).map(({ element }) => element);
}

/** How far an element is from a label on one side of it; undefined when it is not beside it there. */
function gap(label: Bounds, element: Bounds, side: 'right' | 'below' | 'left' | 'above'): number | undefined {
  const sideways = side === 'right' || side === 'left';
  const overlap = sideways
    ? overlaps(label.y, label.height, element.y, element.height)
    : overlaps(label.x, label.width, element.x, element.width);
  if (!overlap) return undefined;
  const distance = {
    right: element.x - (label.x + label.width),
    left: label.x - (element.x + element.width),
    below: element.y - (label.y + label.height),
    above: label.y - (element.y + element.height),
  }[side];
  return distance < -slack ? undefined : Math.max(0, distance);
}

function overlaps(start: number, size: number, otherStart: number, otherSize: number): boolean {
  return start < otherStart + otherSize && otherStart < start + size;
}

/**
 * Elements in reading order: in rows from top to bottom, left to right within a row. An
 * element starts a new row when its top is below the middle of the row's first element.
 */
export function readingOrder(elements: readonly Element[]): Element[] {
  const byTop = [...elements].sort((left, right) => left.bounds.y - right.bounds.y || left.bounds.x - right.bounds.x);
  const rows: Element[][] = [];
  for (const element of byTop) {
    const row = rows.at(-1);
    const first = row?.[0];
    if (row === undefined || first === undefined || element.bounds.y > first.bounds.y + first.bounds.height / 2) {
      rows.push([element]);
    } else row.push(element);
  }
  return rows.flatMap((row) =>
    row.sort((left, right) => left.bounds.x - right.bounds.x || left.bounds.y - right.bounds.y),
  );
}
