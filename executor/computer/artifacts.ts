import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { StepError } from '../action.ts';

/** The screenshots of one step among the run's artifacts (spec: Artifacts). */
export class Artifacts {
  readonly #root: string | undefined;
  readonly #folder: string;

  /** @param root the run's artifacts folder; undefined when the workflow keeps none */
  constructor(root: string | undefined, stepKey: string) {
    this.#root = root;
    this.#folder = `computer/${safeName(stepKey)}`;
  }

  get areKept(): boolean {
    return this.#root !== undefined;
  }

  /** Throws a StepError when the workflow keeps no artifacts. */
  requireStorage(): void {
    this.#storage();
  }

  #storage(): string {
    if (this.#root !== undefined) return this.#root;
    throw new StepError('screenshots need artifact storage, which is disabled for this DAG');
  }

  /**
   * Writes a picture as `NN-<label>.png`, numbered after the highest present and never
   * over another file. Returns its path relative to the run's artifacts folder.
   */
  async save(label: string, png: Uint8Array): Promise<string> {
    const folder = join(this.#storage(), this.#folder);
    await mkdir(folder, { recursive: true, mode: 0o755 });
    for (let number = await nextNumber(folder); ; number++) {
      const name = `${String(number).padStart(2, '0')}-${label}.png`;
      if (await writeNew(join(folder, name), png)) return `${this.#folder}/${name}`;
    }
  }
}

async function nextNumber(folder: string): Promise<number> {
  const numbers = (await readdir(folder)).map((name) => Number(/^(\d+)-.*\.png$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers) + 1;
}

/** False when a file of the name is there already. */
async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o644);
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function safeName(key: string): string {
  const safe = key.replace(/[^A-Za-z0-9._-]/g, '_');
  return /^\.*$/.test(safe) ? `_${safe}` : safe;
}
