import { describe, expect, it } from 'vitest';
import { checkComputerStep, computerOutputNames } from './computer.ts';
import type { JsonObject, Step, Workflow } from './types.ts';

const click = { click: { app: 'ledger', role: 'button', name: 'Add' } };

/** Messages of a step, without the prefix that all have. */
function messages(
  input: JsonObject,
  { action = 'computer.run', llm }: { action?: string; llm?: Workflow['llm'] } = {},
): string[] {
  const step = { action, with: input, path: ['steps', 2] } as unknown as Step;
  const workflow = { ...(llm !== undefined && { llm }) } as Workflow;
  return checkComputerStep(step, workflow).map(({ message }) => {
    expect(message).toMatch(/^computer: /);
    return message.slice('computer: '.length);
  });
}

/** Messages of a step of these operations, none of which may call the model. */
function of(operations: unknown, more: JsonObject = {}): string[] {
  return messages({ ai: 'never', do: operations, ...more } as JsonObject);
}

const act = (more: JsonObject = {}) => ({ act: { instruction: 'Add it', recorded: { linux: [click] }, ...more } });

it('accepts what runs without a model', () => {
  const operations = [
    { launch: 'C:\\Program Files\\ERP\\client.exe', timeout: '30s' },
    { launch: { command: 'ledger', args: ['--file', '${params.FILE}'] } },
    act({ find_within: 0, input: 'direct', max_actions: 3, maximize: false, ai: 'never' }),
    { act: 'Add %number%', when: { text: '%number%' } },
    act({
      recorded: {
        windows: [{ double_click: click.click }, { right_click: click.click }],
        macos: [{ key: 'cmd+s', focus: click.click }, { wait: '2s' }],
        linux: [
          { type: { into: { role: 'text_field', near: { label: 'Memo', side: 'right' } }, text: '%number%' } },
          { scroll: { on: click.click, dy: -3 } },
        ],
      },
    }),
    {
      extract: {
        instruction: 'The totals',
        schema: { type: 'object', properties: { total: { type: 'number' }, paid: { type: 'boolean' } } },
        fields: { linux: { paid: { role: 'checkbox', name: 'Paid' } } },
      },
    },
    { expect: { element: { role: 'text', name: 'Saved', in: { role: 'group', name: 'Foot' } }, within: '30s' } },
    { expect: { window: 'Invoice *' } },
    { wait: '${params.PAUSE}' },
    { screenshot: 'after-1.2_x' },
  ];
  const more = {
    variables: { number: '1' },
    visible: ['number'],
    idle: 0,
    find_within: '0',
    screenshots: 'each',
    marks: false,
  };
  expect(of(operations, more)).toEqual([]);
});

it('tells where a problem is', () => {
  const step = {
    action: 'computer.run',
    with: { ai: 'never', do: [{ wait: '1s' }, { wait: 'soon' }] },
    path: ['handler_on', 'exit'],
  };
  expect(checkComputerStep(step as unknown as Step, {} as Workflow)).toEqual([
    {
      path: ['handler_on', 'exit', 'with', 'do', 1, 'wait'],
      message: 'computer: do[1]: wait "soon" must be a duration such as 2s',
    },
  ]);
});

