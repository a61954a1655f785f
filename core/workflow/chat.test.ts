import { describe, expect, it } from 'vitest';
import { chatLlm, chatOutputNames, checkChatStep } from './chat.ts';
import type { LlmConfig } from './llm.ts';
import { loadWorkflow } from './load.ts';
import type { JsonObject, Step, Workflow } from './types.ts';

const local = { provider: 'local', model: 'm' };

function step(input: JsonObject, more: Partial<Step> = {}): Step {
  return {
    key: 'read',
    name: 'read',
    action: 'chat.completion',
    run: [],
    with: input,
    depends: [],
    env: [],
    continueOn: { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false },
    preconditions: [],
    outputNames: [],
    path: ['steps', 0],
    ...more,
  };
}

function workflow(llm?: LlmConfig): Workflow {
  const base = { name: 'w', path: '/w.yaml', type: 'graph' as const, params: [], consts: {}, env: [], secrets: [] };
  const unset = { dotenv: [], preconditions: [], schedules: [], overlapPolicy: 'skip' as const, catchupWindowMs: 0 };
  return { ...base, ...unset, steps: [], handlers: {}, artifacts: { enabled: true }, locals: [], ...(llm && { llm }) };
}

const messages = (input: JsonObject, more: Partial<Step> = {}, llm?: LlmConfig) =>
  checkChatStep(step(input, more), workflow(llm)).map(({ message }) => message);

