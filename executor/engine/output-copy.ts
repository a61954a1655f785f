import { closeSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve as resolvePath } from 'node:path';
import type { StreamTarget } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { openForAppending, orStepError, writeAll } from './step-output.ts';

/** Where a step's paths begin. */
export interface StepFolders {
  workingDir: string;
  /** Absent where the run has no artifacts. */
  artifactsDir: string | undefined;
}

/**
 * A file that a step's stream is written to besides its log, masked as that is. The file of
 * `path` is added to, as in Dagu; an artifact holds the last try alone.
 */
export class OutputCopy {
  readonly #path: string;
  readonly #file: number;

  /** Opens it. Throws a {@link StepError} when it cannot be written. */
  constructor(path: string, { anew, mode }: { anew: boolean; mode: number }) {
    this.#path = path;
    orStepError(path, () => {
      mkdirSync(dirname(path), { recursive: true, ...(anew && { mode: 0o700 }) });
      if (anew) writeFileSync(path, '', { mode });
    });
    this.#file = openForAppending(path, mode);
  }

  write(bytes: Buffer): void {
    writeAll(this.#file, bytes, this.#path);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Opens the file that a stream is also written to; `undefined` when the step names none. */
export function openCopy(
  target: StreamTarget | undefined,
  folders: StepFolders,
  expand: (text: string) => string,
): OutputCopy | undefined {
  if (target?.artifact !== undefined) {
    return new OutputCopy(artifactPath(expand(target.artifact), folders.artifactsDir), { anew: true, mode: 0o600 });
  }
  if (target?.path === undefined) return undefined;
  return new OutputCopy(pathFrom(folders.workingDir, expand(target.path)), { anew: false, mode: 0o666 });
}

/** A path of a workflow file: `~` is the home folder, a relative one is under `folder`. */
export function pathFrom(folder: string, written: string): string {
  const path = written.replace(/^~(?=$|[\\/])/, homedir());
  return isAbsolute(path) ? path : resolvePath(folder, path);
}

/** Never leads out of the folder. */
function artifactPath(written: string, folder: string | undefined): string {
  if (folder === undefined) {
    throw new StepError(`the artifact ${written} cannot be written: the workflow sets artifacts.enabled to false`);
  }
  const parts = written.split(/[\\/]/);
  if (isAbsolute(written) || /^[\\/]|^[A-Za-z]:/.test(written) || parts.includes('..') || written.trim() === '') {
    throw new StepError(
      `the artifact ${JSON.stringify(written)} must be a path inside the run's artifacts, relative and without ".."`,
    );
  }
  return join(folder, ...parts);
}
