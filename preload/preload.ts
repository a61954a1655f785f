import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { type ApiNotice, apiNotices, apiProtocol } from '../core/contract/api.ts';
import { type Answer, type ApiCall, type Bridge, callChannel, noticeChannel } from '../core/contract/bridge.ts';
import { checker, InvalidValue } from '../core/contract/check.ts';

/**
 * The bridge between a page and main: one named function for each call of the contract,
 * and a listener for each notice. No channel's name and no object of Electron's reaches the page.
 */

type Ask = (given: unknown) => Promise<Answer<never>>;

const calls = Object.fromEntries(
  Object.keys(apiProtocol).map((call) => [call, asker(call as ApiCall)]),
) as unknown as Omit<Bridge, 'on'>;

const checkNotice = new Map(
  Object.entries(apiNotices).map(([notice, schema]) => [notice, checker(schema, `notice ${notice}`)]),
);

contextBridge.exposeInMainWorld('dagu', { ...calls, on: listen } satisfies Bridge);

function asker(call: ApiCall): Ask {
  const checkParams = checker(apiProtocol[call].params, `${call} parameters`);
  const checkResult = checker(apiProtocol[call].result, `${call} result`);
  return async (given) => {
    try {
      checkParams(given);
      const answer: Answer<never> = await ipcRenderer.invoke(callChannel(call), given);
      if (answer.ok) checkResult(answer.value);
      return answer;
    } catch (error) {
      if (error instanceof InvalidValue) return { ok: false, failure: { code: 'invalid', message: error.message } };
      throw error;
    }
  };
}

function listen(notice: ApiNotice, listener: (params: never) => void): () => void {
  const check = checkNotice.get(notice);
  if (check === undefined || typeof listener !== 'function') throw new Error('there is no such notice');
  const heard = (_event: IpcRendererEvent, given: unknown) => {
    if (isValid(check, given)) listener(given as never);
  };
  ipcRenderer.on(noticeChannel(notice), heard);
  return () => ipcRenderer.off(noticeChannel(notice), heard);
}

function isValid(check: (value: unknown) => unknown, value: unknown): boolean {
  try {
    check(value);
    return true;
  } catch (error) {
    if (error instanceof InvalidValue) return false;
    throw error;
  }
}
