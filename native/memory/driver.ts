import { randomUUID } from 'node:crypto';
import { channelPair } from '../../core/contract/channel.ts';
import { CallError, serve } from '../../core/contract/protocol.ts';
import { parseChord, UnknownKey } from '../../core/workflow/keys.ts';
import { openDesktop } from '../client.ts';
import {
  type Bounds,
  type Desktop,
  type DesktopErrorCode,
  type Driver,
  desktopProtocol,
  type Element,
  type ElementTree,
  type Pattern,
  type Point,
  type Window,
} from '../desktop.ts';
import { blank, Pictures, type Pixels, paint } from '../pictures.ts';
import { contains, flatten, type MemoryDesktop, type MemoryElement, type MemoryWindow } from './world.ts';

type Method = keyof typeof desktopProtocol;

/** Runs before a call is answered; what it throws is the call's answer. */
export type Hook = (method: Method, params: unknown) => void | Promise<void>;

export interface MemoryDriverOptions {
  /** What others are told while this driver holds the desktop. */
  name?: string;
  /** Where a test makes things go wrong. */
  before?: Hook;
}

/** A desktop client over a channel to a memory driver, and the way to have the driver die. */
export function openMemoryDesktop(
  world: MemoryDesktop,
  options?: MemoryDriverOptions,
): { desktop: Desktop; die(): void } {
  const [near, far] = channelPair();
  serve(far, desktopProtocol, memoryDriver(world, options));
  return {
    desktop: openDesktop(near),
    die: () => {
      far.close();
      // The lock of a dead process is free; what it held down stays down until the next one takes the desktop.
      if (world.holder === options?.name) world.holder = undefined;
    },
  };
}

/** A driver that fulfils the desktop port on a desktop in memory. */
export function memoryDriver(
  world: MemoryDesktop,
  { name = `driver ${randomUUID()}`, before }: MemoryDriverOptions = {},
): Driver {
  const plain = new MemoryDriver(world, name);
  const handlers = Object.keys(desktopProtocol).map((method) => {
    const handle = plain[method as Method] as (params: unknown) => unknown;
    const answer = async (params: unknown) => {
      await before?.(method as Method, params);
      if (world.displayLost && method !== 'releaseLease') throw failure('display_lost', 'the display is gone');
      return handle.call(plain, params);
    };
    return [method, answer];
  });
  return { ...Object.fromEntries(handlers), close: () => plain.close() } as Driver;
}

function failure(code: DesktopErrorCode, message: string): CallError {
  return new CallError(code, message);
}

class MemoryDriver implements Driver {
  readonly #world: MemoryDesktop;
  readonly #name: string;
  readonly #pictures = new Pictures();
  #ignored = new Set<string>();

  constructor(world: MemoryDesktop, name: string) {
    this.#world = world;
    this.#name = name;
  }

  async close(): Promise<void> {
    this.releaseLease();
    this.#world.awake = false;
    this.#pictures.clear();
  }

  capabilities() {
    const { canReadElements, patternNeedsDesktop } = this.#world;
    return { elements: canReadElements, windowCapture: true, patternNeedsDesktop };
  }

  check() {
    const { screen, problems } = this.#world;
    const { width, height } = screen;
    return { os: 'linux', width, height, ready: problems.length === 0, problems };
  }

