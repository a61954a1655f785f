import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import dbus from 'dbus-native';
import type { Desktop, Window } from '../../native/desktop.ts';
import { eventually } from '../../native/suite.ts';
import { calls, interfaces, toRef } from '../../native/x11/atspi/accessible.ts';
import { AccessibilityBus, type Ref } from '../../native/x11/atspi/bus.ts';
import { readTree, type TreeNode } from '../../native/x11/atspi/tree.ts';
import { startSession } from '../fixtures/desktop-session.ts';
import { startDriver } from '../fixtures/driver.ts';
import { atMost, type Figure, median } from './figure.ts';

const execute = promisify(execFile);
const rounds = 9;
/** Readings before the first that counts: a driver reads a window many times in a run, its first one while its code is new. */
const warmUps = 5;
const script = fileURLToPath(new URL('./accessible.py', import.meta.url));
const budget = { maxElements: 5_000, maxMs: 30_000 };

/** One element as all three readers tell it. */
interface Read {
  role: number;
  name: string;
  id: string;
  states: number[];
  interfaces: string[];
  extents: number[] | null;
  relations: [number, string[]][];
  text: string | null;
  value: number | null;
  children: Read[];
}

/**
 * Reading and capturing a desktop of 1920x1080: all elements of a GTK window beside
 * pyatspi and beside a bare walk over D-Bus, the answers compared; a screenshot as PNG
 * beside scrot; a covered window beside the screen.
 */
export async function run(): Promise<Figure[]> {
  const session = await startSession({ width: 1920, height: 1080 });
  const folder = await mkdtemp(join(tmpdir(), 'dagu-bench-'));
  const driver = startDriver({ ...session.env, DAGU_DESKTOP_X11: '1' });
  try {
    const window = await openWindow(driver.desktop, 'gtk3-widget-factory', []);
    return [
      ...(await elementFigures(session.env, window.pid)),
      ...(await captureFigures(driver.desktop, session.env, window, join(folder, 'screen.png'))),
    ];
  } finally {
    await driver.stop();
    await session.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function openWindow(desktop: Desktop, command: string, args: string[]): Promise<Window> {
  const { pid } = await desktop.launch({ command, args });
  const window = await eventually(`${command} opens its window`, async () =>
    (await desktop.windows()).windows.find((found) => found.pid === pid),
  );
  await eventually(
    `${command} shows its elements`,
    async () => (await desktop.elements({ window: window.id }).catch(() => undefined))?.elements[5],
  );
  return window;
}

async function elementFigures(env: Record<string, string>, pid: number): Promise<Figure[]> {
  const bus = new AccessibilityBus(env);
  const plain = await plainBus(bus);
  try {
    const root = await windowOf(bus, pid);
    const times = { ours: [] as number[], plain: [] as number[], pyatspi: [] as number[] };
    let elements = 0;
    for (let round = 0; round < warmUps; round++) {
      await readTree(bus, root, budget);
      await plainWalk(plain, root);
    }
    for (let round = 0; round < rounds; round++) {
      const ours = await timed(times.ours, () => readTree(bus, root, budget));
      const walked = await timed(times.plain, () => plainWalk(plain, root));
      const { stdout } = await execute('/usr/bin/python3', [script, String(pid)], { env, maxBuffer: 1 << 26 });
      const { ms, tree } = JSON.parse(stdout) as { ms: number; tree: Read };
      times.pyatspi.push(ms);
      const read = toRead(ours.root);
      assertSame('the bare walk', read, walked);
      assertSame('pyatspi', read, tree);
      elements = count(read);
    }
    const ours = median(times.ours);
    const name = `elements: ${elements} of a GTK window`;
    return [
      atMost(1 / 3, { name: `${name}, beside pyatspi`, ours, theirs: median(times.pyatspi), unit: 'ms' }),
      atMost(1, { name: `${name}, beside a bare D-Bus walk`, ours, theirs: median(times.plain), unit: 'ms' }),
    ];
  } finally {
    plain.connection.end();
    await bus.close();
  }
}

async function captureFigures(
  desktop: Desktop,
  env: Record<string, string>,
  window: Window,
  file: string,
): Promise<Figure[]> {
  const times = { ours: [] as number[], scrot: [] as number[], screen: [] as number[], covered: [] as number[] };
  const sizes = { ours: 0, scrot: 0 };
  for (let round = 0; round < rounds; round++) {
    const png = await timed(times.ours, async () => {
      const { picture } = await desktop.captureScreen();
      const encoded = await desktop.encode({ picture });
      await desktop.dropPicture({ picture });
      return encoded.png;
    });
    await timed(times.scrot, () => execute('scrot', ['--overwrite', file], { env }));
    sizes.ours = png.length;
    sizes.scrot = (await stat(file)).size;
  }
  await desktop.takeLease();
  await desktop.maximize({ window: window.id });
  // A second window over the first, as large as the screen too.
  const cover = await openWindow(desktop, 'mousepad', ['--disable-server']);
  await desktop.maximize({ window: cover.id });
  await desktop.captureWindow({ window: window.id });
  for (let round = 0; round < rounds * 3; round++) {
    for (const [list, capture] of [
      [times.screen, () => desktop.captureScreen()],
      [times.covered, () => desktop.captureWindow({ window: window.id })],
    ] as const) {
      const { picture } = await timed(list, capture);
      await desktop.dropPicture({ picture });
    }
  }
  const ours = median(times.ours);
  return [
    atMost(1 / 5, { name: 'screenshot to PNG, beside scrot', ours, theirs: median(times.scrot), unit: 'ms' }),
    atMost(1.3, {
      name: "size of a screenshot's PNG, beside scrot's",
      ours: sizes.ours,
      theirs: sizes.scrot,
      unit: 'bytes',
    }),
    atMost(1.5, {
      name: 'capture of a covered window, beside one of the screen',
      ours: median(times.covered),
      theirs: median(times.screen),
      unit: 'ms',
    }),
  ];
}

async function timed<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  times.push(performance.now() - begun);
  return result;
}

async function windowOf(bus: AccessibilityBus, pid: number): Promise<Ref> {
  const registry = { bus: 'org.a11y.atspi.Registry', path: '/org/a11y/atspi/accessible/root' };
  const connection = await bus.connection();
  const [programs] = (await bus.call(registry, calls.children, 2_000)) as [[string, string][]];
  for (const program of programs.map(toRef)) {
    if ((await connection.processOf(program.bus)) !== pid) continue;
    const [windows] = (await bus.call(program, calls.children, 2_000)) as [[string, string][]];
    return toRef(windows[0] as [string, string]);
  }
  throw new Error('the program is not on the accessibility bus');
}

function assertSame(whose: string, ours: Read, theirs: Read): void {
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`${whose} read something else: ${difference(ours, theirs)}`);
}