describe('checkChatStep', () => {
  it('accepts what the spec shows', () => {
    expect(messages({ ...local, base_url: 'http://localhost:8080', prompt: 'Hi', stream: false })).toEqual([]);
    expect(messages({ ...local, messages: [{ role: 'human', content: 'Hi' }], files: ['a.pdf', '*.xlsx'] })).toEqual(
      [],
    );
    expect(messages({ prompt: 'Hi', files: 'a.pdf' }, {}, local)).toEqual([]);
    expect(messages({ prompt: 'Hi', model: [{ provider: 'local', name: 'a', temperature: 0 }] })).toEqual([]);
    expect(messages({ prompt: 'Hi', provider: '${params.P}', model: 'm' })).toEqual([]);
    expect(messages({ ...local, prompt: 'Hi', base_url: '${params.URL}/v1', files: '${params.FILES}' })).toEqual([]);
    expect(messages({ ...local, prompt: 'Hi', tools: ['get-weather'], max_tool_iterations: 5 })).toEqual([]);
    expect(messages({ ...local, prompt: 'Hi', web_search: { enabled: false } })).toEqual([]);
  });

  it.each([
    'openai',
    'anthropic',
    'gemini',
    'google',
    'openrouter',
    'local',
    'ollama',
    'vllm',
    'llama',
    'zai',
    'zhipu',
    'zhipuai',
    'glm',
    'opencode',
  ])('knows provider %s', (provider) => {
    const thinking = { enabled: true, effort: 'xhigh', budget_tokens: 4000, include_in_output: true };
    expect(messages({ provider, model: 'm', prompt: 'Hi', thinking })).toEqual([]);
  });

  it('takes all of web_search where the provider does', () => {
    const search = { enabled: true, max_uses: 2, allowed_domains: ['a'], user_location: { city: 'Lisbon' } };
    expect(messages({ provider: 'anthropic', model: 'm', prompt: 'Hi', web_search: search })).toEqual([]);
    expect(messages({ prompt: 'Hi', web_search: search }, {}, { provider: 'anthropic', model: 'm' })).toEqual([]);
    expect(messages({ prompt: 'Hi', web_search: search }, {}, local)).toEqual([
      'provider "local" cannot search the web; remove web_search',
    ]);
  });

  it('leaves a missing llm to the run', () => {
    expect(messages({ prompt: 'Hi' })).toEqual([]);
  });

  it.each<[JsonObject, string]>([
    [local, 'chat.completion requires with.prompt or with.messages'],
    [{ ...local, prompt: ' ' }, 'with.prompt must be a non-empty string'],
    [{ ...local, messages: [] }, 'with.messages must be a non-empty array'],
    [{ prompt: 'Hi', provider: 'local' }, 'model must be specified when llm config is provided'],
    [{ prompt: 'Hi', stream: false }, 'model must be specified when llm config is provided'],
    [{ prompt: 'Hi', model: 'm' }, 'provider is required (set at DAG or step level)'],
    [{ prompt: 'Hi', provider: 'nobody', model: 'm' }, 'invalid provider: nobody'],
    [{ ...local, prompt: 'Hi', temperature: 3 }, 'temperature must be between 0.0 and 2.0 (value: 3)'],
    [{ ...local, prompt: 'Hi', top_p: 2 }, 'top_p must be between 0.0 and 1.0'],
    [{ ...local, prompt: 'Hi', max_tokens: 0 }, 'max_tokens must be at least 1'],
    [{ ...local, prompt: 'Hi', temperature: 3 }, "field 'steps[0].with.temperature': temperature must be"],
    [{ ...local, prompt: 'Hi', files: '' }, 'with.files must name at least one file'],
    [{ ...local, prompt: 'Hi', files: ' ' }, 'with.files must name at least one file'],
    [{ ...local, prompt: 'Hi', files: [] }, 'with.files must name at least one file'],
    [{ ...local, prompt: 'Hi', files: ['', ' '] }, 'with.files must name at least one file'],
    [{ ...local, prompt: 'Hi', base_url: 'notaurl' }, 'base_url "notaurl" must be an address that starts with http'],
    [{ ...local, prompt: 'Hi', base_url: 'file:///etc/passwd' }, 'base_url "file:///etc/passwd" must be an address'],
    [{ ...local, prompt: 'Hi', base_url: '' }, 'base_url "" must be an address'],
    [{ prompt: 'Hi', tools: ['x'] }, 'model must be specified when llm config is provided'],
    [{ ...local, prompt: 'Hi', tools: 'x' }, 'tools must be a non-empty list of names of workflows'],
    [{ ...local, prompt: 'Hi', tools: [] }, 'tools must be a non-empty list of names of workflows'],
    [{ ...local, prompt: 'Hi', tools: ['x'], max_tool_iterations: 0 }, 'max_tool_iterations must be at least 1'],
    [{ ...local, prompt: 'Hi', thinking: { effort: 'huge' } }, "field 'steps[0].with.thinking.effort'"],
    [{ ...local, prompt: 'Hi', thinking: { budget_tokens: 0 } }, 'budget_tokens must be at least 1'],
    [{ ...local, prompt: 'Hi', web_search: { enabled: true } }, 'provider "local" cannot search the web; remove'],
    [
      { provider: 'gemini', model: 'm', prompt: 'Hi', web_search: { enabled: true, max_uses: 2 } },
      'provider "gemini" does not take web_search.max_uses; remove it',
    ],
    [
      {
        provider: 'anthropic',
        model: 'm',
        prompt: 'Hi',
        web_search: { enabled: true, allowed_domains: ['a'], blocked_domains: ['b'] },
      },
      'web_search takes allowed_domains or blocked_domains, not both',
    ],
    [{ ...local, prompt: 'Hi', promt: 'x' }, 'with.promt is not a key of this action'],
    [{ ...local, messages: [{ role: 'nobody', content: 'Hi' }] }, "field 'steps[0].with.messages[0].role'"],
    [{ prompt: 'Hi', model: [{ provider: 'local', name: 'a', top_p: 2 }] }, "field 'steps[0].with.model[0].top_p'"],
  ])('rejects %j', (input, message) => {
    expect(messages(input)).toContainEqual(expect.stringContaining(message));
  });

  it("names the place of an entry's address, each problem in one line", () => {
    const model: JsonObject[] = [
      { provider: 'local', name: 'a' },
      { provider: 'local', name: 'b', base_url: 'localhost:1' },
    ];
    expect(checkChatStep(step({ prompt: 'Hi', model }), workflow())).toEqual([
      {
        path: ['steps', 0, 'with', 'model', 1, 'base_url'],
        message: 'base_url "localhost:1" must be an address that starts with http:// or https://',
      },
    ]);
  });

  it("leaves what is wrong with the workflow's models to their own place", () => {
    expect(messages({ prompt: 'Hi', temperature: 0 }, {}, { ...local, base_url: 'notaurl' })).toEqual([]);
  });

  it('names the place in the document', () => {
    expect(checkChatStep(step({ ...local, prompt: 'Hi', temperature: 3 }), workflow())[0]?.path).toEqual([
      'steps',
      0,
      'with',
      'temperature',
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ properties: { a: {} } }, "a chat step's output_schema must declare type: object"],
    [{ type: 'object' }, "a chat step's output_schema must list at least one property"],
    [{ type: 'object', properties: { a: {} }, required: ['b'] }, 'a required property must be listed in properties'],
    [{ type: 'object', properties: { a: { type: 'nothing' } } }, 'is not a valid JSON Schema'],
  ])('rejects output_schema %j', (outputSchema, message) => {
    expect(messages({ ...local, prompt: 'Hi' }, { outputSchema })).toEqual([expect.stringContaining(message)]);
  });

  it('keeps what output_schema cannot go with', () => {
    const outputSchema = { type: 'object', properties: { a: {} } };
    expect(messages({ ...local, prompt: 'Hi', tools: ['respond'] }, { outputSchema })).toEqual([
      'the tool name "respond" is reserved for the output_schema answer',
    ]);
    expect(messages({ ...local, prompt: 'Hi', web_search: {} }, { outputSchema })).toEqual([
      'web search cannot be combined with output_schema',
    ]);
    const shared: LlmConfig = { provider: 'anthropic', model: 'm', web_search: { enabled: true } };
    expect(messages({ prompt: 'Hi' }, { outputSchema }, shared)).toEqual([
      'web search cannot be combined with output_schema',
    ]);
  });
});

