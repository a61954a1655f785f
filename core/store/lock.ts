import { closeSync, openSync, rmSync } from 'node:fs';
import { tryLock, unlock } from 'fs-native-extensions';

/** An OS lock on a file. It ends with the process that took it, however that ends. */
export interface FileLock {
  /** Lets the lock go and, where told, takes the file away while it is still held. */
  release(options?: { remove: boolean }): void;
}

/** Takes the lock of a file (made where it is missing), or gives `undefined` when another holds it. */
export function tryFileLock(path: string): FileLock | undefined {
  const descriptor = openSync(path, 'a+', 0o600);
  if (!tryLock(descriptor)) {
    closeSync(descriptor);
    return undefined;
  }
  return {
    release: ({ remove } = { remove: false }) => {
      if (remove) rmSync(path, { force: true });
      unlock(descriptor);
      closeSync(descriptor);
    },
  };
}
