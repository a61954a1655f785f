import { closeSync, ftruncateSync, lstatSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { checker, InvalidValue } from '../core/contract/check.ts';
import { CallError } from '../core/contract/protocol.ts';
import { type FileLock, tryFileLock } from '../core/store/lock.ts';

/** What of the input devices a driver has changed, by the system's own codes. */
export interface Down {
  keys: readonly number[];
  buttons: readonly number[];
  /** Codes of keys that were given another meaning to type with. */
  borrowed: readonly number[];
}

export const nothingDown: Down = { keys: [], buttons: [], borrowed: [] };

const codes = Type.Array(Type.Integer({ minimum: 0 }));
const HeldNote = Type.Object(
  { pid: Type.Integer(), keys: codes, buttons: codes, borrowed: codes },
  { additionalProperties: false },
);
const checkHeld = checker(HeldNote, "the desktop's note of held keys");

/**
 * Folder of the leases: one a user, closed to all others.
 *
 * @throws CallError `failed` when the folder in the system's temporary folder belongs to somebody else
 */
export function leaseFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.XDG_RUNTIME_DIR) {
    const folder = join(env.XDG_RUNTIME_DIR, 'dagu-desktop');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
  const user = process.getuid?.();
  const folder = join(tmpdir(), user === undefined ? 'dagu-desktop' : `dagu-desktop-${user}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  // Anybody may make folders there: one made by another could hold the lease for ever.
  if (user !== undefined && (!found.isDirectory() || found.uid !== user || (found.mode & 0o077) !== 0)) {
    throw new CallError('failed', `${folder} is not a folder of this user alone; remove it`);
  }
  return folder;
}

/**
 * The right to use the pointer, the keyboard and the order of the windows of one
 * display: an OS file lock, which ends with the process that holds it. A file
 * beside it says what that process has down, so that the next one can let it up.
 */
export class DesktopLease {
  readonly #lockPath: string;
  readonly #heldPath: string;
  #lock: FileLock | undefined;
  #held = -1;

  /** @param display what the lease is for; each display of a user has its own */
  constructor(folder: string, display: string) {
    const name = display.replaceAll(/[^a-zA-Z0-9._-]/g, '_');
    this.#lockPath = join(folder, `${name}.lock`);
    this.#heldPath = join(folder, `${name}.held`);
  }

  get isHeld(): boolean {
    return this.#lock !== undefined;
  }

  /**
   * Takes the lease, with what a holder that died left down, or says which process
   * has it. Taking it twice changes nothing.
   */
  take(): { taken: true; left: Down } | { taken: false; holder?: string } {
    if (this.isHeld) return { taken: true, left: nothingDown };
    const lock = tryFileLock(this.#lockPath);
    if (lock === undefined) {
      const pid = this.#readHeld()?.pid;
      return { taken: false, ...(pid !== undefined && { holder: `process ${pid}` }) };
    }
    this.#lock = lock;
    const left = this.#readHeld() ?? nothingDown;
    this.#held = openSync(this.#heldPath, 'a+', 0o600);
    // Names the new holder, and keeps what is still to be let up should it die before it did.
    this.note(left);
    return { taken: true, left };
  }

  /**
   * Notes what is about to go down, before it does: whatever ends this process
   * afterwards, the next holder knows. An empty note says that all is up.
   */
  note(down: Down): void {
    if (!this.isHeld) throw new CallError('no_lease', 'this needs the desktop, which was not taken');
    ftruncateSync(this.#held);
    const { keys, buttons, borrowed } = down;
    writeSync(this.#held, JSON.stringify({ pid: process.pid, keys, buttons, borrowed }));
  }

  release(): void {
    if (this.#lock === undefined) return;
    ftruncateSync(this.#held);
    closeSync(this.#held);
    this.#held = -1;
    this.#lock.release();
    this.#lock = undefined;
  }

  #readHeld(): (Down & { pid: number }) | undefined {
    let text: string;
    try {
      text = readFileSync(this.#heldPath, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    if (text === '') return undefined;
    try {
      return checkHeld(JSON.parse(text));
    } catch (error) {
      // Another version's note tells nothing, and must not keep everybody from the desktop.
      if (error instanceof SyntaxError || error instanceof InvalidValue) return undefined;
      throw error;
    }
  }
}
