import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallError } from '../../core/contract/protocol.ts';
import type { JsonObject } from '../../core/workflow/types.ts';
import { MemoryDesktop } from '../../native/memory/world.ts';
import type { NewEvent } from '../action.ts';
import { runStep } from './testing.ts';

function books() {
  const world = new MemoryDesktop();
  const window = world.open({
    title: 'books - Invoice 12',
    app: 'ledger',
    elements: [
      { role: 'text', name: 'Total:', bounds: { x: 110, y: 150, width: 60, height: 20 } },
      { role: 'text', name: '１，２００ €', id: 'total', bounds: { x: 180, y: 150, width: 60, height: 20 } },
      { role: 'text_field', name: 'Number', value: ' INV-12 ', bounds: { x: 180, y: 180, width: 60, height: 20 } },
      { role: 'checkbox', name: 'Paid', checked: true, bounds: { x: 180, y: 210, width: 60, height: 20 } },
      { role: 'text', name: 'A secret hint', visible: false, bounds: { x: 180, y: 240, width: 60, height: 20 } },
    ],
  });
  return { world, window };
}

function mail(world: MemoryDesktop) {
  return world.open({
    title: 'Mail',
    app: 'mail',
    bounds: { x: 50, y: 50, width: 300, height: 200 },
    elements: [{ role: 'text', name: 'Inbox', bounds: { x: 60, y: 60, width: 50, height: 20 } }],
  });
}

const tools = (events: NewEvent[]) => events.filter(({ type }) => type === 'tool');

