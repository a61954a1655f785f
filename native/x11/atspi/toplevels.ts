import { CallError } from '../../../core/contract/protocol.ts';
import type { Bounds } from '../../desktop.ts';
import { BusError } from '../dbus/connection.ts';
import type { XWindow } from '../windows.ts';
import { calls, toRef } from './accessible.ts';
import type { AccessibilityBus, Ref } from './bus.ts';

const registry: Ref = { bus: 'org.a11y.atspi.Registry', path: '/org/a11y/atspi/accessible/root' };
const callMs = 2_000;
/** Bounds of a window that the toolkit and the X server tell may differ by a border. */
const slack = 8;

interface Candidate {
  ref: Ref;
  name: string;
  extents: readonly [number, number, number, number];
}

/** Finds the accessible object of a window, by its process and, among several, by place and title. */
export class Toplevels {
  readonly #bus: AccessibilityBus;
  /** Names of connections are never given twice. */
  readonly #pids = new Map<string, number>();

  constructor(bus: AccessibilityBus) {
    this.#bus = bus;
  }

  /** @throws CallError `no_elements`, saying whether its program is on the accessibility bus at all */
  async find(window: XWindow): Promise<Ref> {
    const { title, app, pid } = window.shown;
    const programs = await this.#programs();
    const own = programs.filter((program) => program.pid === pid);
    const candidates = (await Promise.all(own.map((program) => this.#windowsOf(program.ref)))).flat();
    const best = choose(candidates, window);
    if (best !== undefined) return best.ref;
    throw new CallError(
      'no_elements',
      own.length === 0
        ? `"${title}" exposes no elements: its program${app === '' ? '' : ` (${app})`} is not on the accessibility bus; one that was started before the bus was there must be started again`
        : `"${title}" exposes no elements: its program (${app}) shows none of them for this window`,
      { window: window.shown.id },
    );
  }

  async #programs(): Promise<{ ref: Ref; pid: number }[]> {
    const [children] = (await this.#bus.call(registry, calls.children, callMs)) as [[string, string][]];
    const programs = await Promise.all(
      children.map(toRef).map(async (ref) => {
        const pid = await this.#pid(ref.bus);
        return pid === undefined ? undefined : { ref, pid };
      }),
    );
    return programs.filter((program) => program !== undefined);
  }

  async #pid(name: string): Promise<number | undefined> {
    let pid = this.#pids.get(name);
    if (pid === undefined) {
      const connection = await this.#bus.connection();
      pid = await orGone(connection.processOf(name));
      if (pid === undefined) return undefined;
      this.#pids.set(name, pid);
    }
    return pid;
  }

  async #windowsOf(program: Ref): Promise<Candidate[]> {
    const answer = await orGone(this.#bus.call(program, calls.children, callMs));
    const children = ((answer?.[0] ?? []) as [string, string][]).map(toRef);
    const found = await Promise.all(
      children.map(async (ref) => {
        const read = await orGone(
          Promise.all([this.#bus.call(ref, calls.extents, callMs), this.#bus.call(ref, calls.name, callMs)]),
        );
        if (read === undefined) return undefined;
        const [[extents], [name]] = read as [[Candidate['extents']], [string]];
        return { ref, extents, name };
      }),
    );
    return found.filter((candidate) => candidate !== undefined);
  }
}

/** The candidate at the window's place; where several or none are there, the title decides. */
function choose(candidates: readonly Candidate[], window: XWindow): Candidate | undefined {
  const { title } = window.shown;
  const rated = candidates.map((candidate) => ({ candidate, away: distance(candidate.extents, window) }));
  const near = rated.filter(({ away }) => away <= slack);
  const named = (near.length > 0 ? near : rated).filter(({ candidate }) => candidate.name === title);
  // A window that moves, or draws shadows around itself, is known by its title.
  const pool = named.length > 0 ? named : near;
  const [first] = pool.toSorted((a, b) => a.away - b.away);
  if (first !== undefined) return first.candidate;
  return candidates.length === 1 && window.shown.kind !== 'menu' ? candidates[0] : undefined;
}

function distance([x, y, width, height]: Candidate['extents'], window: XWindow): number {
  const from = (bounds: Bounds) =>
    Math.max(
      Math.abs(bounds.x - x),
      Math.abs(bounds.y - y),
      Math.abs(bounds.width - width),
      Math.abs(bounds.height - height),
    );
  return Math.min(from(window.shown.bounds), from(window.client));
}

/** Undefined where the program or the object is gone. */
async function orGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof BusError) return undefined;
    throw error;
  }
}
