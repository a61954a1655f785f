import { CallError } from '../core/contract/protocol.ts';
import type { Driver } from './desktop.ts';
import { refusingDriver } from './refusing.ts';

/** One line a system: how its driver is opened. */
const systems: Partial<Record<NodeJS.Platform, (env: NodeJS.ProcessEnv) => Promise<Driver>>> = {
  linux: async (env) => {
    // The specification names macOS and Windows; Linux is switched on for those who ask.
    if (env.DAGU_DESKTOP_X11 !== '1') {
      return refusingDriver('unsupported', 'desktop automation is supported on macOS and Windows only');
    }
    const { X11Driver } = await import('./x11/driver.ts');
    return new X11Driver();
  },
};

/** The driver of this system; one that refuses every call where there is none or it cannot be loaded. */
export async function systemDriver(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Driver> {
  const open = systems[platform];
  if (open === undefined)
    return refusingDriver('unsupported', `desktop automation is not available on ${platform} yet`);
  try {
    return await open(env);
  } catch (error) {
    const reason = error instanceof CallError ? error.message : `the desktop driver cannot be loaded: ${String(error)}`;
    return refusingDriver('load_failed', reason);
  }
}
