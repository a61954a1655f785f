import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { groupLives } from './process-group.ts';
import { allProcesses, hasInEnvironment } from './process-table.ts';
import { endTree, markVariable } from './process-tree.ts';

/**
 * Knows the processes of the commands of a run and of the runs under it. What a command left
 * behind ends with the run; all of it ends when the executor is gone, also by kill -9. For
 * that it has a small shell that holds the reading end of a pipe, and sees its end; the shell
 * is started with the first command. On Windows a job object will do its work (native/windows).
 */
export class Guardian {
  readonly #id = randomBytes(9).toString('base64url');
  #marks = 0;
  #hasWatched = false;
  /** Groups of commands that have not ended, or have left something behind. */
  readonly #groups = new Set<number>();
  readonly #folders = new Set<string>();
  #shell: ChildProcess | undefined;
  #untold = '';

  /** A mark for commands that are ended together, with all that they start. */
  newMark(): string {
    this.#marks += 1;
    return `${this.#id}.${this.#marks}:`;
  }

  /** The environment variable that carries a mark, after those of a run that this one is a step of. */
  variable(mark: string): Record<string, string> {
    return { [markVariable]: `${process.env[markVariable] ?? ''}${mark}` };
  }

  /** A command began, whose process leads the group. */
  watch(group: number): void {
    this.#hasWatched = true;
    this.#groups.add(group);
    this.#tell(`+ ${group}`);
  }

  /** A command ended. Those in its group that do not carry its mark are watched further. */
  letGo(group: number, mark: string): void {
    if (process.platform !== 'win32' && groupLives(group)) {
      const isUnmarked = (pid: number) => !hasInEnvironment(pid, mark);
      const others = allProcesses().filter((entry) => entry.group === group && !entry.ended);
      if (process.platform !== 'linux' || others.some(({ pid }) => isUnmarked(pid))) return;
    }
    this.#groups.delete(group);
    this.#tell(`- ${group}`, 'with the next');
  }

  /** A folder that nobody needs after the run: it is removed with the guardian, or when the executor is gone. */
  removeAtEnd(folder: string): void {
    if (this.#folders.has(folder)) return;
    this.#folders.add(folder);
    // The shell reads line by line.
    if (!/^\s|\n|\s$/.test(folder)) this.#tell(`d ${folder}`);
  }

  /** Ends what commands left behind, and the guardian. */
  async close(): Promise<void> {
    if (this.#hasWatched) await endTree({ roots: [...this.#groups], mark: `${this.#id}.` });
    this.#hasWatched = false;
    this.#groups.clear();
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
    this.#folders.clear();
    this.#shell?.stdin?.end('q\n');
    this.#shell = undefined;
    this.#untold = '';
  }

  /** One command's end and the next one's beginning are one write: each wakes the shell. */
  #tell(line: string, when: 'now' | 'with the next' = 'now'): void {
    if (process.platform === 'win32') return;
    this.#shell ??= start(`${this.#id}.`);
    this.#untold += `${line}\n`;
    if (when === 'now') this.#write();
    else setImmediate(() => this.#write());
  }

  #write(): void {
    if (this.#untold !== '') this.#shell?.stdin?.write(this.#untold);
    this.#untold = '';
  }
}

/** Its argument is what all marks of the run have in common. */
const program = `
trap '' INT TERM HUP
mark=$1
shift
groups=
while read -r verb what; do
  case $verb in
    +) groups="$groups $what" ;;
    -) left=
       for one in $groups; do [ "$one" = "$what" ] || left="$left $one"; done
       groups=$left ;;
    d) set -- "$@" "$what" ;;
    q) exit ;;
  esac
done
for one in $groups; do kill -9 "-$one" 2>/dev/null; done
# Again until there is none: one that was just being started is found the next time.
round=0
while [ $round -lt 100 ]; do
  marked=$(grep -slzF -e "$mark" /proc/[0-9]*/environ)
  [ -n "$marked" ] || break
  for one in $marked; do one=\${one#/proc/}; kill -9 "\${one%/environ}" 2>/dev/null; done
  round=$((round + 1))
done
[ $# -eq 0 ] || rm -rf -- "$@"
`;

function start(mark: string): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', program, 'sh', mark], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // A guardian that could not start must not end the run; its pipe then takes no writes.
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  return shell;
}
