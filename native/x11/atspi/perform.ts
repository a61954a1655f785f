import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, Pattern } from '../../desktop.ts';
import { type BusConnection, BusError } from '../dbus/connection.ts';
import { type Method, method } from '../dbus/wire.ts';
import { type Accessible, interfaces } from './accessible.ts';
import type { AccessibilityBus } from './bus.ts';
import type { Mapped } from './elements.ts';
import { atspiRoles, hasState } from './roles.ts';
import { readAgain, type TreeNode } from './tree.ts';

/** How long an application may take to do it, and to show that it did. */
const actMs = 5_000;
const seenMs = 600;
const pollMs = 20;

const actionCount = method('org.freedesktop.DBus.Properties', 'Get', 'ss', interfaces.action, 'NActions');
const actionName = (index: number) => method(interfaces.action, 'GetName', 'i', index);
const doAction = (index: number) => method(interfaces.action, 'DoAction', 'i', index);
const grabFocus = method(interfaces.component, 'GrabFocus');
const setText = (text: string) => method(interfaces.editableText, 'SetTextContents', 's', text);
const indexInParent = method(interfaces.accessible, 'GetIndexInParent');
const selectChild = (index: number) => method(interfaces.selection, 'SelectChild', 'i', index);
const setNumber = (value: number) =>
  method('org.freedesktop.DBus.Properties', 'Set', 'ssv', interfaces.value, 'CurrentValue', {
    signature: 'd',
    value,
  });

/** Names of actions by what they stand for; toolkits differ. */
const actionNames: Partial<Record<Pattern, readonly string[]>> = {
  invoke: ['click', 'press', 'activate', 'jump', 'open', 'invoke', 'do default', 'dodefault'],
  toggle: ['click', 'toggle', 'check', 'uncheck', 'press', 'activate', 'do default'],
  select: ['click', 'check', 'select', 'press', 'activate', 'do default'],
  expand: ['expand or contract', 'expand', 'open', 'press', 'click', 'activate', 'do default'],
};

const confirmed: Outcome = { outcome: 'confirmed' };
const refused = (reason: string): Outcome => ({ outcome: 'refused', reason });
const unconfirmed = (reason: string): Outcome => ({ outcome: 'unconfirmed', reason });

export interface Act {
  bus: AccessibilityBus;
  target: Mapped;
  value: string | undefined;
  /** A window that the program opened since the act began, by title: it may hold the act's answer. */
  openedWindow(): string | undefined;
}

/** The element was there when it was asked to act, and could not be read after. */
class Vanished extends Error {
  constructor() {
    super('it took the act, and is not there any more');
    this.name = 'Vanished';
  }
}

interface Running extends Act {
  /** What the act is asked for by; reading back goes its own way. */
  connection: BusConnection;
}

/** Has an element act itself, and reads back what came of it. */
export async function perform(pattern: Pattern, act: Act): Promise<Outcome> {
  const { element } = act.target;
  if (!element.enabled) return refused('it is disabled');
  if (!element.patterns.includes(pattern)) return refused(`it cannot be asked to ${pattern}`);
  try {
    const program = act.target.node.ref.bus;
    const settles = pattern === 'focus' || pattern === 'setValue';
    const connection = await (settles ? act.bus.settler(program) : act.bus.actor(program));
    return await byPattern[pattern]({ ...act, connection });
  } catch (error) {
    if (error instanceof Vanished) return unconfirmed(error.message);
    if (!(error instanceof BusError)) throw error;
    if (error.code === 'timeout') return unconfirmed(`its program did not answer within ${actMs} ms`);
    return refused(error.message);
  }
}

const byPattern: Record<Pattern, (act: Running) => Promise<Outcome>> = {
  invoke: async (act) =>
    (await runAction('invoke', act)) ?? unconfirmed('it took the action; nothing tells what came of it'),
  toggle: (act) => {
    const before = isOn(act.target.node);
    return actAndSee('toggle', act, (now) => isOn(now) !== before);
  },
  select: (act) => (act.target.element.role === 'radio' ? selectRadio(act) : selectInParent(act)),
  expand,
  focus: async (act) => {
    const [took] = await ask(act, grabFocus);
    if (took !== true) return refused('it did not take the focus');
    return (await seen(act, (now) => hasState(now.states, 'focused')))
      ? confirmed
      : unconfirmed('it does not say that it has the focus');
  },
  setValue: (act) => {
    const { value } = act;
    if (value === undefined) return Promise.resolve(refused('no value was given'));
    if (act.target.element.role === 'combo_box') return choose(act, value);
    const { node } = act.target;
    const number = Number(value);
    const takesNumber = node.interfaces.includes(interfaces.value) && value.trim() !== '' && Number.isFinite(number);
    if (takesNumber) return setTo(act, number);
    if (node.interfaces.includes(interfaces.editableText)) return setTextTo(act, value);
    return Promise.resolve(refused(`it takes numbers only, and "${value}" is none`));
  },
};

function isOn(node: Accessible): boolean {
  return hasState(node.states, 'checked') || hasState(node.states, 'pressed');
}

async function actAndSee(pattern: Pattern, act: Running, done: (now: Accessible) => boolean): Promise<Outcome> {
  const early = await runAction(pattern, act);
  if (early?.outcome === 'refused') return early;
  if (await seen(act, done)) return confirmed;
  return early ?? unconfirmed('its state did not change');
}

