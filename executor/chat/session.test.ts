import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StepError } from '../action.ts';
import { events, json, picture, startWireServer, type WireServer } from '../models/testing.ts';
import { type ChatCase, ChatRun } from './testing.ts';

let server: WireServer;
let run: ChatRun;
beforeEach(async () => {
  run = new ChatRun();
  server = await startWireServer((response, count) =>
    json(response, 200, {
      model: 'm-2026',
      choices: [{ message: { content: `Answer ${count}` }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    }),
  );
});
afterEach(() => server.stop());

const step = (input: ChatCase['with'], more: Partial<ChatCase> = {}) =>
  run.step({
    llm: { provider: 'local', model: 'm', base_url: server.url, stream: false },
    with: input,
    ...more,
  });
const sent = (index: number) => server.seen[index]?.body.messages;
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });

describe('sessions', () => {
  it('keep what was asked and answered, with who answered and what it took', async () => {
    await step({ prompt: 'Hi', system: 'Be brief' });
    expect(run.sessions.get('s')).toEqual([
      system('Be brief'),
      user('Hi'),
      {
        ...assistant('Answer 1'),
        metadata: { provider: 'local', model: 'm', promptTokens: 5, completionTokens: 2, totalTokens: 7 },
      },
    ]);
  });

  it('go on with those of the steps that a step depends on, in their order, and of no other', async () => {
    await step({ prompt: 'One', system: 'First' }, { key: 'one' });
    await step({ prompt: 'Two', system: 'Second' }, { key: 'two' });
    await step({ prompt: 'Three' }, { key: 'three' });
    await step({ prompt: 'Last' }, { key: 'last', depends: ['two', 'shell', 'one'] });
    expect(sent(2)).toEqual([user('Three')]);
    expect(sent(3)).toEqual([
      system('Second'),
      user('Two'),
      assistant('Answer 2'),
      user('One'),
      assistant('Answer 1'),
      user('Last'),
    ]);
    await step({ prompt: 'After' }, { key: 'after', depends: ['last'] });
    expect(sent(4)).toHaveLength(8);
  });

  it("put the step's own system message before what it inherits", async () => {
    await step({ prompt: 'One', system: 'First' }, { key: 'one' });
    await step({ messages: [system('Own'), user('Two')] }, { key: 'two', depends: ['one'] });
    expect(sent(1)).toEqual([system('Own'), user('One'), assistant('Answer 1'), user('Two')]);
  });

  it('keep secrets out of what is sent and what is kept', async () => {
    await step({ prompt: 'my hunter22' }, { secrets: ['hunter22'] });
    expect(sent(0)).toEqual([user('my *******')]);
    expect(JSON.stringify(run.sessions.get('s'))).not.toContain('hunter22');
  });

  describe('with a file', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'chat-'));
      writeFileSync(join(folder, 'a.txt'), 'Total 5');
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it('keep its text for a later step', async () => {
      await step({ prompt: 'Read', files: 'a.txt' }, { key: 'one', workingDir: folder });
      await step({ prompt: 'Sum up' }, { key: 'two', depends: ['one'] });
      expect(sent(1)).toMatchObject([user('<file name="a.txt">\nTotal 5\n</file>\n\nRead'), {}, user('Sum up')]);
    });

    it('send its pictures with the one message, and again with a correction of the answer', async () => {
      writeFileSync(join(folder, 'receipt.png'), picture.bytes);
      const outputSchema = { type: 'object', properties: { total: { type: 'number' } } };
      const messages = [user('First'), assistant('Yes'), user('Read')];
      const one = step({ messages, files: ['a.txt', 'receipt.png'] }, { key: 'one', workingDir: folder, outputSchema });
      await expect(one).rejects.toThrow('the model gave no answer that matches output_schema');
      const url = expect.stringMatching(/^data:image\/(png|jpeg);base64,/);
      const text = expect.stringMatching(
        /^<file name="a.txt">\nTotal 5\n<\/file>\n\n<file name="receipt.png">\n\[Image 1 is receipt.png.\]\n<\/file>\n\nRead$/,
      );
      const read = {
        role: 'user',
        content: [
          { type: 'text', text },
          { type: 'image_url', image_url: { url } },
        ],
      };
      expect((sent(0) as object[]).slice(1)).toEqual([user('First'), assistant('Yes'), read]);
      expect((sent(1) as object[]).slice(3, 5)).toEqual([read, assistant('Answer 1')]);
    });

    it('do not keep its pictures', async () => {
      writeFileSync(join(folder, 'receipt.png'), picture.bytes);
      await step({ prompt: 'Read', files: 'receipt.png' }, { key: 'two', workingDir: folder });
      await step({ prompt: 'Sum up' }, { key: 'three', depends: ['two'] });
      expect(sent(1)).toMatchObject([user(expect.stringContaining('[Image 1 is receipt.png.]')), {}, user('Sum up')]);
    });

    it('do not read it again for a push-back', async () => {
      await step({ prompt: 'Read', files: 'a.txt' }, { workingDir: folder });
      rmSync(join(folder, 'a.txt'));
      await step(
        { prompt: 'Read', files: 'a.txt' },
        { workingDir: folder, pushBack: { iteration: 1, inputs: { comment: 'shorter' } } },
      );
      const [first] = sent(0) as object[];
      expect(sent(1)).toEqual([first, assistant('Answer 1'), user(expect.stringContaining('- comment: shorter'))]);
    });
  });

  it('go on with their own after a push-back, not with what they inherited, and say what the reviewer gave', async () => {
    await step({ prompt: 'One' }, { key: 'one' });
    await step({ prompt: 'Two', system: 'Own' }, { depends: ['one'] });
    const pushBack = { iteration: 2, inputs: { tone: 'kind', length: 'short' } };
    await step({ prompt: 'Two', system: 'Own' }, { depends: ['one'], pushBack });
    const feedback = user(expect.stringMatching(/revision 2\)[\s\S]*- length: short\n- tone: kind$/));
    expect(sent(2)).toEqual([
      system('Own'),
      user('One'),
      assistant('Answer 1'),
      user('Two'),
      assistant('Answer 2'),
      feedback,
    ]);
    expect(run.sessions.get('s')).toHaveLength(7);
  });

  it('begin anew where a step runs again that nobody sent back', async () => {
    await step({ prompt: 'One' });
    await step({ prompt: 'One' });
    expect(sent(1)).toEqual([user('One')]);
  });

  it('tell one that cannot be read', async () => {
    run.sessions.set('one', [{ role: 'nobody', content: 5 }]);
    await expect(step({ prompt: 'Two' }, { depends: ['one'] })).rejects.toThrow(
      'the conversation of step "one" cannot be read',
    );
  });
});

