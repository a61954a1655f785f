import { BusError } from '../dbus/connection.ts';
import { type Accessible, type Basics, maxChildren, readAccessible } from './accessible.ts';
import type { AccessibilityBus, Ref } from './bus.ts';
import { cachedBasics } from './cache.ts';
import { atspiRoles } from './roles.ts';

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

/** No call of a reading may hold it longer. */
const callMs = 5_000;

/**
 * Reads an object and all below it. Children that go while they are read are left
 * out; when the root itself cannot be read, its error is thrown.
 */
export async function readTree(bus: AccessibilityBus, root: Ref, budget: Budget): Promise<Tree> {
  const connection = await bus.reader(root.bus);
  const known = await cachedBasics(connection, root.bus, Math.min(callMs, budget.maxMs));
  return await new Reading(bus, known, budget).run(root);
}

/** One object read afresh, at its old place in the tree and with what was below it. */
export async function readAgain(
  bus: AccessibilityBus,
  node: TreeNode,
  parent: TreeNode | undefined,
): Promise<TreeNode> {
  const web = node.parent !== undefined && isWeb(node.parent);
  const connection = await bus.reader(node.ref.bus);
  return { ...(await readAccessible(node.ref, { connection, web, timeoutMs: callMs })), parent, nodes: node.nodes };
}

class Reading {
  readonly #bus: AccessibilityBus;
  readonly #known: ReadonlyMap<string, Basics>;
  readonly #end: number;
  #left: number;
  #cut: Tree['cut'];

  constructor(bus: AccessibilityBus, known: ReadonlyMap<string, Basics>, { maxElements, maxMs }: Budget) {
    this.#bus = bus;
    this.#known = known;
    this.#left = maxElements;
    this.#end = performance.now() + maxMs;
  }

  async run(ref: Ref): Promise<Tree> {
    this.#left--;
    return { root: await this.#read(ref, undefined, ref.bus), cut: this.#cut };
  }

  /** Reads an object; what is below it is asked for at the same time where it is known already. */
  async #read(ref: Ref, parent: TreeNode | undefined, program: string): Promise<TreeNode> {
    const known = ref.bus === program ? this.#known.get(ref.path) : undefined;
    const connection = await this.#bus.reader(ref.bus);
    const timeoutMs = Math.min(callMs, Math.max(1, this.#end - performance.now()));
    const web = parent !== undefined && isWeb(parent);
    const node = { parent, nodes: [] as TreeNode[] } as unknown as TreeNode;
    const reading = readAccessible(ref, { connection, web, timeoutMs }, known);
    if (known?.children !== undefined) {
      // Descendants look at their ancestors' roles alone while these are being read.
      node.role = known.role;
      const [read, nodes] = await Promise.all([reading, this.#readAll(known.children, node, program)]);
      return Object.assign(node, read, { nodes });
    }
    Object.assign(node, await reading);
    if (node.childCount > maxChildren) this.#cut ??= 'count';
    node.nodes = await this.#readAll(node.children, node, program);
    return node;
  }

  async #readAll(children: readonly Ref[], parent: TreeNode, program: string): Promise<TreeNode[]> {
    if (children.length === 0) return [];
    if (performance.now() > this.#end) {
      this.#cut = 'time';
      return [];
    }
    if (children.length > this.#left) this.#cut ??= 'count';
    const within = children.slice(0, this.#left);
    this.#left -= within.length;
    const found = await Promise.all(
      within.map(async (child) => {
        try {
          return await this.#read(child, parent, program);
        } catch (error) {
          if (!(error instanceof BusError)) throw error;
          if (error.code === 'timeout') this.#cut = 'time';
          return undefined;
        }
      }),
    );
    return found.filter((child) => child !== undefined);
  }
}

/** Whether an object belongs to a page, as everything below a page's document does. */
function isWeb(node: TreeNode): boolean {
  return node.role === atspiRoles.documentWeb || (node.parent !== undefined && isWeb(node.parent));
}
