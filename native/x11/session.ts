import { CallError } from '../../core/contract/protocol.ts';
import type { problemCodes, SessionCheck } from '../desktop.ts';
import { sessionBusAddress } from './atspi/bus.ts';
import { BusConnection, BusError } from './dbus/connection.ts';
import { type Method, method } from './dbus/wire.ts';

type Problem = SessionCheck['problems'][number];
type ProblemCode = (typeof problemCodes)[number];

const callMs = 2_000;
const systemBus = 'unix:path=/run/dbus/system_bus_socket';
const screenSaver = 'org.freedesktop.ScreenSaver';
const logind = 'org.freedesktop.login1';
const isLocked = method(screenSaver, 'GetActive');
const sessionProperty = (name: string) =>
  method('org.freedesktop.DBus.Properties', 'Get', 'ss', 'org.freedesktop.login1.Session', name);

/**
 * Whether this session's desktop can be used: `ready` unless something stands in the
 * way. A session without the accessibility bus is ready; only its elements cannot be read.
 *
 * @param size the display's, or the error for which it cannot be opened
 */
export async function checkSession(size: { width: number; height: number } | CallError): Promise<SessionCheck> {
  const problems: Problem[] = [];
  if (size instanceof CallError) {
    problems.push({ code: size.code === 'load_failed' ? 'load_failed' : 'no_display', message: size.message });
  } else {
    problems.push(...waylandProblems(), ...(await Promise.all([lockProblem(), logindProblem()])).filter(isThere));
  }
  const ready = problems.length === 0;
  if (!(size instanceof CallError) && sessionBusAddress() === undefined) {
    problems.push({
      code: 'accessibility',
      message: 'there is no D-Bus session (DBUS_SESSION_BUS_ADDRESS): elements of windows cannot be read',
    });
  }
  const { width, height } = size instanceof CallError ? { width: 0, height: 0 } : size;
  return { os: 'linux', width, height, ready, problems };
}

function isThere(problem: Problem | undefined): problem is Problem {
  return problem !== undefined;
}

function waylandProblems(): Problem[] {
  const isWayland = process.env.XDG_SESSION_TYPE === 'wayland' || Boolean(process.env.WAYLAND_DISPLAY);
  if (!isWayland) return [];
  return [problem('unsupported', 'this is a Wayland session; log in to an X11 session to automate the desktop')];
}

async function lockProblem(): Promise<Problem | undefined> {
  const address = sessionBusAddress();
  if (address === undefined) return undefined;
  const locked = await ask(address, async (bus) => {
    if (!(await bus.has(screenSaver))) return false;
    return (await get(bus, screenSaver, '/org/freedesktop/ScreenSaver', isLocked)) === true;
  });
  return locked ? problem('screen_locked', 'the screen is locked; unlock it') : undefined;
}

/** What the login manager says of the session that this process was started in. */
async function logindProblem(): Promise<Problem | undefined> {
  const id = process.env.XDG_SESSION_ID;
  if (id === undefined) return undefined;
  return await ask(systemBus, async (bus) => {
    if (!(await bus.has(logind))) return undefined;
    const find = method('org.freedesktop.login1.Manager', 'GetSession', 's', id);
    const path = (await get(bus, logind, '/org/freedesktop/login1', find)) as string;
    const [locked, active] = await Promise.all([
      get(bus, logind, path, sessionProperty('LockedHint')),
      get(bus, logind, path, sessionProperty('Active')),
    ]);
    if (locked === true) return problem('screen_locked', 'the screen is locked; unlock it');
    if (active === false) {
      return problem('other_session', "another user's session has the display; switch back to this one");
    }
    return undefined;
  });
}

function problem(code: ProblemCode, message: string): Problem {
  return { code, message };
}

async function get(bus: BusConnection, service: string, path: string, called: Method): Promise<unknown> {
  return (await bus.call(service, path, called, callMs))[0];
}

/** Undefined where the bus or the service cannot tell: many desktops have neither. */
async function ask<T>(address: string, question: (bus: BusConnection) => Promise<T>): Promise<T | undefined> {
  let bus: BusConnection | undefined;
  try {
    bus = await BusConnection.open(address);
    return await question(bus);
  } catch (error) {
    if (error instanceof BusError) return undefined;
    throw error;
  } finally {
    bus?.close();
  }
}
