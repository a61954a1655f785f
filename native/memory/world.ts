import type { Bounds, Pattern, Point, Role, SessionCheck, Window } from '../desktop.ts';

/**
 * A little desktop in memory that programs can be written for: windows, elements whose
 * effects run, and whatever a driver's caller has to cope with. It belongs to tests.
 */

/** How an element of the desktop is described; children inherit nothing. */
export interface ElementPlan {
  role: Role;
  name?: string;
  id?: string;
  value?: string;
  label?: string;
  bounds: Bounds;
  enabled?: boolean;
  visible?: boolean;
  secret?: boolean;
  checked?: boolean;
  patterns?: Pattern[];
  /** Patterns that the element offers and refuses, with the reason. */
  refuses?: Partial<Record<Pattern, string>>;
  children?: ElementPlan[];
  /** What a field makes of the text that is typed into it. */
  format?: (typed: string) => string;
  /** Runs after a click, and after a pattern that acts as one. */
  onClick?: (element: MemoryElement) => void;
  /** Runs after each typed character. */
  onInput?: (element: MemoryElement) => void;
}

export class MemoryElement {
  readonly ref: string;
  role: Role;
  name: string;
  id: string | undefined;
  label: string | undefined;
  bounds: Bounds;
  enabled: boolean;
  visible: boolean;
  secret: boolean;
  checked: boolean | undefined;
  patterns: Pattern[];
  refuses: Partial<Record<Pattern, string>>;
  children: MemoryElement[];
  format: (typed: string) => string;
  onClick: (element: MemoryElement) => void;
  onInput: (element: MemoryElement) => void;
  /** What was typed; `value` shows it as the field formats it. */
  typed: string | undefined;
  /** All text is selected: the next typed character replaces it. */
  selected = false;

  constructor(plan: ElementPlan, ref: () => string) {
    this.ref = ref();
    this.role = plan.role;
    this.name = plan.name ?? '';
    this.id = plan.id;
    this.label = plan.label;
    this.bounds = plan.bounds;
    this.enabled = plan.enabled ?? true;
    this.visible = plan.visible ?? true;
    this.secret = plan.secret ?? false;
    this.checked = plan.checked ?? (plan.role === 'checkbox' || plan.role === 'radio' ? false : undefined);
    this.patterns = plan.patterns ?? [];
    this.refuses = plan.refuses ?? {};
    this.format = plan.format ?? ((typed) => typed);
    this.onClick = plan.onClick ?? (() => {});
    this.onInput = plan.onInput ?? (() => {});
    this.typed = plan.value ?? (plan.role === 'text_field' ? '' : undefined);
    this.children = (plan.children ?? []).map((child) => new MemoryElement(child, ref));
  }

  get value(): string | undefined {
    return this.typed === undefined || this.secret ? undefined : this.format(this.typed);
  }

  get takesFocus(): boolean {
    return this.enabled && ['text_field', 'combo_box', 'button', 'checkbox', 'radio', 'link'].includes(this.role);
  }
}

/** How a window is described; what is left out is a plain window of its application. */
export interface WindowPlan extends Partial<Omit<Window, 'id' | 'bounds'>> {
  title: string;
  app: string;
  bounds?: Bounds;
  elements?: ElementPlan[];
  /** The window exposes no elements. */
  bare?: boolean;
  /** The window does not take the focus when it is raised. */
  refusesFocus?: boolean;
  /** A capture of the window shows one colour. */
  blank?: boolean;
}

export interface MemoryWindow extends Window {
  root: MemoryElement;
  bare: boolean;
  refusesFocus: boolean;
  blank: boolean;
}

/** Above every process id that a system gives, so that no window belongs to a real process. */
const firstPid = 1_000_000_000;

