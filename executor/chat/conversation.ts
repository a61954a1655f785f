import { createHash } from 'node:crypto';
import { respondTool } from '../../core/workflow/chat.ts';
import type { JsonObject } from '../../core/workflow/types.ts';
import { type StepContext, StepWaits } from '../action.ts';
import { toSortedJson } from '../json.ts';
import {
  type AssistantMessage,
  type ChatMessage,
  type ChatModel,
  type ChatOptions,
  type ChatReply,
  type ChatRequest,
  ModelError,
  type ToolCall,
  type ToolChoice,
} from '../models/model.ts';
import { answerJudge, type Judged, respondSpec } from './answer.ts';
import { askModel } from './asking.ts';
import { metadataOf, type PausedConversation, type SavedMessage, saved } from './session.ts';
import { type NumberedCall, runCall, soundCalls, type Tool } from './tools.ts';

/** What a model is asked for, and with what. */
export interface Task {
  context: StepContext;
  /** The conversation so far, the instruction of a structured answer in it. */
  messages: readonly ChatMessage[];
  tools: readonly Tool[];
  maxIterations: number;
  /** Of the answer that is wanted; absent for a text. */
  schema: JsonObject | undefined;
  calls: CallCounter;
  /** For a text that is written as it comes. */
  options: Pick<ChatOptions, 'onText' | 'onThinking'>;
  /** Keeps the conversation, since it waits for a person in one of its calls. */
  pause(paused: PausedConversation): void;
}

/** Numbers the calls of a step over all models that it asks: each is a run of its own. */
export class CallCounter {
  readonly #prefix: string;
  #made: number;

  /**
   * @param iteration how often a person sent the step back: its calls are others then
   * @param made how many calls an earlier process made
   */
  constructor(iteration: number, made: number) {
    this.#prefix = iteration === 0 ? '' : `${iteration}.`;
    this.#made = made;
  }

  get made(): number {
    return this.#made;
  }

  /**
   * The next call's name among the runs of the step. What it asks is part of it, so that a step
   * which is tried again takes up no run of another call.
   */
  take({ name, arguments: given }: Pick<ToolCall, 'name' | 'arguments'>): string {
    this.#made += 1;
    const asked = createHash('sha256').update(`${name}\0${given}`).digest('hex').slice(0, 8);
    return `${this.#prefix}${this.#made} ${asked}`;
  }
}

/** A model's answer, with what the conversation gained by it. */
export interface Answer {
  text: string;
  thinking?: string;
  /** Of a structured answer. */
  value?: Record<string, unknown>;
  /** The turns with tools, and the answer as the last one. */
  turns: SavedMessage[];
}

/** One model's conversation, from the first request to its answer. Throws a {@link ModelError} when it gives none. */
export class Conversation {
  readonly #task: Task;
  readonly #model: ChatModel;
  readonly #judge: ((reply: ChatReply) => Judged) | undefined;
  /** What was said after the beginning, and what of it is kept. */
  readonly #said: ChatMessage[];
  readonly #turns: SavedMessage[];
  /** Calls that an earlier process did not come to the end of. */
  #open: NumberedCall[];
  #rounds: number;
  #corrected: boolean;
  #choices: readonly ToolChoice[];

  /** @param paused what an earlier process left, which is gone on with */
  constructor(task: Task, model: ChatModel, paused?: PausedConversation) {
    this.#task = task;
    this.#model = model;
    this.#judge = task.schema && answerJudge(task.schema);
    this.#said = [...(paused?.said ?? [])];
    this.#turns = [...(paused?.turns ?? [])];
    this.#open = [...(paused?.open ?? [])];
    this.#rounds = paused?.rounds ?? 0;
    this.#corrected = paused?.corrected ?? false;
    this.#choices = choicesFor(task);
  }

