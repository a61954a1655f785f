import type { Desktop, SessionCheck } from '../../native/desktop.ts';
import { type StepContext, StepError } from '../action.ts';
import { sleep } from './time.ts';
import type { Timeline } from './timeline.ts';

/** Conditions that only a person at the computer can end (spec: Where steps run). */
const forPerson = ['screen_locked', 'no_session', 'other_session'];
const checkAgainMs = 2_000;
const longestWaitMs = 24 * 60 * 60_000;

/**
 * The session, once its desktop can be used. While only a person can make it usable the
 * step waits; any other missing condition fails it at once, by the condition's message.
 */
export async function readySession(
  desktop: Desktop,
  { signal }: StepContext,
  timeline: Timeline,
): Promise<SessionCheck> {
  const deadline = performance.now() + longestWaitMs;
  let waited = false;
  for (;;) {
    const check = await desktop.check({ prompt: false });
    if (check.ready) {
      if (waited)
        await timeline.lifecycle(0, {
          status: 'running',
          name: 'screen',
          content: 'The screen can be used again',
          code: 'screen_ready',
        });
      return check;
    }
    const reason = check.problems.map(({ message }) => message).join('; ') || 'the desktop cannot be automated';
    const mayPass = check.problems.length > 0 && check.problems.every(({ code }) => forPerson.includes(code));
    if (!mayPass || performance.now() + checkAgainMs > deadline) throw new StepError(reason);
    if (!waited) {
      waited = true;
      const content = `Waiting until the screen can be used: ${reason}`;
      await timeline.lifecycle(0, {
        status: 'waiting',
        name: 'screen',
        content,
        code: 'waiting_screen',
        parameters: { reason },
      });
    }
    await sleep(checkAgainMs, signal);
  }
}
