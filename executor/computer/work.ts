import type { Desktop, SessionCheck } from '../../native/desktop.ts';
import type { StepContext } from '../action.ts';
import type { Apps } from './apps.ts';
import type { Artifacts } from './artifacts.ts';
import type { Lease } from './lease.ts';
import type { Plan } from './plan.ts';
import type { Protection } from './protect.ts';
import type { Screenshots } from './screenshots.ts';
import type { OperationTime } from './time.ts';
import type { Timeline } from './timeline.ts';
import type { Variables } from './variables.ts';

/** What the operations of one attempt share. */
export interface Work {
  context: StepContext;
  plan: Plan;
  variables: Variables;
  timeline: Timeline;
  apps: Apps;
  isProtected: Protection;
  screenshots: Screenshots;
  artifacts: Artifacts;
  capabilities: Capabilities;
  system: SessionCheck['os'];
  /** Windows that this attempt has maximized, or found that it may not. */
  sized: Set<string>;
}

export type Capabilities = Awaited<ReturnType<Desktop['capabilities']>>;

/** One operation at work. */
export interface OperationWork extends Work {
  /** From 1. */
  position: number;
  time: OperationTime;
  lease: Lease;
  /** The desktop; its calls end with the operation. */
  desktop: Desktop;
  log(line: string): void;
}

/** Holds the desktop from here until the operation ends. */
export async function holdDesktop({ lease, time }: OperationWork): Promise<void> {
  await lease.take(time.signal, (poll) => time.paused(poll));
}
