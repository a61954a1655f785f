import { StoreFailure } from '../core/store/database.ts';
import { dataHome } from '../core/store/paths.ts';
import { Store } from '../core/store/store.ts';
import { UsageError } from './output.ts';

/** The runs of this user's data directory; a directory that cannot be used is a usage error. */
export function openStore(options?: { forReading: boolean }): Store {
  const home = dataHome();
  try {
    return new Store(home, options);
  } catch (error) {
    if (error instanceof StoreFailure) throw error;
    throw new UsageError(`the data directory ${home} cannot be used: ${(error as Error).message}`);
  }
}
