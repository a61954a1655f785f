import { describe, expect, it } from 'vitest';
import { CallError } from '../../core/contract/protocol.ts';
import type { JsonObject } from '../../core/workflow/types.ts';
import { type ElementPlan, MemoryDesktop } from '../../native/memory/world.ts';
import { type Ran, type RunOptions, runStep } from './testing.ts';

/** A form of an accounting program: two fields, a hidden one, a box, buttons. */
function form(change: (elements: Record<string, ElementPlan>) => void = () => {}) {
  const world = new MemoryDesktop();
  const elements: Record<string, ElementPlan> = {
    label: { role: 'text', name: 'Amount:', bounds: { x: 110, y: 150, width: 60, height: 20 } },
    amount: {
      role: 'text_field',
      label: 'Amount:',
      value: '0.00',
      patterns: ['setValue', 'focus'],
      bounds: { x: 180, y: 150, width: 100, height: 20 },
    },
    memo: {
      role: 'text_field',
      name: 'Memo',
      patterns: ['setValue', 'focus'],
      bounds: { x: 180, y: 180, width: 100, height: 20 },
    },
    password: {
      role: 'text_field',
      name: 'Password',
      secret: true,
      bounds: { x: 180, y: 210, width: 100, height: 20 },
    },
    paid: { role: 'checkbox', name: 'Paid', patterns: ['toggle'], bounds: { x: 180, y: 240, width: 60, height: 20 } },
    add: {
      role: 'button',
      name: 'Add',
      patterns: ['invoke', 'focus'],
      bounds: { x: 180, y: 300, width: 60, height: 30 },
    },
    close: { role: 'button', name: 'Close', bounds: { x: 260, y: 300, width: 60, height: 30 } },
  };
  change(elements);
  const window = world.open({ title: 'books - Add transaction', app: 'ledger', elements: Object.values(elements) });
  return { world, window };
}

const add: JsonObject = { app: 'ledger', role: 'button', name: 'Add' };
const memo: JsonObject = { app: 'ledger', role: 'text_field', name: 'Memo' };

function act(recorded: JsonObject[], more: JsonObject = {}): JsonObject[] {
  return [{ act: { instruction: 'Add the invoice', recorded: { linux: recorded }, ...more } }];
}

async function run(
  world: MemoryDesktop,
  recorded: JsonObject[],
  options: RunOptions & { act?: JsonObject } = {},
): Promise<Ran> {
  return await runStep(world, act(recorded, options.act), options);
}

const failure = (reason: string) => `computer: do[0] act failed: ${reason}`;

