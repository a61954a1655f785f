import { setTimeout as sleep } from 'node:timers/promises';
import sharp, { type OutputInfo } from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bounds, Desktop, Element, ElementTree, Role, Window } from './desktop.ts';

/**
 * What every driver of the desktop port has to do, asked of it through the client.
 * A driver's own test opens a scene for it on its system.
 */

/** How to start a program of the scene. */
export interface Program {
  command: string;
  args: string[];
}

/**
 * A desktop with two programs. The form's window, "Suite form", has the labelled fields
 * Name, Secret (a password) and Colour (a choice of red, green and blue, red at first),
 * the checkbox Agree (off at first) and the buttons OK and Cancel, which close it. The
 * cover's window, "Cover", opens over the form's.
 */
export interface Scene {
  desktop: Desktop;
  /** A client of another driver on the same desktop. */
  another(): Promise<Desktop>;
  form: Program;
  cover: Program;
  /** What the form gave out when OK was pressed, once it did. */
  result(): Promise<FormResult | undefined>;
  close(): Promise<void>;
}

export interface FormResult {
  name: string;
  agree: boolean;
  colour: string;
}

const sentence = 'Grüße, 日本語テキスト ключ 한국어 😀 "quoted" <x>';

export function desktopSuite(name: string, open: () => Promise<Scene>): void {
  describe(`the desktop port: ${name}`, () => {
    let scene: Scene;
    let desktop: Desktop;
    beforeAll(async () => {
      scene = await open();
      desktop = scene.desktop;
    });
    afterAll(() => scene?.close());

    const windowsTitled = async (title: string) =>
      (await desktop.windows()).windows.filter((window) => window.title === title);
    const start = async (program: Program, title: string): Promise<Window> => {
      const before = new Set((await windowsTitled(title)).map((window) => window.id));
      await desktop.launch(program);
      const window = await eventually(`the window "${title}" opens`, async () =>
        (await windowsTitled(title)).find((found) => !before.has(found.id)),
      );
      await eventually(`"${title}" shows its elements`, async () => (await elementsOrNone(window))?.elements[5]);
      return window;
    };
    const elementsOrNone = (window: Window) =>
      desktop.elements({ window: window.id }).catch((error: Error & { code?: string }) => {
        if (error.code === 'no_elements') return undefined;
        throw error;
      });
    const element = async (window: Window, role: Role, called: string): Promise<Element> => {
      const { elements } = await desktop.elements({ window: window.id });
      const found = elements.find((one) => one.role === role && (one.name === called || one.label === called));
      if (found === undefined) throw new Error(`no ${role} "${called}" in ${JSON.stringify(elements, null, 1)}`);
      return found;
    };
    const again = (one: Element) => desktop.readElement({ ref: one.ref });
    const becomes = (one: Element, what: string, holds: (now: Element) => boolean) =>
      eventually(what, async () => (holds(await again(one)) ? true : undefined));
    const pixelsOf = async (picture: string) => {
      const { png } = await desktop.encode({ picture });
      return await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    };

    const closes = ({ title }: Window) =>
      eventually(`"${title}" closes`, async () => ((await windowsTitled(title)).length === 0 ? true : undefined));

    let form: Window;
    let cover: Window | undefined;
    const openCover = async () => {
      cover = await start(scene.cover, 'Cover');
      await eventually('the cover gets the focus', async () =>
        (await desktop.frontWindow()).found?.id === cover?.id ? true : undefined,
      );
      return cover;
    };
    const dismiss = async (window: Window | undefined) => {
      if (window === undefined || (await windowsTitled(window.title)).length === 0) return;
      await desktop.perform({ ref: (await element(window, 'button', 'Cancel')).ref, pattern: 'invoke' });
      await closes(window);
    };

    describe('the session', () => {
      test('is ready and says how large its display is', async () => {
        const { ready, problems, width, height } = await desktop.check({ prompt: false });
        expect({ ready, problems }).toEqual({ ready: true, problems: [] });
        expect(Math.min(width, height)).toBeGreaterThan(0);
      });

      test('captures the display at its size', async () => {
        const { width, height } = await desktop.check({ prompt: false });
        const { picture, bounds } = await desktop.captureScreen();
        expect(bounds).toEqual({ x: 0, y: 0, width, height });
        const encoded = await desktop.encode({ picture, maxEdge: 100 });
        expect(Math.max(encoded.width, encoded.height)).toBe(100);
        await desktop.dropPicture({ picture });
        await expect(desktop.encode({ picture })).rejects.toMatchObject({ code: 'failed' });
      });

      test('stays awake and lets go of that', async () => {
        await desktop.keepAwake({ on: true });
        await desktop.keepAwake({ on: false });
      });

      test('names the command of a program that cannot be launched', async () => {
        await expect(desktop.launch({ command: 'no-such-program', args: [] })).rejects.toMatchObject({
          code: 'launch_failed',
          message: expect.stringContaining('"no-such-program"'),
        });
      });

      test('knows no window that never was', async () => {
        for (const call of [desktop.captureWindow, desktop.elements]) {
          await expect(call({ window: '1' })).rejects.toMatchObject({ code: 'no_window' });
        }
      });
    });

    describe('the lease', () => {
      test('is needed for all input', async () => {
        const point = { x: 5, y: 5 };
        const inputs: Promise<unknown>[] = [
          desktop.pointerMove(point),
          desktop.click({ point, button: 'left', count: 1, modifiers: [] }),
          desktop.scroll({ point, dx: 0, dy: 1 }),
          desktop.typeText({ text: 'x', window: '1' }),
          desktop.pressChord({ chord: 'ctrl+a', window: '1' }),
          desktop.raise({ window: '1' }),
          desktop.restore({ window: '1' }),
          desktop.maximize({ window: '1' }),
        ];
        const answers = await Promise.allSettled(inputs);
        expect(answers.map((answer) => answer.status === 'rejected' && answer.reason.code)).toEqual(
          inputs.map(() => 'no_lease'),
        );
      });

      test('is held by one at a time', async () => {
        const other = await scene.another();
        expect(await desktop.takeLease()).toEqual({ taken: true });
        expect(await desktop.takeLease()).toEqual({ taken: true });
        expect(await other.takeLease()).toEqual({ taken: false, holder: expect.any(String) });
        await expect(other.pointerMove({ x: 1, y: 1 })).rejects.toMatchObject({ code: 'no_lease' });
        await desktop.releaseLease();
        expect(await other.takeLease()).toEqual({ taken: true });
        await expect(desktop.pointerMove({ x: 1, y: 1 })).rejects.toMatchObject({ code: 'no_lease' });
        await other.releaseLease();
      });
    });

    describe('a window', () => {
      beforeEach(async () => {
        await desktop.takeLease();
        form = await start(scene.form, 'Suite form');
      });
      afterEach(async () => {
        await desktop.ignore({ windows: [] });
        await dismiss(cover);
        cover = undefined;
        await dismiss(form);
        await desktop.releaseLease();
      });

      test('has its place in the list from front to back', async () => {
        expect(form).toMatchObject({ kind: 'normal', state: 'normal', modal: false });
        expect(form.pid).toBeGreaterThan(0);
        const over = await openCover();
        const order = async () =>
          (await desktop.windows()).windows.map((window) => window.id).filter((id) => [over.id, form.id].includes(id));
        expect(await order()).toEqual([over.id, form.id]);
        await desktop.raise({ window: form.id });
        expect((await desktop.frontWindow()).found?.id).toBe(form.id);
        expect(await order()).toEqual([form.id, over.id]);
      });

      test('can be maximized and restored', async () => {
        await desktop.maximize({ window: form.id });
        expect((await windowsTitled('Suite form'))[0]?.state).toBe('maximized');
        await desktop.restore({ window: form.id });
        expect((await windowsTitled('Suite form'))[0]?.state).toBe('normal');
      });

      test('is captured without what covers it', async () => {
        const over = await openCover();
        const covered = await pixelsOf((await desktop.captureWindow({ window: form.id })).picture);
        const coverPixels = await pixelsOf((await desktop.captureWindow({ window: over.id })).picture);
        await desktop.raise({ window: form.id });
        await sleep(300); // the form draws its caret and its frame as the active window's
        const { picture, bounds } = await desktop.captureWindow({ window: form.id });
        const front = await pixelsOf(picture);
        expect(bounds).toEqual(form.bounds);
        expect(difference(covered.data, front.data)).toBeLessThan(0.15);
        expect(coverPixels.info).not.toEqual(front.info);
      });

      test('is composed with others at their places', async () => {
        const over = await openCover();
        const pictures = await Promise.all(
          [over, form].map(async ({ id }) => (await desktop.captureWindow({ window: id })).picture),
        );
        const { picture, bounds } = await desktop.compose({ pictures });
        expect(bounds).toEqual(union(over.bounds, form.bounds));
        const whole = await pixelsOf(picture);
        const part = await pixelsOf(pictures[0] as string);
        const place = { x: over.bounds.x - bounds.x, y: over.bounds.y - bounds.y };
        const inWhole = await cut(whole, { ...place, width: over.bounds.width, height: over.bounds.height });
        expect(inWhole.equals(part.data)).toBe(true);
      });

      test('that is ignored is in no list and in no capture', async () => {
        const alone = await pixelsOf((await desktop.captureWindow({ window: form.id })).picture);
        const over = await openCover();
        await desktop.ignore({ windows: [over.id] });
        expect(await windowsTitled('Cover')).toEqual([]);
        const screen = await pixelsOf((await desktop.captureScreen()).picture);
        expect(difference(await cut(screen, form.bounds), alone.data)).toBeLessThan(0.15);
        await desktop.ignore({ windows: [] });
        const open = await pixelsOf((await desktop.captureScreen()).picture);
        expect(difference(await cut(open, over.bounds), await cut(screen, over.bounds))).toBeGreaterThan(0.02);
      });
    });

    describe('elements', () => {
      beforeEach(async () => {
        form = await start(scene.form, 'Suite form');
      });
      afterEach(async () => {
        await dismiss(cover);
        cover = undefined;
        await dismiss(form);
        await desktop.releaseLease();
      });

      test('are a tree in preorder with what each is', async () => {
        const { elements, window, cut: cutBy } = await desktop.elements({ window: form.id });
        expect(cutBy).toBeUndefined();
        expect(window.id).toBe(form.id);
        expect(elements[0]).toMatchObject({ role: 'window', name: 'Suite form', parent: -1 });
        expect(wrongPositions(elements)).toEqual([]);
        const byLabel = (label: string) => elements.find((one) => one.label === label);
        expect(byLabel('Name')).toMatchObject({
          role: 'text_field',
          value: '',
          secret: false,
          enabled: true,
          visible: true,
        });
        expect(byLabel('Secret')).toMatchObject({ role: 'text_field', secret: true });
        expect(byLabel('Secret')).not.toHaveProperty('value');
        expect(byLabel('Colour')).toMatchObject({ role: 'combo_box', value: 'red' });
        expect(await element(form, 'checkbox', 'Agree')).toMatchObject({ checked: false });
        expect(await element(form, 'button', 'OK')).toMatchObject({ enabled: true, visible: true });
      });

      test('are cut where the budget ends, and it is said', async () => {
        const tree = await desktop.elements({ window: form.id, maxElements: 4 });
        expect(tree.elements).toHaveLength(4);
        expect(tree.cut).toBe('count');
      });

      test('are found at a point', async () => {
        const agree = await element(form, 'checkbox', 'Agree');
        expect((await desktop.elementAt(centre(agree))).found).toMatchObject({ role: 'checkbox', name: 'Agree' });
      });

      test('are toggled, and it is read back', async () => {
        const agree = await element(form, 'checkbox', 'Agree');
        expect(await desktop.perform({ ref: agree.ref, pattern: 'toggle' })).toMatchObject({ outcome: 'confirmed' });
        expect(await again(agree)).toMatchObject({ checked: true });
      });

      test('take a value, and what the form gives out has it', async () => {
        const field = await element(form, 'text_field', 'Name');
        const set = await desktop.perform({ ref: field.ref, pattern: 'setValue', value: sentence });
        expect(set).toMatchObject({ outcome: 'confirmed' });
        expect((await again(field)).value).toBe(sentence);
        const colour = await element(form, 'combo_box', 'Colour');
        expect(await desktop.perform({ ref: colour.ref, pattern: 'setValue', value: 'blue' })).toMatchObject({
          outcome: 'confirmed',
        });
        const ok = await element(form, 'button', 'OK');
        expect((await desktop.perform({ ref: ok.ref, pattern: 'invoke' })).outcome).not.toBe('refused');
        expect(await eventually('the form gives out its fields', scene.result)).toEqual({
          name: sentence,
          agree: false,
          colour: 'blue',
        });
        await closes(form);
      });

      test('refuse what they cannot do, with a reason', async () => {
        const field = await element(form, 'text_field', 'Name');
        expect(await desktop.perform({ ref: field.ref, pattern: 'toggle' })).toEqual({
          outcome: 'refused',
          reason: expect.stringMatching(/./),
        });
      });

      test('act without the lease, and neither focus nor order of the windows changes', async () => {
        if ((await desktop.capabilities()).patternNeedsDesktop) return;
        const over = await openCover();
        const before = (await desktop.windows()).windows.map((window) => window.id);
        const steps = [
          { role: 'checkbox', name: 'Agree', pattern: 'toggle' },
          { role: 'text_field', name: 'Name', pattern: 'setValue', value: 'behind' },
          { role: 'combo_box', name: 'Colour', pattern: 'setValue', value: 'green' },
        ] as const;
        for (const { role, name: called, ...act } of steps) {
          const { ref } = await element(form, role, called);
          expect(await desktop.perform({ ref, ...act })).toMatchObject({ outcome: 'confirmed' });
        }
        expect((await desktop.windows()).windows.map((window) => window.id)).toEqual(before);
        expect((await desktop.frontWindow()).found?.id).toBe(over.id);
      });

      test('take the focus only with the lease', async () => {
        const field = await element(form, 'text_field', 'Name');
        await expect(desktop.perform({ ref: field.ref, pattern: 'focus' })).rejects.toMatchObject({ code: 'no_lease' });
        await desktop.takeLease();
        await desktop.raise({ window: form.id });
        expect((await desktop.perform({ ref: field.ref, pattern: 'focus' })).outcome).not.toBe('refused');
        await becomes(field, 'the field has the focus', (now) => now.focused);
      });

      test('are stale once their window is closed', async () => {
        const field = await element(form, 'text_field', 'Name');
        await dismiss(form);
        await expect(again(field)).rejects.toMatchObject({ code: 'stale_element' });
        await expect(desktop.elements({ window: form.id })).rejects.toMatchObject({ code: 'no_window' });
      });
    });

    describe('input', () => {
      beforeEach(async () => {
        await desktop.takeLease();
        form = await start(scene.form, 'Suite form');
        await desktop.raise({ window: form.id });
      });
      afterEach(async () => {
        await dismiss(cover);
        cover = undefined;
        await dismiss(form);
        await desktop.releaseLease();
      });

      const clickOn = async (one: Element) =>
        desktop.click({ point: centre(one), button: 'left', count: 1, modifiers: [] });

      test('clicks what is under the point', async () => {
        const agree = await element(form, 'checkbox', 'Agree');
        await clickOn(agree);
        await becomes(agree, 'the checkbox is on', (now) => now.checked === true);
      });

      test('types any script as it is, over what is selected', async () => {
        const field = await element(form, 'text_field', 'Name');
        await clickOn(field);
        await desktop.typeText({ text: sentence, window: form.id });
        await becomes(field, `the field shows ${sentence}`, (now) => now.value === sentence);
        await desktop.pressChord({ chord: 'ctrl+a', window: form.id });
        await desktop.typeText({ text: 'short', window: form.id });
        await becomes(field, 'the field shows the second text', (now) => now.value === 'short');
        await desktop.pressChord({ chord: 'ctrl+a', window: form.id });
        await desktop.pressChord({ chord: 'backspace', window: form.id });
        await becomes(field, 'the field is empty', (now) => now.value === '');
      });

      test('goes to no other window than the one it is for', async () => {
        const field = await element(form, 'text_field', 'Name');
        await clickOn(field);
        const over = await openCover();
        for (const call of [
          desktop.typeText({ text: 'astray', window: form.id }),
          desktop.pressChord({ chord: 'ctrl+a', window: form.id }),
        ]) {
          await expect(call).rejects.toMatchObject({ code: 'wrong_focus' });
        }
        const { elements } = await desktop.elements({ window: over.id });
        expect(elements.filter((one) => one.value?.includes('a'))).toEqual([]);
        expect((await again(field)).value).toBe('');
      });

      test('knows no key that there is not', async () => {
        await expect(desktop.pressChord({ chord: 'ctrl+hyper', window: form.id })).rejects.toMatchObject({
          code: 'bad_key',
          message: expect.stringContaining('hyper'),
        });
      });
    });
  });
}