export class MemoryDesktop {
  readonly screen: Bounds;
  /** Front to back. */
  windows: MemoryWindow[] = [];
  /** What happened to the desktop, in order: `click button "Add"`, `type "x" into text_field "Memo"`. */
  readonly effects: string[] = [];
  /** Programs that can be launched. */
  readonly programs = new Map<string, (args: readonly string[], pid: number) => void>();
  /** The driver that holds the desktop. */
  holder: string | undefined;
  /** Keys and buttons that are down. */
  readonly down = new Set<string>();
  problems: SessionCheck['problems'] = [];
  patternNeedsDesktop = false;
  canReadElements = true;
  displayLost = false;
  awake = false;
  /** RFC 3339 time of a person's last input. */
  personAt: string | undefined;
  focused: MemoryElement | undefined;
  pointer: Point = { x: 0, y: 0 };
  #front: string | undefined;
  #nextWindow = 1;
  #nextElement = 1;
  readonly #pids = new Map<string, number>();

  constructor(screen = { width: 800, height: 600 }) {
    this.screen = { x: 0, y: 0, ...screen };
  }

  /** Opens a window in front of all, with the focus. */
  open(plan: WindowPlan): MemoryWindow {
    const bounds = plan.bounds ?? { x: 100, y: 100, width: 400, height: 300 };
    const root: ElementPlan = { role: 'window', name: plan.title, bounds, children: plan.elements ?? [] };
    const window: MemoryWindow = {
      id: `window-${this.#nextWindow++}`,
      title: plan.title,
      app: plan.app,
      pid: plan.pid ?? this.pidOf(plan.app),
      bounds,
      kind: plan.kind ?? 'normal',
      state: plan.state ?? 'normal',
      modal: plan.modal ?? false,
      ...(plan.owner !== undefined && { owner: plan.owner }),
      root: new MemoryElement(root, () => `element-${this.#nextElement++}`),
      bare: plan.bare ?? false,
      refusesFocus: plan.refusesFocus ?? false,
      blank: plan.blank ?? false,
    };
    this.windows.unshift(window);
    if (window.kind !== 'menu' && window.state !== 'minimized') this.focus(window);
    return window;
  }

  close(window: MemoryWindow): void {
    this.windows = this.windows.filter((other) => other !== window);
    if (this.#front === window.id) {
      this.#front = undefined;
      this.focused = undefined;
      const next = this.windows.find((other) => other.kind !== 'menu' && other.state !== 'minimized');
      if (next !== undefined) this.focus(next);
    }
  }

  /** Puts a window in front and gives it the keyboard. */
  focus(window: MemoryWindow): void {
    this.windows = [window, ...this.windows.filter((other) => other !== window)];
    if (this.#front !== window.id) this.focused = undefined;
    this.#front = window.id;
  }

  get front(): MemoryWindow | undefined {
    return this.windows.find((window) => window.id === this.#front);
  }

  /** The process of an application, made at its first window. */
  pidOf(app: string): number {
    const pid = this.#pids.get(app) ?? firstPid + this.#pids.size;
    this.#pids.set(app, pid);
    return pid;
  }

  /** Adds an element to a window or to another element. */
  add(parent: MemoryWindow | MemoryElement, plan: ElementPlan): MemoryElement {
    const element = new MemoryElement(plan, () => `element-${this.#nextElement++}`);
    (parent instanceof MemoryElement ? parent : parent.root).children.push(element);
    return element;
  }

  remove(element: MemoryElement): void {
    for (const { root } of this.windows) {
      for (const parent of flatten(root)) parent.children = parent.children.filter((child) => child !== element);
    }
    if (this.focused === element) this.focused = undefined;
  }

  /** The first element of a name, whatever its window. */
  element(name: string): MemoryElement {
    const found = this.windows.flatMap(({ root }) => flatten(root)).find((element) => element.name === name);
    if (found === undefined) throw new Error(`the desktop has no element named ${name}`);
    return found;
  }

  topWindowAt({ x, y }: Point): MemoryWindow | undefined {
    return this.windows.find((window) => window.state !== 'minimized' && contains(window.bounds, { x, y }));
  }
}

/** An element and all below it, in preorder. */
export function flatten(element: MemoryElement): MemoryElement[] {
  return [element, ...element.children.flatMap(flatten)];
}

export function contains(bounds: Bounds, { x, y }: Point): boolean {
  return x >= bounds.x && y >= bounds.y && x < bounds.x + bounds.width && y < bounds.y + bounds.height;
}
