import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { JsonObject, Step, Workflow } from '../../core/workflow/types.ts';
import type { Desktop } from '../../native/desktop.ts';
import { type MemoryDriverOptions, openMemoryDesktop } from '../../native/memory/driver.ts';
import type { MemoryDesktop } from '../../native/memory/world.ts';
import type { NewEvent, StepContext } from '../action.ts';
import { aloneInRun } from '../testing.ts';
import { computerRun } from './action.ts';

/** Runs computer steps on a desktop in memory, for the unit tests of this folder. */

export interface RunOptions extends MemoryDriverOptions {
  /** Keys of `with` beside `do`. */
  with?: JsonObject;
  secrets?: { name: string; value: string }[];
  /** The application that the step before worked in. */
  workingApp?: string;
  artifacts?: boolean;
  step?: Partial<Step>;
  /** Ends the step's time. */
  signal?: AbortSignal;
  /** Stops the run, and the step with it. */
  runSignal?: AbortSignal;
  /** Called with the way to have the driver die. */
  onOpen?: (die: () => void) => void;
  /** Called with the run's artifacts folder. */
  onStart?: (artifactsDir: string) => void;
}

export interface Ran {
  error: Error | undefined;
  outputs: Record<string, unknown> | undefined;
  events: NewEvent[];
  log: string[];
  stdout: string;
  artifactsDir: string;
  workingApp: string | undefined;
  drivers: number;
}

/**
 * Runs one step and tells all that came of it. Time passes as fast as the step waits.
 */
export async function runStep(world: MemoryDesktop, operations: JsonObject[], options: RunOptions = {}): Promise<Ran> {
  const artifactsDir = mkdtempSync(join(tmpdir(), 'computer-step-'));
  onTestFinished(() => rmSync(artifactsDir, { recursive: true, force: true }));
  const ran: Ran = {
    error: undefined,
    outputs: undefined,
    events: [],
    log: [],
    stdout: '',
    artifactsDir,
    workingApp: undefined,
    drivers: 0,
  };
  options.onStart?.(artifactsDir);
  const context = contextOf(
    world,
    { ...options, with: { idle: 0, ai: 'never', ...options.with, do: operations } },
    ran,
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const ended = computerRun.run(context).then(
    ({ outputs }) => {
      ran.outputs = outputs;
    },
    (error: unknown) => {
      ran.error = error as Error;
    },
  );
  await passTime(ended);
  ran.workingApp = context.session.workingApp;
  return ran;
}

/** Lets the fake time run on, from one wait to the next, until the promise has settled. */
async function passTime(ended: Promise<void>): Promise<void> {
  let open = true;
  const done = ended.finally(() => {
    open = false;
  });
  while (open) {
    // Files and pictures take real time, in which no fake time may pass.
    await realPause();
    if (isAtRealWork()) continue;
    await realPause();
    if (open && !isAtRealWork()) await vi.advanceTimersToNextTimerAsync();
  }
  await done;
}

const realTimeout = globalThis.setTimeout;

function realPause(): Promise<void> {
  return new Promise((resolve) => {
    realTimeout(resolve, 1);
  });
}

let encoding = 0;

function isAtRealWork(): boolean {
  return encoding > 0 || process.getActiveResourcesInfo().some((name) => /^FS|^FileHandle/.test(name));
}

/** The desktop, counting the pictures that are being encoded. */
function counting(desktop: Desktop): Desktop {
  return {
    ...desktop,
    encode: async (...call) => {
      encoding++;
      try {
        return await desktop.encode(...call);
      } finally {
        encoding--;
      }
    },
  };
}

function contextOf(world: MemoryDesktop, options: RunOptions, ran: Ran): StepContext {
  const { secrets = [], workingApp, runSignal = new AbortController().signal } = options;
  const step = { key: 'post', name: 'post', action: 'computer.run', with: options.with, ...options.step } as Step;
  const mask = (text: string) => secrets.reduce((masked, { value }) => masked.replaceAll(value, '*******'), text);
  let open: ReturnType<typeof openMemoryDesktop> | undefined;
  return {
    workflow: { name: 'books' } as Workflow,
    step,
    with: options.with ?? {},
    env: {},
    workingDir: ran.artifactsDir,
    artifactsDir: options.artifacts === false ? undefined : ran.artifactsDir,
    signal: AbortSignal.any([runSignal, options.signal ?? runSignal]),
    runSignal,
    secrets,
    mask,
    addSecretValue: () => {},
    stdout: (text) => {
      ran.stdout += mask(text);
    },
    log: (line) => {
      ran.log.push(line);
    },
    event: async (event) => {
      ran.events.push(event);
    },
    fetchFor: () => () => Promise.reject(new Error('no network here')),
    ...aloneInRun,
    session: {
      workingApp,
      desktop: async () => {
        if (open === undefined) {
          ran.drivers++;
          const opened = openMemoryDesktop(world, { name: `driver ${ran.drivers}`, ...options });
          open = opened;
          options.onOpen?.(() => {
            opened.die();
            open = undefined;
          });
        }
        return counting(open.desktop);
      },
    },
  };
}