describe('pinned steps', () => {
  it('fill a form, and tell it as a cache hit by element', async () => {
    const { world } = form();
    const ran = await run(
      world,
      [
        {
          type: {
            into: { app: 'ledger', role: 'text_field', near: { label: 'Amount', side: 'right' } },
            text: '125.50',
          },
        },
        { type: { into: memo, text: 'Invoice %number%' } },
        { click: { app: 'ledger', role: 'checkbox', name: 'Paid' } },
        { wait: '2s' },
        { key: 'ctrl+s' },
        { double_click: add },
        { right_click: add },
        { scroll: { on: add, dy: 3 } },
        { click: add },
      ],
      { with: { variables: { number: 'INV-1' } } },
    );

    expect(ran.error).toBeUndefined();
    expect(world.windows[0]?.root.children[1]?.value).toBe('125.50');
    expect(world.element('Memo').value).toBe('Invoice INV-1');
    expect(world.element('Paid').checked).toBe(true);
    expect(world.effects.slice(-5)).toEqual([
      'press ctrl+s in checkbox "Paid"',
      'click x2 button "Add"',
      'right click button "Add"',
      'scroll 0,3 on button "Add"',
      'click button "Add"',
    ]);
    expect(ran.events.find((event) => event.type === 'tool')).toMatchObject({
      name: 'act',
      status: 'cache-hit',
      via: 'element',
      position: 1,
      content: 'Add the invoice\nreplayed 9 steps',
    });
    expect(
      ran.log.some((line) => /^\[1\/1\] act "Add the invoice" → Done \(cache-hit, .*, via element\)$/.test(line)),
    ).toBe(true);
    expect(ran.log).toContain('[1/1] replay by element: type "Invoice %number%" into text_field "Memo"');
    expect(ran.log).toContain('[1/1] replay by element: click button "Add" at 210,315');
    expect(world.holder).toBeUndefined();
    expect(world.awake).toBe(false);
    expect(ran.workingApp).toBe('ledger');
  });

  it('act on another system or without pins has no recording', async () => {
    const { world } = form();
    const ran = await runStep(world, [{ act: { instruction: 'Add', recorded: { windows: [{ click: add }] } } }]);
    expect(ran.error?.message).toBe(failure('the act cannot run without AI: there is no recording of it on this host'));
    expect(world.effects).toEqual([]);
  });

  it('wait for an element that comes later', async () => {
    const { world, window } = form((elements) => {
      delete elements.add;
    });
    let looks = 0;
    const before = (method: string) => {
      if (method === 'elements' && ++looks === 5) {
        world.add(window, { role: 'button', name: 'Add', bounds: { x: 300, y: 200, width: 50, height: 20 } });
      }
    };
    const ran = await run(world, [{ click: add }], { before });
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['click button "Add"']);
  });

  it.each([
    [
      'is not there',
      { ...add, name: 'Delete' },
      'button "Delete" was not found within 10s at step 2 of 2: it is not there',
    ],
    [
      'is in no container',
      { ...add, in: { role: 'group', name: 'Foot' } },
      'button "Add" was not found within 10s at step 2 of 2: container {"role":"group","name":"Foot"}: no element matches {"role":"group","name":"Foot"}',
    ],
    [
      'has no window',
      { ...add, app: 'other' },
      'button "Add" was not found within 10s at step 2 of 2: no window of "other" is open',
    ],
    [
      'has no such title',
      { role: 'button', name: 'Add', window: 'Invoices' },
      'button "Add" was not found within 10s at step 2 of 2: no window has "Invoices" in its title',
    ],
  ])('miss an element that %s', async (_, selector, reason) => {
    const { world } = form();
    const ran = await run(world, [{ wait: '1s' }, { click: selector as JsonObject }]);
    expect(ran.error?.message).toBe(failure(reason));
    expect(world.effects).toEqual([]);
  });

  it('never guess between two', async () => {
    const { world, window } = form();
    world.add(window, { role: 'button', name: 'Add', bounds: { x: 400, y: 300, width: 60, height: 30 } });
    const ran = await run(world, [{ click: add }], { act: { find_within: '0' } });
    expect(ran.error?.message).toBe(failure('button "Add" was not found at step 1 of 1: 2 elements match'));
    expect(world.effects).toEqual([]);
    expect(ran.events.find((event) => event.type === 'tool')).toMatchObject({ status: 'failed', via: 'element' });
  });

  it.each([
    ['is disabled', (plan: ElementPlan) => (plan.enabled = false), 'it is disabled'],
    [
      'lies outside its window',
      (plan: ElementPlan) => (plan.bounds = { x: 600, y: 300, width: 60, height: 30 }),
      'it lies outside its window',
    ],
  ])('miss an element that %s', async (_, change, reason) => {
    const { world } = form((elements) => change(elements.add as ElementPlan));
    const ran = await run(world, [{ click: add }], { act: { find_within: '2s' } });
    expect(ran.error?.message).toBe(failure(`button "Add" was not found within 2s at step 1 of 1: ${reason}`));
    expect(world.effects).toEqual([]);
  });

  it('miss an element that something else covers', async () => {
    const { world, window } = form();
    world.open({ title: 'note', app: 'notes', kind: 'other', bounds: { x: 150, y: 280, width: 200, height: 80 } });
    world.focus(window);
    world.windows.reverse();
    const ran = await run(world, [{ click: add }]);
    expect(ran.error?.message).toBe(
      failure('button "Add" was not found within 10s at step 1 of 1: window "note" lies at its centre'),
    );
    expect(world.effects).toEqual([]);
  });

  it('click an element through what it holds', async () => {
    const { world } = form((elements) => {
      (elements.add as ElementPlan).children = [
        { role: 'text', name: 'Add now', bounds: { x: 190, y: 305, width: 40, height: 20 } },
      ];
    });
    const ran = await run(world, [{ click: add }]);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['click text "Add now"']);
  });

  it('look again when the element goes between the search and the act', async () => {
    const { world, window } = form();
    let reads = 0;
    const before = (method: string) => {
      if (method !== 'readElement' || ++reads > 1) return;
      world.remove(world.element('Add'));
      world.add(window, { role: 'button', name: 'Add', bounds: { x: 300, y: 200, width: 50, height: 20 } });
    };
    const ran = await run(world, [{ click: add }], { before });
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['click button "Add"']);
  });

  it('look again when the element becomes another', async () => {
    const { world } = form();
    const before = (method: string) => {
      if (method === 'readElement') world.element('Add').name = 'Delete';
    };
    const ran = await run(world, [{ click: add }], { before, act: { find_within: '1s' } });
    expect(ran.error?.message).toContain('button "Add" was not found within 1s at step 1 of 1');
    expect(world.effects).toEqual([]);
  });

  it('choose by variables whose stars are not patterns', async () => {
    const { world } = form((elements) => {
      elements.other = { role: 'list_item', name: 'Paper A*', bounds: { x: 300, y: 200, width: 60, height: 20 } };
      elements.decoy = { role: 'list_item', name: 'Paper A4', bounds: { x: 300, y: 220, width: 60, height: 20 } };
    });
    const ran = await run(world, [{ click: { app: 'ledger', role: 'list_item', name: 'Paper %size%' } }], {
      with: { variables: { size: 'A*' } },
    });
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['click list_item "Paper A*"']);
  });

  it('refuse an empty variable in a selector', async () => {
    const { world } = form();
    const ran = await run(world, [{ click: { app: 'ledger', role: 'list_item', name: '%size%' } }], {
      with: { variables: { size: ' ' } },
    });
    expect(ran.error?.message).toBe(failure('the step uses %size%, but its value is empty'));
  });

  it('choose in a menu that is a window of its own', async () => {
    const { world } = form();
    const bounds = { x: 500, y: 400, width: 100, height: 60 };
    world.open({
      title: '',
      app: 'ledger',
      kind: 'menu',
      bounds,
      elements: [{ role: 'menu_item', name: 'Print', bounds: { x: 505, y: 405, width: 90, height: 20 } }],
    });
    const ran = await run(world, [{ click: { app: 'ledger', role: 'menu_item', name: 'Print' } }]);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['click menu_item "Print"']);
  });
});

