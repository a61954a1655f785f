import type { Command } from 'commander';

/** Adds a command, or commands that belong together, to the program. */
export type AddCommand = (program: Command) => void | Promise<void>;

/** The commands in the order in which help lists them; each one's module is loaded when it is asked for. */
const commands: Readonly<Record<string, () => Promise<AddCommand>>> = {
  start: async () => (await import('./start.ts')).addStart,
  validate: async () => (await import('./validate.ts')).addValidate,
  status: async () => (await import('./status.ts')).addStatus,
  history: async () => (await import('./history.ts')).addHistory,
  logs: async () => (await import('./logs.ts')).addLogs,
  stop: async () => (await import('./stop.ts')).addStop,
  retry: async () => (await import('./retry.ts')).addRetry,
  approve: async () => (await import('./decide.ts')).addDecisions,
  reject: async () => (await import('./decide.ts')).addDecisions,
  'push-back': async () => (await import('./decide.ts')).addDecisions,
  rm: async () => (await import('./rm.ts')).addRemove,
  schema: async () => (await import('./schema.ts')).addSchema,
  completion: async () => (await import('./completion.ts')).addCompletion,
  version: async () => (await import('./version.ts')).addVersion,
  help: async () => (await import('./help.ts')).addHelp,
};

/** Commands that tell about the others, so that those have to be there. */
const aboutAll: readonly string[] = ['help', 'completion'];

/**
 * Adds the command of that name, and no other, since loading all takes longer than most of
 * them run. Where the name is none of theirs, or stands for help, all are added.
 */
export async function addCommands(program: Command, name: string | undefined): Promise<void> {
  const isOne = name !== undefined && Object.hasOwn(commands, name) && !aboutAll.includes(name);
  const chosen = isOne ? [commands[name]] : Object.values(commands);
  const adding = new Set(await Promise.all(chosen.map(async (load) => await load?.())));
  for (const add of adding) await add?.(program);
}
