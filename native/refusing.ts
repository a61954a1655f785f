import { CallError } from '../core/contract/protocol.ts';
import { type Driver, desktopProtocol, type SessionCheck } from './desktop.ts';

const goNames: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' };

/**
 * The driver of a system whose desktop cannot be used: its check says why, and every
 * other call rejects with the same.
 */
export function refusingDriver(code: 'unsupported' | 'load_failed', message: string): Driver {
  const refuse = () => {
    throw new CallError(code, message);
  };
  const calls = Object.fromEntries(Object.keys(desktopProtocol).map((method) => [method, refuse]));
  const check = (): SessionCheck => ({
    os: goNames[process.platform] ?? process.platform,
    width: 0,
    height: 0,
    ready: false,
    problems: [{ code, message }],
  });
  return { ...calls, check, close: async () => undefined } as unknown as Driver;
}
