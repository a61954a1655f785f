import {
  Ban,
  Check,
  CircleDashed,
  CircleDotDashed,
  Clock,
  Hand,
  type LucideIcon,
  SkipForward,
  TriangleAlert,
  Wrench,
  X,
} from 'lucide-react';
import type { RunStatus, StepStatus, TimelineEvent } from '../../core/contract/run.ts';
import { useTexts } from '../texts.ts';

/** What a colour stands for; the icon beside it says the same without colour. */
export type Tone = 'working' | 'needs' | 'failed' | 'done' | 'quiet';

interface Sign {
  icon: LucideIcon;
  tone: Tone;
}

const quiet = { icon: CircleDashed, tone: 'quiet' } as const;
const working = { icon: CircleDotDashed, tone: 'working' } as const;
const done = { icon: Check, tone: 'done' } as const;
const failed = { icon: X, tone: 'failed' } as const;
const stopped = { icon: Ban, tone: 'quiet' } as const;

const signs: Record<RunStatus | StepStatus | TimelineEvent['status'], Sign> = {
  not_started: quiet,
  queued: { icon: Clock, tone: 'quiet' },
  running: working,
  retrying: working,
  waiting: { icon: Hand, tone: 'needs' },
  succeeded: done,
  completed: done,
  'cache-hit': done,
  healed: { icon: Wrench, tone: 'done' },
  partially_succeeded: { icon: TriangleAlert, tone: 'needs' },
  skipped: { icon: SkipForward, tone: 'quiet' },
  failed,
  rejected: failed,
  aborted: stopped,
};

/** The tone of a run's state. */
export function toneOf(status: RunStatus): Tone {
  return signs[status].tone;
}

/** A state's icon in its colour; the words for it are given by who shows it, or said to screen readers alone. */
export function StatusIcon({ status, label }: { status: keyof typeof signs; label?: string }) {
  const { icon: Icon, tone } = signs[status];
  return (
    <span
      className={`status-icon ${tone}`}
      {...(label !== undefined && { role: 'img', 'aria-label': label, title: label })}
    >
      <Icon size={16} aria-hidden className={tone === 'working' ? 'turning' : undefined} />
    </span>
  );
}

/** The state of a run: icon and word. */
export function RunStatusLabel({ status }: { status: RunStatus }) {
  const { words } = useTexts();
  return (
    <span className={`status ${signs[status].tone}`}>
      <StatusIcon status={status} />
      {words.runStatus[status]}
    </span>
  );
}
