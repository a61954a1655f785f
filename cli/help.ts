import type { Command } from 'commander';
import { UsageError } from './output.ts';

export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .description('show how the command, or one of its commands, is used')
    .argument('[command]')
    .action((name: string | undefined) => {
      const asked = name === undefined ? program : program.commands.find((command) => command.name() === name);
      if (asked === undefined) {
        const names = program.commands.map((command) => command.name()).join(', ');
        throw new UsageError(`there is no command "${name}"; the commands are ${names}`);
      }
      asked.help();
    });
}
