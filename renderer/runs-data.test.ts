import { expect, it } from 'vitest';
import type { RunSummary } from '../core/contract/run.ts';
import { joined } from './runs-data.ts';

const runs = (text: string) => [...text].map((runId) => ({ runId }) as RunSummary);
const ids = (newest: string, older: string) =>
  joined(runs(newest), runs(older))
    ?.map(({ runId }) => runId)
    .join('');

it.each([
  { name: 'older runs follow the newest page', newest: 'fed', older: 'fedcba', shown: 'fedcba' },
  { name: 'the newest page has moved on', newest: 'hgf', older: 'fedcba', shown: 'hgfedcba' },
  { name: 'a run of the page was removed', newest: 'fdc', older: 'fedcba', shown: 'fdcba' },
  { name: 'so many came that there is a gap', newest: 'zyx', older: 'fedcba', shown: undefined },
])('joins pages where $name', ({ newest, older, shown }) => {
  expect(ids(newest, older)).toBe(shown);
});
