import { type ContractCheck, notices, params, results } from 'virtual:contract-validators';
import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import type { ApiNotice } from '../core/contract/api.ts';
import {
  type Answer,
  type ApiCall,
  type Bridge,
  callChannel,
  type Failure,
  noticeChannel,
} from '../core/contract/bridge.ts';

/**
 * The bridge between a page and main: one named function for each call of the contract,
 * and a listener for each notice. No channel's name and no object of Electron's reaches the page.
 */

const calls = Object.fromEntries(
  Object.keys(params).map((call) => [call, (given: unknown) => ask(call as ApiCall, given)]),
) as Omit<Bridge, 'on'>;

contextBridge.exposeInMainWorld('dagu', { ...calls, on: listen } satisfies Bridge);

async function ask(call: ApiCall, given: unknown): Promise<Answer<never>> {
  const wrong = check(params[call], given, `${call} parameters`);
  if (wrong !== undefined) return { ok: false, failure: wrong };
  const answer: Answer<never> = await ipcRenderer.invoke(callChannel(call), given);
  if (!answer.ok) return answer;
  const broken = check(results[call], answer.value, `${call} result`);
  return broken === undefined ? answer : { ok: false, failure: broken };
}

function listen(notice: ApiNotice, listener: (params: never) => void): () => void {
  const isNotice = notices[notice];
  if (isNotice === undefined || typeof listener !== 'function') throw new Error('there is no such notice');
  const heard = (_event: IpcRendererEvent, given: unknown) => {
    if (isNotice(given)) listener(given as never);
  };
  ipcRenderer.on(noticeChannel(notice), heard);
  return () => ipcRenderer.off(noticeChannel(notice), heard);
}

function check(isValid: ContractCheck, value: unknown, what: string): Failure | undefined {
  if (isValid(value)) return undefined;
  const error = isValid.errors?.[0];
  return { code: 'invalid', message: `${what}: ${error?.instancePath ?? ''} ${error?.message ?? 'is not valid'}` };
}
