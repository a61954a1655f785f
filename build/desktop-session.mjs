import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * A desktop of its own for tests and the demo: an X server without a screen, a window
 * manager, a D-Bus session bus and the accessibility bus, with its own home folder.
 *
 * A keeper process owns all of it. It ends the session, with every application that was
 * started inside, when `stop` is called or when the process that asked for the session
 * ends, in whatever way: the pipe between the two closes then.
 *
 * @typedef {object} SessionOptions
 * @property {number} [width] Pixels; 1440 when not given.
 * @property {number} [height] Pixels; 900 when not given.
 * @property {boolean} [compositor] Runs a compositor too, for windows that are partly transparent.
 *
 * @typedef {object} DesktopSession
 * @property {Record<string, string>} env The whole environment for applications of the session.
 * @property {string} display As `DISPLAY` names it, such as `:7`.
 * @property {() => Promise<void>} stop Ends all that runs in the session and removes its folders.
 */

const keeper = fileURLToPath(new URL('./desktop-session-keeper.mjs', import.meta.url));
/** Longer than the keeper's own limits together, so that its reason is what is told. */
const startLimitMs = 60_000;

/**
 * Starts a session and waits until applications can be started in it. Rejects with what
 * failed and the end of its log.
 *
 * @param {SessionOptions} [options]
 * @returns {Promise<DesktopSession>}
 */
export async function startSession({ width = 1440, height = 900, compositor = false } = {}) {
  const child = spawn(process.execPath, [keeper, JSON.stringify({ width, height, compositor })], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: Ctrl+C in a terminal must not end the keeper before it has tidied up.
    detached: true,
  });
  child.stdin.on('error', () => {}); // the keeper is gone already: its exit says so
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const exited = new Promise((resolve) => child.once('close', resolve));

  const answer = await firstLine(child, exited, () => stderr);
  if ('failed' in answer) {
    child.stdin.end();
    await exited;
    throw new Error(`the desktop session did not start: ${answer.failed}`);
  }
  // A session that nobody stops must not keep its owner's process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (stream)).unref();
  }
  return {
    ...answer.ready,
    async stop() {
      child.ref();
      child.stdin.end();
      await exited;
    },
  };
}

/**
 * @param {import('node:child_process').ChildProcessWithoutNullStreams} child
 * @param {Promise<unknown>} exited
 * @param {() => string} stderr
 * @returns {Promise<{ready: {env: Record<string, string>, display: string}} | {failed: string}>}
 */
async function firstLine(child, exited, stderr) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const line = new Promise((resolve) => createInterface(child.stdout).once('line', resolve));
  const ended = exited.then(() => JSON.stringify({ failed: `its keeper ended\n${stderr()}` }));
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, startLimitMs, JSON.stringify({ failed: `not ready within ${startLimitMs / 1000} s` }));
  });
  const text = await Promise.race([line, ended, late]);
  clearTimeout(timer);
  return JSON.parse(text);
}