  async answer(): Promise<Answer> {
    const { tools, maxIterations } = this.#task;
    const most = tools.length > 0 ? maxIterations : 2;
    await this.#runOpenCalls();
    while (this.#rounds < most) {
      this.#rounds += 1;
      const reply = await this.#ask();
      const answer = await this.#take(reply);
      if (answer !== undefined) return answer;
    }
    if (this.#judge !== undefined) {
      throw new ModelError(
        `${this.#model.label}: max tool iterations (${maxIterations}) reached without a respond answer`,
      );
    }
    // The rounds are used up: what the model said last is as good an answer as any.
    const text = this.#said.findLast(({ role }) => role === 'assistant')?.content ?? '';
    return { text, turns: this.#turns };
  }

  /** The answer that a reply is; undefined where the conversation goes on. */
  async #take(reply: ChatReply): Promise<Answer | undefined> {
    const responds = this.#judge !== undefined && reply.toolCalls.some(({ name }) => name === respondTool);
    if (!responds && reply.toolCalls.length > 0 && this.#task.tools.length > 0) {
      this.#takeCalls(reply);
      await this.#runOpenCalls();
      return undefined;
    }
    if (this.#judge === undefined) return this.#ended(reply, reply.text);
    const judged = this.#judge(reply);
    if ('value' in judged) return { ...this.#ended(reply, toSortedJson(judged.value)), value: judged.value };
    this.#reject(judged);
    return undefined;
  }

  async #ask(): Promise<ChatReply> {
    const { context, messages, tools, schema } = this.#task;
    const offered = [...tools.map(({ spec }) => spec), ...(schema === undefined ? [] : [respondSpec(schema)])];
    const request: ChatRequest = {
      messages: [...messages, ...this.#said],
      ...(offered.length > 0 && { tools: offered }),
    };
    for (;;) {
      try {
        return await askModel(context, this.#model, { ...request, toolChoice: this.#choices[0] }, this.#task.options);
      } catch (error) {
        if (this.#choices.length < 2 || !rejectsToolChoice(error)) throw error;
        context.log(`note: ${this.#model.label} does not take this tool_choice; it is asked in another way`);
        this.#choices = this.#choices.slice(1);
      }
    }
  }

  #takeCalls(reply: ChatReply): void {
    const { calls } = this.#task;
    const sound = soundCalls(reply.toolCalls, calls.made + 1);
    const message: AssistantMessage = {
      role: 'assistant',
      content: reply.text,
      toolCalls: sound,
      ...(reply.echo !== undefined && { echo: reply.echo }),
    };
    this.#keep(message, metadataOf(this.#model, reply));
    // With the arguments as the model wrote them: what is wrong with them is told to it.
    this.#open = sound.map(({ id, name }, index) => {
      const given = reply.toolCalls[index]?.arguments ?? '';
      return { id, name, arguments: given, item: calls.take({ name, arguments: given }) };
    });
  }

  async #runOpenCalls(): Promise<void> {
    const { context, tools } = this.#task;
    for (let call = this.#open[0]; call !== undefined; call = this.#open[0]) {
      let result: string;
      try {
        result = await runCall(call, tools, context);
      } catch (error) {
        if (error instanceof StepWaits) this.#task.pause(this.#paused());
        throw error;
      }
      this.#keep({ role: 'tool', callId: call.id, name: call.name, content: context.mask(result) });
      this.#open.shift();
    }
  }

  #keep(message: ChatMessage, metadata?: Parameters<typeof saved>[1]): void {
    this.#said.push(message);
    this.#turns.push(saved(message, metadata));
  }

  #paused(): PausedConversation {
    return {
      model: this.#model.label,
      said: this.#said,
      turns: this.#turns,
      open: this.#open,
      rounds: this.#rounds,
      corrected: this.#corrected,
      calls: this.#task.calls.made,
    };
  }

  #reject({ rejected, reason }: { rejected: string; reason: string }): void {
    const { context } = this.#task;
    context.log(`warning: ${this.#model.label} answer rejected: ${reason}`);
    context.log(rejected);
    if (this.#corrected) {
      throw new ModelError(`${this.#model.label}: the model gave no answer that matches output_schema`);
    }
    this.#corrected = true;
    const correction = `Your answer was rejected: ${reason}. Call the respond tool with a corrected answer.`;
    this.#said.push(
      { role: 'assistant', content: context.mask(rejected) },
      { role: 'user', content: context.mask(correction) },
    );
  }

  #ended(reply: ChatReply, content: string): Answer {
    const answer: SavedMessage = { role: 'assistant', content, metadata: metadataOf(this.#model, reply) };
    return { text: reply.text, thinking: reply.thinking ?? '', turns: [...this.#turns, answer] };
  }
}

/**
 * How a model is told to call a tool, the surest way first; the next one is for servers that
 * refuse it. A certain tool cannot be demanded where others are to be called before.
 */
function choicesFor({ tools, schema }: Task): ToolChoice[] {
  if (schema === undefined) return [tools.length > 0 ? 'auto' : undefined];
  return tools.length > 0 ? ['required', undefined] : ['required', { name: respondTool }, undefined];
}

function rejectsToolChoice(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    (error.status === 400 || error.status === 422) &&
    /tool[_ ]?choice|function_?calling_?config/i.test(error.answer)
  );
}
