import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Store } from '../core/store/store.ts';
import { openStore } from './open-store.ts';
import { checkFormat, print, UsageError } from './output.ts';

interface RemoveFlags {
  history?: boolean;
  definition?: boolean;
  olderThan?: string;
  force?: boolean;
  dryRun?: boolean;
  format: string;
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
    .option('--format <format>', 'text or json', 'text')
    .addHelpText('after', '\nExample:\n  dagu rm invoices.yaml --history --older-than 30d')
    .action(async (workflow: string, flags: RemoveFlags) => {
      const format = checkFormat(flags.format);
      const before = checkFlags(flags);
      const file = flags.definition ? checkFile(workflow) : undefined;
      const store = openStore();
      try {
        if (!(flags.force || flags.dryRun) && !(await isConfirmed(workflow, flags))) return;
        const dryRun = flags.dryRun ?? false;
        const runs = flags.history ? removeHistory(store, workflow, before, dryRun) : [];
        if (file !== undefined && !dryRun) rmSync(file);
        if (format === 'json') print(`${JSON.stringify({ dryRun, runs, files: file === undefined ? [] : [file] })}\n`);
        else print(told(workflow, flags, runs, file));
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

/** Gives the ids of the runs that were deleted, or would be. */
function removeHistory(store: Store, workflow: string, olderThan: Date | undefined, dryRun: boolean): string[] {
  const age = olderThan === undefined ? {} : { olderThan };
  return store.removeRuns({ workflow, path: resolve(workflow), dryRun, ...age });
}

function told(workflow: string, { history, dryRun }: RemoveFlags, runs: string[], file: string | undefined): string {
  const lines: string[] = [];
  if (history && runs.length === 0) lines.push(`No runs to delete for DAG "${workflow}"`);
  else if (history && dryRun) {
    lines.push(`Dry run: Would delete ${runs.length} run(s) for DAG "${workflow}":`, ...runs.map((id) => `  - ${id}`));
  } else if (history) lines.push(`Successfully removed ${runs.length} run(s) for DAG "${workflow}"`);
  if (file !== undefined) {
    lines.push(
      dryRun ? `Dry run: Would delete the workflow file ${file}` : `Successfully removed the workflow file ${file}`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}
