import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CallError } from '../../../core/contract/protocol.ts';
import { BusConnection, BusError } from '../dbus/connection.ts';
import { type Method, method } from '../dbus/wire.ts';

/** An object of a program on the accessibility bus. */
export interface Ref {
  bus: string;
  path: string;
}

const getAddress = method('org.a11y.Bus', 'GetAddress');
const enable = method('org.freedesktop.DBus.Properties', 'Set', 'ssv', 'org.a11y.Status', 'IsEnabled', {
  signature: 'b',
  value: true,
});
/** An event that hardly ever happens. GTK programs keep what they tell at once only while somebody asks for events. */
const wantEvents = method('org.a11y.atspi.Registry', 'RegisterEvent', 'sass', 'window:desktop-create', [], '');
const registry = { name: 'org.a11y.atspi.Registry', path: '/org/a11y/atspi/registry' };
const startMs = 5_000;
const addressMs = 1_000;

/** Address of the user's D-Bus session; undefined when there is none. */
export function sessionBusAddress(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.DBUS_SESSION_BUS_ADDRESS) return env.DBUS_SESSION_BUS_ADDRESS;
  if (!env.XDG_RUNTIME_DIR) return undefined;
  const path = join(env.XDG_RUNTIME_DIR, 'bus');
  return existsSync(path) ? `unix:path=${path}` : undefined;
}

const applicationAddress = method('org.a11y.atspi.Application', 'GetApplicationBusAddress');
const applicationRoot = '/org/a11y/atspi/accessible/root';
/** How many connections of acts one program keeps open: it may have no more than some hundred files. */
const keptActors = 64;

/**
 * The accessibility bus. Most programs can also be reached directly, past the bus,
 * which is faster, and lets a program answer while it is busy with an act: a GTK
 * program that opens a dialog inside an act answers nothing more on the connection
 * that asked for the act until the dialog is closed, but does on others.
 */
export class AccessibilityBus {
  #connection: Promise<BusConnection> | undefined;
  /** To read from, by program. */
  readonly #readers = new Map<string, Promise<BusConnection>>();
  /** One for all acts of a program that are over when they are answered. */
  readonly #settlers = new Map<string, Promise<BusConnection>>();
  /** One for each other act, by program, the latest last. */
  readonly #actors = new Map<string, BusConnection[]>();
  readonly #env: NodeJS.ProcessEnv;
  #closed = false;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = env;
  }

  /**
   * Asks an accessible object something that does not change it.
   *
   * @throws BusError
   */
  async call(ref: Ref, called: Method, timeoutMs: number): Promise<unknown[]> {
    return (await this.reader(ref.bus)).call(ref.bus, ref.path, called, timeoutMs);
  }

  /**
   * The bus itself; a connection that died is made again.
   *
   * @throws CallError `no_elements` when there is no session bus or no accessibility on it
   */
  async connection(): Promise<BusConnection> {
    if (this.#closed) throw new CallError('no_elements', 'the driver was closed');
    const opened = await this.#connection;
    if (opened?.isOpen) return opened;
    const opening = this.address().then((address) => reachable(openBus(address)));
    this.#connection = opening;
    // The next caller tries again rather than be told of this failure.
    opening.catch(() => {
      if (this.#connection === opening) this.#connection = undefined;
    });
    return await opening;
  }

  /** Where the bus listens. Asking starts it, and switches accessibility on for programs that start from now on. */
  async address(): Promise<string> {
    const session = sessionBusAddress(this.#env);
    if (session === undefined) {
      throw new CallError('no_elements', 'there is no D-Bus session, which programs show their elements on');
    }
    return await reachable(askForAddress(session));
  }

  /** The connection to read a program's objects by. */
  reader(program: string): Promise<BusConnection> {
    return this.#shared(this.#readers, program);
  }

  /** The connection for acts of a program that open no window: taking the focus, a value. */
  settler(program: string): Promise<BusConnection> {
    return this.#shared(this.#settlers, program);
  }

  /**
   * A connection for one act of a program, which the act may keep from being answered: a
   * modal dialog that it opens runs inside the act, and the program then still works on this
   * connection. Closing it freezes GTK once a key comes to the dialog, so it stays open, and
   * is asked nothing more.
   */
  async actor(program: string): Promise<BusConnection> {
    const direct = await this.#openDirect(program);
    if (direct === undefined) return await this.connection();
    const kept = this.#actors.get(program) ?? [];
    this.#actors.set(program, [...kept, direct].slice(-keptActors));
    if (kept.length === keptActors) kept[0]?.close();
    return direct;
  }

  async #shared(connections: Map<string, Promise<BusConnection>>, program: string): Promise<BusConnection> {
    const opened = await connections.get(program);
    if (opened?.isOpen) return opened;
    const opening = this.#openDirect(program).then((direct) => direct ?? this.connection());
    connections.set(program, opening);
    opening.catch(() => connections.delete(program));
    return await opening;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const shared = [this.#connection, ...this.#readers.values(), ...this.#settlers.values()];
    const opened = await Promise.all(shared.map((one) => one?.catch(() => undefined)));
    for (const connection of [...opened, ...[...this.#actors.values()].flat()]) connection?.close();
  }

  /** Undefined for a program that is reached over the bus alone. */
  async #openDirect(program: string): Promise<BusConnection | undefined> {
    const bus = await this.connection();
    try {
      const [address] = await bus.call(program, applicationRoot, applicationAddress, addressMs);
      return address === '' ? undefined : await BusConnection.open(address as string, { peer: true });
    } catch (error) {
      if (error instanceof BusError) return undefined;
      throw error;
    }
  }
}

async function reachable<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof BusError)) throw error;
    const why = `the accessibility bus cannot be reached (is at-spi2-core installed?): ${error.message}`;
    throw new CallError('no_elements', why);
  }
}

async function openBus(address: string): Promise<BusConnection> {
  const bus = await BusConnection.open(address);
  await bus.call(registry.name, registry.path, wantEvents, startMs);
  return bus;
}

async function askForAddress(session: string): Promise<string> {
  const bus = await BusConnection.open(session);
  try {
    const [address] = await bus.call('org.a11y.Bus', '/org/a11y/bus', getAddress, startMs);
    // Some programs show their elements only when somebody says that they are read.
    await bus.call('org.a11y.Bus', '/org/a11y/bus', enable, startMs);
    return address as string;
  } finally {
    bus.close();
  }
}
