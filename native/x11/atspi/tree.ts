import { type BusConnection, BusError } from '../dbus/connection.ts';
import { type Method, method } from '../dbus/wire.ts';
import type { AccessibilityBus, Ref } from './bus.ts';
import { atspiRoles } from './roles.ts';

/** An accessible object as its program tells of it, before anything is made of it. */
export interface Accessible {
  ref: Ref;
  role: number;
  name: string;
  /** The id that the program gives it; often empty. */
  id: string;
  /** Two words of state bits. */
  states: readonly [number, number];
  interfaces: readonly string[];
  /** Display pixels; undefined where it has no place. */
  extents: readonly [number, number, number, number] | undefined;
  relations: readonly (readonly [type: number, targets: readonly Ref[]])[];
  children: readonly Ref[];
  /** It has more children than are ever read, as a spreadsheet's rows. */
  unread: boolean;
  /** What it shows, where it has a text. */
  text: string | undefined;
  /** Its number, where it has one. */
  value: number | undefined;
  /** The item that a combo box has chosen. */
  chosen: Ref | undefined;
}

/** A node of a tree that was read. */
export interface TreeNode extends Accessible {
  parent: TreeNode | undefined;
  nodes: TreeNode[];
}

export interface Tree {
  root: TreeNode;
  cut: 'count' | 'time' | undefined;
}

export interface Budget {
  maxElements: number;
  maxMs: number;
}

