import { type IpcMainInvokeEvent, ipcMain } from 'electron';
import type { Static } from 'typebox';
import type { ApiNotice, apiNotices } from '../../core/contract/api.ts';
import { callChannel, noticeChannel } from '../../core/contract/bridge.ts';
import type { Answers } from '../answers.ts';
import { pagesOrigin } from './pages.ts';
import type { MainWindow } from './window.ts';

/** Answers each call of the contract, on a channel of its own, for the app's own page alone. */
export function serveApi(answers: Answers, window: MainWindow): void {
  for (const [call, answer] of Object.entries(answers)) {
    ipcMain.handle(callChannel(call), (event, given: unknown) => {
      if (isOurs(event, window)) return answer(given);
      return { ok: false, failure: { code: 'refused', message: `${call} is not for this sender` } };
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
