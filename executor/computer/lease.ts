import type { Desktop } from '../../native/desktop.ts';
import { asStepError, failedWith } from './port.ts';
import { sleep } from './time.ts';

const firstPauseMs = 100;
const longestPauseMs = 2_000;

/** What the step tells while it waits for the desktop. */
export interface LeaseNotices {
  waiting(holder: string | undefined): Promise<void>;
  free(): Promise<void>;
  log(line: string): void;
}

/**
 * The desktop as one operation holds it: from the look at the screen that its input is
 * based on until it ends (spec: Where steps run).
 */
export class Lease {
  readonly #desktop: Desktop;
  readonly #notices: LeaseNotices;
  /** Set before the first request: one whose answer was not waited for may have been granted. */
  #asked = false;
  #held = false;

  /** @param desktop the driver itself, whose calls outlive the operation's time */
  constructor(desktop: Desktop, notices: LeaseNotices) {
    this.#desktop = desktop;
    this.#notices = notices;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  /** Takes the desktop when nobody else has it; true when it is held afterwards. */
  async tryTake(signal: AbortSignal): Promise<boolean> {
    const { taken } = await this.#ask(signal);
    return taken;
  }

  /** Takes the desktop, and waits for it while others have it. `wait` runs a wait outside the operation's time. */
  async take(
    signal: AbortSignal,
    wait: (poll: (signal: AbortSignal) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    if (this.#held) return;
    const { taken, holder } = await this.#ask(signal);
    if (taken) return;
    await this.#notices.waiting(holder);
    await wait(async (untilStopped) => {
      let pauseMs = firstPauseMs;
      do {
        await sleep(pauseMs, untilStopped);
        pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
      } while (!(await this.#ask(untilStopped)).taken);
    });
    await this.#notices.free();
  }

  async #ask(signal: AbortSignal): Promise<{ taken: boolean; holder?: string }> {
    this.#asked = true;
    const answer = await this.#desktop.takeLease({}, { signal });
    this.#held = answer.taken;
    if (answer.taken) await this.#stayAwake(true);
    return answer;
  }

  /** Lets up what is down and gives the desktop back. It never fails: the operation's end is told by its own reason. */
  async release(): Promise<void> {
    if (!this.#asked) return;
    this.#asked = false;
    if (this.#held) await this.#stayAwake(false);
    this.#held = false;
    try {
      await this.#desktop.releaseLease();
    } catch (error) {
      if (failedWith(error, 'closed')) return; // the lock ended with its process
      const reason = asStepError(error);
      if (reason === undefined) throw error;
      this.#notices.log(`warning: the desktop could not be given back: ${reason.message}`);
    }
  }

  /** Keeps the display awake as far as the system allows: where it does not, the step works all the same. */
  async #stayAwake(on: boolean): Promise<void> {
    try {
      await this.#desktop.keepAwake({ on });
    } catch (error) {
      const reason = asStepError(error);
      if (reason === undefined) throw error;
      if (on) this.#notices.log(`warning: the display may go to sleep: ${reason.message}`);
    }
  }
}