export const interfaces = {
  accessible: 'org.a11y.atspi.Accessible',
  action: 'org.a11y.atspi.Action',
  component: 'org.a11y.atspi.Component',
  editableText: 'org.a11y.atspi.EditableText',
  selection: 'org.a11y.atspi.Selection',
  table: 'org.a11y.atspi.Table',
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
const maxChildren = 10_000;
/** No call of a reading may hold it longer. */
const callMs = 5_000;

export function toRef([bus, path]: readonly [string, string]): Ref {
  return { bus, path };
}

/**
 * Reads an object and all below it. Children that go while they are read are left
 * out; when the root itself cannot be read, its error is thrown.
 */
export async function readTree(bus: AccessibilityBus, root: Ref, budget: Budget): Promise<Tree> {
  return await new Reading(bus, budget).run(root);
}

/** One object read afresh, at its old place in the tree and with what was below it. */
export async function readAgain(
  bus: AccessibilityBus,
  node: TreeNode,
  parent: TreeNode | undefined,
): Promise<TreeNode> {
  const web = node.parent !== undefined && isWeb(node.parent);
  return { ...(await readOne(bus, node.ref, web, callMs)), parent, nodes: node.nodes };
}

class Reading {
  readonly #bus: AccessibilityBus;
  readonly #end: number;
  #left: number;
  #cut: Tree['cut'];

  constructor(bus: AccessibilityBus, { maxElements, maxMs }: Budget) {
    this.#bus = bus;
    this.#left = maxElements;
    this.#end = performance.now() + maxMs;
  }

  async run(ref: Ref): Promise<Tree> {
    this.#left--;
    const root = await this.#node(ref, undefined);
    await this.#below(root);
    return { root, cut: this.#cut };
  }

  async #node(ref: Ref, parent: TreeNode | undefined): Promise<TreeNode> {
    const timeLeft = Math.max(1, this.#end - performance.now());
    const read = await readOne(this.#bus, ref, parent !== undefined && isWeb(parent), Math.min(callMs, timeLeft));
    if (read.unread) this.#cut ??= 'count';
    return { ...read, parent, nodes: [] };
  }

  async #below(node: TreeNode): Promise<void> {
    let children = node.children;
    if (children.length === 0) return;
    if (performance.now() > this.#end) {
      this.#cut = 'time';
      return;
    }
    if (children.length > this.#left) {
      this.#cut ??= 'count';
      children = children.slice(0, this.#left);
    }
    this.#left -= children.length;
    const found = await Promise.all(
      children.map(async (child) => {
        try {
          const read = await this.#node(child, node);
          await this.#below(read);
          return read;
        } catch (error) {
          if (!(error instanceof BusError)) throw error;
          if (error.code === 'timeout') this.#cut = 'time';
          return undefined;
        }
      }),
    );
    node.nodes = found.filter((child) => child !== undefined);
  }
}

/** Whether an object belongs to a page, as everything below a page's document does. */
function isWeb(node: TreeNode): boolean {
  return node.role === atspiRoles.documentWeb || (node.parent !== undefined && isWeb(node.parent));
}

/** Programs whose objects do not give all properties at once. */
const withoutAll = new WeakMap<BusConnection, Set<string>>();

async function readOne(bus: AccessibilityBus, ref: Ref, web: boolean, timeoutMs: number): Promise<Accessible> {
  const connection = await bus.reader(ref.bus);
  const ask = (called: Method) => connection.call(ref.bus, ref.path, called, timeoutMs);
  const [about, [role], [state], [names]] = (await Promise.all([
    readProperties(connection, ref, timeoutMs),
    ask(calls.role),
    ask(calls.state),
    ask(calls.interfaces),
  ])) as [Properties, [number], [[number, number]], [string[]]];
  const has = (name: string) => names.includes(name);
  const none: unknown[] = [];
  const [[extents], [relations], [children], [text], [value], [chosen], [attributes]] = (await Promise.all([
    has(interfaces.component) ? orNothing(ask(calls.extents)) : none,
    orNothing(ask(calls.relations)),
    about.childCount === 0 || about.childCount > maxChildren ? none : ask(calls.children),
    has(interfaces.text) && role !== atspiRoles.passwordText ? orNothing(ask(calls.text)) : none,
    has(interfaces.value) ? orNothing(ask(calls.currentValue)) : none,
    role === atspiRoles.comboBox && has(interfaces.selection) ? orNothing(ask(calls.chosen)) : none,
    web ? orNothing(ask(calls.attributes)) : none,
  ])) as [
    [Accessible['extents']],
    [[number, [string, string][]][]?],
    [[string, string][]?],
    [string?],
    [number?],
    [[string, string]?],
    [[string, string][]?],
  ];
  return {
    ref,
    role,
    name: about.name,
    // A page's elements carry their id as an attribute.
    id: about.id || (attributes?.find(([key]) => key === 'id')?.[1] ?? ''),
    states: [state[0] ?? 0, state[1] ?? 0],
    interfaces: names,
    extents,
    relations: (relations ?? []).map(([type, targets]) => [type, targets.map(toRef)]),
    children: (children ?? []).map(toRef).filter((child) => child.path !== nullPath),
    unread: about.childCount > maxChildren,
    text,
    value,
    chosen: chosen === undefined ? undefined : toRef(chosen),
  };
}

interface Properties {
  name: string;
  id: string;
  childCount: number;
}

async function readProperties(connection: BusConnection, ref: Ref, timeoutMs: number): Promise<Properties> {
  const ask = async (called: Method) => (await connection.call(ref.bus, ref.path, called, timeoutMs))[0];
  const single = withoutAll.get(connection) ?? new Set();
  if (!single.has(ref.bus)) {
    const all = await orNothing(ask(calls.all).then((value) => [value]));
    if (all[0] !== undefined) {
      const about = new Map(all[0] as [string, unknown][]);
      return {
        name: (about.get('Name') as string | undefined) ?? '',
        id: (about.get('AccessibleId') as string | undefined) ?? '',
        childCount: (about.get('ChildCount') as number | undefined) ?? -1,
      };
    }
  }
  // Throws where the object is gone; a program that has it refused the question above.
  const [name, childCount] = (await Promise.all([ask(calls.name), ask(calls.childCount)])) as [string, number];
  withoutAll.set(connection, single.add(ref.bus));
  const [id] = (await orNothing(ask(calls.accessibleId).then((value) => [value]))) as [string?];
  return { name, id: id ?? '', childCount };
}

/** An empty answer where the program does not know the question; other errors travel on. */
async function orNothing(answer: Promise<unknown[]>): Promise<unknown[]> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BusError && error.code.startsWith('org.freedesktop.DBus.Error.') && !gone.has(error.code)) {
      return [];
    }
    throw error;
  }
}

const gone = new Set(['org.freedesktop.DBus.Error.ServiceUnknown', 'org.freedesktop.DBus.Error.NoReply']);
