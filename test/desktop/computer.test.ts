import { copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject, Step, Workflow } from '../../core/workflow/types.ts';
import type { NewEvent, StepContext } from '../../executor/action.ts';
import { computerRun } from '../../executor/computer/action.ts';
import { aloneInRun } from '../../executor/testing.ts';
import { type DesktopSession, startSession } from '../fixtures/desktop-session.ts';
import { type RunningDriver, startDriver } from '../fixtures/driver.ts';

/** Computer steps on a real accounting program, judged by the file that it saves. */

const books = fileURLToPath(new URL('../fixtures/books/books.xhb', import.meta.url));

let session: DesktopSession;
let folder: string;
let file: string;
/** Started when it is first asked for, and again after it died. */
let driver: RunningDriver | undefined;
let workingApp: string | undefined;

beforeAll(async () => {
  session = await startSession({ width: 1280, height: 900 });
  folder = await mkdtemp(join(tmpdir(), 'computer-run-'));
  file = join(folder, 'books.xhb');
  await copyFile(books, file);
});

afterAll(async () => {
  await driver?.stop();
  await session.stop();
  await rm(folder, { recursive: true });
});

let events: NewEvent[];
let log: string[];
let stdout: string;

beforeEach(() => {
  events = [];
  log = [];
  stdout = '';
});

/** What happens while a line of the log is written. */
interface Incident {
  at: RegExp;
  kill(): void;
}

function killDriver(): void {
  void driver?.kill();
  driver = undefined;
}

