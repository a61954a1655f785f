import type Anthropic from '@anthropic-ai/sdk';
import type { FetchFor } from '../../core/net/network.ts';
import { parseExact } from '../json.ts';
import { readMessage, readPieces } from './anthropic-answer.ts';
import { type Call, clientOf, type Wire } from './client.ts';
import type { AssistantMessage, ChatMessage, ChatModel, ChatRequest, ModelImage, ToolChoice } from './model.ts';
import type { ModelTarget } from './targets.ts';
import { budgetOf } from './thinking.ts';

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** Tokens of an answer where the file sets no limit: the API wants one. */
const defaultMaxTokens = 4096;

/** A client for Anthropic's messages API. */
export function anthropicModel(target: ModelTarget, fetchFor: FetchFor, delays?: readonly number[]): ChatModel {
  return clientOf(target, anthropicWire, fetchFor, delays);
}

const anthropicWire: Wire = {
  path: () => '/v1/messages',
  send: async (call, request, streams) => {
    const client = await openClient(call);
    const body = bodyOf(call.target, request);
    const { signal } = call;
    if (!streams) return await client.messages.create(body, { signal }).asResponse();
    return await client.messages.create({ ...body, stream: true }, { signal }).asResponse();
  },
  readReply: readMessage,
  readPieces,
};

async function openClient({ target, fetch }: Call): Promise<Anthropic> {
  const { Anthropic } = await import('@anthropic-ai/sdk');
  const key = target.apiKey ?? 'none';
  return new Anthropic({
    baseURL: target.baseUrl,
    // All of them are set so that variables and profiles of the environment do not send another key.
    apiKey: key,
    authToken: null,
    webhookKey: null,
    defaultHeaders: { 'x-api-key': target.apiKey ?? null, authorization: null },
    // Its own retries cannot be aborted and take 4xx answers too.
    maxRetries: 0,
    // The call's signal limits the time.
    timeout: 2 ** 31 - 1,
    openTelemetry: false,
    // It would print parts of answers past the step's masking.
    logLevel: 'off',
    fetch,
  });
}

function bodyOf(target: ModelTarget, request: ChatRequest): Body {
  const { messages } = request;
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  const tools = [...toolsOf(request), ...searchTool(target)];
  const choice = choiceOf(target, request);
  return {
    model: target.model,
    max_tokens: maxTokensOf(target),
    messages: turnsOf(messages),
    ...(system.length > 0 && { system: system.join('\n\n') }),
    ...(target.temperature !== undefined && { temperature: target.temperature }),
    ...(target.topP !== undefined && { top_p: target.topP }),
    ...(target.thinking !== undefined && thinkingOf(target.thinking)),
    ...(tools.length > 0 && { tools }),
    ...(choice !== undefined && { tool_choice: choice }),
  };
}

/** A budget of thinking counts as part of the answer: what is left for the answer itself stays. */
function maxTokensOf({ maxTokens, thinking }: ModelTarget): number {
  const wanted = maxTokens ?? defaultMaxTokens;
  if (thinking === undefined || isAdaptive(thinking)) return wanted;
  const budget = budgetOf(thinking);
  return wanted > budget ? wanted : budget + defaultMaxTokens;
}

/** An effort in words is the model's to interpret; newer models take no budget. */
function isAdaptive({ effort, budget_tokens }: NonNullable<ModelTarget['thinking']>): boolean {
  return effort !== undefined && budget_tokens === undefined;
}

function thinkingOf(thinking: NonNullable<ModelTarget['thinking']>): Pick<Body, 'thinking' | 'output_config'> {
  const { effort, include_in_output } = thinking;
  const display = include_in_output ? { display: 'summarized' as const } : {};
  if (isAdaptive(thinking)) return { thinking: { type: 'adaptive', ...display }, output_config: { effort } };
  return { thinking: { type: 'enabled', budget_tokens: budgetOf(thinking), ...display } };
}

/** Calls of earlier steps may stand in the conversation of a step that has no tools: the API wants them declared. */
function toolsOf({ tools, messages }: ChatRequest): Anthropic.Tool[] {
  if (tools !== undefined && tools.length > 0) {
    return tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters as Anthropic.Tool.InputSchema,
    }));
  }
  const called = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  return [...new Set(called.map(({ name }) => name))].map((name) => ({ name, input_schema: { type: 'object' } }));
}

function searchTool({ webSearch }: ModelTarget): Anthropic.WebSearchTool20250305[] {
  if (webSearch === undefined) return [];
  const { enabled: _, user_location, ...search } = webSearch;
  return [
    {
      type: 'web_search_20250305',
      name: 'web_search',
      ...search,
      ...(user_location !== undefined && { user_location: { type: 'approximate', ...user_location } }),
    },
  ];
}

function choiceOf(target: ModelTarget, { tools = [], toolChoice, messages }: ChatRequest): Body['tool_choice'] {
  const hasCalls = messages.some((message) => message.role === 'assistant' && message.toolCalls?.length);
  if (tools.length === 0) return hasCalls && target.webSearch === undefined ? { type: 'none' } : undefined;
  if (toolChoice === undefined) return undefined;
  // A model that thinks must not be forced to call a tool.
  if (toolChoice === 'auto' || target.thinking !== undefined) return { type: 'auto' };
  return namedOrAny(toolChoice);
}

function namedOrAny(choice: Exclude<ToolChoice, undefined | 'auto'>): Body['tool_choice'] {
  return typeof choice === 'string' ? { type: 'any' } : { type: 'tool', name: choice.name };
}

/** The turns of the conversation: results of calls stand together in one message of the user. */
function turnsOf(messages: readonly ChatMessage[]): Anthropic.MessageParam[] {
  const turns: Anthropic.MessageParam[] = [];
  let results: Anthropic.ToolResultBlockParam[] | undefined;
  for (const message of messages) {
    if (message.role === 'system') continue;
    if (message.role === 'tool') {
      if (results === undefined) {
        results = [];
        turns.push({ role: 'user', content: results });
      }
      results.push({ type: 'tool_result', tool_use_id: message.callId, content: message.content });
      continue;
    }
    results = undefined;
    if (message.role === 'assistant') turns.push({ role: 'assistant', content: assistantBlocks(message) });
    else turns.push({ role: 'user', content: userContent(message.content, message.images ?? []) });
  }
  return turns;
}

function userContent(text: string, images: readonly ModelImage[]): Anthropic.MessageParam['content'] {
  if (images.length === 0) return text;
  return [{ type: 'text', text }, ...images.map(imageBlock)];
}

function imageBlock({ mediaType, bytes }: ModelImage): Anthropic.ImageBlockParam {
  const data = Buffer.from(bytes).toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

/** Thoughts and searches go back as they came, with the calls as they were understood in their places. */
function assistantBlocks({ content, toolCalls = [], echo }: AssistantMessage): Anthropic.ContentBlockParam[] {
  const calls = toolCalls.map(
    ({ id, name, arguments: given }): Anthropic.ToolUseBlockParam => ({
      type: 'tool_use',
      id,
      name,
      input: parseExact(given),
    }),
  );
  if (echo?.provider === 'anthropic') {
    const rest = [...calls];
    const blocks = echo.parts as Anthropic.ContentBlockParam[];
    return blocks.flatMap((block) => (block.type === 'tool_use' ? (rest.shift() ?? []) : block));
  }
  // The API takes neither an empty text nor a message of nothing.
  const text = content.trim() === '' ? [] : [{ type: 'text' as const, text: content }];
  const blocks = [...text, ...calls];
  return blocks.length > 0 ? blocks : [{ type: 'text', text: '(no answer)' }];
}
