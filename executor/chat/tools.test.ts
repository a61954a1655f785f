import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../../test/fixtures/scripted-model.ts';
import { StepError, StepWaits } from '../action.ts';
import { json, startWireServer, type WireServer } from '../models/testing.ts';
import { type ChatCase, ChatRun } from './testing.ts';

let model: ScriptedModel | undefined;
let server: WireServer | undefined;
let run: ChatRun;
beforeEach(() => {
  run = new ChatRun();
});
afterEach(async () => {
  await model?.stop();
  server?.stop();
  model = undefined;
});

const weather = {
  name: 'get-weather',
  description: 'Tells the weather.',
  params: [{ name: '1', type: 'string' as const, untyped: true as const, default: 'CITY', required: false }],
};
const schema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] };

type Answers = Parameters<typeof startScriptedModel>[0][number]['answers'];

/** A step that may call `get-weather`, on a model with these answers. */
async function scripted(answers: Answers, more: Partial<ChatCase> = {}, input: ChatCase['with'] = {}) {
  model = await startScriptedModel([{ answers }]);
  return await run.step({
    llm: { provider: 'local', model: 'm', base_url: model.url },
    with: { prompt: 'What is the weather in Paris?', tools: ['get-weather'], ...input },
    workflows: [weather],
    childEnds: { 'get-weather': { outputs: { WEATHER: 'rain', TEMPERATURE: 12 } } },
    ...more,
  });
}

const requests = () => model?.requests() ?? [];
const call = (city: string) => ({ calls: [{ name: 'get-weather', arguments: { CITY: city } }] });

/** A step on a server whose answers are messages as they are written here. */
async function raw(messages: object[], more: Partial<ChatCase> = {}) {
  server = await startWireServer((response, count) =>
    json(response, 200, {
      choices: [{ message: messages[Math.min(count, messages.length) - 1], finish_reason: 'stop' }],
    }),
  );
  await run.step({
    llm: { provider: 'local', model: 'm', base_url: server.url },
    with: { prompt: 'Hi', tools: ['get-weather'] },
    workflows: [weather],
    ...more,
  });
  return server.seen.map(({ body }) => body as { messages: Record<string, unknown>[] });
}
const rawCall = (id: string | undefined, given: unknown, name = 'get-weather') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
});
const done = { content: 'Done' };