describe('with', () => {
  it.each<[JsonObject, string]>([
    [{}, 'with.do must list at least one operation'],
    [{ do: [] }, 'with.do must list at least one operation'],
    [
      { do: [{ wait: '1s' }], ai: 'never', cache: false },
      'set ai or cache, not both; cache: false means ai: every_run',
    ],
    [{ do: [{ wait: '1s' }], idle: 'x' }, 'idle "x" must be a duration such as 5s, or 0 to not wait'],
    [
      { do: [{ wait: '1s' }], find_within: '-1s' },
      'find_within "-1s" must be a duration such as 10s, or 0 to look once',
    ],
    [{ do: [{ wait: '1s' }], variables: { '1x': 'a' } }, 'variable name "1x" must match ^[A-Za-z][A-Za-z0-9_]*$'],
    [{ do: [{ wait: '1s' }], variables: { x: 1 } }, 'variables.x must be string'],
    [{ do: [{ wait: '1s' }], visible: ['y'] }, 'visible names "y", which is not in with.variables'],
    [{ do: [{ wait: '1s' }], max_actions: 0 }, 'max_actions must be >= 1'],
    [{ do: [{ wait: '1s' }], screenshots: 'all' }, 'screenshots must be one of "on_failure", "final", "each", "never"'],
    [{ do: [{ wait: '1s' }], idle: 5 }, 'idle must be a duration such as 10s, or 0'],
    [{ do: [{ wait: '1s' }], llm: { model: 'm' } }, 'provider is required (set at DAG or step level)'],
    [{ do: [{ wait: '1s' }], llm: { provider: 5, model: 'm' } }, 'llm.provider must be string'],
    [
      { do: [{ wait: '1s' }], llm: { provider: 'local', model: 'm', base_url: 'notaurl' } },
      'base_url "notaurl" must be an address that starts with http:// or https://',
    ],
  ])('%j: %s', (input, message) => {
    expect(messages(input)).toEqual([message]);
  });

  it('names an unknown key once', () => {
    expect(messages({ do: [{ wait: '1s' }], speed: 'fast' })).toEqual([
      expect.stringMatching(/^with\.speed is not a key of this action/),
    ]);
  });

  it('knows which providers have a tool of their own', () => {
    const native = { do: [{ wait: '1s' }], mode: 'native' };
    const message = (provider: string) => `provider "${provider}" has no native computer use; set mode to "generic"`;
    expect(messages(native, { llm: { provider: 'local', model: 'm' } })).toEqual([message('local')]);
    expect(messages(native, { llm: { provider: 'google', model: 'm' } })).toEqual([]);
    const list = [
      { provider: 'openai', name: 'a' },
      { provider: 'ollama', name: 'b' },
    ];
    expect(messages({ ...native, llm: { model: list } }, { llm: { provider: 'openai', model: 'm' } })).toEqual([
      message('ollama'),
    ]);
    expect(messages(native)).toEqual([]);
  });
});

