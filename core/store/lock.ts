import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { tryLock, unlock } from 'fs-native-extensions';

/** An OS lock on a file. It ends with the process that took it, however that ends. */
export interface FileLock {
  /** Lets the lock go and, where told, takes the file away while it is still held. */
  release(options?: { remove: boolean }): void;
}

/** Takes the lock of a file (made where it is missing), or gives `undefined` when another holds it. */
export function tryFileLock(path: string): FileLock | undefined {
  for (;;) {
    const descriptor = openSync(path, 'a+', 0o600);
    if (!tryLock(descriptor)) {
      closeSync(descriptor);
      return undefined;
    }
    if (isStillAt(path, descriptor)) return heldLock(path, descriptor);
    // Its last holder took the file away after it was opened here: others lock the one that is there now.
    closeSync(descriptor);
  }
}

function isStillAt(path: string, descriptor: number): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  const opened = fstatSync(descriptor, { bigint: true });
  return there !== undefined && there.ino === opened.ino && there.dev === opened.dev;
}

function heldLock(path: string, descriptor: number): FileLock {
  return {
    release: ({ remove } = { remove: false }) => {
      if (remove) rmSync(path, { force: true });
      unlock(descriptor);
      closeSync(descriptor);
    },
  };
}
