import { closeSync, constants as files } from 'node:fs';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import type { ProcessEnd, StartCommand } from './command-process.ts';

/**
 * Commands started by the C library's posix_spawn: it shares this process' memory with the
 * new one until that has become its program, where a fork would copy the tables of all of
 * it. What it opens here is closed in every program that is started otherwise (O_CLOEXEC).
 */

/** Numbers of Linux' and the C libraries' (glibc, musl) headers, the same on every processor that Node runs on. */
const O_CLOEXEC = 0o2000000;
const POSIX_SPAWN_SETSIGDEF = 0x04;
const POSIX_SPAWN_SETSIGMASK = 0x08;
const POSIX_SPAWN_SETSID = 0x80;
const WNOHANG = 1;

/** More than any C library's signal set, spawn attributes or file actions take, in bytes. */
const structBytes = 1024;

type SpawnLibrary = Awaited<ReturnType<typeof load>>;

/** Rejects when the library has not all of it (glibc before 2.29), or cannot be called. */
export async function bindPosixSpawn(): Promise<StartCommand> {
  const c = await load();
  const attributes = spawnAttributes(c);
  const children = new Children(c);
  return async ({ file, args, cwd, env }) => {
    // It would be taken as a file in the folder.
    if (!file.includes('/')) throw systemError(constants.errno.ENOENT);
    const pipes = new Int32Array(4).fill(-1);
    const [stdout, stderr] = [pipes.subarray(0, 2), pipes.subarray(2, 4)];
    const pid = new Int32Array(1);
    const actions = Buffer.alloc(structBytes);
    check(c.actionsInit(actions));
    try {
      for (const pipe of [stdout, stderr]) if (c.pipe2(pipe, O_CLOEXEC) !== 0) throw systemError(c.errno());
      check(c.addOpen(actions, 0, '/dev/null', files.O_RDONLY, 0));
      check(c.addDup2(actions, stdout[1] as number, 1));
      check(c.addDup2(actions, stderr[1] as number, 2));
      check(c.addChdir(actions, cwd));
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      check(c.spawn(pid, file, actions, attributes, c.stringList([file, ...args]), c.stringList(variables)));
    } catch (error) {
      closeOpen(stdout[0], stderr[0]);
      throw error;
    } finally {
      closeOpen(stdout[1], stderr[1]);
      c.actionsDestroy(actions);
    }
    const child = pid[0] as number;
    return {
      pid: child,
      ended: children.end(child),
      stdout: new Socket({ fd: stdout[0] as number, readable: true, writable: false }),
      stderr: new Socket({ fd: stderr[0] as number, readable: true, writable: false }),
    };
  };
}

async function load() {
  const { default: koffi } = await import('koffi');
  const library = koffi.load('libc.so.6');
  return {
    pipe2: library.func('int pipe2(int *ends, int flags)'),
    actionsInit: library.func('int posix_spawn_file_actions_init(void *actions)'),
    actionsDestroy: library.func('int posix_spawn_file_actions_destroy(void *actions)'),
    addOpen: library.func(
      'int posix_spawn_file_actions_addopen(void *, int fd, const char *path, int flags, uint mode)',
    ),
    addDup2: library.func('int posix_spawn_file_actions_adddup2(void *actions, int fd, int newFd)'),
    addChdir: library.func('int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)'),
    attributesInit: library.func('int posix_spawnattr_init(void *attributes)'),
    setFlags: library.func('int posix_spawnattr_setflags(void *attributes, short flags)'),
    setDefaultSignals: library.func('int posix_spawnattr_setsigdefault(void *attributes, void *signals)'),
    spawn: library.func(
      'int posix_spawn(int *pid, const char *file, void *actions, void *attributes, const void *args, const void *env)',
    ),
    /** Texts as C's list of strings, encoded all at once: an environment has a hundred. They must not hold NUL characters. */
    stringList(texts: readonly string[]): BigUint64Array {
      const bytes = Buffer.from(`${texts.join('\0')}\0`);
      const pointers = new BigUint64Array(texts.length + 1);
      let at = koffi.address(bytes);
      for (const [index, text] of texts.entries()) {
        pointers[index] = at;
        at += BigInt(Buffer.byteLength(text) + 1);
      }
      // The strings live as long as the list that points to them.
      return Object.assign(pointers, { bytes });
    },
    waitpid: library.func('int waitpid(int pid, int *status, int options)'),
    errno: () => koffi.errno(),
  };
}

/** A session, and with it a group, of its own; every signal as a program expects it, none held back. */
function spawnAttributes(c: SpawnLibrary): Buffer {
  const attributes = Buffer.alloc(structBytes);
  const everySignal = Buffer.alloc(structBytes, 0xff);
  check(c.attributesInit(attributes));
  check(c.setDefaultSignals(attributes, everySignal));
  // The mask that is set is the one of fresh attributes, which is empty.
  check(c.setFlags(attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
  return attributes;
}

interface Waiting {
  resolve(end: ProcessEnd): void;
  reject(error: Error): void;
}

/** Waits for processes that Node does not know, each by its number: Node's own are left to it. */
class Children {
  readonly #c: SpawnLibrary;
  readonly #waiting = new Map<number, Waiting>();
  /** A signal alone does not keep Node running. */
  #keepAlive: NodeJS.Timeout | undefined;

  constructor(c: SpawnLibrary) {
    this.#c = c;
    process.on('SIGCHLD', () => this.#collect());
  }

  end(pid: number): Promise<ProcessEnd> {
    this.#keepAlive ??= setInterval(() => {}, 2 ** 30);
    return new Promise((resolve, reject) => this.#waiting.set(pid, { resolve, reject }));
  }

  /** One signal may stand for the ends of several. */
  #collect(): void {
    for (const [pid, { resolve, reject }] of this.#waiting) {
      const status = new Int32Array(1);
      const got: number = this.#c.waitpid(pid, status, WNOHANG);
      if (got === 0) continue;
      this.#waiting.delete(pid);
      if (got === pid) resolve(endOfStatus(status[0] as number));
      else reject(systemError(this.#c.errno()));
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/** What waitpid tells: the code in the second byte, or a signal in the lowest seven bits. */
function endOfStatus(status: number): ProcessEnd {
  const signal = status & 0x7f;
  if (signal === 0) return { code: (status >> 8) & 0xff, signal: null };
  return { code: null, signal: signalNames.get(signal) ?? `signal ${signal}` };
}

/** posix_spawn and its like give the error's number, or 0. */
function check(error: number): void {
  if (error !== 0) throw systemError(error);
}

function systemError(number: number): NodeJS.ErrnoException {
  const [code = `error ${number}`, text = 'the system gave no reason'] = getSystemErrorMap().get(-number) ?? [];
  return Object.assign(new Error(`${text} (${code})`), { code, errno: -number });
}

function closeOpen(...descriptors: (number | undefined)[]): void {
  for (const descriptor of descriptors) if (descriptor !== undefined && descriptor >= 0) closeSync(descriptor);
}
