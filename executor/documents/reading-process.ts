import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { CallError, connect } from '../../core/contract/protocol.ts';
import { childChannel } from '../../core/process/channels.ts';
import { entryPath } from '../../core/process/entries.ts';
import { LimitPassed } from './budget.ts';
import { type Limits, readingLimits } from './limits.ts';
import { type DocumentKind, type DocumentPart, documentsProtocol } from './protocol.ts';
import { Unreadable } from './unreadable.ts';
import { memoryMark } from './watch.ts';

/** What a process that looks at documents of others needs to know of this one: no key, no secret. */
const passedOn = [
  'PATH',
  'LD_LIBRARY_PATH',
  'TZ',
  'LANG',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'SystemDrive',
  'windir',
];

const keptErrors = 4096;
const megabyte = 1_048_576;

/**
 * Reads a document in a process of its own, which is gone when this settles. Throws an
 * {@link Unreadable}, also for a document that takes too long, takes too much memory or
 * breaks the process; a {@link LimitPassed}; the signal's reason when that aborts.
 */
export async function readDocument(
  kind: DocumentKind,
  bytes: Uint8Array,
  limits: Limits,
  signal: AbortSignal,
  { timeMs, memoryBytes } = readingLimits,
): Promise<DocumentPart[]> {
  signal.throwIfAborted();
  const child = start(memoryBytes);
  const errors = tail(child);
  const ended = once(child, 'close');
  try {
    const documents = connect(childChannel(child), documentsProtocol);
    const { parts } = await documents.read({ kind, bytes, limits }, { signal, timeoutMs: timeMs });
    return parts;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CallError)) throw error;
    if (error.code === 'closed') await ended;

    throw failure(error, errors(), { timeMs, memoryBytes });
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

function start(memoryBytes: number): ChildProcess {
  const env = Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  // More than it may take in all: where V8 itself runs out of memory it leaves a core file.
  const heapMegabytes = Math.ceil((memoryBytes / megabyte) * 1.5);
  return fork(entryPath('documents'), [String(memoryBytes)], {
    // Under Electron the program is Electron's, which this makes plain Node.
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
    // Most of what is made while reading is dropped at once: a larger space for it spares half of the collecting.
    execArgv: [`--max-old-space-size=${heapMegabytes}`, '--max-semi-space-size=32'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** The end of what the process writes as errors. */
function tail({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-keptErrors);
  });
  return () => text;
}

function failure(error: CallError, errors: string, { timeMs, memoryBytes }: typeof readingLimits): Error {
  switch (error.code) {
    case 'characters':
    case 'images':
      return new LimitPassed(error.code);
    case 'unreadable':
      return new Unreadable(error.message);
    case 'timeout':
      return new Unreadable(
        `takes longer than ${timeMs / 1000} s to read; it is damaged or too complex: split it or save it anew`,
      );
    case 'closed':
      if (errors.includes(memoryMark) || errors.includes('heap out of memory')) {
        return new Unreadable(
          `takes more than ${memoryBytes / megabyte} MB of memory to read; it is damaged or too complex: split it or save it anew`,
        );
      }
      return new Unreadable(`cannot be read, for it breaks the program that reads it (${error.message}); save it anew`);
    default:
      return error;
  }
}