describe('the window', () => {
  it('is brought forward, and restored, before the element is looked for', async () => {
    const { world, window } = form();
    world.open({ title: 'Mail', app: 'mail', bounds: { x: 0, y: 0, width: 800, height: 600 } });
    window.state = 'minimized';
    const ran = await run(world, [{ click: add }]);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual([
      'restore "books - Add transaction"',
      'raise "books - Add transaction"',
      'click button "Add"',
    ]);
  });

  it('that does not take the focus is a miss', async () => {
    const { world, window } = form();
    world.open({ title: 'Mail', app: 'mail' });
    window.refusesFocus = true;
    const ran = await run(world, [{ click: add }]);
    expect(ran.error?.message).toBe(
      failure('button "Add" was not found within 10s at step 1 of 1: "books - Add transaction" did not take the focus'),
    );
    expect(world.effects).toEqual([]);
  });

  it('that its dialog holds is read through the dialog', async () => {
    const { world, window } = form();
    world.open({
      title: 'Sure?',
      app: 'ledger',
      kind: 'dialog',
      modal: true,
      owner: window.id,
      bounds: { x: 50, y: 50, width: 200, height: 100 },
      elements: [{ role: 'button', name: 'Add', bounds: { x: 60, y: 60, width: 50, height: 20 } }],
    });
    world.element('Add').onClick = () => world.effects.push('the dialog heard it');
    const ran = await run(world, [{ click: { ...add, window: 'books' } }]);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['click button "Add"', 'the dialog heard it']);
  });

  it('of the title is preferred among those of the application', async () => {
    const { world } = form();
    world.open({
      title: 'other',
      app: 'ledger',
      elements: [{ role: 'button', name: 'Add', bounds: { x: 110, y: 110, width: 50, height: 20 } }],
    });
    const ran = await run(world, [{ click: { ...add, app: 'LEDGER', window: 'books*transaction' } }]);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['raise "books - Add transaction"', 'click button "Add"']);
  });

  it('that closes is a miss', async () => {
    const { world, window } = form();
    const before = (method: string) => {
      if (method === 'elements') world.close(window);
    };
    const ran = await run(world, [{ click: add }], { before });
    expect(ran.error?.message).toBe(
      failure('button "Add" was not found within 10s at step 1 of 1: no window of "ledger" is open'),
    );
  });

  it('that exposes no elements is a miss', async () => {
    const { world, window } = form();
    window.bare = true;
    const ran = await run(world, [{ click: add }]);
    expect(ran.error?.message).toBe(
      failure('button "Add" was not found within 10s at step 1 of 1: "books - Add transaction" exposes no elements'),
    );
  });

  it('of the program that runs the step is never operated', async () => {
    const { world, window } = form();
    window.pid = process.pid;
    const ran = await run(world, [{ click: add }]);
    expect(ran.error?.message).toBe(
      failure(
        'button "Add" was not found within 10s at step 1 of 1: "books - Add transaction" belongs to the application that runs this step, which it never operates',
      ),
    );
    expect(world.effects).toEqual([]);
  });

  it('takes no keys when it belongs to the program that runs the step', async () => {
    const { world, window } = form();
    window.pid = process.pid;
    const ran = await run(world, [{ key: 'ctrl+s' }]);
    expect(ran.error?.message).toContain('belongs to the application that runs this step');
    expect(world.effects).toEqual([]);
  });

  it('on a desktop that exposes nothing is a miss, not an error', async () => {
    const { world } = form();
    world.canReadElements = false;
    const ran = await run(world, [{ click: add }]);
    expect(ran.error?.message).toBe(
      failure(
        'button "Add" was not found within 10s at step 1 of 1: this desktop lets no program read the elements of a window',
      ),
    );
  });
});

