import type { Bounds, Element, Pattern } from '../../desktop.ts';
import { type Accessible, interfaces } from './accessible.ts';
import { atspiRoles, hasState, portRole } from './roles.ts';
import type { TreeNode } from './tree.ts';

const labelledBy = 2;
/** Where toolkits put what scrolled out of sight. */
const nowhere = -2147483648;
const empty: Bounds = { x: 0, y: 0, width: 0, height: 0 };

/** A node with what the port shows of it. */
export interface Mapped {
  node: TreeNode;
  element: Element;
}

/** What decides whether an element can be seen: its ancestors, and the area that they leave. */
export interface Sight {
  shown: boolean;
  area: Bounds | undefined;
}

/** Containers that show only the part of their contents that lies within them. */
const clips = new Set<number>([atspiRoles.scrollPane, atspiRoles.viewport, atspiRoles.documentWeb]);
/** What opens outside of the place where it stands in the tree. */
const opens = new Set<number>([atspiRoles.menu, atspiRoles.popupMenu, atspiRoles.comboBox, atspiRoles.window]);

/** Whether a node is part of a menu or list that opens over the window. */
export function standsInPopup({ parent }: TreeNode): boolean {
  return parent !== undefined && (opens.has(parent.role) || standsInPopup(parent));
}

/**
 * A tree as the port's list: in preorder, with positions among siblings, labels and
 * what is in sight.
 *
 * @param title the window's, which is right where its accessible name is empty
 * @param refOf the port's handle of a node
 */
export function mapTree(root: TreeNode, title: string, refOf: (node: Accessible) => string): Mapped[] {
  const names = new Map<string, string>();
  const collect = (node: TreeNode) => {
    names.set(node.ref.path, node.text || node.name);
    for (const child of node.nodes) collect(child);
  };
  collect(root);
  const mapped: Mapped[] = [];
  const add = (node: TreeNode, parent: number, index: number, above: Sight) => {
    const at = mapped.length;
    const sight = sightOf(node, above);
    const label = labelOf(node, (path) => names.get(path));
    const element = toElement(node, { ref: refOf(node), parent, index, sight, label });
    mapped.push({ node, element });
    const counts = new Map<string, number>();
    const below = sightBelow(node, sight);
    for (const child of node.nodes) {
      const role = roleIn(child);
      const position = counts.get(role) ?? 0;
      counts.set(role, position + 1);
      add(child, at, position, below);
    }
  };
  root.name = title;
  add(root, -1, 0, { shown: true, area: undefined });
  return mapped;
}

/** The port's role of a node at its place in the tree. */
function roleIn(node: TreeNode): Element['role'] {
  if (node.parent === undefined) return 'window';
  return portRole(node.role, hasState(node.states, 'editable'));
}

export function sightOf(node: Accessible, above: Sight): Sight {
  const states = hasState(node.states, 'showing') && hasState(node.states, 'visible');
  const bounds = boundsOf(node);
  const inArea = above.area === undefined || overlap(bounds, above.area) !== undefined;
  return { shown: above.shown && states && bounds.width > 0 && bounds.height > 0 && inArea, area: above.area };
}

export function sightBelow(node: Accessible, { shown, area }: Sight): Sight {
  if (opens.has(node.role)) return { shown, area: undefined };
  if (!clips.has(node.role)) {
    // A container without a size of its own says nothing of what it holds.
    return { shown: shown || isSizeless(node), area };
  }
  const bounds = boundsOf(node);
  return { shown, area: area === undefined ? bounds : (overlap(bounds, area) ?? empty) };
}

function isSizeless(node: Accessible): boolean {
  const bounds = boundsOf(node);
  return (bounds.width === 0 || bounds.height === 0) && hasState(node.states, 'showing');
}

/** Text of the elements that a node names as its labels. */
export function labelOf(node: Accessible, nameOf: (path: string) => string | undefined): string | undefined {
  const targets = node.relations.filter(([type]) => type === labelledBy).flatMap(([, refs]) => refs);
  const text = targets
    .map((target) => nameOf(target.path) ?? '')
    .join(' ')
    .trim();
  return text === '' ? undefined : text;
}