describe('a step', () => {
  it('tells its start, its operations and its end', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ expect: { text: 'Total' } }, { wait: '1m30s' }]);
    expect(ran.error).toBeUndefined();
    expect(ran.outputs).toEqual({});
    expect(ran.stdout).toBe('');
    expect(ran.events.map(({ type, status, content }) => [type, status, content])).toEqual([
      ['lifecycle', 'running', 'Started on the desktop'],
      ['tool', 'completed', 'text "Total"\nthe window shows "Total"'],
      ['tool', 'completed', '1m30s'],
      ['lifecycle', 'completed', 'Completed 2 operations using 0 tokens'],
    ]);
    expect(ran.events[2]).toMatchObject({ name: 'wait', position: 2 });
    expect(ran.events[2]?.durationMs).toBeGreaterThanOrEqual(90_000);
    expect(ran.events[2]).not.toHaveProperty('via');
    expect(ran.log).toEqual([
      '[start] Started on the desktop',
      expect.stringMatching(/^\[1\/2\] expect "text \\"Total\\"" → Done \(completed, 0s, via exact\)$/),
      '[2/2] wait "1m30s" → Done (completed, 1m30s)',
      '[2/2] Completed 2 operations using 0 tokens',
    ]);
  });

  it('says once that it does not wait for a person', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ wait: '1ms' }], { with: { idle: '5s' } });
    expect(ran.log.filter((line) => line.includes('idle: 5s'))).toHaveLength(1);
  });

  it('fails before the desktop opens when a text holds a secret, on any system', async () => {
    const { world } = books();
    world.problems = [{ code: 'unsupported', message: 'desktop automation is supported on macOS and Windows only' }];
    const ran = await runStep(world, [{ wait: '1ms' }, { act: { instruction: 'Log in with hunter2' } }], {
      secrets: [
        { name: 'PIN', value: '123' },
        { name: 'PASSWORD', value: 'hunter2' },
      ],
    });
    expect(ran.error?.message).toBe(
      'computer: do[1].act contains the value of secret PASSWORD, which would be sent to the model; pass it in with.variables and reference it as %name%',
    );
    expect(ran.drivers).toBe(0);
  });

  it('fails when a visible variable holds a secret, however short', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ wait: '1ms' }], {
      with: { variables: { pin: 'x9' }, visible: ['pin'] },
      secrets: [{ name: 'PIN', value: '9' }],
    });
    expect(ran.error?.message).toContain('with.visible lists pin, whose value contains the value of secret PIN');
  });

  it('fails by the message of a missing condition', async () => {
    const { world } = books();
    world.problems = [{ code: 'unsupported', message: 'desktop automation is supported on macOS and Windows only' }];
    const ran = await runStep(world, [{ wait: '1ms' }]);
    expect(ran.error?.message).toBe('computer: desktop automation is supported on macOS and Windows only');
    expect(ran.events).toMatchObject([{ type: 'lifecycle', status: 'failed' }]);
  });

  it('waits while only a person can make the desktop usable', async () => {
    const { world } = books();
    world.problems = [{ code: 'screen_locked', message: 'the screen is locked' }];
    let checks = 0;
    const before = (method: string) => {
      if (method === 'check' && ++checks === 4) world.problems = [];
    };
    const ran = await runStep(world, [{ wait: '1ms' }], { before });
    expect(ran.error).toBeUndefined();
    expect(checks).toBe(4);
    expect(ran.events.slice(0, 3)).toMatchObject([
      { status: 'waiting', name: 'screen' },
      { status: 'running', name: 'screen' },
      { status: 'running', content: 'Started on the desktop' },
    ]);
  });

  it('does not wait for a person when something else is missing too', async () => {
    const { world } = books();
    world.problems = [
      { code: 'screen_locked', message: 'the screen is locked' },
      { code: 'accessibility', message: 'the accessibility permission is missing' },
    ];
    const ran = await runStep(world, [{ wait: '1ms' }]);
    expect(ran.error?.message).toBe('computer: the screen is locked; the accessibility permission is missing');
  });

  it('checks its input again once references are resolved', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ wait: 'soon' }]);
    expect(ran.error?.message).toBe('computer: do[0]: wait "soon" must be a duration such as 2s');
  });

  it('ends with the operation that fails', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ expect: { text: 'Nothing', within: '1s' } }, { launch: 'ledger' }]);
    expect(ran.error?.message).toBe(
      'computer: do[0] expect failed: expectation not met: no element of "books - Invoice 12" shows "Nothing"',
    );
    expect(
      ran.events.slice(1).map(({ type, status, name, content, files }) => ({ type, status, name, content, files })),
    ).toEqual([
      {
        type: 'tool',
        status: 'failed',
        name: 'expect',
        content: 'text "Nothing"\nexpectation not met: no element of "books - Invoice 12" shows "Nothing"',
        files: undefined,
      },
      {
        type: 'lifecycle',
        status: 'running',
        name: undefined,
        content: 'Capturing the whole screen until the step works in an app',
        files: undefined,
      },
      {
        type: 'lifecycle',
        status: 'failed',
        name: undefined,
        content: 'do[0] expect failed: expectation not met: no element of "books - Invoice 12" shows "Nothing"',
        files: ['computer/post/01-failure.png'],
      },
    ]);
    expect(world.effects).toEqual([]);
  });
});

