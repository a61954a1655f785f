import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from '../../../core/contract/protocol.ts';
import type { Element, ElementTree, Point } from '../../desktop.ts';
import { BusError } from '../dbus/connection.ts';
import type { XWindow } from '../windows.ts';
import type { Accessible } from './accessible.ts';
import type { AccessibilityBus } from './bus.ts';
import { labelOf, type Mapped, mapTree, sightBelow, sightOf, standsInPopup, toElement } from './elements.ts';
import { hasState } from './roles.ts';
import type { Toplevels } from './toplevels.ts';
import { type Budget, readAgain, readTree, type Tree, type TreeNode } from './tree.ts';

/** As many as a search looks through, and as long as a search takes. */
const defaultBudget: Budget = { maxElements: 5_000, maxMs: 10_000 };
/** A browser builds a page's tree when first asked, a moment later. */
const unbuiltElements = 2;
const buildMs = 300;
const buildTries = 3;

/** Reads the elements of windows and remembers where they stood. */
export class Reader {
  readonly #bus: AccessibilityBus;
  readonly #toplevels: Toplevels;
  /** The latest snapshot's elements, by window and by handle. */
  readonly #known = new Map<string, Map<string, Mapped>>();

  constructor(bus: AccessibilityBus, toplevels: Toplevels) {
    this.#bus = bus;
    this.#toplevels = toplevels;
  }

  /** @throws CallError `no_elements` */
  async snapshot(window: XWindow, budget: Partial<Budget> = {}): Promise<ElementTree> {
    const takenAt = new Date().toISOString();
    const { root, cut } = await this.#tree(window, { ...defaultBudget, ...budget });
    const mapped = mapTree(root, window.shown.title, (node) => refOf(window.shown.id, node));
    const known = new Map(mapped.map((entry) => [entry.element.ref, entry]));
    const before = this.#known.get(window.shown.id);
    // What a cut reading left out may still be there.
    this.#known.set(
      window.shown.id,
      cut !== undefined && before !== undefined ? new Map([...before, ...known]) : known,
    );
    const elements = mapped.map((entry) => entry.element);
    return { window: window.shown, elements, takenAt, ...(cut !== undefined && { cut }) };
  }

  /**
   * An element read afresh, with the node that it stands for.
   *
   * @throws CallError `stale_element`
   */
  async read(ref: string): Promise<Mapped> {
    const known = this.#known.get(windowOf(ref))?.get(ref);
    if (known === undefined) throw stale(ref, 'it was not in the last reading of its window');
    const chain = await this.#readChain(known.node, ref);
    let sight = { shown: true, area: undefined } as ReturnType<typeof sightOf>;
    for (const ancestor of chain.slice(0, -1)) sight = sightBelow(ancestor, sightOf(ancestor, sight));
    const node = chain[chain.length - 1] as TreeNode;
    const { parent, index, label } = known.element;
    const names = new Map(
      [...(this.#known.get(windowOf(ref))?.values() ?? [])].map((entry) => [
        entry.node.ref.path,
        entry.node.text || entry.node.name,
      ]),
    );
    return {
      node,
      element: toElement(node, {
        ref,
        parent,
        index,
        sight: sightOf(node, sight),
        label: labelOf(node, (path) => names.get(path)) ?? label,
      }),
    };
  }

  /** The deepest element in sight at a point of a window; of its open menus alone when one of them is there. */
  async at(window: XWindow, point: Point, inMenu: boolean): Promise<Element | undefined> {
    const { elements } = await this.snapshot(window);
    const known = this.#known.get(window.shown.id);
    const depths: number[] = [];
    let found: { element: Element; depth: number } | undefined;
    for (const element of elements) {
      const depth = element.parent < 0 ? 0 : (depths[element.parent] ?? 0) + 1;
      depths.push(depth);
      if (!element.visible || !contains(element, point) || depth < (found?.depth ?? 0)) continue;
      const node = known?.get(element.ref)?.node;
      // Of two at one depth, the one that is drawn later lies above.
      if (!inMenu || (node !== undefined && standsInPopup(node))) found = { element, depth };
    }
    return found?.element;
  }

  /** Forgets windows that are closed. */
  keepOnly(windows: ReadonlySet<string>): void {
    for (const window of this.#known.keys()) if (!windows.has(window)) this.#known.delete(window);
  }

  async #tree(window: XWindow, budget: Budget): Promise<Tree> {
    const end = performance.now() + budget.maxMs;
    const toplevel = await this.#toplevels.find(window);
    for (let tries = 1; ; tries++) {
      const maxMs = Math.max(1, end - performance.now());
      const tree = await this.#readAll(window, () => readTree(this.#bus, toplevel, { ...budget, maxMs }));
      const isBuilt = count(tree.root) > unbuiltElements || tree.cut !== undefined;
      if (isBuilt || tries === buildTries || performance.now() + buildMs > end) return tree;
      await sleep(buildMs);
    }
  }

  async #readAll<T>(window: XWindow, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      const why = error.code === 'timeout' ? 'its program did not answer in time' : error.message;
      throw new CallError('no_elements', `the elements of "${window.shown.title}" cannot be read: ${why}`, {
        window: window.shown.id,
      });
    }
  }

  /** From the window down to the node, all read at once. */
  async #readChain(node: TreeNode, ref: string): Promise<TreeNode[]> {
    const old: TreeNode[] = [];
    for (let at: TreeNode | undefined = node; at !== undefined; at = at.parent) old.unshift(at);
    let fresh: TreeNode[];
    try {
      fresh = await Promise.all(old.map((one) => readAgain(this.#bus, one, one.parent)));
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      throw stale(ref, error.code === 'timeout' ? 'its program does not answer' : error.message);
    }
    for (const [index, one] of fresh.entries()) one.parent = fresh[index - 1];
    if (fresh.some((one) => hasState(one.states, 'defunct'))) throw stale(ref, 'its program took it away');
    return fresh;
  }
}

const separator = ' ';

function refOf(window: string, { ref }: Accessible): string {
  return [window, ref.bus, ref.path].join(separator);
}

function windowOf(ref: string): string {
  return ref.slice(0, ref.indexOf(separator));
}

export function stale(ref: string, why: string): CallError {
  return new CallError('stale_element', `the element is not there any more: ${why}; find it again`, { ref });
}

function count(node: TreeNode): number {
  return node.nodes.reduce((sum, child) => sum + count(child), 1);
}

function contains({ bounds }: Element, { x, y }: Point): boolean {
  return x >= bounds.x && x < bounds.x + bounds.width && y >= bounds.y && y < bounds.y + bounds.height;
}
