import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { CallError } from '../core/contract/protocol.ts';
import { addCommands } from './commands.ts';
import { complain, print, UsageError } from './output.ts';

/** The `dagu` command: arguments and printing, nothing else. Exit codes are 0 and 1. */
const program = new Command('dagu')
  .description('Runs workflows that operate desktop applications')
  .showHelpAfterError(false)
  .exitOverride()
  .configureOutput({
    writeOut: print,
    // One line, a suggestion included.
    outputError: (text, write) =>
      write(
        `${text
          .trim()
          .replace(/^error: /, 'Error: ')
          .replaceAll('\n', ' ')}\n`,
      ),
  });

void run();

async function run(): Promise<void> {
  await addCommands(program, process.argv[2]);
  for (const command of program.commands) {
    command.exitOverride().configureOutput(program.configureOutput());
    command.option('--dagu-home <folder>', 'keep data in the folder "desktop" of this one, as DAGU_HOME says');
  }
  program.hook('preAction', (_, command) => useHome(command.opts<{ daguHome?: string }>().daguHome));
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 1;
    else if (error instanceof UsageError || error instanceof CallError) {
      complain(error.message);
      process.exitCode = 1;
    } else throw error;
  }
}

/** The flag goes before the variables of the environment. */
function useHome(folder: string | undefined): void {
  if (folder === undefined) return;
  process.env.DAGU_HOME = resolve(folder);
  delete process.env.DAGU_DESKTOP_HOME;
}