describe('launch', () => {
  it('starts the program, which the step works in from then on', async () => {
    const { world } = books();
    world.programs.set('/opt/Mail Client/mailer.bin', (args, pid) => {
      world.open({
        title: `Mail ${args.join(' ')}`,
        app: 'mail-client',
        pid,
        elements: [{ role: 'text', name: 'Inbox', bounds: { x: 150, y: 150, width: 50, height: 20 } }],
      });
    });
    const ran = await runStep(world, [
      { launch: { command: '/opt/Mail Client/mailer.bin', args: ['--new', 'a b'] } },
      { expect: { text: 'Inbox' } },
    ]);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['launch /opt/Mail Client/mailer.bin --new a b']);
    expect(tools(ran.events)[0]).toMatchObject({
      name: 'launch',
      status: 'completed',
      content: '/opt/Mail Client/mailer.bin --new a b',
    });
    expect(ran.workingApp).toBe('mail-client');
  });

  it('fails by the reason when it cannot be started', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ launch: 'ledgr' }]);
    expect(ran.error?.message).toBe('computer: do[0] launch failed: cannot launch "ledgr": no such program was found');
    expect(world.holder).toBeUndefined();
  });

  it('waits for the desktop while another step holds it, beside its own time', async () => {
    const { world } = books();
    world.programs.set('ledger', () => {});
    world.holder = 'another step';
    let asks = 0;
    const before = (method: string) => {
      if (method === 'takeLease' && ++asks === 20) world.holder = undefined;
    };
    const ran = await runStep(world, [{ launch: 'ledger', timeout: '1s' }], { before });
    expect(ran.error).toBeUndefined();
    expect(asks).toBe(20);
    expect(ran.events.slice(1, 4)).toMatchObject([
      {
        type: 'lifecycle',
        status: 'waiting',
        name: 'desktop',
        content: 'Waiting for another computer step to finish using the desktop',
        parameters: { holder: 'another step' },
      },
      { type: 'lifecycle', status: 'running', name: 'desktop' },
      { type: 'tool', name: 'launch', status: 'completed' },
    ]);
  });
});