function difference(ours: Read, theirs: Read, at = 'window'): string {
  for (const key of Object.keys(ours) as (keyof Read)[]) {
    if (key !== 'children' && !isDeepStrictEqual(ours[key], theirs[key])) {
      return `${at}: ${key} ${JSON.stringify(ours[key])} and ${JSON.stringify(theirs[key])}`;
    }
  }
  if (ours.children.length !== theirs.children.length) {
    return `${at}: ${ours.children.length} and ${theirs.children.length} children`;
  }
  const index = ours.children.findIndex((child, place) => !isDeepStrictEqual(child, theirs.children[place]));
  return difference(ours.children[index] as Read, theirs.children[index] as Read, `${at}/${index}`);
}

function count(node: Read): number {
  return node.children.reduce((sum, child) => sum + count(child), 1);
}

function toRead(node: TreeNode): Read {
  return {
    role: node.role,
    name: node.name,
    id: node.id,
    states: bits(node.states),
    interfaces: shortNames(node.interfaces),
    extents: node.extents === undefined ? null : [...node.extents],
    relations: node.relations.map(([type, targets]) => [type, targets.map((target) => target.path)]),
    text: node.text ?? null,
    value: node.value ?? null,
    children: node.nodes.map(toRead),
  };
}

function bits(words: readonly number[]): number[] {
  return Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => ((words[bit >> 5] ?? 0) >>> (bit & 31)) & 1);
}

function shortNames(names: readonly string[]): string[] {
  return names.map((name) => name.replace('org.a11y.atspi.', '')).toSorted();
}

type PlainBus = ReturnType<typeof dbus.createClient>;

async function plainBus(bus: AccessibilityBus): Promise<PlainBus> {
  const client = dbus.createClient({ busAddress: await bus.address() });
  await once(client.connection, 'connect');
  return client;
}

/** Every question about every element at once, through a general D-Bus library. */
async function plainWalk(bus: PlainBus, ref: Ref): Promise<Read> {
  const ask = (face: string, member: string, signature?: string, ...body: unknown[]): Promise<unknown> =>
    new Promise((resolve) => {
      const message = { destination: ref.bus, path: ref.path, interface: face, member };
      bus.invoke(
        signature === undefined ? message : { ...message, signature, body },
        (error: unknown, value: unknown) => resolve(error ? undefined : dbus.variantValue(value)),
      );
    });
  const property = (face: string, name: string) => ask('org.freedesktop.DBus.Properties', 'Get', 'ss', face, name);
  const [role, name, id, states, names, extents, relations, children, text, value] = (await Promise.all([
    ask(interfaces.accessible, 'GetRole'),
    property(interfaces.accessible, 'Name'),
    property(interfaces.accessible, 'AccessibleId'),
    ask(interfaces.accessible, 'GetState'),
    ask(interfaces.accessible, 'GetInterfaces'),
    ask(interfaces.component, 'GetExtents', 'u', 0),
    ask(interfaces.accessible, 'GetRelationSet'),
    ask(interfaces.accessible, 'GetChildren'),
    ask(interfaces.text, 'GetText', 'ii', 0, -1),
    property(interfaces.value, 'CurrentValue'),
  ])) as [
    number,
    string,
    string,
    number[],
    string[],
    number[] | undefined,
    [number, [string, string][]][],
    [string, string][],
    string | undefined,
    number | undefined,
  ];
  return {
    role,
    name,
    id,
    states: bits(states),
    interfaces: shortNames(names),
    extents: extents ?? null,
    relations: relations.map(([type, targets]) => [type, targets.map(([, path]) => path)]),
    text: text ?? null,
    value: value ?? null,
    children: await Promise.all(children.map((child) => plainWalk(bus, toRef(child)))),
  };
}
