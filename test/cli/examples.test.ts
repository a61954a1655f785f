import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../fixtures/scripted-model.ts';
import { CommandLine } from './command.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.yaml'),
);

let line: CommandLine;
beforeEach(() => {
  line = new CommandLine();
});
afterEach(() => line.close());

describe('the workflow files that people copy', () => {
  it.each(examples)('examples/%s validates without a warning', async (file) => {
    expect(await line.run('validate', join(root, 'examples', file))).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  describe('with a model', () => {
    let model: ScriptedModel | undefined;
    afterEach(async () => {
      await model?.stop();
      model = undefined;
    });

    /** Runs an example on a model with this script; gives what the command tells of the run. */
    async function start(file: string, script: Parameters<typeof startScriptedModel>[0], ...params: string[]) {
      model = await startScriptedModel(script);
      const path = join(root, 'examples', file);
      const given = ['--', `MODEL_URL=${model.url}`, ...params];
      const { code, stdout, stderr } = await line.run('start', path, '--format', 'json', ...given);
      if (code !== 0) throw new Error(`exit code ${code}: ${stderr}${stdout}`);
      return JSON.parse(stdout) as { steps: { step: string; status: string; outputs: Record<string, unknown> }[] } & {
        children: { name: string; status: string }[];
      };
    }

    const outputs = ({ steps }: Awaited<ReturnType<typeof start>>) =>
      Object.assign({}, ...steps.map((step) => step.outputs)) as Record<string, unknown>;

    it('chat/summarise.yaml sums up a file, and goes on with the conversation', async () => {
      const detail = await start('chat/summarise.yaml', [
        {
          when: ['Give a subject'],
          demands: ['coffee machine', 'Three points.'],
          answers: [{ text: 'Who does what' }],
        },
        { when: ['Sum up'], demands: ['<file name="meeting-notes.txt">'], answers: [{ text: 'Three points.' }] },
      ]);
      expect(outputs(detail)).toEqual({ SUMMARY: 'Three points.', SUBJECT: 'Who does what' });
      expect(model?.requests().map(({ stream }) => stream)).toEqual([true, true]);
    });

    it('chat/classify.yaml goes on with typed values, by the second model where the first fails', async () => {
      const values = { category: 'refund', amount: 12.5, order: 7731 };
      const script = [{ answers: [{ error: { status: 404, message: 'no such model' } }, { respond: values }] }];
      const detail = await start('chat/classify.yaml', script);
      expect(outputs(detail)).toEqual(values);
      expect(detail.steps.map(({ step, status }) => [step, status])).toEqual([
        ['classify', 'succeeded'],
        ['refund', 'succeeded'],
        ['answer', 'skipped'],
      ]);
      expect(model?.requests().map((request) => request.model)).toEqual(['llama3.3', 'llama3.1']);
    });

    it('chat/tools.yaml lets the model look things up', async () => {
      const lookUp = (ARTICLE: string) => ({ name: 'look-up', arguments: { ARTICLE } });
      const { children } = await start('chat/tools.yaml', [
        {
          answers: [
            { calls: [lookUp('hole punch'), lookUp('stapler'), lookUp('$(touch /tmp/x)')] },
            { calls: [{ name: 'multiply', arguments: { PRICE: 8.9, PIECES: 3 } }] },
            { text: 'None, and 26.70.' },
          ],
        },
      ]);
      const results = model
        ?.requests()
        .at(-1)
        ?.messages.filter(({ role }) => role === 'tool');
      expect(results?.map(({ content }) => content)).toEqual([
        '{"FOUND":"0 pieces at 11.50"}',
        '{"FOUND":"14 pieces at 8.90"}',
        expect.stringMatching(/^Tool execution failed with status: failed\n/),
        '{"PRODUCT":"26.70"}',
      ]);
      expect(children.map(({ name, status }) => [name, status])).toEqual([
        ['look-up', 'succeeded'],
        ['look-up', 'succeeded'],
        ['look-up', 'failed'],
        ['multiply', 'succeeded'],
      ]);
    });

    it('invoices/read-invoices.yaml reads PDF, photograph and Excel', async () => {
      const one = (number: string, supplier: string, total: number) => ({ respond: { number, supplier, total } });
      const detail = await start('invoices/read-invoices.yaml', [
        { when: ['kestrel-bay.pdf'], demands: ['KB-2026-0417'], answers: [one('KB-2026-0417', 'Kestrel Bay', 428.4)] },
        {
          when: ['[Image 1 is receipt-photo.jpg.]'],
          demands: ['"image_url"', ';base64,'],
          answers: [one('R-20415', 'Cedar Lane Stationery', 15.8)],
        },
        { when: ['larkfield.xlsx'], demands: ['LF/2026/0093'], answers: [one('LF/2026/0093', 'Larkfield', 707.25)] },
      ]);
      expect(JSON.stringify(outputs(detail))).toMatch(/KB-2026-0417.*R-20415.*LF\/2026\/0093/);
    });
  });

  it('the one in the README validates', async () => {
    const [, block = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
    const file = line.file('readme.yaml', `params: {MODEL: m, MODEL_URL: "http://localhost:1"}\n${block}`);
    expect(await line.run('validate', file)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
