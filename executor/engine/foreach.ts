import { maxItems } from '../../core/workflow/foreach.ts';
import { cut, expandVariables, mapTexts, resolve, type Scope } from '../../core/workflow/references.ts';
import type { Foreach, Json } from '../../core/workflow/types.ts';
import { type Action, type ChildEnd, type StepContext, StepError, StepWaits } from '../action.ts';
import { toSortedJson } from '../json.ts';
import { itemText } from './values.ts';

/** One item of a loop. */
interface Item {
  index: number;
  /** Names it among the others. */
  key: string;
  /** What `${foreach.…}` stands for. */
  values: Readonly<Record<string, unknown>>;
}

/** How an item's body ended. */
type ItemEnd = Item & Pick<ChildEnd, 'status' | 'outputs' | 'error'>;

/**
 * `foreach`: the body runs once for each item, each time as a run under the step. The step's
 * output is the JSON that Dagu gives: a summary, the items in their order, and what those that
 * succeeded were collected to. Its outputs are the names of `collect`, each the list of what the
 * items gave.
 */
export const foreach: Action = {
  run: async (context) => {
    const { foreach: loop } = context.step;
    if (loop === undefined) throw new Error('the step has no foreach');
    const items = itemsOf(loop, context);
    const ends = await runItems(items, loop, context);
    context.signal.throwIfAborted();
    if (ends.some(({ status }) => status === 'waiting')) throw new StepWaits();
    context.stdout(`${toSortedJson(aggregate(ends))}\n`);
    const failed = ends.filter((end) => !isGood(end));
    if (failed.length > 0) throw new StepError(whyFailed(failed, ends.length));
    const isPartial = ends.some(({ status }) => status === 'partially_succeeded');
    return { outputs: collectedLists(loop, ends), ...(isPartial && { isPartial: true as const }) };
  },
};

function itemsOf(loop: Foreach, { scope, env }: StepContext): Item[] {
  const { as, key } = loop;
  const resolved = mapTexts(loop.items, (text) => expandVariables(resolve(text, scope), env));
  const items = listOf(resolved).map((value, index): Item => {
    const values = { index, [as]: value };
    const ofItem: Scope = (reference) =>
      reference[0] === 'foreach' ? (itemText(values, reference.slice(1)) ?? scope(reference)) : scope(reference);
    const named = key === undefined ? String(index) : expandVariables(resolve(key, ofItem), env);
    return { index, key: named, values: { ...values, key: named } };
  });
  checkKeys(items);
  return items;
}

function checkKeys(items: readonly Item[]): void {
  const indexes = new Map<string, number>();
  for (const { key, index } of items) {
    const first = indexes.get(key);
    const problem =
      key.trim() === '' ? `is empty for item ${index}` : `is "${key}" for the items ${first} and ${index}`;
    if (key.trim() === '' || first !== undefined) {
      throw new StepError(`foreach.key ${problem}; each item needs a key of its own`);
    }
    indexes.set(key, index);
  }
}

function listOf(items: Json): Json[] {
  const list = typeof items === 'string' ? parsed(items) : items;
  if (!Array.isArray(list)) throw new StepError(`foreach.items must be a JSON list, and is ${shown(list)}`);
  if (list.length <= maxItems) return list;
  throw new StepError(`foreach.items has ${list.length} items; there may be ${maxItems}`);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const shownCharacters = 80;

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/** Runs the body for each item, as many at once as may be; when the step is stopped, no more begin. */
async function runItems(items: readonly Item[], loop: Foreach, context: StepContext): Promise<ItemEnd[]> {
  const ends: ItemEnd[] = [];
  const left = items.values();
  const worker = async () => {
    for (const item of left) {
      if (context.signal.aborted) return;
      ends[item.index] = { ...item, ...(await runItem(item, loop, context)) };
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(loop.maxConcurrent, items.length) }, worker));
  // What is no end of a body: all others have ended by now.
  const defect = workers.find((one) => one.status === 'rejected');
  if (defect !== undefined) throw defect.reason;
  return ends;
}

async function runItem(
  { key, values }: Item,
  { body, collect = {} }: Foreach,
  context: StepContext,
): Promise<Pick<ChildEnd, 'status' | 'outputs' | 'error'>> {
  try {
    return await context.runChild({
      workflow: body,
      params: [],
      item: key,
      foreach: values,
      collect: (scope) =>
        Object.fromEntries(Object.entries(collect).map(([name, text]) => [name, collectedText(name, text, scope)])),
    });
  } catch (error) {
    if (error instanceof StepError) return { status: 'failed', outputs: {}, error: error.message };
    throw error;
  }
}

function collectedText(name: string, text: string, scope: Scope): string {
  const missing = cut(text).find((piece) => 'reference' in piece && scope(piece.reference) === undefined);
  if (missing !== undefined && 'source' in missing) {
    throw new StepError(`foreach.collect.${name}: ${missing.source} has no value`);
  }
  return resolve(text, scope);
}

/** What the step prints: the shape that Dagu gives. */
function aggregate(ends: readonly ItemEnd[]): Record<string, unknown> {
  const good = ends.filter(isGood);
  return {
    summary: { total: ends.length, succeeded: good.length, failed: ends.length - good.length },
    items: ends.map(({ index, key, status, outputs, error }) => ({
      index,
      key,
      status,
      ...(isGood({ status }) && { outputs }),
      ...(error !== undefined && { error }),
    })),
    outputs: good.map(({ outputs }) => outputs),
  };
}

function collectedLists({ collect = {} }: Foreach, ends: readonly ItemEnd[]): Record<string, unknown> {
  return Object.fromEntries(Object.keys(collect).map((name) => [name, ends.map(({ outputs }) => outputs[name])]));
}

function isGood({ status }: Pick<ChildEnd, 'status'>): boolean {
  return status === 'succeeded' || status === 'partially_succeeded';
}

function whyFailed([first, ...more]: readonly ItemEnd[], total: number): string {
  const count = 1 + more.length;
  return `${count} of ${total} items failed; the first one, "${first?.key}": ${first?.error ?? first?.status}`;
}