describe('tokens', () => {
  it('are told with the model that answered', async () => {
    await step({ prompt: 'Hi' });
    expect(run.events).toMatchObject([
      {
        type: 'lifecycle',
        name: 'model',
        status: 'completed',
        content: 'local/m (m-2026), 7 tokens',
        code: 'model_answered_tokens',
        parameters: { model: 'local/m (m-2026)', inputTokens: 5, outputTokens: 2, tokens: 7 },
        tokens: 7,
      },
    ]);
  });

  it('are counted as expected before a request, and as used after it', async () => {
    const counted: [string, number, number][] = [];
    const tokens = {
      begin: (model: string, expected: number) => (used: number) => void counted.push([model, expected, used]),
    };
    await step({ prompt: 'Hi there, two 漢字', max_tokens: 100 }, { tokens });
    expect(counted).toEqual([['local/m', 106, 7]]);
  });

  it('stop the step before a request that would pass a budget, and no other model is asked', async () => {
    const tokens = {
      begin: () => {
        throw new StepError('the budget');
      },
    };
    const model = ['a', 'b'].map((name) => ({ provider: 'local', name }));
    const llm = { model, base_url: server.url };
    await expect(step({ prompt: 'Hi' }, { llm, tokens })).rejects.toThrow(/^the budget$/);
    expect(server.seen).toHaveLength(0);
  });
});

describe('a stop', () => {
  it('ends the step at once, whatever the server does, and asks no other model', async () => {
    server.stop();
    const stop = new AbortController();
    server = await startWireServer(() => stop.abort(new Error('stopped by hand')));
    const model = ['a', 'b'].map((name) => ({ provider: 'local', name }));
    const llm = { model, base_url: server.url };
    await expect(step({ prompt: 'Hi' }, { llm, signal: stop.signal })).rejects.toThrow(/^stopped by hand$/);
    expect(server.seen).toHaveLength(1);
    expect(run.sessions.size).toBe(0);
  });
});

describe('thinking', () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({ choices: [{ delta, finish_reason }] });
  const thoughts = [chunk({ reasoning_content: 'Hm, ' }), chunk({ reasoning: 'so' })];
  const words = [chunk({ content: 'Hel' }), chunk({ content: 'lo' }, 'stop')];

  it.each([
    [true, '<thinking>\nHm, so\n</thinking>\n\nHello\n'],
    [false, 'Hello\n'],
  ])('is written before the answer where include_in_output is %s', async (include_in_output, out) => {
    server.stop();
    server = await startWireServer((response) => events(response, [...thoughts, ...words]));
    await step(
      { prompt: 'Hi' },
      {
        llm: {
          provider: 'local',
          model: 'm',
          base_url: server.url,
          thinking: { enabled: true, effort: 'low', include_in_output },
        },
      },
    );
    expect(run.out).toBe(out);
    expect(server.seen[0]?.body.reasoning_effort).toBe('low');
    expect(JSON.stringify(run.sessions.get('s'))).not.toContain('Hm');
  });
});
