import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Store } from '../core/store/store.ts';
import { openStore } from './open-store.ts';
import { print, UsageError } from './output.ts';

interface RemoveFlags {
  history?: boolean;
  definition?: boolean;
  olderThan?: string;
  force?: boolean;
  dryRun?: boolean;
}

export function addRemove(program: Command): void {
  program
    .command('rm')
    .description("delete a workflow's runs, or its file")
    .argument('<workflow>', "the workflow's file or name")
    .option('-H, --history', 'delete its runs, with their logs and artifacts; active runs stay')
    .option('-d, --definition', 'delete the workflow file')
    .option('-t, --older-than <age>', 'only runs older than this: 24h, 10d or 1w')
    .option('-f, --force', 'do not ask')
    .option('--dry-run', 'only say what would be deleted')
    .addHelpText('after', '\nExample:\n  dagu rm invoices.yaml --history --older-than 30d')
    .action(async (workflow: string, flags: RemoveFlags) => {
      const before = checkFlags(flags);
      const file = flags.definition ? checkFile(workflow) : undefined;
      const store = openStore();
      try {
        if (!(flags.force || flags.dryRun) && !(await isConfirmed(workflow, flags))) return;
        if (flags.history) removeHistory(store, workflow, before, flags.dryRun ?? false);
        if (file !== undefined) removeFile(file, flags.dryRun ?? false);
      } finally {
        store.close();
      }
    });
}

/** The moment that runs must be older than, where one was given. */
function checkFlags({ history, definition, olderThan }: RemoveFlags): Date | undefined {
  if (!(history || definition)) {
    throw new UsageError('at least one of --history (-H) or --definition (-d) is required');
  }
  if (olderThan === undefined) return undefined;
  if (!history) throw new UsageError('--older-than (-t) requires --history (-H)');
  const hours = { h: 1, d: 24, w: 168 } as const;
  const [, count, unit] = /^(\d{1,6})([hdw])$/.exec(olderThan) ?? [];
  if (count === undefined) throw new UsageError(`--older-than "${olderThan}": use an age such as 24h, 10d or 1w`);
  return new Date(Date.now() - Number(count) * hours[unit as keyof typeof hours] * 3_600_000);
}

function checkFile(workflow: string): string {
  const path = resolve(workflow);
  if (!(/\.ya?ml$/i.test(path) && existsSync(path))) {
    throw new UsageError(`--definition: there is no workflow file "${workflow}"; give the file's path`);
  }
  return path;
}

async function isConfirmed(workflow: string, { history, definition, olderThan }: RemoveFlags): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('nobody can be asked here; use --force to delete without asking');
  const runs = olderThan === undefined ? `all runs of "${workflow}"` : `runs of "${workflow}" older than ${olderThan}`;
  const what = [history && runs, definition && `the workflow file "${workflow}"`].filter(Boolean).join(' and ');
  const asker = createInterface({ input: process.stdin, output: process.stderr });
  const preserved = history ? 'Active runs will be preserved.\n' : '';
  try {
    const answer = await asker.question(`This will delete ${what}.\n${preserved}Continue? [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    asker.close();
  }
}

function removeHistory(store: Store, workflow: string, olderThan: Date | undefined, dryRun: boolean): void {
  const removed = store.removeRuns({
    workflow,
    path: resolve(workflow),
    dryRun,
    ...(olderThan !== undefined && { olderThan }),
  });
  if (removed.length === 0) print(`No runs to delete for DAG "${workflow}"\n`);
  else if (dryRun) {
    const ids = removed.map((id) => `  - ${id}\n`).join('');
    print(`Dry run: Would delete ${removed.length} run(s) for DAG "${workflow}":\n${ids}`);
  } else print(`Successfully removed ${removed.length} run(s) for DAG "${workflow}"\n`);
}

function removeFile(path: string, dryRun: boolean): void {
  if (dryRun) print(`Dry run: Would delete the workflow file ${path}\n`);
  else {
    rmSync(path);
    print(`Successfully removed the workflow file ${path}\n`);
  }
}