describe('tools', () => {
  it('are offered with every request, run as sub-runs, and their outputs go back to the model', async () => {
    await scripted([call('Paris'), { text: 'It rains' }], {}, { stream: true });
    expect(run.out).toBe('It rains\n');
    expect(requests().map(({ stream, tool_choice, tools }) => [stream ?? false, tool_choice, tools])).toEqual(
      Array(2).fill([
        false,
        'auto',
        [
          {
            type: 'function',
            function: {
              name: 'get-weather',
              description: 'Tells the weather.',
              parameters: {
                type: 'object',
                properties: { CITY: { type: 'string', description: 'CITY parameter' } },
                required: ['CITY'],
              },
            },
          },
        ],
      ]),
    );
    expect(run.children).toEqual([
      { item: expect.stringMatching(/^1 [0-9a-f]{8}$/), workflow: 'get-weather', params: { CITY: 'Paris' } },
    ]);
    const [, asked, result] = requests()[1]?.messages ?? [];
    expect(asked).toMatchObject({
      role: 'assistant',
      tool_calls: [{ function: { name: 'get-weather', arguments: '{"CITY":"Paris"}' } }],
    });
    expect(result).toEqual({
      role: 'tool',
      tool_call_id: asked?.tool_calls?.[0]?.id,
      content: '{"TEMPERATURE":12,"WEATHER":"rain"}',
    });
  });

  it('stand in the order of the file, without a name twice', async () => {
    const other = { name: 'a-tool', params: [] };
    await scripted(
      [{ text: 'ok' }],
      { workflows: [weather, other] },
      { tools: ['get-weather', 'a-tool', 'get-weather'] },
    );
    expect(requests()[0]?.tools?.map((tool) => tool.function?.name)).toEqual(['get-weather', 'a-tool']);
  });

  it('fail the step before any request when one is not there', async () => {
    await expect(scripted([{ text: 'ok' }], { workflows: [] })).rejects.toThrow(
      'failed to load tool DAG "get-weather": there is no workflow "get-weather"',
    );
    expect(requests()).toHaveLength(0);
  });

  it.each([
    [
      { status: 'failed' as const, error: 'step "a" failed' },
      'Tool execution failed with status: failed\nstep "a" failed',
    ],
    [{ status: 'rejected' as const }, 'Tool execution failed with status: rejected'],
    [{ outputs: {} }, 'Tool execution completed successfully'],
    [new StepError('unknown parameter "X"'), 'Error: execution failed: unknown parameter "X"'],
  ])('tell the model how %j ended, and go on', async (end, content) => {
    await scripted([call('Paris'), { text: 'ok' }], { childEnds: { 'get-weather': end } });
    expect(requests()[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content });
    expect(run.out).toBe('ok\n');
  });

  it('tell the model of one that there is not', async () => {
    const [, second] = await raw([{ tool_calls: [rawCall('c1', '{}', 'get-news')] }, done]);
    expect(second?.messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: 'Error: tool "get-news" not found',
    });
    expect(run.children).toEqual([]);
  });

  it.each([
    ['{"CITY": "Pa', 'Error: failed to parse arguments: they are not JSON'],
    ['["Paris"]', 'Error: failed to parse arguments: they are not a JSON object'],
  ])('never put the arguments %j back into the conversation', async (given, content) => {
    const [, second] = await raw([{ content: '', tool_calls: [rawCall('c1', given)] }, done]);
    expect(second?.messages.slice(1)).toEqual([
      { role: 'assistant', content: null, tool_calls: [rawCall('c1', '{}')] },
      { role: 'tool', tool_call_id: 'c1', content },
    ]);
    expect(run.children).toEqual([]);
  });

  it('take arguments that come as an object, with every digit', async () => {
    const text = JSON.stringify({ choices: [{ message: { tool_calls: [rawCall('c1', { CITY: 'N' })] } }] });
    server = await startWireServer((response, count) =>
      json(response, 200, count === 1 ? text.replace('"N"', '12345678901234567890') : { choices: [{ message: done }] }),
    );
    await run.step({
      llm: { provider: 'local', model: 'm', base_url: server.url },
      with: { prompt: 'Hi', tools: ['get-weather'] },
      workflows: [weather],
    });
    expect(run.children).toMatchObject([{ params: { CITY: '12345678901234567890' } }]);
    const messages = server.seen[1]?.body.messages as Record<string, unknown>[];
    expect(messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{"CITY":12345678901234567890}' } }] });
  });

  it('give calls without an id, or with that of another, one of their own', async () => {
    const calls = [
      rawCall('c', '{"CITY":"Rome"}'),
      rawCall('c', '{"CITY":"Oslo"}'),
      rawCall(undefined, '{"CITY":"Bonn"}'),
    ];
    const [, second] = await raw([{ tool_calls: calls }, done]);
    const asked = (second?.messages[1]?.tool_calls ?? []) as { id: string }[];
    const ids = asked.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(second?.messages.slice(2).map((message) => message.tool_call_id)).toEqual(ids);
    expect(run.children.map(({ params }) => params.CITY)).toEqual(['Rome', 'Oslo', 'Bonn']);
    expect(run.children.map(({ item }) => item.split(' ')[0])).toEqual(['1', '2', '3']);
  });

  it('get arguments as data: numbers, lists and texts as they are, null as nothing', async () => {
    const given = { A: 'x y=$(reboot)', B: 1.5, C: true, D: ['a'], E: null };
    await raw([{ tool_calls: [rawCall('c', JSON.stringify(given))] }, done]);
    expect(run.children[0]?.params).toEqual({ A: 'x y=$(reboot)', B: '1.5', C: 'true', D: '["a"]' });
  });

  it('end with the last text after max_tool_iterations rounds', async () => {
    const [, second, third] = await raw([{ content: 'Let me see', tool_calls: [rawCall('c', '{"CITY":"Rome"}')] }], {
      with: { prompt: 'Hi', tools: ['get-weather'], max_tool_iterations: 2 },
    });
    expect(third).toBeUndefined();
    expect(second?.messages).toHaveLength(3);
    expect(run.children).toHaveLength(2);
    expect(run.out).toBe('Let me see\n');
  });

  it('end after ten rounds where nothing is said, with an empty line where no text came', async () => {
    const seen = await raw([{ tool_calls: [rawCall('c', '{"CITY":"Rome"}')] }]);
    expect(seen).toHaveLength(10);
    expect(run.out).toBe('\n');
  });

  it('have their secrets masked before the model gets them', async () => {
    await scripted([call('Paris'), { text: 'ok' }], {
      secrets: ['hunter22'],
      childEnds: { 'get-weather': { outputs: { KEY: 'hunter22' } } },
    });
    expect(requests()[1]?.messages.at(-1)?.content).toBe('{"KEY":"*******"}');
  });

  it('stand beside respond, which ends the loop', async () => {
    const result = await scripted([call('Paris'), { respond: { summary: 'rain' } }], { outputSchema: schema });
    expect(result.outputs).toEqual({ summary: 'rain' });
    expect(run.out).toBe('{"summary":"rain"}\n');
    expect(requests().map(({ tool_choice }) => tool_choice)).toEqual(['required', 'required']);
    expect(requests()[0]?.tools?.map((tool) => tool.function?.name)).toEqual(['get-weather', 'respond']);
  });

  it('do not run beside a respond in the same response', async () => {
    await raw([{ tool_calls: [rawCall('c', '{"CITY":"Rome"}'), rawCall('d', '{"summary":"rain"}', 'respond')] }], {
      outputSchema: schema,
    });
    expect(run.children).toEqual([]);
    expect(run.out).toBe('{"summary":"rain"}\n');
  });

  it('fail the model when the rounds are used up without a respond, and the next one starts over', async () => {
    model = await startScriptedModel([{ answers: [call('Paris'), call('Rome'), { respond: { summary: 'rain' } }] }]);
    await run.step({
      llm: {
        base_url: model.url,
        model: ['a', 'b'].map((name) => ({ provider: 'local', name })),
      },
      with: { prompt: 'Hi', tools: ['get-weather'], max_tool_iterations: 2 },
      workflows: [weather],
      outputSchema: schema,
    });
    expect(run.log).toContain('local/a: max tool iterations (2) reached without a respond answer; trying local/b');
    expect(requests().map((request) => [request.model, request.messages.length])).toEqual([
      ['a', 2],
      ['a', 4],
      ['b', 2],
    ]);
    expect(run.out).toBe('{"summary":"rain"}\n');
  });

  it('count a correction as a round', async () => {
    await expect(
      scripted([{ call: '{' }, { respond: { summary: 'rain' } }], { outputSchema: schema }, { max_tool_iterations: 1 }),
    ).rejects.toThrow('local/m: max tool iterations (1) reached without a respond answer');
    expect(requests()).toHaveLength(1);
  });

  it('cannot be named respond where the answer is', async () => {
    await expect(
      scripted(
        [{ text: 'ok' }],
        { outputSchema: schema, workflows: [{ name: 'get-weather' }, { name: 'respond' }] },
        {
          tools: ['respond'],
        },
      ),
    ).rejects.toThrow('the tool name "respond" is reserved for the output_schema answer');
  });

  it('let the step wait where one waits for a person, and then go on with the same conversation', async () => {
    model = await startScriptedModel([
      {
        answers: [
          { calls: ['Rome', 'Oslo'].map((CITY) => ({ name: 'get-weather', arguments: { CITY } })) },
          { text: 'ok' },
        ],
      },
    ]);
    const step: ChatCase = {
      llm: { provider: 'local', model: 'm', base_url: model.url },
      with: { prompt: 'Hi', tools: ['get-weather'] },
      workflows: [weather],
      childEnds: { 'get-weather': { status: 'waiting' } },
    };
    await expect(run.step(step)).rejects.toThrow(StepWaits);
    expect(requests()).toHaveLength(1);
    await run.step({ ...step, childEnds: { 'get-weather': { outputs: { WEATHER: 'rain' } } } });
    expect(requests()).toHaveLength(2);
    expect(requests()[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    const items = run.children.map(({ item }) => item);
    expect(items).toEqual([items[0], items[0], expect.stringMatching(/^2 /)]);
    expect(run.out).toBe('ok\n');
    expect(run.sessions.get('s')?.map((message) => (message as { role: string }).role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ]);
  });
});
