import type { Channel } from '../core/contract/channel.ts';
import { type CallOptions, connect } from '../core/contract/protocol.ts';
import { type Desktop, desktopProtocol } from './desktop.ts';

/** How long a call may take when its caller says nothing, in milliseconds. */
const defaultMs: Record<keyof typeof desktopProtocol, number> = {
  capabilities: 5_000,
  // A permission dialog may be in front of the person.
  check: 60_000,
  takeLease: 5_000,
  releaseLease: 5_000,
  windows: 5_000,
  frontWindow: 5_000,
  ignore: 5_000,
  captureScreen: 10_000,
  captureWindow: 10_000,
  compose: 10_000,
  encode: 10_000,
  dropPicture: 5_000,
  raise: 10_000,
  restore: 10_000,
  maximize: 10_000,
  pointerMove: 5_000,
  click: 10_000,
  scroll: 10_000,
  // Long texts are typed in batches of a few dozen characters.
  typeText: 120_000,
  pressChord: 10_000,
  releaseAll: 5_000,
  elements: 30_000,
  readElement: 10_000,
  elementAt: 30_000,
  perform: 15_000,
  launch: 10_000,
  keepAwake: 5_000,
  lastPersonInput: 5_000,
};

/**
 * The desktop of a driver that answers on the channel. Every call ends: after a
 * deadline of its kind unless the caller gives another, with code `timeout`; with
 * code `closed` when the driver's process is gone.
 */
export function openDesktop(channel: Channel): Desktop {
  const client = connect(channel, desktopProtocol);
  const bounded: Record<string, unknown> = {};
  for (const [method, timeoutMs] of Object.entries(defaultMs)) {
    const call = client[method as keyof Desktop] as (params: unknown, options: CallOptions) => Promise<unknown>;
    bounded[method] = (params: unknown = {}, options: CallOptions = {}) => call(params, { timeoutMs, ...options });
  }
  return bounded as Desktop;
}