describe('a chat step in a file', () => {
  const file = (output: string) => `steps:
  - id: read
    action: chat.completion
    with: { provider: local, model: m, prompt: Hi }
    output_schema: { type: object, properties: { total: { type: number } }, additionalProperties: true }
  - id: show
    depends: read
    run: echo "\${steps.read.outputs.${output}}"
`;

  it('publishes what its schema lists and nothing else, known when the file loads', () => {
    const told = (output: string) => loadWorkflow(file(output), '/w.yaml', { strictStream: true });
    expect(told('total')).toMatchObject({ problems: [], warnings: [] });
    const { problems, warnings } = told('other');
    expect([...problems, ...warnings]).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(
          /steps\.read\.outputs\.other\} names no output of step "read" \(there is: total\)/,
        ),
      }),
    ]);
  });

  it('takes no files in the block of the workflow', () => {
    const text = `llm: { provider: local, model: m, files: a.txt }\nsteps: [{ run: x }]\n`;
    const { problems } = loadWorkflow(text, '/w.yaml', { strictStream: true });
    expect(problems.map(({ message }) => message).join()).toContain('files');
  });
});

describe('chatLlm', () => {
  const shared: LlmConfig = { provider: 'local', model: 'shared', system: 'Be brief', temperature: 1 };

  it('replaces the workflow block when the step chooses a model', () => {
    expect(chatLlm({ prompt: 'Hi', provider: 'openai', model: 'own' }, workflow(shared))).toEqual({
      provider: 'openai',
      model: 'own',
    });
  });

  it('keeps the workflow models when the step only shapes the request', () => {
    expect(chatLlm({ prompt: 'Hi', temperature: 0, stream: false, files: 'a.txt' }, workflow(shared))).toEqual({
      ...shared,
      temperature: 0,
      stream: false,
    });
  });

  it('is undefined without any', () => {
    expect(chatLlm({ prompt: 'Hi', files: 'a.txt' }, workflow())).toBeUndefined();
  });
});

describe('chatOutputNames', () => {
  it('lists the properties of the schema and the captured output', () => {
    const outputSchema = { type: 'object', properties: { number: {}, total: {} }, additionalProperties: true };
    expect(chatOutputNames(step({}, { outputSchema, output: 'ANSWER' }))).toEqual(['ANSWER', 'number', 'total']);
    expect(chatOutputNames(step({}))).toEqual([]);
  });
});
