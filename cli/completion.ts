import { readdirSync } from 'node:fs';
import type { Command } from 'commander';
import { runStatuses, triggers } from '../core/contract/run.ts';
import { openStore } from './open-store.ts';
import { print, statusWord } from './output.ts';

/** One possible word, and what it is. */
type Completion = [word: string, description: string];

/** How many of the newest runs are offered. */
const offeredRuns = 50;

/**
 * `dagu completion SHELL` prints what makes the shell complete the command; the shell then
 * asks the hidden `dagu complete`. Commands and flags come from the commands' own
 * definitions, what can stand for a workflow or a run from the folder and the store.
 */
export async function addCompletion(program: Command): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  const completions = tab(program, { completionCommandName: 'completion' });
  const offer = (list: () => Completion[]) => (complete: (word: string, description: string) => void) => {
    for (const [word, description] of list()) complete(word, description);
  };
  for (const command of completions.commands.values()) {
    const files = command.arguments.get('file');
    if (files !== undefined) files.handler = offer(workflowFiles);
    const workflows = command.arguments.get('workflow');
    if (workflows !== undefined) workflows.handler = offer(() => [...workflowNames(), ...workflowFiles()]);
    for (const [name, list] of Object.entries(ofFlags)) {
      const flag = command.options.get(name);
      if (flag !== undefined) flag.handler = offer(list);
    }
  }
  describe(program);
}

/** The library's own words are replaced by ours, with an example as every command has one. */
function describe(program: Command): void {
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('print what makes a shell complete this command: bash, zsh, fish or powershell')
    .hook('preAction', (command) => {
      if (command.args[0] === 'bash') print(wordsInBash);
    })
    .addHelpText('after', '\nExample:\n  source <(dagu completion bash)');
}

/** What the script for bash asks for, where the package bash-completion is not there to give it. */
const wordsInBash = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
  _get_comp_words_by_ref() {
    cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} cword=$COMP_CWORD
    words=("\${COMP_WORDS[@]}")
  }
fi
`;

const words = (list: readonly string[]) => (): Completion[] => list.map((word) => [word, '']);

const ofFlags: Readonly<Record<string, () => Completion[]>> = {
  format: words(['text', 'json']),
  status: words(Object.keys(runStatuses)),
  'trigger-type': words(triggers),
  'run-id': runIds,
  'from-run-id': runIds,
  before: runIds,
};

/** Workflow files, and folders that may hold some, where the word that is typed points to. */
function workflowFiles(): Completion[] {
  const word = process.argv.at(-1) ?? '';
  const folder = word.slice(0, word.lastIndexOf('/') + 1);
  return entriesOf(folder || '.').flatMap((entry): Completion[] => {
    if (entry.name.startsWith('.')) return [];
    if (entry.isDirectory()) return [[`${folder}${entry.name}/`, 'folder']];
    return /\.ya?ml$/i.test(entry.name) ? [[`${folder}${entry.name}`, 'workflow file']] : [];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // There is no such folder, or none that this user may read: nothing to offer.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return [];
  }
}

function workflowNames(): Completion[] {
  return [...new Set(newestRuns().map(({ name }) => name))].map((name) => [name, 'workflow']);
}

function runIds(): Completion[] {
  return newestRuns().map(({ runId, name, status }) => [runId, `${name}, ${statusWord(status)}`]);
}

function newestRuns() {
  const store = openStore({ forReading: true });
  try {
    return store.listRuns({ limit: offeredRuns });
  } finally {
    store.close();
  }
}
