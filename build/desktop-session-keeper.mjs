import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Keeps one desktop session (desktop-session.mjs): starts its parts, writes one JSON line
 * `{ready}` or `{failed}`, and ends everything when its standard input closes.
 */

const run = promisify(execFile);
const { width, height, compositor } = JSON.parse(process.argv[2] ?? '{}');
const startLimitMs = 15_000;
const endLimitMs = 10_000;
/** How long applications get to end by themselves before they are killed. */
const graceMs = 500;

const folder = mkdtempSync(join(tmpdir(), 'dagu-session-'));
/** Every process of the session has this in its environment: it is how all of them are found again. */
const mark = `DAGU_DESKTOP_SESSION=${folder}`;
const env = sessionEnvironment();

let ending = false;
process.stdin.on('data', () => {});
process.stdin.on('close', end);
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(signal, end);
process.stdout.on('error', () => {}); // the owner is gone: standard input has closed too

try {
  await start();
  say({ ready: { env, display: env.DISPLAY } });
} catch (error) {
  say({ failed: error instanceof Error ? error.message : String(error) });
}

async function start() {
  for (const name of ['home', 'run']) mkdirSync(join(folder, name), { mode: 0o700 });
  const server = spawnPart(
    'Xvfb',
    `-displayfd 3 -screen 0 ${width}x${height}x24 -nolisten tcp -noreset +extension Composite -dpi 96`.split(' '),
  );
  env.DISPLAY = `:${await server.firstLine()}`;
  await Promise.all([startBuses(), startWindows()]);
}

async function startBuses() {
  const address = `unix:path=${join(folder, 'run', 'bus')}`;
  const bus = spawnPart('dbus-daemon', [
    '--session',
    '--nofork',
    '--nopidfile',
    '--print-address=3',
    `--address=${address}`,
  ]);
  env.DBUS_SESSION_BUS_ADDRESS = await bus.firstLine();
  // Asking for the address has the bus start the accessibility bus. Applications look at
  // the status once, when they start: it has to be on before the first of them.
  await callBus(['org.a11y.Bus.GetAddress']);
  const status = 'string:org.a11y.Status';
  await callBus(['org.freedesktop.DBus.Properties.Set', status, 'string:IsEnabled', 'variant:boolean:true']);
  const { stdout } = await callBus(['org.freedesktop.DBus.Properties.Get', status, 'string:IsEnabled']);
  if (!stdout.includes('boolean true')) throw new Error(`accessibility did not turn on:\n${stdout}`);
}

/** @param {string[]} call */
async function callBus(call) {
  const args = ['--session', '--print-reply', `--reply-timeout=${startLimitMs}`, '--dest=org.a11y.Bus'];
  try {
    return await run('dbus-send', [...args, '/org/a11y/bus', ...call], { env });
  } catch (error) {
    throw new Error(`the accessibility bus did not answer (at-spi2-core): ${String(error)}${log('dbus-daemon')}`);
  }
}

async function startWindows() {
  const ready = join(folder, 'openbox-ready');
  const manager = spawnPart('openbox', ['--sm-disable', '--startup', `touch ${ready}`]);
  await manager.until(() => existsSync(ready));
  if (!compositor) return;
  // `-b` returns when the compositor has taken the display.
  const picom = spawnPart('picom', ['-b', '--config', '/dev/null', '--backend', 'xrender']);
  await picom.untilDone();
}

/**
 * Starts a part of the session, with a log of its own and a pipe at descriptor 3.
 *
 * @param {string} program
 * @param {string[]} args
 */
function spawnPart(program, args) {
  const out = openSync(join(folder, `${program}.log`), 'a');
  const child = spawn(program, args, { env, cwd: folder, detached: true, stdio: ['ignore', out, out, 'pipe'] });
  closeSync(out);
  /** @type {string | undefined} */
  let gone;
  child.once('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    gone =
      error.code === 'ENOENT'
        ? `${program} is not installed: run \`npm run setup\``
        : `${program} did not start: ${error.message}`;
  });
  child.once('exit', (code, signal) => {
    gone ??= `${program} ended with ${signal ?? `exit code ${code}`}`;
  });
  let text = '';
  const pipe = /** @type {import('node:stream').Readable} */ (child.stdio[3]);
  pipe.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });

  /** @param {() => boolean} done */
  const until = async (done) => {
    const limit = Date.now() + startLimitMs;
    while (!done()) {
      if (ending) throw new Error('the session was ended while it started');
      if (gone !== undefined) throw new Error(`${gone}${log(program)}`);
      if (Date.now() > limit)
        throw new Error(`${program} was not ready within ${startLimitMs / 1000} s${log(program)}`);
      await delay(5);
    }
  };
  return {
    until,
    async firstLine() {
      await until(() => text.includes('\n'));
      return text.slice(0, text.indexOf('\n')).trim();
    },
    async untilDone() {
      await until(() => child.exitCode === 0);
    },
  };
}

/** @param {string} program */
function log(program) {
  const path = join(folder, `${program}.log`);
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return text === '' ? '' : `\n${text.split('\n').slice(-15).join('\n')}`;
}

/** @returns {Record<string, string>} */
function sessionEnvironment() {
  const foreign = /^(XDG_|DBUS_|GTK_|GDK_|QT_|AT_SPI_|DISPLAY$|WAYLAND_|XAUTHORITY$|SESSION_MANAGER$|DESKTOP_|DAGU_)/;
  /** @type {Record<string, string>} */
  const kept = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !foreign.test(name)) kept[name] = value;
  }
  return {
    ...kept,
    HOME: join(folder, 'home'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    NO_AT_BRIDGE: '0',
    GTK_MODULES: 'gail:atk-bridge',
    GSETTINGS_BACKEND: 'memory',
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON: '1',
    DAGU_DESKTOP_X11: '1',
    DAGU_DESKTOP_SESSION: folder,
  };
}

/** @param {unknown} message */
function say(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

async function end() {
  if (ending) return;
  ending = true;
  const started = Date.now();
  for (const pid of members()) send(pid, 'SIGTERM');
  while (members().length > 0 && Date.now() - started < endLimitMs) {
    if (Date.now() - started > graceMs) for (const pid of members()) send(pid, 'SIGKILL');
    await delay(20);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

/**
 * Processes of the session: those that carry its mark, and their descendants, since some
 * programs overwrite the place where their environment can be read.
 */
function members() {
  /** @type {Map<number, number>} */
  const parents = new Map();
  /** @type {Set<number>} */
  const found = new Set();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const parent = livingParent(pid);
    if (parent === undefined) continue;
    parents.set(pid, parent);
    if (environment(pid).split('\0').includes(mark)) found.add(pid);
  }
  for (const pid of parents.keys()) {
    for (let up = parents.get(pid); up !== undefined; up = parents.get(up)) {
      if (found.has(up)) found.add(pid);
    }
  }
  return [...found];
}

/**
 * The parent of a process; undefined when the process is gone, or has ended and only waits to be collected.
 *
 * @param {number} pid
 */
function livingParent(pid) {
  const stat = readProc(pid, 'stat');
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return stat === '' || state === 'Z' || state === 'X' ? undefined : Number(parent);
}

/** @param {number} pid */
function environment(pid) {
  return readProc(pid, 'environ');
}

/**
 * Empty when the process has ended or belongs to somebody else.
 *
 * @param {number} pid
 * @param {string} file
 */
function readProc(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code ?? '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return '';
    throw error;
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
