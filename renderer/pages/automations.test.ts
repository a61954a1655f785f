import { expect, it } from 'vitest';
import type { RunStatus, RunSummary } from '../../core/contract/run.ts';
import type { WorkflowFile } from '../../core/contract/workflow-file.ts';
import { textsFor } from '../texts.ts';
import { whyNotRunnable } from './automations.tsx';

const texts = textsFor('en');
const workflow: WorkflowFile = {
  path: '/flows/a.yaml',
  file: 'a.yaml',
  name: 'a',
  params: [],
  missingParams: [],
  schedules: [],
  trust: 'allowed',
};
const last = (status: RunStatus) => ({ status }) as RunSummary;

it('says why a workflow cannot be run by a click', () => {
  expect(whyNotRunnable(workflow, undefined, texts)).toBeUndefined();
  expect(whyNotRunnable(workflow, last('failed'), texts)).toBeUndefined();
  expect(whyNotRunnable(workflow, last('running'), texts)).toBe('It is running now.');
  expect(whyNotRunnable({ ...workflow, problem: { message: 'no steps' } }, undefined, texts)).toContain('error');
  expect(whyNotRunnable({ ...workflow, maxActiveRuns: 2 }, last('running'), texts)).toBeUndefined();
  expect(whyNotRunnable(workflow, last('waiting'), texts)).toBeUndefined();
});