  takeLease() {
    const { holder } = this.#world;
    if (holder !== undefined && holder !== this.#name) return { taken: false, holder };
    if (holder === undefined) this.#world.down.clear();
    this.#world.holder = this.#name;
    return { taken: true };
  }

  releaseLease() {
    if (this.#world.holder !== this.#name) return {};
    this.#world.down.clear();
    this.#world.holder = undefined;
    return {};
  }

  #needLease(): void {
    if (this.#world.holder === this.#name) return;
    throw failure('no_lease', 'this needs the desktop, which was not taken');
  }

  windows() {
    return { windows: this.#shown().map(windowOf) };
  }

  #shown(): MemoryWindow[] {
    return this.#world.windows.filter((window) => !this.#ignored.has(window.id));
  }

  frontWindow() {
    const { front } = this.#world;
    return front === undefined || this.#ignored.has(front.id) ? {} : { found: windowOf(front) };
  }

  ignore({ windows }: { windows: string[] }) {
    this.#ignored = new Set(windows);
    return {};
  }

  #window(id: string): MemoryWindow {
    const found = this.#world.windows.find((window) => window.id === id);
    if (found === undefined) throw failure('no_window', `there is no window ${id}; it was closed`);
    return found;
  }

  captureScreen() {
    const { screen } = this.#world;
    const canvas = blank(screen.width, screen.height);
    for (const window of this.#shown().toReversed()) {
      if (window.state === 'minimized') continue;
      paint(canvas, draw(window), window.bounds.x - screen.x, window.bounds.y - screen.y);
    }
    return this.#pictures.add(screen, canvas);
  }

  captureWindow({ window: id }: { window: string }) {
    const window = this.#window(id);
    if (window.state === 'minimized' || window.blank) {
      throw failure('blank_picture', `"${window.title}" draws nothing`);
    }
    return this.#pictures.add(window.bounds, draw(window));
  }

  compose({ pictures }: { pictures: string[] }) {
    return this.#pictures.compose(pictures);
  }

  encode({ picture, maxEdge }: { picture: string; maxEdge?: number }) {
    return this.#pictures.encode(picture, maxEdge);
  }

  dropPicture({ picture }: { picture: string }) {
    this.#pictures.drop(picture);
    return {};
  }

  raise({ window: id }: { window: string }) {
    this.#needLease();
    const window = this.#window(id);
    const dialog = this.#world.windows.find((other) => other.modal && other.owner === id);
    if (dialog !== undefined)
      throw failure('focus_refused', `"${window.title}" is held by its dialog "${dialog.title}"`);
    if (window.refusesFocus) throw failure('focus_refused', `"${window.title}" did not take the focus`);
    if (window.state === 'minimized') window.state = 'normal';
    this.#world.focus(window);
    this.#world.effects.push(`raise "${window.title}"`);
    return {};
  }

  restore({ window: id }: { window: string }) {
    this.#needLease();
    const window = this.#window(id);
    window.state = 'normal';
    this.#world.effects.push(`restore "${window.title}"`);
    return {};
  }

  maximize({ window: id }: { window: string }) {
    this.#needLease();
    const window = this.#window(id);
    window.state = 'maximized';
    this.#world.effects.push(`maximize "${window.title}"`);
    return {};
  }

  pointerMove(point: Point) {
    this.#needLease();
    this.#world.pointer = point;
    return {};
  }

  click({
    point,
    button,
    count,
    modifiers,
  }: {
    point: Point;
    button: 'left' | 'middle' | 'right';
    count: number;
    modifiers: string[];
  }) {
    this.#needLease();
    for (const modifier of modifiers) chordKeys(modifier);
    this.#world.pointer = point;
    const window = this.#world.topWindowAt(point);
    const element = window && deepest(window, point);
    const kind = [button === 'left' ? '' : `${button} `, 'click', count > 1 ? ` x${count}` : ''].join('');
    this.#world.effects.push(`${kind} ${element === undefined ? 'nothing' : name(element)}`);
    if (window === undefined || element === undefined) return {};
    if (window.kind !== 'menu') this.#world.focus(window);
    this.#focus(element);
    if (button === 'left') this.#activate(element);
    return {};
  }

  #focus(element: MemoryElement): void {
    if (!element.takesFocus) return;
    this.#world.focused = element;
    element.selected = false;
  }

