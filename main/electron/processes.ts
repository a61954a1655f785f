import {
  app,
  type Details,
  MessageChannelMain,
  type MessagePortMain,
  type UtilityProcess,
  utilityProcess,
} from 'electron';
import type { Channel } from '../../core/contract/channel.ts';
import { CallError } from '../../core/contract/protocol.ts';
import { type Entry, entryPath } from '../../core/process/entries.ts';
import type { ExecutorProcess } from '../supervisor.ts';

/** How long a driver may take to let keys up and give the desktop back, once its run is over. */
const driverGraceMs = 3000;

/** How long a process may take to end after it was asked to by the system's means. */
const killGraceMs = 2000;

/** `child-process-gone`, which knows why, comes about as `exit` does, before or after it. */
const reasonDelayMs = 250;

let forks = 0;

/** A program of ours in a utility process. */
class Program {
  readonly process: UtilityProcess;
  readonly #closes: ((reason: string) => void)[] = [];
  #gone: string | undefined;

  constructor(entry: Entry) {
    forks += 1;
    // Electron tells of a process that crashed by this name, so each has its own.
    const serviceName = `Dagu ${entry} ${forks}`;
    this.process = utilityProcess.fork(entryPath(entry), [], { serviceName, stdio: ['ignore', 'ignore', 'inherit'] });

    const crashed = (_event: unknown, details: Details) => {
      if (details.name !== serviceName) return;
      const reason = reasonOf(details);
      if (details.reason !== 'clean-exit' && details.reason !== 'killed') console.error(`${serviceName}: ${reason}`);
      this.#close(reason);
    };
    app.on('child-process-gone', crashed);
    this.process.once('error', (kind, location) => this.#close(`the process failed: ${kind} at ${location}`));
    this.process.once('exit', (code) => {
      const close = () => {
        app.off('child-process-gone', crashed);
        this.#close(`the process ended with code ${code}`);
      };
      if (code === 0) close();
      else setTimeout(close, reasonDelayMs);
    });
  }

  /** Calls the listener once, when the process is gone, with the reason in words. */
  onGone(listener: (reason: string) => void): void {
    if (this.#gone === undefined) this.#closes.push(listener);
    else listener(this.#gone);
  }

  /** Resolves once the process runs; rejects, with the reason, when it does not come to that. */
  spawned(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.process.once('spawn', resolve);
      this.onGone((reason) => reject(new CallError('failed', reason)));
    });
  }

  /** Sends a message, with ports that become the process' own; a process that is gone gets nothing. */
  post(message: unknown, ports: MessagePortMain[] = []): void {
    if (this.#gone === undefined) this.process.postMessage(message, ports);
  }

  /** Ends the process, by force when it does not end at once. */
  kill(): void {
    if (this.#gone !== undefined) return;
    const { pid } = this.process;
    if (pid === undefined) {
      this.process.once('spawn', () => this.kill());
      return;
    }
    this.process.kill();
    const force = setTimeout(() => killByForce(pid), killGraceMs);
    this.onGone(() => clearTimeout(force));
  }

  #close(reason: string): void {
    if (this.#gone !== undefined) return;
    this.#gone = reason;
    for (const listener of this.#closes) listener(reason);
  }
}

/** Starts an executor in a utility process. Its driver, once it asks for one, ends when it ends. */
export function forkExecutor(): ExecutorProcess {
  const executor = new Program('executor');
  let driver: Program | undefined;
  executor.onGone(() => driver && endDriver(driver));
  return {
    channel: processChannel(executor),
    kill: () => executor.kill(),
    async openDriver() {
      driver?.kill();
      const next = new Program('driver');
      driver = next;
      await next.spawned();
      const { port1, port2 } = new MessageChannelMain();
      next.post({}, [port1]);
      executor.post({ driverPort: true }, [port2]);
    },
  };
}

/** The driver's port has closed, so it lets go of the desktop by itself; one that hangs is ended. */
function endDriver(driver: Program): void {
  const late = setTimeout(() => driver.kill(), driverGraceMs);
  driver.onGone(() => clearTimeout(late));
}

function processChannel(program: Program): Channel {
  return {
    send: (message) => program.post(message),
    onMessage: (listener) => program.process.on('message', listener),
    onClose: (listener) => program.onGone(listener),
    close: () => program.kill(),
  };
}

function reasonOf({ reason, exitCode }: Details): string {
  switch (reason) {
    case 'crashed':
    case 'abnormal-exit':
      return `the process crashed (code ${exitCode})`;
    case 'killed':
      return 'the process was ended from outside';
    case 'oom':
      return 'the process ran out of memory';
    case 'launch-failed':
    case 'integrity-failure':
      return `the process could not be started (${reason})`;
    default:
      return `the process ended with code ${exitCode}`;
  }
}

function killByForce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
