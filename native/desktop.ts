import { type Static, Type } from 'typebox';
import { type Client, type Handlers, Nothing } from '../core/contract/protocol.ts';
import { type Role, roles } from '../core/workflow/selector.ts';

/**
 * The desktop port: all that the product asks of an operating system's desktop.
 * A driver fulfils it in a process of its own (host.ts); a run uses it through a
 * client. Coordinates are display pixels from the main display's top left corner;
 * times are milliseconds. No method falls back silently to another mechanism, and
 * each rejects with a {@link DesktopErrorCode} and its own diagnosis.
 */

const closed = { additionalProperties: false } as const;

export const Point = Type.Object({ x: Type.Number(), y: Type.Number() }, closed);
export type Point = Static<typeof Point>;

export const Bounds = Type.Object(
  { x: Type.Number(), y: Type.Number(), width: Type.Number(), height: Type.Number() },
  closed,
);
export type Bounds = Static<typeof Bounds>;

/** Codes of a problem that keeps a step from the desktop (spec: Where steps run). */
export const problemCodes = [
  'unsupported',
  'load_failed',
  'no_session',
  'other_session',
  'no_display',
  'screen_locked',
  'screen_recording',
  'accessibility',
  'service_session',
  'session_disconnected',
] as const;

export const SessionCheck = Type.Object(
  {
    /** As Go names systems: windows, darwin, linux. */
    os: Type.String(),
    /** The main display, in pixels; 0 when unknown. */
    width: Type.Integer(),
    height: Type.Integer(),
    ready: Type.Boolean(),
    problems: Type.Array(Type.Object({ code: Type.Enum(problemCodes), message: Type.String() }, closed)),
  },
  closed,
);
export type SessionCheck = Static<typeof SessionCheck>;

export const Window = Type.Object(
  {
    /** The driver's name for the window; valid until the window closes. */
    id: Type.String(),
    /** From the window system, which is right where the accessible name is empty. */
    title: Type.String(),
    /** The process' image name without its extension; empty where it cannot be read. */
    app: Type.String(),
    pid: Type.Integer(),
    /** With the frame that the window manager draws. */
    bounds: Bounds,
    kind: Type.Enum(['normal', 'dialog', 'menu', 'other']),
    state: Type.Enum(['normal', 'minimized', 'maximized']),
    /** The window that this dialog or menu belongs to. */
    owner: Type.Optional(Type.String()),
    /** A modal dialog keeps its owner from being used. */
    modal: Type.Boolean(),
  },
  closed,
);
export type Window = Static<typeof Window>;

/** Roles of elements, which selectors in workflow files name. */
export { type Role, roles };

/** What an element can be asked to do without the pointer. */
export const patterns = ['invoke', 'toggle', 'select', 'expand', 'focus', 'setValue'] as const;
export type Pattern = (typeof patterns)[number];

export const Element = Type.Object(
  {
    /** The driver's handle; find the element again right before acting rather than trust an old one. */
    ref: Type.String(),
    role: Type.Enum(roles),
    name: Type.String(),
    /** The id that the application gives the element; absent where it gives none. */
    id: Type.Optional(Type.String()),
    /** Absent for what has no value, and always for a password field. */
    value: Type.Optional(Type.String()),
    /** Text of the label that the application links to this element. */
    label: Type.Optional(Type.String()),
    bounds: Bounds,
    enabled: Type.Boolean(),
    /** On screen with every ancestor, with bounds that are not empty. */
    visible: Type.Boolean(),
    focused: Type.Boolean(),
    /** A checkbox's or radio's state; absent for the rest. */
    checked: Type.Optional(Type.Boolean()),
    /** A password field: its value is never read. */
    secret: Type.Boolean(),
    patterns: Type.Array(Type.Enum(patterns)),
    /** Position in the tree's list of the parent; -1 for the window itself. */
    parent: Type.Integer(),
    /** Position among the parent's children of the same role, hidden ones counted. */
    index: Type.Integer(),
  },
  closed,
);
export type Element = Static<typeof Element>;

export const ElementTree = Type.Object(
  {
    window: Window,
    /** Preorder; the first is the window itself. Hidden elements are in it, with `visible: false`. */
    elements: Type.Array(Element),
    /** RFC 3339 time at which reading began. */
    takenAt: Type.String(),
    /** Why the tree is not whole: its budget in time or count ended. Absent when it is whole. */
    cut: Type.Optional(Type.Enum(['count', 'time'])),
  },
  closed,
);
export type ElementTree = Static<typeof ElementTree>;

/** A picture that the driver keeps until it is released or the driver ends. */
export const Picture = Type.Object({ picture: Type.String(), bounds: Bounds }, closed);
export type Picture = Static<typeof Picture>;

const WindowRef = Type.Object({ window: Type.String() }, closed);
const PictureRef = Type.Object({ picture: Type.String() }, closed);
const Optional = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Object({ found: Type.Optional(schema) }, closed);
const button = Type.Enum(['left', 'middle', 'right']);

/**
 * What performing a pattern came to. `confirmed`: read back and seen. `unconfirmed`:
 * sent, and nothing tells. `refused`: not done, for the reason given.
 */
export const Outcome = Type.Object(
  { outcome: Type.Enum(['confirmed', 'unconfirmed', 'refused']), reason: Type.Optional(Type.String()) },
  closed,
);
export type Outcome = Static<typeof Outcome>;