describe('typing', () => {
  const typeMemo = (text: string) => [{ type: { into: memo, text } }];

  it('replaces what the field holds by keys', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).value = 'old';
    });
    const ran = await run(world, typeMemo('né 日本語'));
    expect(ran.error).toBeUndefined();
    expect(world.element('Memo').value).toBe('né 日本語');
    expect(world.effects.slice(0, 2)).toEqual(['click text_field "Memo"', 'press ctrl+a in text_field "Memo"']);
  });

  it('empties a field for an empty text', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).value = 'old';
    });
    expect((await run(world, typeMemo(''))).error).toBeUndefined();
    expect(world.element('Memo').value).toBe('');
  });

  it('keeps a text that the field formats', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).format = (typed) =>
        typed.length > 3 ? `${typed.slice(0, 3)}-${typed.slice(3)}` : typed;
    });
    expect((await run(world, typeMemo('1234567'))).error).toBeUndefined();
  });

  it('fails when the field shows something else', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).format = (typed) => typed.slice(0, 3);
    });
    const ran = await run(world, typeMemo('Invoice'));
    expect(ran.error?.message).toBe(
      failure('text_field "Memo" does not show what was typed into it at step 1 of 1: it shows "Inv"'),
    );
  });

  it('does not show what a secret became', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).format = (typed) => typed.slice(0, 5);
    });
    const ran = await run(world, typeMemo('%pin%'), {
      with: { variables: { pin: 'hunter22' } },
      secrets: [{ name: 'PIN', value: 'hunter22' }],
    });
    expect(ran.error?.message).toBe(
      failure('text_field "Memo" does not show what was typed into it at step 1 of 1: it shows something else'),
    );
    expect(JSON.stringify([ran.log, ran.events])).not.toContain('hunte');
  });

  it('does not check a password field', async () => {
    const { world } = form();
    const ran = await run(world, [
      { type: { into: { app: 'ledger', role: 'text_field', name: 'Password' }, text: 'x' } },
    ]);
    expect(ran.error).toBeUndefined();
    expect(world.element('Password').typed).toBe('x');
  });

  it('sends nothing more once the field loses the focus', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).onInput = () => {
        world.focused = world.element('Password');
      };
    });
    const ran = await run(world, typeMemo('ab'));
    expect(ran.error?.message).toBe(failure('text_field "Memo" lost the focus while it was typed into at step 1 of 1'));
    expect(world.element('Memo').value).toBe('a');
    expect(world.element('Password').typed).toBe('');
  });

  it('sends nothing more once the window loses the focus', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).onInput = (field) => {
        if (field.typed === 'ab') world.open({ title: 'Call', app: 'phone' });
      };
    });
    const ran = await run(world, typeMemo('abc'));
    expect(ran.error?.message).toContain('text_field "Memo" lost the focus while it was typed into at step 1 of 1');
    expect(world.element('Memo').value).toBe('ab');
  });

  it('fails where the field does not take the focus', async () => {
    const { world } = form((elements) => {
      elements.memo = { role: 'other', name: 'Memo', bounds: { x: 180, y: 180, width: 100, height: 20 } };
    });
    const ran = await run(world, [{ type: { into: { ...memo, role: 'other' }, text: 'x' } }]);
    expect(ran.error?.message).toBe(
      failure('other "Memo" could not take the focus at step 1 of 1: the keyboard stays elsewhere after a click on it'),
    );
  });

  it('presses a key in the element that it focuses without a click', async () => {
    const { world } = form();
    const ran = await run(world, [{ key: 'enter', focus: add }]);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['focus button "Add"', 'press enter in button "Add"']);
  });

  it('does not press a button to focus it', async () => {
    const { world } = form();
    const ran = await run(world, [{ key: 'enter', focus: { ...add, name: 'Close' } }]);
    expect(ran.error?.message).toBe(
      failure('button "Close" could not take the focus at step 1 of 1: it offers no way to focus it'),
    );
    expect(world.effects).toEqual([]);
  });

  it('presses no key in a window that is about to close', async () => {
    const { world } = form();
    const dialog = world.open({
      title: 'Done',
      app: 'ledger',
      kind: 'dialog',
      elements: [{ role: 'button', name: 'OK', bounds: { x: 150, y: 150, width: 50, height: 20 } }],
    });
    world.element('OK').onClick = () => {
      setTimeout(() => world.close(dialog), 200);
    };
    const ran = await run(world, [{ click: { app: 'ledger', role: 'button', name: 'OK' } }, { key: 'ctrl+s' }]);
    expect(ran.error).toBeUndefined();
    expect(ran.log).toContain('[1/1] replay by element: key ctrl+s in "books - Add transaction"');
  });

  it('refuses an unknown key before it opens the desktop', async () => {
    const { world } = form();
    const ran = await run(world, [{ key: 'ctrl+foo' }]);
    expect(ran.error?.message).toContain('computer: do[0]: recorded.linux[0]: unknown key "foo" in "ctrl+foo"; ');
    expect(ran.drivers).toBe(0);
  });

  it('tells a reference that nothing resolved to a key, and waits for no window', async () => {
    const ran = await run(new MemoryDesktop(), [{ key: '${env.CHORD}' }]);
    expect(ran.error?.message).toContain(failure('unknown key "${env.CHORD}"; a chord is one key'));
    expect(ran.events.find(({ type }) => type === 'tool')?.durationMs).toBe(0);
  });
});