describe('exact checks', () => {
  const holds = async (check: JsonObject, with_: JsonObject = {}) => {
    const { world } = books();
    const ran = await runStep(world, [{ expect: { within: '1s', ...check } }], { with: with_ });
    return (
      ran.error?.message.replace('computer: do[0] expect failed: expectation not met: ', '') ?? tools(ran.events)[0]
    );
  };

  it.each([
    [{ text: 'invoice' }, 'no element of "books - Invoice 12" shows "invoice"'],
    [{ text: 'A secret hint' }, 'no element of "books - Invoice 12" shows "A secret hint"'],
    [{ element: { role: 'text', name: 'Net' } }, '{"role":"text","name":"Net"} is not there'],
    [{ element: { role: 'text', name: '*' } }, '{"role":"text","name":"*"} is not there; 2 elements match'],
    [
      { element: { role: 'text', name: 'x', in: { role: 'list', name: 'y' } } },
      '{"role":"text","name":"x","in":{"role":"list","name":"y"}} is not there; container {"role":"list","name":"y"}: no element matches {"role":"list","name":"y"}',
    ],
    [{ window: 'Invoice 13' }, '"books - Invoice 12" is in front, not "Invoice 13"'],
    [{ element: { app: 'mail', role: 'text', name: 'Total:' } }, 'no window of "mail" is in front'],
  ])('%j does not hold', async (check, reason) => {
    expect(await holds(check)).toBe(reason);
  });

  it.each([
    [{ text: '1,200' }, 'text "1,200"\nthe window shows "1,200"'],
    [{ text: 'INV-%n%' }, 'text "INV-12"\nthe window shows "INV-12"'],
    [
      { element: { role: 'text', id: 'total' } },
      'element {"role":"text","id":"total"}\n{"role":"text","id":"total"} is there',
    ],
    [{ window: 'books*%n%' }, 'window "books*12"\nthe window "books - Invoice 12" is in front'],
  ])('%j holds', async (check, content) => {
    expect(await holds(check, { variables: { n: '12' } })).toMatchObject({
      content,
      status: 'completed',
      via: 'exact',
    });
  });

  it.each<[JsonObject, string]>([
    [{ text: 'Total %n%' }, 'text "Total %n%"'],
    [{ window: '%n%' }, 'window "%n%"'],
    [{ element: { role: 'text', name: '%n%' } }, 'element {"role":"text","name":"%n%"}'],
  ])('take no empty values: %j is told as it is written', async (check, subject) => {
    const { world } = books();
    const ran = await runStep(world, [{ expect: check }], { with: { variables: { n: '' } } });
    expect(ran.error?.message).toBe('computer: do[0] expect failed: the check uses %n%, but its value is empty');
    expect(tools(ran.events)[0]?.content).toBe(`${subject}\nthe check uses %n%, but its value is empty`);
  });

  it('mask secrets, also those that JSON writes otherwise', async () => {
    const { world } = books();
    const secret = 'pass"word';
    const ran = await runStep(world, [{ expect: { element: { role: 'text', name: '%p%' }, within: '1s' } }], {
      with: { variables: { p: secret } },
      secrets: [{ name: 'P', value: secret }],
    });
    expect(ran.error?.message).toContain('{"role":"text","name":"*******"} is not there');
    expect(JSON.stringify([ran.events, ran.log, ran.error?.message])).not.toMatch(/pass|word"/);
  });

  it('look again until it holds', async () => {
    const { world, window } = books();
    let reads = 0;
    const before = (method: string) => {
      if (method === 'elements' && ++reads === 40)
        world.add(window, { role: 'text', name: 'Saved', bounds: { x: 110, y: 300, width: 50, height: 20 } });
    };
    const ran = await runStep(world, [{ expect: { text: 'Saved' } }], { before });
    expect(ran.error).toBeUndefined();
    expect(tools(ran.events)[0]).toMatchObject({ durationMs: 39 * 250 });
  });

  it('look until the operation has no more time', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ expect: { text: 'Saved' }, timeout: '20s' }]);
    expect(ran.error?.message).toContain('expectation not met: no element of');
    expect(tools(ran.events)[0]).toMatchObject({ durationMs: 19_750, via: 'exact' });
  });

  it('read the window of the application where it is, without the desktop', async () => {
    const { world } = books();
    mail(world);
    world.holder = 'another step';
    const ran = await runStep(world, [{ expect: { text: 'Total' } }, { expect: { text: 'Inbox', within: '1s' } }], {
      workingApp: 'ledger',
      with: { screenshots: 'never' },
    });
    expect(ran.error?.message).toContain('no element of "books - Invoice 12" shows "Inbox"');
    expect(ran.events.some(({ status }) => status === 'waiting')).toBe(false);
    expect(world.effects).toEqual([]);
  });

  it('read the window in front, holding the desktop, when the step works nowhere yet', async () => {
    const { world } = books();
    mail(world);
    const held: (string | undefined)[] = [];
    const before = (method: string) => {
      if (method === 'elements') held.push(world.holder);
    };
    const ran = await runStep(world, [{ expect: { text: 'Inbox' } }], { before });
    expect(held).toEqual(['driver 1']);
    expect(world.holder).toBeUndefined();
    expect(ran.workingApp).toBe('mail');
  });

  it('read the dialog that holds the window', async () => {
    const { world, window } = books();
    world.open({
      title: 'Saved',
      app: 'ledger',
      kind: 'dialog',
      modal: true,
      owner: window.id,
      elements: [{ role: 'text', name: 'It was saved', bounds: { x: 150, y: 150, width: 50, height: 20 } }],
    });
    const ran = await runStep(
      world,
      [{ expect: { element: { role: 'text', name: 'It was saved', window: 'books' } } }],
      { workingApp: 'ledger' },
    );
    expect(ran.error).toBeUndefined();
  });

  it('miss while the window exposes nothing', async () => {
    const { world, window } = books();
    window.bare = true;
    let reads = 0;
    const before = (method: string) => {
      if (method === 'elements' && ++reads === 3) window.bare = false;
    };
    expect((await runStep(world, [{ expect: { text: 'Total' } }], { before })).error).toBeUndefined();
    window.bare = true;
    const ran = await runStep(world, [{ expect: { text: 'Total', within: '1s' } }]);
    expect(ran.error?.message).toContain('expectation not met: "books - Invoice 12" exposes no elements');
  });

  it('fail at once where no elements can be read', async () => {
    const { world } = books();
    world.canReadElements = false;
    const ran = await runStep(world, [{ expect: { text: 'Total' } }]);
    expect(ran.error?.message).toContain('this desktop lets no program read the elements of a window');
    expect(tools(ran.events)[0]?.durationMs).toBeLessThan(1000);
  });
});

