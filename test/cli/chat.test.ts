import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../fixtures/scripted-model.ts';
import { CommandLine } from './command.ts';

let line: CommandLine;
let model: ScriptedModel | undefined;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(async () => {
  await model?.stop();
  model = undefined;
  line.close();
});

async function open(script: Parameters<typeof startScriptedModel>[0]): Promise<string> {
  model = await startScriptedModel(script);
  return `{ provider: local, model: m, base_url: "${model.url}" }`;
}

const sent = (index: number) => model?.requests()[index]?.messages ?? [];

describe('chat.completion', () => {
  it('gives what a model asks of a tool to its shell as a variable, and shows the run under its step', async () => {
    const call = { calls: [{ name: 'get-weather', arguments: { CITY: 'Paris; echo "$HOME' } }] };
    const llm = await open([{ answers: [call, { text: 'Rain' }] }]);
    const file = line.file(
      'weather.yaml',
      `llm: ${llm}
steps:
  - id: ask
    action: chat.completion
    with: { prompt: What is the weather in Paris?, tools: [get-weather], max_tool_iterations: 5 }
    output: ANSWER
---
name: get-weather
params: CITY
steps:
  - command: printf '%s' "weather of $CITY"
    output: WEATHER_JSON
`,
    );
    const { code, stdout } = await line.run('start', file, '--format', 'json');
    expect(code).toBe(0);
    expect(sent(1).at(-1)).toMatchObject({
      role: 'tool',
      content: '{"WEATHER_JSON":"weather of Paris; echo \\"$HOME"}',
    });
    const detail = JSON.parse(stdout);
    expect(detail.steps).toMatchObject([{ outputs: { ANSWER: 'Rain' } }]);
    expect(detail.children).toMatchObject([{ name: 'get-weather', parent: { step: 'ask' }, status: 'succeeded' }]);
    expect(detail.events).toMatchObject([
      { name: 'model', tokens: expect.any(Number) },
      { name: 'model', tokens: expect.any(Number) },
    ]);
  });

  it('goes on with its own conversation when a person sends the answer back', async () => {
    const llm = await open([{ answers: [{ text: 'A long text' }, { text: 'Short' }, { text: 'Thanks' }] }]);
    const file = line.file(
      'draft.yaml',
      `llm: ${llm}
steps:
  - id: draft
    action: chat.completion
    with: { prompt: Write, system: Be kind }
    approval: { prompt: Good?, input: [comment] }
  - action: chat.completion
    depends: draft
    with: { prompt: Thank the reader }
`,
    );
    expect((await line.run('start', file)).code).toBe(0);
    await line.run('push-back', file, '--step', 'draft', '--input', 'comment=shorter');
    expect(sent(1)).toEqual([
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Write' },
      { role: 'assistant', content: 'A long text' },
      { role: 'user', content: expect.stringContaining('- comment: shorter') },
    ]);
    await line.run('approve', file, '--step', 'draft');
    expect(sent(2).map(({ content }) => content)).toEqual([
      'Be kind',
      'Write',
      'A long text',
      expect.stringContaining('- comment: shorter'),
      'Short',
      'Thank the reader',
    ]);
  });

  it('stops before the request that would pass the budget of the run', async () => {
    const llm = await open([{ answers: [{ text: 'ok' }] }]);
    const file = line.file(
      'budget.yaml',
      `type: chain
llm: ${llm}
steps:
  - { id: one, action: chat.completion, with: { prompt: Hi } }
  - { id: two, action: chat.completion, with: { prompt: Hi, max_tokens: 5000 } }
`,
    );
    const { code, stdout, stderr } = await line.start(['start', file], { DAGU_DESKTOP_TOKENS_PER_RUN: '1000' }).ended;
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('the request to local/m would pass the budget of 1000 tokens a run');
    expect(model?.requests()).toHaveLength(1);
  });
});
