/** One message of a conversation with a model. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A function that the model may call; `parameters` is a JSON Schema. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface ChatRequest {
  messages: readonly ChatMessage[];
  /** Offered with `tool_choice: required`. */
  tools?: readonly ToolSpec[];
}

export interface ToolCall {
  name: string;
  /** JSON text as the model wrote it, which may be malformed. */
  arguments: string;
}

export interface ChatReply {
  text: string;
  toolCalls: readonly ToolCall[];
  /** The answer was cut off by the limit of tokens. */
  cut: boolean;
}

export interface ChatOptions {
  signal: AbortSignal;
  /** Asks for a stream, and gets each piece of the text as it arrives. */
  onText?: (piece: string) => void;
}

/** A model at a provider, ready to be asked. */
export interface ChatModel {
  /** `<canonical provider>/<model>`, for people and logs. */
  label: string;
  /**
   * Asks once, with the retries that the provider's temporary failures deserve.
   * Throws a {@link ModelError}, or the signal's reason once it is aborted.
   */
  chat(request: ChatRequest, options: ChatOptions): Promise<ChatReply>;
}

/** A request to a model failed for good; the message names the provider and what it answered. */
export class ModelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ModelError';
  }
}