export interface Placed {
  ref: string;
  parent: number;
  index: number;
  sight: Sight;
  label: string | undefined;
}

export function toElement(node: TreeNode, { ref, parent, index, sight, label }: Placed): Element {
  const role = roleIn(node);
  const secret = node.role === atspiRoles.passwordText;
  const value = secret ? undefined : shownValue(node, role);
  const checked = role === 'checkbox' || role === 'radio' ? hasState(node.states, 'checked') : undefined;
  return {
    ref,
    role,
    name: nameOf(node, role, value),
    ...(node.id !== '' && { id: node.id }),
    ...(value !== undefined && { value }),
    ...(label !== undefined && { label }),
    bounds: boundsOf(node),
    enabled: hasState(node.states, 'enabled') && hasState(node.states, 'sensitive'),
    visible: sight.shown,
    focused: hasState(node.states, 'focused'),
    ...(checked !== undefined && { checked }),
    secret,
    patterns: patternsOf(node, role),
    parent,
    index,
  };
}

function nameOf(node: TreeNode, role: Element['role'], value: string | undefined): string {
  // GTK names a combo box after what it shows, which changes with each choice.
  if (role === 'combo_box' && node.name === value) return '';
  // A text is named by what it shows.
  if (node.name === '' && (role === 'text' || role === 'cell')) return node.text ?? '';
  return node.name;
}

function shownValue(node: TreeNode, role: Element['role']): string | undefined {
  if (role === 'text_field' || role === 'cell') return node.text ?? numberText(node);
  if (role === 'combo_box') return comboValue(node);
  if (role === 'text') return node.text === undefined || node.text === node.name ? undefined : node.text;
  return role === 'other' ? numberText(node) : undefined;
}

function numberText(node: TreeNode): string | undefined {
  return node.value === undefined ? undefined : String(node.value);
}

/** What a combo box shows: its own text, its field's, its chosen item's, or the name that it is given. */
function comboValue(node: TreeNode): string {
  if (node.text !== undefined) return node.text;
  const field = node.nodes.find((child) => child.interfaces.includes(interfaces.editableText));
  if (field?.text !== undefined) return field.text;
  const chosen = node.chosen && findBelow(node, node.chosen.path);
  return chosen === undefined ? node.name : chosen.text || chosen.name;
}

function findBelow(node: TreeNode, path: string): TreeNode | undefined {
  for (const child of node.nodes) {
    const found = child.ref.path === path ? child : findBelow(child, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function boundsOf(node: Accessible): Bounds {
  const [x = 0, y = 0, width = 0, height = 0] = node.extents ?? [];
  if (x === nowhere || y === nowhere || width <= 0 || height <= 0) return empty;
  return { x, y, width, height };
}

function overlap(a: Bounds, b: Bounds): Bounds | undefined {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** What a node can be asked to do, by its interfaces and its role. */
function patternsOf(node: TreeNode, role: Element['role']): Pattern[] {
  const has = (name: keyof typeof interfaces) => node.interfaces.includes(interfaces[name]);
  const found: Pattern[] = [];
  const checkable = node.role === atspiRoles.checkMenuItem || node.role === atspiRoles.radioMenuItem;
  if (has('action')) {
    if (role === 'button' || role === 'link' || role === 'menu_item' || role === 'cell') found.push('invoke');
    if (role === 'checkbox' || node.role === atspiRoles.toggleButton || checkable) found.push('toggle');
    if (role === 'radio') found.push('select');
    const unfolds = node.role === atspiRoles.menu || role === 'combo_box' || hasState(node.states, 'expandable');
    if (unfolds) found.push('expand');
  }
  const inSelection = node.parent?.interfaces.includes(interfaces.selection) ?? false;
  if ((role === 'list_item' || role === 'tab' || role === 'cell') && inSelection) found.push('select');
  if (hasState(node.states, 'focusable') && has('component')) found.push('focus');
  const settable =
    (role === 'text_field' && has('editableText') && hasState(node.states, 'editable')) ||
    (role === 'combo_box' && has('selection')) ||
    (has('value') && (role === 'other' || role === 'text_field') && hasState(node.states, 'focusable'));
  if (settable) found.push('setValue');
  return found;
}
