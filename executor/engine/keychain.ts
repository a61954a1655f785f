import { setTimeout as delay } from 'node:timers/promises';
import { StepError } from '../action.ts';

/** The system's key store: the keychain of macOS, Windows' credentials, the Secret Service of Linux. */
export interface Keychain {
  /**
   * The secret kept for an account of a service, or `undefined` when there is none. Rejects
   * with a {@link StepError} when the store cannot be asked.
   */
  read(service: string, account: string): Promise<string | undefined>;
}

/** How long the person has to unlock the key store, in s: its own dialog waits for ever. */
const unlockSec = 120;

/** Opens the system's key store; its library is loaded at the first use. */
export async function openKeychain(): Promise<Keychain> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  return {
    async read(service, account) {
      // Elsewhere than in the Secret Service, Linux would forget it with the session.
      const entry = () => new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
      return await orUnreadable(async () => (await entry().getPassword()) ?? undefined);
    },
  };
}

async function orUnreadable<T>(read: () => Promise<T>): Promise<T> {
  const done = new AbortController();
  const limit = delay(unlockSec * 1000, undefined, { signal: done.signal, ref: false }).then(() => {
    throw new Error(`it was not unlocked within ${unlockSec} s`);
  });
  try {
    return await Promise.race([read(), limit]);
  } catch (error) {
    throw new StepError(`the system's key store cannot be read: ${(error as Error).message}${advice()}`, {
      cause: error,
    });
  } finally {
    done.abort();
    limit.catch(() => {});
  }
}

function advice(): string {
  if (process.platform !== 'linux') return '';
  return '; it needs a Secret Service such as GNOME Keyring or KWallet, running and unlocked in this session';
}
