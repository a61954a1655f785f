import { parse } from 'node:path';
import type { Window } from '../../native/desktop.ts';
import { belongsTo } from '../../native/window-choice.ts';
import type { DesktopSession } from '../action.ts';

/**
 * The applications that the step works in: those it launches, the one the run's step
 * before it worked in, and those that its checks and replays find (spec: Screenshots).
 */
export class Apps {
  readonly #session: DesktopSession;
  readonly #names = new Set<string>();
  /** Launched processes whose window was not seen yet, by the name guessed from the command. */
  readonly #launched = new Map<number, string>();

  constructor(session: DesktopSession) {
    this.#session = session;
    if (session.workingApp !== undefined) this.#names.add(session.workingApp);
  }

  /** The application that the step works in now. */
  get working(): string | undefined {
    return this.#session.workingApp;
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  launched(pid: number, command: string): void {
    // A path of another system's form is told apart by its separators alone.
    const name = parse(command.replaceAll('\\', '/')).name;
    this.#launched.set(pid, name);
    this.#enter(name);
  }

  /** The step has acted in this window, or found in it what it looked for. */
  workedIn(window: Window): void {
    if (window.app !== '') this.#enter(window.app);
  }

  #enter(app: string): void {
    this.#names.add(app);
    this.#session.workingApp = app;
  }

  /**
   * Learns the image names of launched programs from the windows of their processes: a
   * command may be called otherwise than the program that it becomes.
   */
  learn(windows: readonly Window[]): void {
    for (const [pid, guess] of this.#launched) {
      const own = windows.find((window) => window.pid === pid && window.app !== '');
      if (own === undefined) continue;
      this.#launched.delete(pid);
      if (belongsTo(own, guess)) continue;
      this.#names.delete(guess);
      this.#names.add(own.app);
      if (this.#session.workingApp === guess) this.#session.workingApp = own.app;
    }
  }

  /** Whether the step works in the window's application. */
  includes(window: Window): boolean {
    return [...this.#names].some((name) => belongsTo(window, name));
  }
}