  #activate(element: MemoryElement): void {
    if (!element.enabled) return;
    if (element.role === 'checkbox') element.checked = !element.checked;
    if (element.role === 'radio') element.checked = true;
    element.onClick(element);
  }

  scroll({ point, dx, dy }: { point: Point; dx: number; dy: number }) {
    this.#needLease();
    const window = this.#world.topWindowAt(point);
    const element = window && deepest(window, point);
    this.#world.effects.push(`scroll ${dx},${dy} on ${element === undefined ? 'nothing' : name(element)}`);
    return {};
  }

  typeText({ text, window }: { text: string; window: string }) {
    this.#needLease();
    for (const character of text) {
      this.#needFocus(window);
      this.#insert(character);
    }
    return {};
  }

  #needFocus(window: string): void {
    const { front } = this.#world;
    if (front?.id === window) return;
    throw failure('wrong_focus', `the keyboard belongs to ${front === undefined ? 'no window' : `"${front.title}"`}`);
  }

  #insert(character: string): void {
    const field = this.#world.focused;
    this.#world.effects.push(`type ${JSON.stringify(character)} into ${field === undefined ? 'nothing' : name(field)}`);
    if (field?.typed === undefined) return;
    field.typed = field.selected ? character : field.typed + character;
    field.selected = false;
    field.onInput(field);
  }

  pressChord({ chord, window }: { chord: string; window: string }) {
    this.#needLease();
    const pressed = chordKeys(chord).join('+');
    this.#needFocus(window);
    const field = this.#world.focused;
    this.#world.effects.push(`press ${pressed}${field === undefined ? '' : ` in ${name(field)}`}`);
    if (field?.typed === undefined) return {};
    if (pressed === 'ctrl+a') field.selected = true;
    if (pressed === 'backspace' || pressed === 'delete') {
      field.typed = field.selected ? '' : field.typed.slice(0, -1);
      field.selected = false;
      field.onInput(field);
    }
    return {};
  }

  releaseAll() {
    this.#world.down.clear();
    return {};
  }

  elements({ window: id, maxElements = 5000 }: { window: string; maxElements?: number }): ElementTree {
    const window = this.#window(id);
    if (!this.#world.canReadElements) throw failure('unsupported', 'this desktop exposes no elements');
    if (window.bare) throw failure('no_elements', `"${window.title}" exposes no elements`);
    const all = describe(window, this.#world);
    const takenAt = new Date().toISOString();
    const elements = all.slice(0, maxElements);
    return { window: windowOf(window), elements, takenAt, ...(all.length > maxElements && { cut: 'count' as const }) };
  }

  readElement({ ref }: { ref: string }): Element {
    const [, element] = this.#find(ref);
    return element;
  }

  #find(ref: string): [MemoryElement, Element] {
    for (const window of this.#world.windows) {
      const found = flatten(window.root).find((element) => element.ref === ref);
      const described = found && describe(window, this.#world).find((element) => element.ref === ref);
      if (found !== undefined && described !== undefined) return [found, described];
    }
    throw failure('stale_element', 'the element is gone');
  }

  elementAt(point: Point): { found?: Element } {
    const window = this.#shown().find((other) => other.state !== 'minimized' && contains(other.bounds, point));
    const element = window && deepest(window, point);
    if (window === undefined || element === undefined) return {};
    return { found: describe(window, this.#world).find((other) => other.ref === element.ref) as Element };
  }

  perform({ ref, pattern, value = '' }: { ref: string; pattern: Pattern; value?: string }) {
    if (pattern === 'focus' || this.#world.patternNeedsDesktop) this.#needLease();
    const [element] = this.#find(ref);
    const refusal = element.refuses[pattern];
    if (!element.patterns.includes(pattern)) return { outcome: 'refused' as const, reason: `it offers no ${pattern}` };
    if (!element.enabled) return { outcome: 'refused' as const, reason: 'it is disabled' };
    if (refusal !== undefined) return { outcome: 'refused' as const, reason: refusal };
    this.#world.effects.push(`${pattern} ${name(element)}${pattern === 'setValue' ? ` ${JSON.stringify(value)}` : ''}`);
    if (pattern === 'focus') this.#focus(element);
    else if (pattern === 'setValue') {
      element.typed = value;
      element.onInput(element);
      if (element.value !== value) return { outcome: 'unconfirmed' as const };
    } else {
      this.#activate(element);
      if (pattern === 'invoke') return { outcome: 'unconfirmed' as const };
    }
    return { outcome: 'confirmed' as const };
  }

  launch({ command, args }: { command: string; args: string[]; cwd?: string }) {
    const program = this.#world.programs.get(command);
    if (program === undefined) throw failure('launch_failed', `cannot launch "${command}": no such program was found`);
    const pid = this.#world.pidOf(command);
    this.#world.effects.push(`launch ${[command, ...args].join(' ')}`);
    program(args, pid);
    return { pid };
  }

  keepAwake({ on }: { on: boolean }) {
    this.#world.awake = on;
    return {};
  }

  lastPersonInput(): { at?: string } {
    const { personAt } = this.#world;
    return personAt === undefined ? {} : { at: personAt };
  }
}

function windowOf({ id, title, app, pid, bounds, kind, state, owner, modal }: MemoryWindow): Window {
  return { id, title, app, pid, bounds, kind, state, modal, ...(owner !== undefined && { owner }) };
}

function name({ role, name, label, id }: MemoryElement): string {
  return `${role} ${JSON.stringify(name || label || id || '')}`;
}

function chordKeys(chord: string): string[] {
  try {
    return parseChord(chord).keys;
  } catch (error) {
    if (error instanceof UnknownKey) throw failure('bad_key', error.message);
    throw error;
  }
}

/** The window's elements as the port tells them. */
function describe(window: MemoryWindow, world: MemoryDesktop): Element[] {
  const list: Element[] = [];
  const visit = (element: MemoryElement, parent: number, index: number, shown: boolean) => {
    const { width, height } = element.bounds;
    const visible = shown && element.visible && width > 0 && height > 0;
    const position = list.push(elementOf(element, { parent, index, visible, focused: world.focused === element })) - 1;
    const counts = new Map<string, number>();
    for (const child of element.children) {
      const before = counts.get(child.role) ?? 0;
      counts.set(child.role, before + 1);
      visit(child, position, before, visible);
    }
  };
  visit(window.root, -1, 0, window.state !== 'minimized');
  return list;
}

function elementOf(
  element: MemoryElement,
  place: { parent: number; index: number; visible: boolean; focused: boolean },
): Element {
  const { ref, role, name, id, value, label, bounds, enabled, secret, checked, patterns } = element;
  return {
    ref,
    role,
    name,
    ...(id !== undefined && { id }),
    ...(value !== undefined && { value }),
    ...(label !== undefined && { label }),
    bounds,
    enabled,
    ...(checked !== undefined && { checked }),
    secret,
    patterns,
    ...place,
  };
}

function deepest(window: MemoryWindow, point: Point): MemoryElement | undefined {
  const within = (element: MemoryElement): MemoryElement | undefined => {
    if (!element.visible || !contains(element.bounds, point)) return undefined;
    for (const child of element.children.toReversed()) {
      const found = within(child);
      if (found !== undefined) return found;
    }
    return element;
  };
  return within(window.root);
}

/** A window as a frame around a fill of its own colour, with a lighter box for each element. */
function draw({ bounds, id, root }: MemoryWindow): Pixels {
  const shade = 60 + ((Number(id.split('-')[1]) * 37) % 120);
  const canvas = box(bounds, shade + 40);
  paint(
    canvas,
    box({ ...bounds, width: Math.max(0, bounds.width - 2), height: Math.max(0, bounds.height - 2) }, shade),
    1,
    1,
  );
  for (const element of flatten(root).slice(1)) {
    if (!element.visible) continue;
    paint(canvas, box(element.bounds, shade + 60), element.bounds.x - bounds.x, element.bounds.y - bounds.y);
  }
  return canvas;
}

function box({ width, height }: Bounds, shade: number): Pixels {
  const pixels = blank(width, height);
  pixels.data.fill(shade);
  return pixels;
}
