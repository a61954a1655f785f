import { type BusConnection, BusError } from '../dbus/connection.ts';
import { type Method, method } from '../dbus/wire.ts';
import type { Ref } from './bus.ts';
import { atspiRoles } from './roles.ts';

/** What an object is, and what hangs below it. */
export interface Basics {
  role: number;
  name: string;
  /** Two words of state bits. */
  states: readonly [number, number];
  interfaces: readonly string[];
  /** -1 where the program does not count them beforehand. */
  childCount: number;
  /** Undefined until they are asked for. */
  children: readonly Ref[] | undefined;
  /** The id that the program gives it, often empty; undefined until it is asked for. */
  id: string | undefined;
}

/** An accessible object as its program tells of it, before anything is made of it. */
export interface Accessible extends Basics {
  ref: Ref;
  id: string;
  children: readonly Ref[];
  /** Display pixels; undefined where it has no place. */
  extents: readonly [number, number, number, number] | undefined;
  relations: readonly (readonly [type: number, targets: readonly Ref[]])[];
  /** What it shows, where it has a text. */
  text: string | undefined;
  /** Its number, where it has one. */
  value: number | undefined;
  /** The item that a combo box has chosen. */
  chosen: Ref | undefined;
}

export const interfaces = {
  accessible: 'org.a11y.atspi.Accessible',
  action: 'org.a11y.atspi.Action',
  component: 'org.a11y.atspi.Component',
  editableText: 'org.a11y.atspi.EditableText',
  selection: 'org.a11y.atspi.Selection',
  text: 'org.a11y.atspi.Text',
  value: 'org.a11y.atspi.Value',
} as const;

const properties = 'org.freedesktop.DBus.Properties';
const screenCoordinates = 0;

export const calls = {
  all: method(properties, 'GetAll', 's', interfaces.accessible),
  name: method(properties, 'Get', 'ss', interfaces.accessible, 'Name'),
  childCount: method(properties, 'Get', 'ss', interfaces.accessible, 'ChildCount'),
  accessibleId: method(properties, 'Get', 'ss', interfaces.accessible, 'AccessibleId'),
  currentValue: method(properties, 'Get', 'ss', interfaces.value, 'CurrentValue'),
  role: method(interfaces.accessible, 'GetRole'),
  state: method(interfaces.accessible, 'GetState'),
  interfaces: method(interfaces.accessible, 'GetInterfaces'),
  relations: method(interfaces.accessible, 'GetRelationSet'),
  children: method(interfaces.accessible, 'GetChildren'),
  attributes: method(interfaces.accessible, 'GetAttributes'),
  extents: method(interfaces.component, 'GetExtents', 'u', screenCoordinates),
  text: method(interfaces.text, 'GetText', 'ii', 0, -1),
  chosen: method(interfaces.selection, 'GetSelectedChild', 'i', 0),
};

const nullPath = '/org/a11y/atspi/null';
/** A list longer than this is not asked for: a spreadsheet counts two thousand million. */
export const maxChildren = 10_000;

export function toRef([bus, path]: readonly [string, string]): Ref {
  return { bus, path };
}

export interface Asking {
  connection: BusConnection;
  timeoutMs: number;
  /** The object belongs to a page, whose elements carry their id as an attribute. */
  web: boolean;
}

/**
 * Reads one object, what is known of it already left out.
 *
 * @throws BusError when it is gone or its program does not answer
 */
export async function readAccessible(ref: Ref, asking: Asking, known?: Basics): Promise<Accessible> {
  const basics = known ?? (await askBasics(ref, asking));
  const { role, childCount } = basics;
  const { connection, timeoutMs, web } = asking;
  const ask = (called: Method) => connection.call(ref.bus, ref.path, called, timeoutMs);
  const has = (name: string) => basics.interfaces.includes(name);
  const none: unknown[] = [];
  const isLeaf = basics.children !== undefined || childCount === 0 || childCount > maxChildren;
  const [[id], [extents], [relations], [children], [text], [value], [chosen], [attributes]] = (await Promise.all([
    basics.id === undefined ? orNothing(ask(calls.accessibleId)) : [basics.id],
    has(interfaces.component) ? orNothing(ask(calls.extents)) : none,
    orNothing(ask(calls.relations)),
    isLeaf ? none : ask(calls.children),
    has(interfaces.text) && role !== atspiRoles.passwordText ? orNothing(ask(calls.text)) : none,
    has(interfaces.value) ? orNothing(ask(calls.currentValue)) : none,
    role === atspiRoles.comboBox && has(interfaces.selection) ? orNothing(ask(calls.chosen)) : none,
    web ? orNothing(ask(calls.attributes)) : none,
  ])) as [
    [string?],
    [Accessible['extents']],
    [[number, [string, string][]][]?],
    [[string, string][]?],
    [string?],
    [number?],
    [[string, string]?],
    [[string, string][]?],
  ];
  return {
    ...basics,
    ref,
    id: id || (attributes?.find(([key]) => key === 'id')?.[1] ?? ''),
    children: basics.children ?? (children ?? []).map(toRef).filter((child) => child.path !== nullPath),
    extents,
    relations: (relations ?? []).map(([type, targets]) => [type, targets.map(toRef)]),
    text,
    value,
    chosen: chosen === undefined ? undefined : toRef(chosen),
  };
}

async function askBasics(ref: Ref, { connection, timeoutMs }: Asking): Promise<Basics> {
  const ask = (called: Method) => connection.call(ref.bus, ref.path, called, timeoutMs);
  const [about, [role], [states], [names]] = (await Promise.all([
    askProperties(connection, ref, timeoutMs),
    ask(calls.role),
    ask(calls.state),
    ask(calls.interfaces),
  ])) as [Properties, [number], [number[]], [string[]]];
  return { ...about, role, states: [states[0] ?? 0, states[1] ?? 0], interfaces: names, children: undefined };
}

type Properties = Pick<Basics, 'name' | 'id' | 'childCount'>;

/** Programs whose objects do not give all properties at once, as Qt's. */
const withoutAll = new WeakMap<BusConnection, Set<string>>();

async function askProperties(connection: BusConnection, ref: Ref, timeoutMs: number): Promise<Properties> {
  const ask = (called: Method) => connection.call(ref.bus, ref.path, called, timeoutMs);
  const single = withoutAll.get(connection) ?? new Set();
  if (!single.has(ref.bus)) {
    const [all] = (await orNothing(ask(calls.all))) as [[string, unknown][]?];
    if (all !== undefined) {
      const about = new Map(all);
      return {
        name: (about.get('Name') as string | undefined) ?? '',
        id: (about.get('AccessibleId') as string | undefined) ?? '',
        childCount: (about.get('ChildCount') as number | undefined) ?? -1,
      };
    }
  }
  // Throws where the object is gone; a program that has it refused the question above.
  const [[name], [childCount]] = (await Promise.all([ask(calls.name), ask(calls.childCount)])) as [[string], [number]];
  withoutAll.set(connection, single.add(ref.bus));
  return { name, id: undefined, childCount };
}

const gone = new Set(['org.freedesktop.DBus.Error.ServiceUnknown', 'org.freedesktop.DBus.Error.NoReply']);

/** An empty answer where the program does not know the question; other errors travel on. */
export async function orNothing(answer: Promise<unknown[]>): Promise<unknown[]> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BusError && error.code.startsWith('org.freedesktop.DBus.Error.') && !gone.has(error.code)) {
      return [];
    }
    throw error;
  }
}
