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
  }
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
