import { isAbsolute, relative } from 'node:path';
import type { TrustPolicy } from '../core/contract/settings.ts';
import type { TrustState } from '../core/contract/workflow-file.ts';
import type { Queries } from './queries-client.ts';

/** A content of a workflow file: the file's path, and the SHA-256 of the content. */
export interface TrustedContent {
  path: string;
  hash: string;
}

/** Which contents of workflow files may run: those that a person allowed, and those that the settings do. */
export class Trust {
  readonly #queries: Pick<Queries['client'], 'trustOf' | 'trust'>;
  readonly #policy: () => TrustPolicy;

  constructor(queries: Pick<Queries['client'], 'trustOf' | 'trust'>, policy: () => TrustPolicy) {
    this.#queries = queries;
    this.#policy = policy;
  }

  /** The state of each content, in order. */
  async statesOf(contents: readonly TrustedContent[]): Promise<TrustState[]> {
    if (contents.length === 0) return [];
    const policy = this.#policy();
    const asked = contents.map(({ path, hash }) => ({ path, hash }));
    const { states } = await this.#queries.trustOf({ contents: asked });
    return contents.map((content, index) => {
      if (allowedByPolicy(content, policy) || states[index]?.allowed) return 'allowed';
      return states[index]?.known ? 'changed' : 'new';
    });
  }

  async stateOf(content: TrustedContent): Promise<TrustState> {
    const [state = 'new'] = await this.statesOf([content]);
    return state;
  }

  /** A person allows a content. */
  async allow({ path, hash }: TrustedContent): Promise<void> {
    await this.#queries.trust({ path, hash });
  }
}

/** Whether the settings allow a content: by its hash, or by a folder that the file is in. */
export function allowedByPolicy({ path, hash }: TrustedContent, { folders, hashes }: TrustPolicy): boolean {
  return hashes.includes(hash) || folders.some((folder) => isInside(folder, path));
}

/** Whether a path is below a folder, at any depth. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}
