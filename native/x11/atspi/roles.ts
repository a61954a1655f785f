import type { Role } from '../../desktop.ts';

/** Numbers of AT-SPI's roles (AtspiRole) that are treated in a way of their own. */
export const atspiRoles = {
  checkMenuItem: 8,
  comboBox: 11,
  documentWeb: 95,
  label: 29,
  menu: 33,
  passwordText: 40,
  popupMenu: 41,
  radioMenuItem: 45,
  scrollPane: 49,
  spinButton: 52,
  tableCell: 56,
  toggleButton: 62,
  viewport: 68,
  window: 69,
} as const;

/** Bits of AT-SPI's states (AtspiStateType). */
export const atspiStates = {
  checked: 4,
  defunct: 6,
  editable: 7,
  enabled: 8,
  expandable: 9,
  expanded: 10,
  focusable: 11,
  focused: 12,
  pressed: 20,
  selected: 23,
  sensitive: 24,
  showing: 25,
  visible: 30,
} as const;
export type AtspiState = keyof typeof atspiStates;

export function hasState(states: readonly [number, number], state: AtspiState): boolean {
  const bit = atspiStates[state];
  return (((states[bit >> 5] as number) >>> (bit & 31)) & 1) === 1;
}

/** AT-SPI's roles by the port's; what is not here is `other`. */
const byRole: Partial<Record<Role, readonly number[]>> = {
  button: [43, 62, 129],
  // password, spin button, terminal, text, date editor, autocomplete, entry
  text_field: [40, 52, 60, 61, 12, 76, 79],
  // label, paragraph, caption, heading, static, status bar's text, block quote, footnote, mark
  text: [29, 73, 81, 83, 116, 105, 124, 127],
  checkbox: [7],
  radio: [44],
  combo_box: [11],
  // list item, tree item, table row, description term and value
  list_item: [32, 91, 90, 122, 123],
  // check menu item, menu, menu item, radio menu item, tearoff menu item
  menu_item: [8, 33, 35, 45, 59],
  tab: [37],
  link: [88],
  // column and row header, table cell and its headers
  cell: [10, 47, 56, 57, 58],
  // list, table, tree, tree table, list box, description list
  list: [31, 55, 65, 66, 98, 121],
  // alert, dialog, file and font and colour chooser, filler, frame, containers of all kinds
  group: [
    2, 9, 16, 19, 20, 22, 23, 24, 25, 28, 30, 34, 36, 38, 39, 41, 46, 49, 53, 54, 63, 68, 69, 71, 72, 78, 82, 84, 85,
    86, 87, 92, 93, 94, 95, 96, 97, 99, 101, 102, 104, 109, 110, 111,
  ],
};

const roleOf = new Map<number, Role>();
for (const [role, numbers] of Object.entries(byRole)) {
  for (const number of numbers) roleOf.set(number, role as Role);
}

/**
 * The port's role of an AT-SPI role. Frames and dialogs inside a window are groups:
 * the window itself is the top of its tree alone. A text that can be edited is a field.
 */
export function portRole(role: number, editable: boolean): Role {
  const found = roleOf.get(role) ?? 'other';
  return found === 'text' && editable ? 'text_field' : found;
}