describe('input: direct', () => {
  const direct = { act: { input: 'direct' } };

  it('has elements act themselves, behind other windows and without the desktop', async () => {
    const { world } = form();
    world.open({ title: 'Mail', app: 'mail', bounds: { x: 0, y: 0, width: 800, height: 600 } });
    world.holder = 'another step';
    const ran = await run(
      world,
      [
        { type: { into: memo, text: 'Invoice' } },
        { click: { ...memo, role: 'checkbox', name: 'Paid' } },
        { click: add },
      ],
      direct,
    );
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual([
      'setValue text_field "Memo" "Invoice"',
      'toggle checkbox "Paid"',
      'invoke button "Add"',
    ]);
    expect(world.front?.title).toBe('Mail');
  });

  it('holds the desktop where a pattern needs it', async () => {
    const { world } = form();
    world.patternNeedsDesktop = true;
    const ran = await run(world, [{ click: add }], direct);
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['invoke button "Add"']);
  });

  it('clicks what offers no pattern', async () => {
    const { world } = form();
    const ran = await run(world, [{ click: { ...add, name: 'Close' } }], { with: { input: 'direct' } });
    expect(ran.error).toBeUndefined();
    expect(world.effects).toEqual(['click button "Close"']);
    expect(ran.log).toContain('[1/1] button "Close" offers no invoke; it is clicked instead');
  });

  it('fails where the element refuses', async () => {
    const { world } = form((elements) => {
      (elements.add as ElementPlan).refuses = { invoke: 'the book is read-only' };
    });
    const ran = await run(world, [{ click: add }], direct);
    expect(ran.error?.message).toBe(failure('button "Add" could not be invoked at step 1 of 1: the book is read-only'));
  });

  it('types over a field that does not keep the value', async () => {
    const { world } = form((elements) => {
      (elements.memo as ElementPlan).refuses = { setValue: 'it takes keys alone' };
    });
    const ran = await run(world, [{ type: { into: memo, text: 'ab' } }], direct);
    expect(ran.error).toBeUndefined();
    expect(world.element('Memo').value).toBe('ab');
    expect(ran.log).toContain(
      '[1/1] text_field "Memo" did not take the value (it takes keys alone); it is typed instead',
    );
  });
});

