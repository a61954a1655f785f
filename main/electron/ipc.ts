import { type IpcMainInvokeEvent, ipcMain } from 'electron';
import type { Static } from 'typebox';
import { type ApiNotice, type apiNotices, apiProtocol } from '../../core/contract/api.ts';
import { type Answer, type ApiCall, callChannel, noticeChannel } from '../../core/contract/bridge.ts';
import { checker } from '../../core/contract/check.ts';
import { CallError, type Handlers, toWire } from '../../core/contract/protocol.ts';
import { pagesOrigin } from './pages.ts';
import type { MainWindow } from './window.ts';

/**
 * Answers each call of the contract, on a channel of its own, for the app's own page
 * alone. What a page sends is checked here again: its process may have been taken over.
 */
export function serveApi(handlers: Handlers<typeof apiProtocol>, window: MainWindow): void {
  for (const [call, { params }] of Object.entries(apiProtocol)) {
    const check = checker(params, `${call} parameters`);
    const handle = handlers[call as ApiCall] as (params: unknown) => unknown;
    ipcMain.handle(callChannel(call), async (event, given): Promise<Answer<unknown>> => {
      try {
        if (!isOurs(event, window)) throw new CallError('refused', `${call} is not for this sender`);
        return { ok: true, value: await handle(check(given)) };
      } catch (error) {
        const { code, message } = toWire(error);
        return { ok: false, failure: { code, message } };
      }
    });
  }
}

/** Tells the open page of a notice; nothing happens when there is none. */
export function notify<N extends ApiNotice>(
  window: MainWindow,
  notice: N,
  params: Static<(typeof apiNotices)[N]>,
): void {
  window.contents()?.send(noticeChannel(notice), params);
}

function isOurs(event: IpcMainInvokeEvent, window: MainWindow): boolean {
  const frame = event.senderFrame;
  return event.sender === window.contents() && frame?.parent === null && frame.origin === pagesOrigin;
}
