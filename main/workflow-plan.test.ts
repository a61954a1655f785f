import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WorkflowPlan } from '../core/contract/workflow-file.ts';
import { workflowContent } from '../core/process/workflow-content.ts';
import { workflowPlan } from './workflow-plan.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dagu-plan-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function planOf(text: string, files: Record<string, string> = {}): Promise<WorkflowPlan> {
  for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
  const path = join(folder, 'main.yaml');
  await writeFile(path, text);
  const content = await workflowContent(path);
  const { workflow, problems } = content.loaded;
  if (workflow === undefined) throw new Error(problems[0]?.message);
  return workflowPlan(workflow, content, { trust: 'new', now: new Date('2026-05-04T10:00:00Z') });
}

it('tells the steps with their commands, those of handlers and of other workflows among them', async () => {
  const plan = await planOf(
    `steps:
  - id: fetch
    description: Gets the files
    run: [curl -s https://Files.Example.com:8443/a.zip, unzip a.zip]
  - id: post
    action: dag.run
    with: { dag: post }
handler_on:
  exit: { run: rm a.zip }
`,
    { 'post.yaml': 'steps:\n  - id: send\n    run: send http://user:pw@mail.example.com/x\n' },
  );
  expect(plan.steps).toMatchObject([
    {
      step: 'fetch',
      action: 'run',
      texts: ['Gets the files'],
      commands: [expect.stringContaining('curl'), 'unzip a.zip'],
    },
    { step: 'post', action: 'dag.run', texts: ['post'] },
    { handler: 'exit', commands: ['rm a.zip'] },
    { workflow: 'post', step: 'send' },
  ]);
  expect(plan.hosts).toEqual(['files.example.com:8443', 'mail.example.com']);
  expect(plan.includes).toEqual([join(folder, 'post.yaml')]);
});

it('tells the hosts of models, by their provider or by an address that parameters and constants make', async () => {
  const plan = await planOf(`params:
  URL: http://localhost:11434/v1
consts:
  - HOST: models.example.com
llm: { provider: openai, model: x }
steps:
  - id: a
    action: chat.completion
    with: { prompt: Read it, provider: local, model: y, base_url: "\${params.URL}" }
  - id: b
    action: chat.completion
    with: { prompt: Read it, provider: local, model: y, base_url: "https://\${consts.HOST}/v1" }
`);
  expect(plan.hosts).toEqual(['api.openai.com', 'localhost:11434', 'models.example.com']);
});

it('tells the programs that it opens and works in, and the secrets that it reads', async () => {
  const plan = await planOf(`secrets:
  - { name: TOKEN, provider: env, key: TOKEN }
steps:
  - id: post
    action: computer.run
    with:
      ai: never
      do:
        - launch: { command: homebank, args: [books.xhb] }
        - act:
            instruction: Open the account
            recorded:
              linux:
                - click: { app: ledger, role: button, name: Open }
`);
  expect(plan.applications).toEqual(['homebank', 'ledger']);
  expect(plan.steps[0]?.texts).toEqual(['homebank', 'Open the account']);
  expect(plan.secrets).toEqual(['TOKEN']);
});

it('tells when it starts by itself', async () => {
  const plan = await planOf('schedule: "CRON_TZ=UTC 30 8 * * *"\nsteps:\n  - id: a\n    run: echo\n');
  expect(plan.schedules).toEqual([
    { does: 'start', expression: 'CRON_TZ=UTC 30 8 * * *', next: '2026-05-05T08:30:00.000Z' },
  ]);
});