describe('what ends an act', () => {
  it('its own time', async () => {
    const { world } = form();
    const ran = await runStep(world, [{ ...act([{ wait: '1m' }])[0], timeout: '30s' }]);
    expect(ran.error?.message).toBe(failure('act did not finish within 30s'));
    expect(world.holder).toBeUndefined();
  });

  it('a display that is lost in the middle', async () => {
    const { world } = form();
    world.element('Memo').onInput = () => {
      world.displayLost = true;
    };
    const ran = await run(world, [{ type: { into: memo, text: 'ab' } }]);
    expect(ran.error?.message).toBe(failure('the display is gone'));
    expect(world.holder).toBeUndefined();
    expect(ran.events.at(-1)).toMatchObject({
      type: 'lifecycle',
      status: 'failed',
      content: 'do[0] act failed: the display is gone',
    });
  });

  it('a driver that dies, whose keys a fresh one lets up', async () => {
    const { world } = form();
    let die = () => {};
    const before = (method: string) => {
      if (method !== 'pressChord') return;
      world.down.add('ctrl');
      die();
    };
    const ran = await run(world, [{ key: 'ctrl+s' }], { before, onOpen: (kill) => (die = kill) });
    expect(ran.error?.message).toBe(failure('the program that operates the desktop ended: the other side closed'));
    expect(world.down.size).toBe(0);
    expect(world.holder).toBeUndefined();
    expect(ran.drivers).toBe(2);
    expect(ran.events.at(-1)?.files).toEqual(['computer/post/01-failure.png']);
  });

  it('input that fails once it was sent, which is not sent again', async () => {
    const { world } = form();
    let clicks = 0;
    const before = (method: string) => {
      if (method === 'click' && ++clicks > 0) throw new CallError('failed', 'the pointer is stuck');
    };
    const ran = await run(world, [{ click: add }], { before });
    expect(ran.error?.message).toBe(failure('the pointer is stuck'));
    expect(clicks).toBe(1);
  });

  it('the stop of the run, whose reason it throws', async () => {
    const { world } = form();
    const stop = new AbortController();
    const before = (method: string) => {
      if (method === 'click') stop.abort(new Error('stopped by the clerk'));
    };
    const ran = await run(world, [{ click: add }, { click: add }], { before, runSignal: stop.signal });
    expect(ran.error?.message).toBe('stopped by the clerk');
    expect(ran.events.at(-1)).not.toHaveProperty('files');
    expect(world.holder).toBeUndefined();
  });

  it("the end of the step's time, with a screenshot of where it was", async () => {
    const { world } = form();
    const time = new AbortController();
    const before = (method: string) => {
      if (method === 'click') time.abort(new Error('the time is up'));
    };
    const ran = await run(world, [{ click: add }, { click: add }], { before, signal: time.signal });
    expect(ran.error?.message).toBe('the time is up');
    expect(ran.events.at(-1)).toMatchObject({
      status: 'failed',
      content: 'do[0] act failed: the time is up',
      files: ['computer/post/01-failure.png'],
    });
    expect(world.holder).toBeUndefined();
  });
});