describe('when', () => {
  it('skips the operation after two seconds, and says why', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ launch: 'nothing', when: { window: 'Login' } }]);
    expect(ran.error).toBeUndefined();
    expect(tools(ran.events)).toMatchObject([
      {
        name: 'launch',
        status: 'skipped',
        via: 'exact',
        content: 'window "Login"\n"books - Invoice 12" is in front, not "Login"',
        durationMs: 2000,
      },
    ]);
    expect(ran.log).toContain('[1/1] launch "window \\"Login\\"" → Skipped (skipped, 2s, via exact)');
  });

  it('lets the operation run once it holds', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ expect: { text: 'Total' }, when: { window: 'Invoice' } }]);
    expect(tools(ran.events)).toMatchObject([
      { status: 'completed', content: 'text "Total"\nthe window shows "Total"' },
    ]);
  });

  it('that cannot be told fails the operation', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ wait: '1s', when: { text: '%x%' } }], { with: { variables: { x: '' } } });
    expect(ran.error?.message).toBe('computer: do[0] wait failed: the check uses %x%, but its value is empty');
    expect(tools(ran.events)[0]?.content).toMatch(/^text "%x%"\n/);
    expect(tools(ran.events)).toMatchObject([{ status: 'failed', via: 'exact' }]);
  });
});

describe('extract', () => {
  const schema = (...types: [string, string][]) => ({
    type: 'object',
    properties: Object.fromEntries(types.map(([name, type]) => [name, { type }])),
  });
  const fields = {
    total: { app: 'ledger', role: 'text', id: 'total' },
    number: { app: 'ledger', role: 'text_field', name: 'Number' },
    paid: { app: 'ledger', role: 'checkbox', name: 'Paid' },
  };
  const extract = (more: JsonObject): JsonObject[] => [
    {
      extract: {
        instruction: 'The invoice',
        schema: schema(['total', 'number'], ['number', 'string'], ['paid', 'boolean']),
        fields: { linux: fields },
        ...more,
      },
    },
  ];

  it('reads its fields into outputs, with sorted keys on stdout, beside other steps', async () => {
    const { world } = books();
    mail(world);
    world.holder = 'another step';
    const ran = await runStep(world, extract({}));
    expect(ran.error).toBeUndefined();
    expect(ran.outputs).toEqual({ total: 1200, number: 'INV-12', paid: true });
    expect(ran.stdout).toBe('{"number":"INV-12","paid":true,"total":1200}\n');
    expect(tools(ran.events)).toMatchObject([
      { status: 'completed', via: 'element', content: 'The invoice\n{"total":1200,"number":"INV-12","paid":true}' },
    ]);
  });

  it('masks a secret that it reads', async () => {
    const { world } = books();
    const ran = await runStep(world, extract({}), { secrets: [{ name: 'N', value: 'INV-12' }] });
    expect(ran.outputs?.number).toBe('INV-12');
    expect(ran.stdout + JSON.stringify([ran.events, ran.log])).not.toContain('INV-12');
  });

  it.each([
    [
      'is missing',
      { linux: { ...fields, number: { ...fields.number, name: 'Nr' } } },
      'field "number": text_field "Nr" was not found within 10s: it is not there',
    ],
    [
      'is ambiguous',
      { linux: { ...fields, number: { app: 'ledger', role: 'text', name: '*' } } },
      'field "number": text "*" was not found within 10s: 2 elements match',
    ],
    [
      'does not convert',
      { linux: { ...fields, total: fields.number } },
      'field "total": text_field "Number" was not found within 10s: " INV-12 " is not a number',
    ],
    [
      'has no state',
      { linux: { ...fields, paid: fields.total } },
      'field "paid": text "total" was not found within 10s: it has no checked state',
    ],
    [
      'has no pin here',
      { windows: fields },
      'field "total" cannot be read without AI: it has no pin for linux and no binding on this host',
    ],
  ])('fails by the name of a field that %s', async (_, pins, reason) => {
    const { world } = books();
    const ran = await runStep(world, extract({ fields: pins as JsonObject }));
    expect(ran.error?.message).toBe(`computer: do[0] extract failed: ${reason}`);
    expect(ran.outputs).toBeUndefined();
    expect(ran.stdout).toBe('');
  });

  it('waits for a value that comes later', async () => {
    const { world } = books();
    world.element('１，２００ €').name = '…';
    let reads = 0;
    const before = (method: string) => {
      if (method === 'elements' && ++reads === 6) world.element('…').name = '7';
    };
    const ran = await runStep(world, extract({}), { before });
    expect(ran.outputs?.total).toBe(7);
  });

  it('never takes the caption of a field for its value', async () => {
    const { world } = books();
    world.element('Number').typed = undefined;
    const ran = await runStep(world, extract({}));
    expect(ran.error?.message).toContain(
      'field "number": text_field "Number" was not found within 10s: it shows no value',
    );
  });
});

