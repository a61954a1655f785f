import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions/completions';
import type { FetchFor } from '../../core/net/network.ts';
import { type Call, clientOf, type Wire } from './client.ts';
import { readCompletion, readPieces } from './completion.ts';
import type { ChatMessage, ChatModel, ChatRequest, ModelImage, ToolChoice } from './model.ts';
import type { ModelTarget } from './targets.ts';
import { effortOf } from './thinking.ts';

/** A client for any server that speaks OpenAI's chat completions. */
export function openaiModel(target: ModelTarget, fetchFor: FetchFor, delays?: readonly number[]): ChatModel {
  return clientOf(target, openaiWire, fetchFor, delays);
}

const openaiWire: Wire = {
  path: () => '/chat/completions',
  send: async (call, request, streams) => {
    const client = await openClient(call);
    const body = bodyOf(call.target, request);
    const { signal } = call;
    if (!streams) return await client.chat.completions.create(body, { signal }).asResponse();
    const streaming = { ...body, stream: true as const, stream_options: { include_usage: true } };
    return await client.chat.completions.create(streaming, { signal }).asResponse();
  },
  readReply: readCompletion,
  readPieces,
};

async function openClient({ target, fetch }: Call) {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    baseURL: target.baseUrl,
    // The SDK wants a key even where the header below is left out.
    apiKey: target.apiKey ?? 'none',
    // Set so that variables of the environment do not send a key or an account elsewhere.
    adminAPIKey: null,
    organization: null,
    project: null,
    ...(target.apiKey === undefined && { defaultHeaders: { Authorization: null } }),
    // Its own retries cannot be aborted and take 4xx answers too.
    maxRetries: 0,
    // The call's signal limits the time.
    timeout: 2 ** 31 - 1,
    // It would print parts of answers past the step's masking.
    logLevel: 'off',
    fetch,
  });
}

/** What providers of this form take besides what OpenAI's own does. */
type Body = ChatCompletionCreateParamsNonStreaming & {
  /** OpenRouter. */
  reasoning?: { effort?: string; max_tokens?: number; exclude?: boolean };
  /** Z.AI. */
  thinking?: { type: 'enabled' };
};

function bodyOf(target: ModelTarget, request: ChatRequest): Body {
  const { tools = [], toolChoice } = request;
  const limit = takesCompletionTokens(target) ? 'max_completion_tokens' : 'max_tokens';
  const offered = [
    ...tools.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
    ...searchTools(target),
  ];
  return {
    model: target.model,
    messages: request.messages.map(messageOf),
    ...(target.temperature !== undefined && { temperature: target.temperature }),
    ...(target.topP !== undefined && { top_p: target.topP }),
    ...(target.maxTokens !== undefined && { [limit]: target.maxTokens }),
    ...thinkingOf(target),
    ...(target.provider === 'openai' && searchOptions(target)),
    ...(offered.length > 0 && { tools: offered as Body['tools'] & object }),
    ...(tools.length > 0 && toolChoice !== undefined && { tool_choice: choiceOf(toolChoice) }),
  };
}

/** OpenAI's reasoning models refuse `max_tokens`. */
function takesCompletionTokens({ provider, model }: ModelTarget): boolean {
  return provider === 'openai' && /^(o\d|gpt-5)/.test(model);
}

function choiceOf(choice: NonNullable<ToolChoice>): ChatCompletionToolChoiceOption {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function messageOf(message: ChatMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      const calls = toolCalls.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: given },
      }));
      return { role: 'assistant', content: content === '' ? null : content, tool_calls: calls };
    }
    case 'user': {
      const { content, images = [] } = message;
      return images.length === 0
        ? { role: 'user', content }
        : { role: 'user', content: [{ type: 'text', text: content }, ...images.map(imagePart)] };
    }
    default:
      return { role: 'system', content: message.content };
  }
}

function imagePart({ mediaType, bytes }: ModelImage): ChatCompletionContentPart {
  const url = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { type: 'image_url', image_url: { url } };
}

function thinkingOf({ provider, thinking }: ModelTarget): Partial<Body> {
  if (thinking === undefined) return {};
  const { budget_tokens, effort, include_in_output } = thinking;
  switch (provider) {
    case 'openrouter':
      return {
        reasoning: {
          // It takes one of them.
          ...(effort === undefined && budget_tokens !== undefined
            ? { max_tokens: budget_tokens }
            : { effort: effortOf(thinking) }),
          ...(!include_in_output && { exclude: true }),
        },
      };
    case 'zai':
      return { thinking: { type: 'enabled' } };
    default:
      return { reasoning_effort: effortOf(thinking) };
  }
}

/** OpenAI's models that search do so without a tool. */
function searchOptions({ webSearch }: ModelTarget): Partial<Body> {
  if (webSearch === undefined) return {};
  const { user_location } = webSearch;
  return {
    web_search_options: {
      ...(user_location !== undefined && { user_location: { type: 'approximate', approximate: user_location } }),
    },
  };
}

function searchTools({ provider, webSearch }: ModelTarget): object[] {
  if (webSearch === undefined) return [];
  const { allowed_domains, blocked_domains, user_location } = webSearch;
  switch (provider) {
    case 'openrouter': {
      const parameters = {
        ...(allowed_domains !== undefined && { allowed_domains }),
        ...(blocked_domains !== undefined && { excluded_domains: blocked_domains }),
        ...(user_location !== undefined && { user_location: { type: 'approximate', ...user_location } }),
      };
      return [{ type: 'openrouter:web_search', parameters }];
    }
    case 'zai': {
      const [domain] = allowed_domains ?? [];
      const settings = { enable: true, search_engine: 'search-prime', ...(domain && { search_domain_filter: domain }) };
      return [{ type: 'web_search', web_search: settings }];
    }
    default:
      return [];
  }
}
