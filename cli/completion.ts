import type { Command } from 'commander';

/**
 * `dagu completion SHELL` prints what makes the shell complete the command, and the shell
 * then asks the hidden `dagu complete`. Commands and flags come from the commands' own
 * definitions; a file is completed by the shell itself.
 */
export async function addCompletion(program: Command): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  tab(program, { completionCommandName: 'completion' });
}
