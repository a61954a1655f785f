/** A picture that goes with a message. */
export interface ModelImage {
  mediaType: 'image/png' | 'image/jpeg';
  bytes: Uint8Array;
}

/** One message of a conversation with a model. */
export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ModelImage[] }
  | AssistantMessage
  /** What became of a call of the assistant message before. */
  | { role: 'tool'; callId: string; name: string; content: string };

export interface AssistantMessage {
  role: 'assistant';
  content: string;
  /** Calls with ids of their own and arguments that are JSON objects. */
  toolCalls?: readonly ToolCall[];
  /** What the provider wants back with the message as it gave it, such as signed thoughts. */
  echo?: Echo;
}

/** Parts of an answer in the provider's own form; only the same provider understands them. */
export interface Echo {
  provider: string;
  parts: readonly unknown[];
}

/** A function that the model may call; `parameters` is a JSON Schema. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** Whether the model must call a tool, a certain one, or is left to decide by a request that says nothing. */
export type ToolChoice = 'auto' | 'required' | { name: string } | undefined;

export interface ChatRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolSpec[];
  toolChoice?: ToolChoice;
}

export interface ToolCall {
  /** As the model gave it: it may be empty, or that of another call. */
  id: string;
  name: string;
  /** JSON text as the model wrote it, which may be malformed. */
  arguments: string;
}

/** Tokens that one request took. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

export interface ChatReply {
  text: string;
  toolCalls: readonly ToolCall[];
  /** The answer was cut off by the limit of tokens. */
  cut: boolean;
  /** What the model thought, as far as the provider tells. */
  thinking?: string;
  /** Absent where the server does not tell. */
  usage?: Usage;
  /** The model that answered, as the server names it. */
  model?: string;
  echo?: Echo;
}

/** A piece of a streamed answer: any of these. */
export interface Piece {
  text?: string;
  thinking?: string;
  /** The answer is complete with this piece, or cut off by the limit of tokens. */
  finish?: 'complete' | 'cut';
  usage?: Usage;
  model?: string;
}

export interface ChatOptions {
  signal: AbortSignal;
  /** Asks for a stream, and gets each piece of the text as it arrives. */
  onText?: (piece: string) => void;
  /** With a stream: gets each piece of what the model thinks, which comes before the text. */
  onThinking?: (piece: string) => void;
}

/** A model at a provider, ready to be asked. */
export interface ChatModel {
  /** Canonical name. */
  provider: string;
  name: string;
  /** `<canonical provider>/<model>`, for people and logs. */
  label: string;
  /** The greatest number of tokens in an answer, where one is set. */
  maxTokens: number | undefined;
  /**
   * Asks once, with the retries that the provider's temporary failures deserve.
   * Throws a {@link ModelError}, or the signal's reason once it is aborted.
   */
  chat(request: ChatRequest, options: ChatOptions): Promise<ChatReply>;
}

/** A request to a model failed for good; the message names the provider and what it answered. */
export class ModelError extends Error {
  /** The HTTP status of a refusal. */
  readonly status: number | undefined;
  /** The text of a refusal. */
  readonly answer: string;

  constructor(message: string, options?: ErrorOptions & { status?: number; answer?: string }) {
    super(message, options);
    this.name = 'ModelError';
    this.status = options?.status;
    this.answer = options?.answer ?? '';
  }
}
