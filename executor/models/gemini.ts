import type {
  Content,
  FunctionCallingConfigMode,
  GenerationConfig,
  Part,
  ThinkingLevel,
  Tool,
  ToolConfig,
} from '@google/genai';
import type { FetchFor } from '../../core/net/network.ts';
import { parseExact } from '../json.ts';
import { clientOf, type Wire } from './client.ts';
import { readContent, readPieces } from './gemini-answer.ts';
import type { AssistantMessage, ChatMessage, ChatModel, ChatRequest } from './model.ts';
import type { ModelTarget } from './targets.ts';

/** The body of `generateContent`, of the types of Google's SDK. */
export interface GeminiBody {
  contents: Content[];
  systemInstruction?: Content;
  generationConfig?: GenerationConfig;
  tools?: Tool[];
  toolConfig?: ToolConfig;
}

/**
 * A client for Google's Gemini API. Requests are of the types of Google's SDK; the SDK itself
 * does not send them, since it gives no answer as it came, and reads numbers that it cannot hold.
 */
export function geminiModel(target: ModelTarget, fetchFor: FetchFor, delays?: readonly number[]): ChatModel {
  return clientOf(target, geminiWire, fetchFor, delays);
}

const geminiWire: Wire = {
  path: pathOf,
  send: async ({ target, fetch, signal }, request, streams) => {
    const path = streams ? `${pathOf(target, 'streamGenerateContent')}?alt=sse` : pathOf(target);
    return await fetch(`${target.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(target.apiKey !== undefined && { 'x-goog-api-key': target.apiKey }),
      },
      body: JSON.stringify(bodyOf(target, request)),
      signal,
    });
  },
  readReply: readContent,
  readPieces,
};

function pathOf({ model }: ModelTarget, method = 'generateContent'): string {
  // Both forms are in use: gemini-x and models/gemini-x; tuned models have a folder of their own.
  const path = model.includes('/') ? model : `models/${model}`;
  return `/${path.split('/').map(encodeURIComponent).join('/')}:${method}`;
}

function bodyOf(target: ModelTarget, request: ChatRequest): GeminiBody {
  const system = request.messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const generationConfig = generationConfigOf(target);
  const tools = toolsOf(target, request);
  const toolConfig = toolConfigOf(request);
  return {
    contents: contentsOf(request.messages),
    ...(system.length > 0 && { systemInstruction: { parts: [{ text: system.join('\n\n') }] } }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...(tools.length > 0 && { tools }),
    ...(toolConfig !== undefined && { toolConfig }),
  };
}

function generationConfigOf({ temperature, maxTokens, topP, thinking }: ModelTarget): GenerationConfig {
  const thinkingConfig = thinking && {
    ...(thinking.include_in_output && { includeThoughts: true }),
    // It takes one of them: a level for newer models, a budget for older ones.
    ...(thinking.budget_tokens !== undefined
      ? { thinkingBudget: thinking.budget_tokens }
      : thinking.effort !== undefined && { thinkingLevel: levels[thinking.effort] as ThinkingLevel }),
  };
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(topP !== undefined && { topP }),
    ...(thinkingConfig !== undefined && { thinkingConfig }),
  };
}

/** There is no level above HIGH. */
const levels = { low: 'LOW', medium: 'MEDIUM', high: 'HIGH', xhigh: 'HIGH' } as const;

function toolsOf({ webSearch }: ModelTarget, { tools = [] }: ChatRequest): Tool[] {
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return [
    ...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : []),
    ...(webSearch !== undefined ? [{ googleSearch: {} }] : []),
  ];
}

function toolConfigOf({ tools = [], toolChoice }: ChatRequest): ToolConfig | undefined {
  if (tools.length === 0 || toolChoice === undefined) return undefined;
  const mode = (toolChoice === 'auto' ? 'AUTO' : 'ANY') as FunctionCallingConfigMode;
  const named = typeof toolChoice === 'object' && { allowedFunctionNames: [toolChoice.name] };
  return { functionCallingConfig: { mode, ...named } };
}

/** The turns of the conversation: results of calls stand together in one content of the user. */
function contentsOf(messages: readonly ChatMessage[]): Content[] {
  const contents: Content[] = [];
  let results: Part[] | undefined;
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role === 'tool') {
      if (results === undefined) {
        results = [];
        contents.push({ role: 'user', parts: results });
      }
      const { callId: id, name, content } = message;
      results.push({ functionResponse: { id, name, response: { output: content } } });
      continue;
    }
    results = undefined;
    if (message.role === 'assistant') {
      contents.push({ role: 'model', parts: modelParts(message) });
      continue;
    }
    const images = (message.images ?? []).map(({ mediaType, bytes }) => ({
      inlineData: { mimeType: mediaType, data: Buffer.from(bytes).toString('base64') },
    }));
    contents.push({ role: 'user', parts: [{ text: message.content }, ...images] });
  }
  return contents;
}

/** Signed thoughts go back as they came, with the calls as they were understood in their places. */
function modelParts({ content, toolCalls = [], echo }: AssistantMessage): Part[] {
  const calls = toolCalls.map(({ id, name, arguments: given }) => ({
    functionCall: { id, name, args: parseExact(given) as Record<string, unknown> },
  }));
  if (echo?.provider === 'gemini') {
    const rest = [...calls];
    return (echo.parts as Part[]).flatMap((part) =>
      part.functionCall === undefined ? part : { ...part, ...rest.shift() },
    );
  }
  const text = content === '' && calls.length > 0 ? [] : [{ text: content }];
  return [...text, ...calls];
}