describe('screenshots', () => {
  const folder = (dir: string) => join(dir, 'computer', 'post');

  it('show the windows that the step works in alone, numbered on', async () => {
    const { world } = books();
    mail(world);
    const ran = await runStep(world, [{ screenshot: 'before' }, { screenshot: 'after.1' }], {
      workingApp: 'ledger',
      step: { key: 'post' },
    });
    expect(ran.error).toBeUndefined();
    expect(readdirSync(folder(ran.artifactsDir))).toEqual(['01-before.png', '02-after.1.png']);
    expect(tools(ran.events)[0]).toMatchObject({
      content: 'before\ncomputer/post/01-before.png',
      files: ['computer/post/01-before.png'],
    });
    const content = ran.events.filter(({ content }) => content.startsWith('Capturing')).map(({ content }) => content);
    expect(content).toEqual(['Capturing only the windows of ledger, mail']);
    expect(
      readFileSync(join(folder(ran.artifactsDir), '01-before.png'))
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(statSync(join(folder(ran.artifactsDir), '01-before.png')).mode & 0o777).toBe(0o644);
  });

  it('show the whole screen with the reason when the windows cannot be captured', async () => {
    const { world, window } = books();
    const ran = await runStep(world, [{ screenshot: 'one' }], { workingApp: 'ledger' });
    expect(ran.error).toBeUndefined();
    window.blank = true;
    const blank = await runStep(world, [{ screenshot: 'one' }], { workingApp: 'ledger' });
    expect(blank.events.map(({ content }) => content)).toContain(
      'Capturing the whole screen, since "books - Invoice 12" draws nothing',
    );
    window.state = 'minimized';
    const gone = await runStep(world, [{ screenshot: 'one' }], { workingApp: 'ledger' });
    expect(gone.events.map(({ content }) => content)).toContain(
      'Capturing the whole screen, since no window of the apps it works in shows',
    );
  });

  it('maximize the window in front first, once, unless told not to', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ screenshot: 'one' }, { screenshot: 'two' }]);
    expect(world.effects).toEqual(['maximize "books - Invoice 12"']);
    expect(ran.log).toContain('[1/2] maximized "books - Invoice 12"');
    const other = books().world;
    await runStep(other, [{ screenshot: 'one' }], { with: { maximize: false } });
    expect(other.effects).toEqual([]);
  });

  it('leave a dialog at its size', async () => {
    const { world, window } = books();
    window.kind = 'dialog';
    await runStep(world, [{ screenshot: 'one' }]);
    expect(world.effects).toEqual([]);
  });

  it('need artifacts', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ screenshot: 'one' }], { artifacts: false });
    expect(ran.error?.message).toBe(
      'computer: do[0] screenshot failed: screenshots need artifact storage, which is disabled for this DAG',
    );
    expect(existsSync(join(ran.artifactsDir, 'computer'))).toBe(false);
  });

  it.each([
    ['on_failure', [], ['01-failure.png']],
    ['final', ['01-final.png'], ['01-failure.png']],
    ['each', ['01-wait.png', '02-expect.png', '03-final.png'], ['01-wait.png', '02-failure.png']],
    ['never', [], []],
  ])('under %s are %j after success and %j after a failure', async (screenshots, success, failure) => {
    const { world } = books();
    const files = async (text: string) => {
      const ran = await runStep(world, [{ wait: '1s' }, { expect: { text, within: '1s' } }], { with: { screenshots } });
      return existsSync(folder(ran.artifactsDir)) ? readdirSync(folder(ran.artifactsDir)) : [];
    };
    expect(await files('Total')).toEqual(success);
    expect(await files('Nothing')).toEqual(failure);
  });

  it('of a failure are not taken while another step holds the desktop', async () => {
    const { world } = books();
    world.holder = 'another step';
    const ran = await runStep(world, [{ expect: { text: 'Nothing', within: '1s' } }], { workingApp: 'ledger' });
    expect(ran.log).toContain('[1/1] the screenshot could not be taken: another step holds the desktop');
    expect(ran.events.at(-1)).not.toHaveProperty('files');
    expect(world.holder).toBe('another step');
  });

  it('of a failure end when they take too long, and leave the failure its reason', async () => {
    const { world } = books();
    // Each within the time of a call, all together not.
    const slow: Record<string, number> = { captureWindow: 9_000, compose: 9_000, dropPicture: 4_000 };
    const before = async (method: string) => {
      const ms = slow[method];
      if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, ms));
    };
    const operations = [{ expect: { text: 'Nothing', within: '1s' } }];
    const ran = await runStep(world, operations, { before, workingApp: 'ledger' });
    expect(ran.error?.message).toContain('do[0] expect failed: expectation not met');
    expect(ran.log).toContain('[1/1] the screenshot could not be taken: the screenshot did not finish within 20s');
  });

  it('that cannot be taken for a policy do not fail the step', async () => {
    const { world } = books();
    const before = (method: string) => {
      if (method === 'encode') throw new CallError('failed', 'no room for the picture');
    };
    const ran = await runStep(world, [{ wait: '1s' }], { with: { screenshots: 'final' }, before });
    expect(ran.error).toBeUndefined();
    expect(ran.log).toContain('[1/1] the screenshot could not be taken: no room for the picture');
  });

  it('never overwrite what an earlier attempt saved', async () => {
    const { world } = books();
    let dir = '';
    const before = (method: string) => {
      if (method !== 'encode') return;
      mkdirSync(folder(dir), { recursive: true });
      writeFileSync(join(folder(dir), '07-old.png'), 'old');
    };
    const ran = await runStep(world, [{ screenshot: 'one' }], {
      before,
      onStart: (path) => {
        dir = path;
      },
    });
    expect(readdirSync(folder(ran.artifactsDir))).toEqual(['07-old.png', '08-one.png']);
  });

  it('of a step with an unusual name stay in its own folder', async () => {
    const { world } = books();
    const ran = await runStep(world, [{ screenshot: 'one' }], { step: { key: '../a b/é' } });
    expect(ran.events.at(-2)?.files).toEqual(['computer/.._a_b__/01-one.png']);
  });
});

it('cuts long texts without leaving a part of a secret', async () => {
  const { world } = books();
  world.programs.set('ledger', () => {});
  const secret = 'S'.repeat(40);
  const args = ['x'.repeat(60), secret, 'y'.repeat(4090)];
  const ran = await runStep(world, [{ launch: { command: 'ledger', args } }], {
    secrets: [{ name: 'S', value: secret }],
  });
  expect(JSON.stringify([ran.log, ran.events])).not.toContain('SS');
  expect(ran.log.find((line) => line.includes('→ Done'))).toMatch(/launch "ledger x{60} \*{7} y{4}…" → Done/);
  expect(Buffer.byteLength(tools(ran.events)[0]?.content ?? '')).toBe(4096);
});
