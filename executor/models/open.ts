import type { FetchFor } from '../../core/net/network.ts';
import { anthropicModel } from './anthropic.ts';
import { geminiModel } from './gemini.ts';
import type { ChatModel } from './model.ts';
import { openaiModel } from './openai.ts';
import type { ModelTarget } from './targets.ts';

/** The client for a model, by its provider. It loads the provider's SDK with its first request. */
export function openModel(target: ModelTarget, fetchFor: FetchFor): ChatModel {
  switch (target.provider) {
    case 'anthropic':
      return anthropicModel(target, fetchFor);
    case 'gemini':
      return geminiModel(target, fetchFor);
    default:
      return openaiModel(target, fetchFor);
  }
}