/** Waits until something is there; fails with what was waited for. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>, limitMs = 8_000): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await sleep(20);
  }
}

function centre({ bounds }: Element): { x: number; y: number } {
  return { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
}

/** The share of bytes by which two pictures differ; 1 for pictures of different sizes. */
function difference(one: Buffer, other: Buffer): number {
  if (one.length !== other.length) return 1;
  return one.reduce((count, byte, index) => (byte === other[index] ? count : count + 1), 0) / one.length;
}

async function cut(
  { data, info }: { data: Buffer; info: OutputInfo },
  { x, y, width, height }: Bounds,
): Promise<Buffer> {
  const raw = { width: info.width, height: info.height, channels: info.channels };
  return await sharp(data, { raw }).extract({ left: x, top: y, width, height }).raw().toBuffer();
}

function union(a: Bounds, b: Bounds): Bounds {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}

/** What is wrong with the parents and positions of a tree in preorder. */
function wrongPositions(elements: ElementTree['elements']): string[] {
  const counts = new Map<string, number>();
  return elements.flatMap(({ parent, role, index, name }, at) => {
    const key = `${parent} ${role}`;
    const expected = counts.get(key) ?? 0;
    counts.set(key, expected + 1);
    return parent < at && index === expected ? [] : [`${at}: ${role} "${name}" has parent ${parent}, index ${index}`];
  });
}