describe('an operation', () => {
  const one = 'do[0]: operation must set one of launch, act, extract, expect, wait, screenshot, or ask';

  it.each<[unknown, string]>([
    [{}, one],
    ['wait', one],
    [{ wait: '1s', launch: 'x' }, one],
    [{ wait: '1s', maximize: true }, 'do[0]: unknown key "maximize"'],
    [{ wait: '1s', timeout: '0' }, 'do[0]: timeout "0" must be a duration such as 30s'],
    [{ wait: '1s', timeout: 5 }, 'do[0]: timeout must be a duration such as 30s'],
    [{ wait: 5 }, 'do[0]: wait must be a duration such as 2s'],
    [{ launch: ' ' }, 'do[0]: launch must name a command'],
    [{ launch: { args: [] } }, 'do[0]: launch must have the key "command"'],
    [{ screenshot: '../x' }, 'do[0]: screenshot name "../x" must match ^[A-Za-z0-9][A-Za-z0-9._-]*$'],
    [act({ max_actions: 0 }), 'do[0]: act.max_actions must be >= 1'],
    [act({ ai: 'never', cache: true }), 'do[0]: set ai or cache, not both; cache: false means ai: every_run'],
    [act({ find_within: 'soon' }), 'do[0]: find_within "soon" must be a duration such as 10s, or 0 to look once'],
    [act({ speed: 1 }), 'do[0]: act must not have the key "speed"'],
    [{ act: 'Log in as %user%' }, 'do[0]: act references %user%, which is not in with.variables or an earlier ask'],
    [{ expect: { text: '%x%' } }, 'do[0]: expect references %x%, which is not in with.variables or an earlier ask'],
    [
      { wait: '1s', when: { window: '%x%' } },
      'do[0]: when references %x%, which is not in with.variables or an earlier ask',
    ],
    [
      { expect: { element: { role: 'text', name: 'a', in: { role: 'group', name: '%x%' } } } },
      'do[0]: expect references %x%, which is not in with.variables or an earlier ask',
    ],
    [
      act({ recorded: { linux: [{ type: { into: click.click, text: '%x%' } }] } }),
      'do[0]: act references %x%, which is not in with.variables or an earlier ask',
    ],
    [
      { expect: {} },
      'do[0]: a condition is a statement, or an object with exactly one of statement, text, element, or window',
    ],
    [
      { expect: { text: 'a', window: 'b' } },
      'do[0]: a condition is a statement, or an object with exactly one of statement, text, element, or window',
    ],
    [
      { expect: 3 },
      'do[0]: a condition is a statement, or an object with exactly one of statement, text, element, or window',
    ],
    [{ expect: { text: '' } }, 'do[0]: expect.text must NOT have fewer than 1 characters'],
    [{ expect: { text: 'a', within: '0' } }, 'do[0]: within "0" must be a duration such as 30s'],
    [{ expect: { element: { name: 'x' } } }, 'do[0]: selector: role is required'],
    [
      { expect: 'A number is shown' },
      'do[0]: expect is judged by AI, which ai: never on the step does not allow; use an exact check: {text}, {element}, or {window}',
    ],
    [
      { wait: '1s', when: { statement: 'A number is shown' } },
      'do[0]: when is judged by AI, which ai: never on the step does not allow; use an exact check: {text}, {element}, or {window}',
    ],
  ])('%j: %s', (operation, message) => {
    expect(of([operation])).toEqual([message]);
  });

  it('does not take placeholders of ids and apps for references', () => {
    expect(of([{ expect: { element: { role: 'text', id: '%x%', app: '%y%' } } }])).toEqual([]);
  });

  it('may use answers of earlier questions alone', () => {
    const ask = { ask: { prompt: 'Code?', as: 'code' } };
    const use = { expect: { text: '%code%' } };
    const unknown = expect.stringContaining('expect references %code%');
    const refused = expect.stringContaining('this version cannot wait for an answer');
    expect(of([ask, use])).toEqual([refused]);
    expect(of([use, ask])).toEqual([unknown, refused]);
  });

  it('keeps answers apart', () => {
    const ask = (as: string) => ({ ask: { prompt: 'Code?', as } });
    const told = of([ask('code'), ask('code'), ask('user'), ask('1')], { variables: { user: 'x' } });
    expect(told).toContain('do[1]: ask.as "code" is already used by do[0]');
    expect(told).toContain('do[2]: ask.as "user" collides with a variable');
    expect(told).toContain('do[3]: ask.as "1" must match ^[A-Za-z][A-Za-z0-9_]*$');
  });
});

