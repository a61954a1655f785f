import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Ends the process groups of shell steps when the run's process is gone, also by kill -9:
 * a small shell that holds the reading end of a pipe, and sees its end. It is started with
 * the first shell step.
 */
export class Guardian {
  #shell: ChildProcess | undefined;

  /** The group ends with the run, unless it is let go before. */
  watch(group: number): void {
    this.#shell ??= start();
    this.#shell.stdin?.write(`+ ${group}\n`);
  }

  letGo(group: number): void {
    this.#shell?.stdin?.write(`- ${group}\n`);
  }

  /** Ends the groups that are still watched, and the guardian. */
  close(): void {
    this.#shell?.stdin?.end();
    this.#shell = undefined;
  }
}

const program = `
trap '' INT TERM HUP
groups=
while read -r verb group; do
  case $verb in
    +) groups="$groups $group" ;;
    -) left=
       for one in $groups; do [ "$one" = "$group" ] || left="$left $one"; done
       groups=$left ;;
  esac
done
for one in $groups; do kill -9 "-$one" 2>/dev/null; done
`;

function start(): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', program], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // A guardian that could not start must not end the run; its pipe then takes no writes.
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  return shell;
}