async function run(
  operations: JsonObject[],
  more: JsonObject = {},
  incident?: Incident,
): Promise<Record<string, unknown>> {
  const input = { ai: 'never', idle: 0, screenshots: 'final', ...more, do: operations };
  const context: StepContext = {
    workflow: { name: 'books' } as Workflow,
    step: { key: 'enter', name: 'enter', action: 'computer.run', with: input } as unknown as Step,
    with: input,
    env: {},
    workingDir: folder,
    artifactsDir: folder,
    signal: AbortSignal.timeout(50_000),
    runSignal: new AbortController().signal,
    secrets: [],
    mask: (text) => text,
    addSecretValue: () => {},
    stdout: (text) => {
      stdout += text;
    },
    log: (line) => {
      log.push(line);
      if (incident?.at.test(line)) incident.kill();
    },
    event: async (event) => {
      events.push(event);
    },
    fetchFor: () => () => Promise.reject(new Error('no network here')),
    ...aloneInRun,
    session: {
      get workingApp() {
        return workingApp;
      },
      set workingApp(app) {
        workingApp = app;
      },
      desktop: async () => {
        driver ??= startDriver({ ...session.env, DAGU_DESKTOP_X11: '1' });
        return driver.desktop;
      },
    },
  };
  try {
    return (await computerRun.run(context)).outputs;
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${log.join('\n')}`, { cause: error });
  }
}

const pinned = (instruction: string, recorded: JsonObject[], more: JsonObject = {}): JsonObject => ({
  act: { instruction, recorded: { linux: recorded }, ...more },
});

const dialog = { app: 'homebank', window: 'Add transaction' };
const field = (label: string) => ({ ...dialog, role: 'text_field', near: { label, side: 'right' } });
const button = (name: string) => ({ ...dialog, role: 'button', name });

describe('a transaction', () => {
  it('is entered by pinned steps', async () => {
    await run(
      [
        { launch: { command: 'homebank', args: [file] } },
        { expect: { window: 'books.xhb', within: '30s' } },
        pinned('Open the form', [{ click: { app: 'homebank', window: 'books.xhb', role: 'button', name: 'Add' } }]),
        { expect: { window: 'Add transaction', within: '10s' } },
        pinned('Enter invoice %number%', [
          { type: { into: field('Amount'), text: '%amount%' } },
          { type: { into: field('Memo'), text: '%number%!' } },
          { type: { into: field('Info'), text: 'by post' } },
          { key: 'end', focus: field('Memo') },
          { key: 'backspace', focus: field('Memo') },
          { click: button('Add') },
          { click: button('Close') },
        ]),
        pinned('Save', [{ click: { app: 'homebank', window: 'books.xhb', role: 'button', name: 'Save' } }]),
        { wait: '1s' },
      ],
      { variables: { amount: '125.50', number: 'Rechnung № 4711 請求書' } },
    );
    const saved = await readFile(file, 'utf8');
    expect(saved, log.join('\n')).toMatch(/<ope [^>]*amount="-125\.5"[^>]*wording="Rechnung № 4711 請求書"/);
    expect(workingApp).toBe('homebank');
    expect(events.filter(({ name }) => name === 'act').map(({ status, via }) => [status, via])).toEqual([
      ['cache-hit', 'element'],
      ['cache-hit', 'element'],
      ['cache-hit', 'element'],
    ]);
    expect((await stat(join(folder, 'computer/enter/01-final.png'))).size).toBeGreaterThan(1000);
  });

  it('is entered without the pointer, behind another window', async () => {
    await run([
      pinned('Open the form', [{ click: { app: 'homebank', window: 'books.xhb', role: 'button', name: 'Add' } }]),
      { expect: { window: 'Add transaction', within: '10s' } },
      { launch: { command: 'yad', args: ['--text-info', '--title=In front', '--geometry=1200x800+0+0'] } },
      { expect: { window: 'In front', within: '10s' } },
      pinned(
        'Enter an invoice',
        [
          { type: { into: field('Memo'), text: 'behind' } },
          { type: { into: field('Amount'), text: '-7' } },
          { click: button('Add') },
          { click: button('Close') },
        ],
        { input: 'direct' },
      ),
      pinned('Save', [{ click: { app: 'homebank', window: 'books.xhb', role: 'button', name: 'Save' } }], {
        input: 'direct',
      }),
      { wait: '1s' },
    ]);
    expect((await driver?.desktop.frontWindow())?.found?.title).toBe('In front');
    expect(await readFile(file, 'utf8')).toMatch(/<ope [^>]*amount="-7"[^>]*wording="behind"/);
  });

  it('is not entered when two elements match', async () => {
    const before = await readFile(file, 'utf8');
    const twice = { app: 'homebank', window: 'books.xhb', role: 'button', name: 'Budget' };
    await expect(run([pinned('Look at the budget', [{ click: twice }], { find_within: '1s' })])).rejects.toThrow(
      'computer: do[0] act failed: button "Budget" was not found within 1s at step 1 of 1: 2 elements match',
    );
    expect(events.at(-1)?.files).toEqual([expect.stringMatching(/-failure\.png$/)]);
    expect(await readFile(file, 'utf8')).toBe(before);
  });
});

// The columns Today and Future are no use here: this program tells the accessibility bus of no change in them.
it('a balance is read into an output', async () => {
  const outputs = await run([
    {
      extract: {
        instruction: 'The reconciled balance',
        schema: { type: 'object', properties: { balance: { type: 'number' }, account: { type: 'string' } } },
        fields: {
          linux: {
            balance: { app: 'homebank', window: 'books.xhb', role: 'cell', name: '10 000,00*', nth: 0 },
            account: { app: 'homebank', window: 'books.xhb', role: 'cell', name: 'Accounts p*' },
          },
        },
      },
    },
  ]);
  expect(outputs).toEqual({ balance: 10000, account: 'Accounts payable' });
  expect(stdout).toBe('{"account":"Accounts payable","balance":10000}\n');
});

describe('what goes wrong', () => {
  const window = { app: 'homebank', window: 'books.xhb' };
  const openForm = pinned('Open the form', [{ click: { ...window, role: 'button', name: 'Add' } }]);
  const fillMemo = pinned('Enter a memo', [{ type: { into: field('Memo'), text: 'half '.repeat(150) } }]);
  const opened = { expect: { window: 'Add transaction', within: '10s' } };

  it('a driver that is killed fails the step, and a fresh one works on', async () => {
    // The text takes more than a second to type, also on a machine that does nothing else.
    const killed = { at: /type "half/, kill: () => setTimeout(killDriver, 300) };
    await expect(run([openForm, opened, fillMemo], {}, killed)).rejects.toThrow(
      /^computer: do\[2\] act failed: the program that operates the desktop ended: the process was ended by SIGKILL/,
    );
    expect(events.at(-1)).toMatchObject({ status: 'failed', files: [expect.stringMatching(/-failure\.png$/)] });
    await run([fillMemo, pinned('Close', [{ click: button('Close') }])]);
  });

  it('an application that ends fails the step by name', async () => {
    const shown = await driver?.desktop.windows();
    const { pid } = shown?.windows.find(({ app }) => app === 'homebank') ?? {};
    process.kill(pid as number);
    const add = { click: { ...window, role: 'button', name: 'Add' } };
    await expect(run([pinned('Open the form', [{ wait: '1s' }, add], { find_within: '2s' })])).rejects.toThrow(
      'computer: do[0] act failed: button "Add" was not found within 2s at step 2 of 2: no window of "homebank" is open',
    );
  });

  it('a program that is not there fails the step by name', async () => {
    await expect(run([{ launch: 'no-such-program' }])).rejects.toThrow(
      'computer: do[0] launch failed: cannot launch "no-such-program": no such program was found',
    );
  });
});
