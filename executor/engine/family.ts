import type { Network } from '../../core/net/network.ts';
import type { Store } from '../../core/store/store.ts';
import type { DesktopSession } from '../action.ts';
import type { WorkflowFinder } from './find-workflow.ts';
import type { Guardian } from './guardian.ts';
import { type Keychain, openKeychain } from './keychain.ts';
import type { StopWatch } from './stop-watch.ts';

/** What a run and all runs under it share: one process executes them, and holds the lock of the first. */
export interface Family {
  /** The run at the top. */
  root: { runId: string; name: string };
  store: Store;
  session: DesktopSession;
  network: Network;
  guardian: Guardian;
  stops: StopWatch;
  finder: WorkflowFinder;
  openKeychain: () => Promise<Keychain>;
  /** Called after each change that is stored, with the run that changed. */
  changed: (runId: string) => void;
}

/** The system's key store, asked once for each entry: every run of a family reads its secrets. */
export function sharedKeychain(): () => Promise<Keychain> {
  let opened: Promise<Keychain> | undefined;
  const values = new Map<string, Promise<string | undefined>>();
  return async () => {
    opened ??= openKeychain();
    const keychain = await opened;
    return {
      read(service, account) {
        const key = JSON.stringify([service, account]);
        const value = values.get(key) ?? keychain.read(service, account);
        values.set(key, value);
        return value;
      },
    };
  };
}
