import { describe, expect, it } from 'vitest';
import type { Element } from '../../desktop.ts';
import { interfaces } from './accessible.ts';
import { mapTree } from './elements.ts';
import { type AtspiState, atspiRoles, atspiStates } from './roles.ts';
import type { TreeNode } from './tree.ts';

const usual: AtspiState[] = ['showing', 'visible', 'enabled', 'sensitive'];
let paths = 0;

type Plan = Partial<Omit<TreeNode, 'states' | 'ref' | 'relations'>> & {
  states?: AtspiState[];
  path?: string;
  labelledBy?: string;
};

function node({ states = usual, path = `/${paths++}`, labelledBy, nodes = [], ...rest }: Plan): TreeNode {
  const words: [number, number] = [0, 0];
  for (const state of states) {
    const bit = atspiStates[state];
    words[bit < 32 ? 0 : 1] |= 1 << (bit & 31);
  }
  const made: TreeNode = {
    ref: { bus: ':1.1', path },
    role: atspiRoles.label,
    name: '',
    id: '',
    interfaces: [],
    childCount: nodes.length,
    children: [],
    extents: [10, 10, 100, 20],
    text: undefined,
    value: undefined,
    chosen: undefined,
    parent: undefined,
    ...rest,
    states: words,
    relations: labelledBy === undefined ? [] : [[2, [{ bus: ':1.1', path: labelledBy }]]],
    nodes,
  };
  for (const child of nodes) child.parent = made;
  return made;
}

function elementsOf(...nodes: TreeNode[]): Element[] {
  const root = node({ role: 23, extents: [0, 0, 500, 400], nodes });
  return mapTree(root, 'Title', ({ ref }) => ref.path).map(({ element }) => element);
}

const entry = { role: 79, interfaces: [interfaces.text, interfaces.editableText, interfaces.component] };

describe('mapTree', () => {
  it('names the window by its title and counts siblings of a role, hidden ones too', () => {
    const [window, ...rest] = elementsOf(
      node({ name: 'One' }),
      node({ ...entry, text: '' }),
      node({ name: 'Hidden', states: ['enabled'] }),
      node({ name: 'Three' }),
    );
    expect(window).toMatchObject({ role: 'window', name: 'Title', parent: -1 });
    expect(rest.map(({ role, index, visible }) => [role, index, visible])).toEqual([
      ['text', 0, true],
      ['text_field', 0, true],
      ['text', 1, false],
      ['text', 2, true],
    ]);
  });

  it('hides what is in a hidden ancestor, whatever it says of itself', () => {
    const [, , inside] = elementsOf(node({ role: 39, states: ['enabled'], nodes: [node({ name: 'Inside' })] }));
    expect(inside).toMatchObject({ name: 'Inside', visible: false });
  });

  it('hides what scrolled out of its viewport, and not the items of a menu in one', () => {
    const far = [10, 300, 100, 20] as const;
    const item = node({ role: 35, name: 'Item', extents: far });
    const [, , out, , menuItem] = elementsOf(
      node({
        role: atspiRoles.scrollPane,
        extents: [0, 0, 200, 100],
        nodes: [node({ name: 'Out', extents: far }), node({ role: atspiRoles.menu, nodes: [item] })],
      }),
    );
    expect([out?.visible, menuItem?.name, menuItem?.visible]).toEqual([false, 'Item', true]);
  });

  it.each([[[-2147483648, -2147483648, 24, 21]], [[-2071111736, 32765, 0, 0]], [[-1, -1, -1, -1]]])(
    'takes bounds of %j for none',
    (extents) => {
      const [, element] = elementsOf(node({ extents: extents as unknown as [number, number, number, number] }));
      expect(element).toMatchObject({ bounds: { x: 0, y: 0, width: 0, height: 0 }, visible: false });
    },
  );

  it('gives a field the text of its label, and a password no value', () => {
    const [, , field, secret] = elementsOf(
      node({ path: '/label', name: 'Amount:' }),
      node({ ...entry, text: '12', labelledBy: '/label', states: [...usual, 'editable', 'focusable'] }),
      node({ ...entry, role: atspiRoles.passwordText, text: '••', states: [...usual, 'editable'] }),
    );
    expect(field).toMatchObject({ label: 'Amount:', value: '12', secret: false, patterns: ['focus', 'setValue'] });
    expect(secret).toMatchObject({ role: 'text_field', secret: true, patterns: ['setValue'] });
    expect(secret).not.toHaveProperty('value');
  });

  it('does not take what a combo box shows for its name', () => {
    const option = (name: string, path: string) => node({ role: 35, name, path });
    const [, combo] = elementsOf(
      node({
        role: atspiRoles.comboBox,
        name: 'Green',
        chosen: { bus: ':1.1', path: '/green' },
        interfaces: [interfaces.selection, interfaces.action],
        nodes: [node({ role: atspiRoles.menu, nodes: [option('Red', '/red'), option('Green', '/green')] })],
      }),
    );
    expect(combo).toMatchObject({ role: 'combo_box', name: '', value: 'Green', patterns: ['expand', 'setValue'] });
  });

  it('names a cell by what it shows, and a slider by its number', () => {
    const [, cell, slider] = elementsOf(
      node({ role: atspiRoles.tableCell, text: 'Total' }),
      node({ role: 51, value: 2.5, interfaces: [interfaces.value], states: [...usual, 'focusable'] }),
    );
    expect(cell).toMatchObject({ role: 'cell', name: 'Total', value: 'Total' });
    expect(slider).toMatchObject({ role: 'other', value: '2.5', patterns: ['setValue'] });
  });

  it('tells the state of what can be checked, and of nothing else', () => {
    const [, on, button] = elementsOf(
      node({ role: 7, states: [...usual, 'checked'], interfaces: [interfaces.action] }),
      node({ role: atspiRoles.toggleButton, states: [...usual, 'checked'], interfaces: [interfaces.action] }),
    );
    expect(on).toMatchObject({ role: 'checkbox', checked: true, patterns: ['toggle'] });
    expect(button).toMatchObject({ role: 'button', patterns: ['invoke', 'toggle'] });
    expect(button).not.toHaveProperty('checked');
  });
});
