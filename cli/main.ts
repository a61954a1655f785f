import { Command, CommanderError } from 'commander';
import { StoreFailure } from '../core/store/database.ts';
import { addHelp } from './help.ts';
import { addHistory } from './history.ts';
import { addLogs } from './logs.ts';
import { complain, print, UsageError } from './output.ts';
import { addStart } from './start.ts';
import { addStatus } from './status.ts';
import { addValidate } from './validate.ts';
import { addVersion } from './version.ts';

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

for (const add of [addStart, addValidate, addStatus, addHistory, addLogs, addVersion, addHelp]) add(program);
for (const command of program.commands) {
  command.exitOverride().configureOutput(program.configureOutput());
}

try {
  await program.parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 1;
  else if (error instanceof UsageError || error instanceof StoreFailure) {
    complain(error.message);
    process.exitCode = 1;
  } else throw error;
}