async function selectRadio(act: Running): Promise<Outcome> {
  if (act.target.element.checked) return confirmed;
  return await actAndSee('select', act, (now) => hasState(now.states, 'checked'));
}

async function selectInParent(act: Running): Promise<Outcome> {
  const { node } = act.target;
  const [index] = await ask(act, indexInParent);
  const { ref } = node.parent as TreeNode;
  const [took] = await act.connection.call(ref.bus, ref.path, selectChild(index as number), actMs);
  if (await seen(act, (now) => hasState(now.states, 'selected'))) return confirmed;
  return took === true ? unconfirmed('it does not say that it is selected') : refused('its list did not select it');
}

async function expand(act: Running): Promise<Outcome> {
  const isOpen = (now: Accessible) => hasState(now.states, 'expanded') || hasState(now.states, 'selected');
  if (hasState(act.target.node.states, 'expanded')) return confirmed;
  return await actAndSee('expand', act, (now) => isOpen(now) || act.openedWindow() !== undefined);
}

/** Sets a combo box to the item of a name. */
async function choose(act: Running, option: string): Promise<Outcome> {
  const { node } = act.target;
  const options = leaves(node);
  const index = options.findIndex((item) => (item.text || item.name) === option);
  if (index < 0) {
    const names = options.map((item) => JSON.stringify(item.text || item.name));
    return refused(`it has no item "${option}"; it has ${names.length === 0 ? 'none' : names.join(', ')}`);
  }
  const [took] = await ask(act, selectChild(index));
  if (took !== true) return refused(`it did not take "${option}"`);
  const { path } = (options[index] as TreeNode).ref;
  const isChosen = (now: Accessible) => now.chosen?.path === path || now.text === option;
  return (await seen(act, isChosen)) ? confirmed : unconfirmed('it does not say which item is chosen');
}

/** The items of a combo box, which hang in a menu or list of its own. */
function leaves(node: TreeNode): TreeNode[] {
  return node.nodes.flatMap((child) => {
    if (child.interfaces.includes(interfaces.editableText)) return [];
    return child.nodes.length === 0 ? [child] : leaves(child);
  });
}

async function setTo(act: Running, number: number): Promise<Outcome> {
  await ask(act, setNumber(number));
  if (await seen(act, (now) => now.value !== undefined && Math.abs(now.value - number) < 1e-9)) return confirmed;
  const now = await again(act);
  return unconfirmed(`it shows ${now.value ?? 'no number'} in place of ${number}`);
}

async function setTextTo(act: Running, text: string): Promise<Outcome> {
  const { element, node } = act.target;
  const [took] = await ask(act, setText(text));
  if (took === false) return refused('it did not take the text');
  if (element.secret) return unconfirmed('a password field is not read back');
  // A spin button takes what is typed into it when it is left or when Enter is pressed.
  if (node.role === atspiRoles.spinButton && node.interfaces.includes(interfaces.action))
    await runAction('invoke', act);
  if (await seen(act, (now) => now.text === text)) return confirmed;
  return unconfirmed(`it shows "${(await again(act)).text ?? ''}" in place of the text`);
}

/**
 * Runs the action that stands for a pattern. Undefined when it returned well. An
 * action that opens a dialog may return only when that is closed again: then what is
 * known is that the window opened.
 */
async function runAction(pattern: Pattern, act: Running): Promise<Outcome | undefined> {
  const index = await actionIndex(pattern, act);
  const running = ask(act, doAction(index)).then(([took]) =>
    took === true ? undefined : refused('it did not take the action'),
  );
  let ended = false;
  const end = () => {
    ended = true;
  };
  running.then(end, end);
  while (!ended) {
    const opened = act.openedWindow();
    if (opened !== undefined) {
      running.catch(() => undefined); // its answer comes when the window closes, for nobody
      return { outcome: 'confirmed', reason: `it opened "${opened}"` };
    }
    await Promise.race([running, sleep(pollMs)]);
  }
  return await running;
}

async function actionIndex(pattern: Pattern, act: Running): Promise<number> {
  const wanted = actionNames[pattern] ?? [];
  const [count] = (await ask(act, actionCount)) as [number];
  if (count <= 1) return 0;
  const names = (await Promise.all(
    Array.from({ length: count }, async (_, index) => (await ask(act, actionName(index)))[0]),
  )) as string[];
  const known = wanted.find((name) => names.some((found) => found.toLowerCase() === name));
  return known === undefined ? 0 : names.findIndex((found) => found.toLowerCase() === known);
}

async function seen(act: Running, holds: (now: Accessible) => boolean): Promise<boolean> {
  const end = performance.now() + seenMs;
  for (;;) {
    if (holds(await again(act))) return true;
    if (performance.now() > end) return false;
    await sleep(pollMs);
  }
}

async function again({ bus, target: { node } }: Running): Promise<TreeNode> {
  try {
    return await readAgain(bus, node, node.parent);
  } catch (error) {
    if (error instanceof BusError) throw new Vanished();
    throw error;
  }
}

function ask({ connection, target }: Running, called: Method): Promise<unknown[]> {
  const { bus, path } = target.node.ref;
  return connection.call(bus, path, called, actMs);
}