describe('pins', () => {
  const recorded = (steps: unknown, system = 'linux') => of([act({ recorded: { [system]: steps } as JsonObject })]);

  it.each<[unknown, string]>([
    [[], 'recorded.linux must list at least one step'],
    [{}, 'recorded.linux must list at least one step'],
    [[{}], 'recorded.linux[0]: a step must set one of click, double_click, right_click, type, key, scroll, or wait'],
    [
      [{ wait: '1s', key: 'a' }],
      'recorded.linux[0]: a step must set one of click, double_click, right_click, type, key, scroll, or wait',
    ],
    [[click, { click: {} }], 'recorded.linux[1]: selector: role is required'],
    [
      [{ click: { role: 'knob', name: 'x' } }],
      'recorded.linux[0]: selector: unknown role "knob"; use one of button, text_field, text, checkbox, radio, combo_box, list_item, menu_item, tab, link, cell, list, group, window, other',
    ],
    [[{ click: { role: 'button' } }], 'recorded.linux[0]: selector: set name, id, or near'],
    [[{ click: { role: 'button', name: ' ' } }], 'recorded.linux[0]: selector: set name, id, or near'],
    [[{ click: { role: 'button', near: { side: 'left' } } }], 'recorded.linux[0]: selector: near.label is required'],
    [
      [{ click: { role: 'button', near: { label: 'x', side: 'up' } } }],
      'recorded.linux[0]: selector: near.side must be one of right, below, left, above',
    ],
    [[{ click: { role: 'button', name: 'x', nth: -1 } }], 'recorded.linux[0]: selector: nth must be 0 or more'],
    [[{ click: { role: 'button', name: 'x', colour: 'red' } }], 'recorded.linux[0]: selector: unknown key "colour"'],
    [
      [{ click: { role: 'button', name: 'x', in: { role: 'group', in: { name: 'y' } } } }],
      'recorded.linux[0]: selector.in: set name, id, or near',
    ],
    [[{ key: 'enter', focus: { role: 'button' } }], 'recorded.linux[0]: selector: set name, id, or near'],
    [[{ click: click.click, focus: click.click }], 'recorded.linux[0]: the step must not have the key "focus"'],
    [[{ type: { text: 'x' } }], 'recorded.linux[0]: selector: must be an object such as {role: button, name: Save}'],
    [[{ scroll: { on: click.click, dy: 1.5 } }], 'recorded.linux[0]: scroll.dy must be integer'],
    [[{ wait: 'soon' }], 'recorded.linux[0]: wait "soon" must be a duration such as 2s'],
  ])('%j: %s', (steps, message) => {
    expect(recorded(steps)[0]).toBe(`do[0]: ${message}`);
  });

  it.each<[string, string, string]>([
    ['ctrl+foo', 'linux', 'unknown key "foo" in "ctrl+foo"; a chord is one key, with any of shift, ctrl, alt, meta'],
    ['a+b', 'macos', '"a" in "a+b" is no modifier; '],
    ['ctrl+', 'windows', 'a key is missing in "ctrl+"; '],
    ['%chord%', 'linux', 'unknown key "%chord%"; '],
  ])('refuse the chord %j for %s', (key, system, message) => {
    expect(recorded([{ wait: '1s' }, { key }], system)).toEqual([
      expect.stringContaining(`do[0]: recorded.${system}[1]: ${message}`),
    ]);
  });

  it.each(['ctrl+s', 'ctrl+$', '${params.KEY}', 'ctrl+$KEY'])('take the chord %j', (key) => {
    expect(recorded([{ key }])).toEqual([]);
  });

  it('know their systems', () => {
    expect(recorded([click], 'darwin')).toEqual([
      'do[0]: recorded has no system "darwin"; use one of windows, macos, linux',
    ]);
  });
});

