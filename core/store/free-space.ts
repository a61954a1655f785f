import { statfsSync } from 'node:fs';
import { CallError } from '../contract/protocol.ts';

/** What must be free before a run begins, in bytes: its states, logs and a few screenshots. */
export const neededBytes = 50 * 1024 * 1024;

/** The numbers of a disk that are looked at here: free blocks for users, and a block's bytes. */
export type DiskState = (folder: string) => { bavail: number; bsize: number };

/** Throws, with code `disk_full`, where a folder's disk has no space for another run. */
export function checkFreeSpace(folder: string, diskState: DiskState = statfsSync): void {
  const { bavail, bsize } = diskState(folder);
  const free = bavail * bsize;
  if (free >= neededBytes) return;
  throw new CallError(
    'disk_full',
    `the disk of ${folder} is full: ${megabytes(free)} are free, and a run needs ${megabytes(neededBytes)}; free some space and try again`,
    { free, needed: neededBytes },
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
