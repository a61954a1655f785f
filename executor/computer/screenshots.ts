import type { Desktop, Picture, Window } from '../../native/desktop.ts';
import type { Apps } from './apps.ts';
import { asStepError, failedWith } from './port.ts';
import type { Protection } from './protect.ts';
import type { Timeline } from './timeline.ts';
import type { Capabilities } from './work.ts';

const longestEdge = 1920;

/** Why a screenshot shows the whole screen, or what else it shows. */
type Shown = { pictures: Picture[]; apps: string[] } | { whole: string };

/** Takes the step's screenshots: of the windows it works in alone, as far as it can (spec: Screenshots). */
export class Screenshots {
  readonly #apps: Apps;
  readonly #isProtected: Protection;
  readonly #capabilities: Capabilities;
  readonly #timeline: Timeline;
  #announced = '';

  constructor(parts: { apps: Apps; isProtected: Protection; capabilities: Capabilities; timeline: Timeline }) {
    this.#apps = parts.apps;
    this.#isProtected = parts.isProtected;
    this.#capabilities = parts.capabilities;
    this.#timeline = parts.timeline;
  }

  /** A PNG of what the step works in, on a desktop that it holds. */
  async take(desktop: Desktop, position: number): Promise<Uint8Array> {
    const shown = await this.#captureWindows(desktop);
    await this.#announce(shown, position);
    if ('whole' in shown) {
      return await encode(desktop, await desktop.captureScreen());
    }
    const ids = shown.pictures.map(({ picture }) => picture);
    try {
      return await encode(desktop, await desktop.compose({ pictures: ids }));
    } finally {
      for (const picture of ids) await desktop.dropPicture({ picture });
    }
  }

  async #captureWindows(desktop: Desktop): Promise<Shown> {
    const { windows } = await desktop.windows();
    this.#apps.learn(windows);
    if (this.#apps.isEmpty) return { whole: 'Capturing the whole screen until the step works in an app' };
    const since = (reason: string) => ({ whole: `Capturing the whole screen, since ${reason}` });
    if (!this.#capabilities.windowCapture) return since('this system captures no single windows');
    const { found: front } = await desktop.frontWindow();
    const wanted = windows.filter((window) => window.state !== 'minimized' && this.#isWanted(window, front));
    if (wanted.length === 0) return since('no window of the apps it works in shows');
    const pictures: Picture[] = [];
    try {
      for (const window of wanted) {
        const picture = await captureOpen(desktop, window);
        if (picture !== undefined) pictures.push(picture);
      }
    } catch (error) {
      for (const { picture } of pictures) await desktop.dropPicture({ picture });
      if (!failedWith(error, 'blank_picture', 'unsupported')) throw error;
      return since(error.message);
    }
    if (pictures.length === 0) return since('no window of the apps it works in shows');
    return { pictures, apps: [...new Set(wanted.map(({ app }) => app))].sort() };
  }

  /** A window of an application that the step works in, or of the one in front when the step may operate it. */
  #isWanted(window: Window, front: Window | undefined): boolean {
    if (this.#isProtected(window)) return false;
    if (this.#apps.includes(window)) return true;
    return front !== undefined && front.app !== '' && front.app === window.app && !this.#isProtected(front);
  }

  async #announce(shown: Shown, position: number): Promise<void> {
    const content = 'whole' in shown ? shown.whole : `Capturing only the windows of ${shown.apps.join(', ')}`;
    if (content === this.#announced) return;
    this.#announced = content;
    await this.#timeline.lifecycle(position, { status: 'running', content, ...codeOf(shown) });
  }
}

function codeOf(shown: Shown): { code: string; parameters?: Record<string, string> } {
  if ('apps' in shown) return { code: 'capturing_windows', parameters: { apps: shown.apps.join(', ') } };
  const [, reason] = /, since (.*)$/s.exec(shown.whole) ?? [];
  return reason === undefined
    ? { code: 'capturing_screen' }
    : { code: 'capturing_screen_since', parameters: { reason } };
}

/** A picture of the window; none when it closed since. */
async function captureOpen(desktop: Desktop, { id }: Window): Promise<Picture | undefined> {
  try {
    return await desktop.captureWindow({ window: id });
  } catch (error) {
    if (failedWith(error, 'no_window')) return undefined;
    throw error;
  }
}

async function encode(desktop: Desktop, { picture }: Picture): Promise<Uint8Array> {
  try {
    const { png } = await desktop.encode({ picture, maxEdge: longestEdge });
    return png;
  } finally {
    await desktop.dropPicture({ picture });
  }
}

/** Runs a capture that a policy asks for, which never fails a step; undefined and a log line when it fails. */
export async function automatic(
  capture: () => Promise<string | undefined>,
  log: (line: string) => void,
): Promise<string | undefined> {
  try {
    return await capture();
  } catch (error) {
    const reason = asStepError(error)?.message ?? systemReason(error);
    if (reason === undefined) throw error;
    log(`the screenshot could not be taken: ${reason}`);
    return undefined;
  }
}

/** A failure to write the file. */
function systemReason(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error ? error.message : undefined;
}