describe('extract', () => {
  const schema = (properties: JsonObject) => ({ type: 'object', properties });
  const text = { role: 'text', name: 'Total' };

  it('gives its properties as outputs', () => {
    const operations = [
      { extract: { schema: schema({ total: {}, number: {} }) } },
      { wait: '1s' },
      { extract: { schema: schema({ date: {} }) } },
      { extract: { schema: 3 } },
    ];
    expect(computerOutputNames({ do: operations as never })).toEqual(['total', 'number', 'date']);
    expect(computerOutputNames({ instruction: 'x', schema: schema({ total: {} }) })).toEqual(['total']);
    expect(computerOutputNames({})).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [{ schema: { type: 'array' } }, 'do[0]: extract schema must have type: object'],
    [
      { schema: schema({ rows: { type: 'array' } }) },
      'do[0]: extract lists "rows", which is of type array and needs the model; ai: never reads string, number, and integer fields',
    ],
    [
      { schema: schema({ paid: { type: 'boolean' } }) },
      'do[0]: extract lists "paid", which is of type boolean and needs the model; ai: never reads string, number, and integer fields',
    ],
    [
      { schema: schema({ any: {} }) },
      'do[0]: extract lists "any", which has no single type and needs the model; ai: never reads string, number, and integer fields',
    ],
    [
      { schema: schema({ a: { type: 'string' } }), fields: { linux: { b: text } } },
      'do[0]: fields.linux.b: the schema does not list it',
    ],
    [
      { schema: schema({ a: { type: 'string' } }), fields: { linux: { a: {} } } },
      'do[0]: fields.linux.a: selector: role is required',
    ],
    [
      { schema: schema({ a: { type: 'string' } }), fields: { linux: { a: { ...text, name: '%x%' } } } },
      'do[0]: extract references %x%, which is not in with.variables or an earlier ask',
    ],
    [
      {
        schema: schema({ a: { type: 'array' } }),
        fields: { linux: { a: { container: { role: 'list', name: 'x' }, columns: { n: 'Number' } } } },
      },
      'do[0]: fields.linux.a: this version reads no tables; pin single fields',
    ],
    [
      { schema: schema({ a: { type: 'array' } }), fields: { linux: { a: text } } },
      'do[0]: fields.linux.a: a selector gives one value; the schema must say string, number, integer, or boolean',
    ],
    [{ schema: schema({ a: { type: 'string' } }), max_rows: 0 }, 'do[0]: extract.max_rows must be >= 1'],
  ])('%j: %s', (extract, message) => {
    expect(of([{ extract: { instruction: 'x', ...extract } }])[0]).toBe(message);
  });

  it('lists each output once in a step', () => {
    const extract = { instruction: 'x', schema: schema({ n: { type: 'string' } }) };
    expect(of([{ extract }, { wait: '1s' }, { extract }])).toEqual(['do[2]: output "n" is already extracted by do[0]']);
  });
});

describe('what needs a model', () => {
  const without = 'this version runs computer steps without a model only';
  const llm = { provider: 'openai', model: 'm' };

  it('is refused in one line', () => {
    const operations = [
      { act: 'Add it' },
      act({ ai: 'on_miss' }),
      act({ cache: false }),
      { extract: { instruction: 'x', schema: { type: 'object', properties: { n: { type: 'string' } } } } },
      { expect: 'It is there', when: 'It may be' },
    ];
    expect(messages({ do: operations as never }, { llm })).toEqual([
      `do[0] act: ${without}; set ai: never and give recorded steps`,
      `do[1] act: ${without}; set ai: never and give recorded steps`,
      `do[2] act: ${without}; set ai: never and give recorded steps`,
      `do[3] extract: ${without}; set ai: never and give fields`,
      `do[4] when: ${without}; use an exact check: {text}, {element}, or {window}`,
      `do[4] expect: ${without}; use an exact check: {text}, {element}, or {window}`,
    ]);
  });

  it('is chosen by the operation before the step', () => {
    expect(messages({ do: [act({ ai: 'never' })] as never })).toEqual([]);
    expect(messages({ ai: 'never', do: [act({ ai: 'every_run' })] as never })).toHaveLength(1);
  });
});

describe('computer.extract', () => {
  const check = (input: JsonObject) => messages(input, { action: 'computer.extract' });

  it('names what is missing', () => {
    expect(check({})).toEqual(['with.instruction is required', 'with.schema is required']);
    expect(check({ instruction: 'x', schema: { type: 'string' } })).toEqual(['extract schema must have type: object']);
    expect(check({ instruction: 'x', schema: { type: 'object' }, do: [] })).toEqual([
      expect.stringMatching(/^with\.do is not a key/),
    ]);
  });

  it('says what to use instead of it in this version', () => {
    expect(
      check({ instruction: 'x', schema: { type: 'object', properties: {} }, timeout: '30s', mode: 'auto' }),
    ).toEqual([expect.stringMatching(/^this version runs computer steps without a model only; use computer\.run/)]);
  });
});