export const desktopProtocol = {
  /** What the driver can do here, and which of it needs the desktop lease. */
  capabilities: {
    params: Nothing,
    result: Type.Object(
      {
        elements: Type.Boolean(),
        windowCapture: Type.Boolean(),
        /** Performing a pattern changes focus or stacking on this system. */
        patternNeedsDesktop: Type.Boolean(),
      },
      closed,
    ),
  },
  /** The session's readiness. `prompt` lets the system show its permission dialogs. */
  check: { params: Type.Object({ prompt: Type.Boolean() }, closed), result: SessionCheck },

  /**
   * Takes the user's desktop, or says who holds it. Needed for every input and for
   * raise, restore and maximize, which reject with `no_lease` without it. Keys that a
   * dead holder left down are let up before this answers.
   */
  takeLease: {
    params: Nothing,
    result: Type.Object({ taken: Type.Boolean(), holder: Type.Optional(Type.String()) }, closed),
  },
  /** Lets up every key and button that is down, then gives the desktop back. */
  releaseLease: { params: Nothing, result: Nothing },

  /** Front to back, without the windows of `ignore`. */
  windows: { params: Nothing, result: Type.Object({ windows: Type.Array(Window) }, closed) },
  /** The window with the system's focus, which keys go to. */
  frontWindow: { params: Nothing, result: Optional(Window) },
  /** Windows (overlays of ours) that no answer and no capture shows from now on. */
  ignore: { params: Type.Object({ windows: Type.Array(Type.String()) }, closed), result: Nothing },

  /** The whole main display. */
  captureScreen: { params: Nothing, result: Picture },
  /** A window as it draws itself, parts that others cover included; never a frame of one colour. */
  captureWindow: { params: WindowRef, result: Picture },
  /**
   * Pictures of windows at their places on one black canvas that just covers them,
   * back to front (the first given is in front).
   */
  compose: { params: Type.Object({ pictures: Type.Array(Type.String(), { minItems: 1 }) }, closed), result: Picture },
  /** PNG of a picture, its long edge at most `maxEdge` pixels. */
  encode: {
    params: Type.Object({ picture: Type.String(), maxEdge: Type.Optional(Type.Integer()) }, closed),
    result: Type.Object({ png: Type.Unsafe<Uint8Array>({}), width: Type.Integer(), height: Type.Integer() }, closed),
  },
  dropPicture: { params: PictureRef, result: Nothing },

  /** Brings a window forward and waits until it has the focus; `focus_refused` when it does not get it. */
  raise: { params: WindowRef, result: Nothing },
  restore: { params: WindowRef, result: Nothing },
  maximize: { params: WindowRef, result: Nothing },

  pointerMove: { params: Point, result: Nothing },
  /** Moves, then presses and releases `count` times; `modifiers` are held meanwhile. */
  click: {
    params: Type.Object(
      { point: Point, button, count: Type.Integer({ minimum: 1, maximum: 3 }), modifiers: Type.Array(Type.String()) },
      closed,
    ),
    result: Nothing,
  },
  /** Wheel notches at a point; positive `dy` shows what is further down, positive `dx` further right. */
  scroll: { params: Type.Object({ point: Point, dx: Type.Integer(), dy: Type.Integer() }, closed), result: Nothing },
  /**
   * Types text as text, any script; "\n" is Enter. Sent only while `window` has the
   * focus: rejects with `wrong_focus` and sends nothing more once it has not.
   */
  typeText: { params: Type.Object({ text: Type.String(), window: Type.String() }, closed), result: Nothing },
  /** Presses a chord such as `ctrl+s`, under the same rule as `typeText`. `bad_key` names an unknown key. */
  pressChord: { params: Type.Object({ chord: Type.String(), window: Type.String() }, closed), result: Nothing },
  /** Lets up every key and button that is down. */
  releaseAll: { params: Nothing, result: Nothing },

  /** An immutable snapshot of a window's elements within a budget; `no_elements` when it exposes none. */
  elements: {
    params: Type.Object(
      { window: Type.String(), maxElements: Type.Optional(Type.Integer()), maxMs: Type.Optional(Type.Integer()) },
      closed,
    ),
    result: ElementTree,
  },
  /** One element read afresh; `stale_element` when it is gone. */
  readElement: { params: Type.Object({ ref: Type.String() }, closed), result: Element },
  /** The element of the window under a point that is deepest there. */
  elementAt: { params: Point, result: Optional(Element) },
  /** Has the element act itself, and reads back what came of it. `value` goes with setValue. */
  perform: {
    params: Type.Object(
      { ref: Type.String(), pattern: Type.Enum(patterns), value: Type.Optional(Type.String()) },
      closed,
    ),
    result: Outcome,
  },

  /** Starts a program without a shell; it survives the run. `launch_failed` names the command and why. */
  launch: {
    params: Type.Object(
      { command: Type.String(), args: Type.Array(Type.String()), cwd: Type.Optional(Type.String()) },
      closed,
    ),
    result: Type.Object({ pid: Type.Integer() }, closed),
  },
  /** Keeps display and system awake until the driver ends or is told otherwise. */
  keepAwake: { params: Type.Object({ on: Type.Boolean() }, closed), result: Nothing },
  /** When a person, not one of our drivers, last used pointer or keyboard; absent when never seen. */
  lastPersonInput: { params: Nothing, result: Type.Object({ at: Type.Optional(Type.String()) }, closed) },
};

/** The port as a run uses it. */
export type Desktop = Client<typeof desktopProtocol>;
/** The port as a driver fulfils it; `close` gives back everything it holds. */
export type Driver = Handlers<typeof desktopProtocol> & { close(): Promise<void> };

/** Codes of the errors that a port call rejects with, besides `timeout`, `aborted` and `closed`. */
export type DesktopErrorCode =
  | 'unsupported'
  | 'load_failed'
  | 'no_display'
  | 'display_lost'
  | 'no_lease'
  | 'no_window'
  | 'no_elements'
  | 'stale_element'
  | 'focus_refused'
  | 'wrong_focus'
  | 'blank_picture'
  | 'bad_key'
  | 'launch_failed'
  | 'failed';
