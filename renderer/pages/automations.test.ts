import { expect, it } from 'vitest';
import type { WorkflowFile } from '../../core/contract/api.ts';
import type { RunStatus, RunSummary } from '../../core/contract/run.ts';
import { textsFor } from '../texts.ts';
import { whyNotRunnable } from './automations.tsx';

const texts = textsFor('en');
const workflow: WorkflowFile = { path: '/flows/a.yaml', file: 'a.yaml', name: 'a', missingParams: [] };
const last = (status: RunStatus) => ({ status }) as RunSummary;

it('says why a workflow cannot be run by one click', () => {
  expect(whyNotRunnable(workflow, undefined, texts)).toBeUndefined();
  expect(whyNotRunnable(workflow, last('failed'), texts)).toBeUndefined();
  expect(whyNotRunnable(workflow, last('running'), texts)).toBe('It is running now.');
  expect(whyNotRunnable({ ...workflow, problem: { message: 'no steps' } }, undefined, texts)).toContain('error');
  expect(whyNotRunnable({ ...workflow, missingParams: ['CUSTOMER', 'DATE'] }, undefined, texts)).toBe(
    'Needs CUSTOMER and DATE, so it cannot start with one click.',
  );
});
