import type { ChildProcess } from 'node:child_process';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Channel } from '../contract/channel.ts';

/** The part of Electron's and the web's message ports that a channel needs. */
export interface PortLike {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  start?(): void;
  close?(): void;
}

/** A channel to a child process that was forked with `serialization: 'advanced'`. */
export function childChannel(child: ChildProcess): Channel {
  return {
    send: (message) => {
      if (child.connected) child.send(message as object, () => {});
    },
    onMessage: (listener) => child.on('message', listener),
    onClose: (listener) => {
      child.once('exit', (code, signal) =>
        listener(signal ? `the process was ended by ${signal}` : `the process ended with code ${code}`),
      );
      child.once('error', (error) => listener(error.message));
    },
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

/** The channel to the process that forked this one, in plain Node. */
export function parentChannel(): Channel {
  return {
    send: (message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
    onMessage: (listener) => process.on('message', listener),
    onClose: (listener) => process.once('disconnect', () => listener('the process that started this one is gone')),
    close: () => {
      if (process.connected) process.disconnect();
    },
  };
}

/** A channel over a message port: Electron's `parentPort` or `MessagePortMain`. */
export function portChannel(port: PortLike): Channel {
  port.start?.();
  return {
    send: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', (event) => listener(event.data)),
    onClose: (listener) => port.on('close', () => listener('the other process is gone')),
    close: () => port.close?.(),
  };
}

/** A channel between a thread and the one that started it. */
export function threadChannel(thread: Worker | MessagePort): Channel {
  return {
    send: (message) => thread.postMessage(message),
    onMessage: (listener) => thread.on('message', listener),
    onClose: (listener) => {
      thread.once('error', (error: Error) => listener(error.message));
      thread.once('exit', () => listener('the thread ended'));
      thread.once('close', () => listener('the thread that started this one is gone'));
    },
    close: () => {
      if ('close' in thread) thread.close();
      else void thread.terminate();
    },
  };
}
