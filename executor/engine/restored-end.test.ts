import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StepSummary } from '../../core/contract/run.ts';
import { letsDependentsRun } from './continue-on.ts';
import { restoredEnd } from './restored-end.ts';
import { makeStep } from './testing.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'restored-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('knows of a step that ended before whether those that depend on it may run', () => {
  const stdoutFile = join(folder, 'out');
  writeFileSync(stdoutFile, 'first\nlow ink\n');
  const none = { failure: false, skipped: false, exitCodes: [], outputs: [], markSuccess: false };
  const may = (continueOn: object, summary: Partial<StepSummary>) => {
    const step = makeStep({ continueOn: { ...none, ...continueOn } });
    const stored = { step: 'a', action: 'run', outputs: {}, stdoutFile, stderrFile: join(folder, 'none') };
    return letsDependentsRun(step, restoredEnd(step, { ...stored, status: 'failed', ...summary }));
  };
  expect(may({ outputs: ['re:^low'] }, {})).toBe(true);
  expect(may({ outputs: ['high'] }, {})).toBe(false);
  expect(may({ exitCodes: [3] }, { exitCode: 3 })).toBe(true);
  expect(may({ exitCodes: [3] }, { exitCode: 4 })).toBe(false);
  expect(may({}, { status: 'succeeded' })).toBe(true);
  expect(may({}, { status: 'partially_succeeded' })).toBe(true);
  expect(may({ failure: true }, { status: 'aborted' })).toBe(false);
  expect(may({ failure: true }, { status: 'skipped' })).toBe(false);
  expect(may({ skipped: true }, { status: 'skipped' })).toBe(true);
  expect(may({ failure: true }, { status: 'rejected' })).toBe(false);
});
