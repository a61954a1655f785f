import { type ChatInput, messageRoles } from '../../core/workflow/chat.ts';
import type { PushBack } from '../action.ts';
import type { ChatMessage, ModelImage } from '../models/model.ts';
import { restored, type SavedMessage } from './session.ts';

/** What a step's conversation begins with. */
export interface Beginning {
  input: ChatInput;
  system: string | undefined;
  /** Text of the step's files. */
  filesText: string;
  /** Conversations of the steps before this one. */
  inherited: readonly SavedMessage[];
}

/**
 * The conversation that a chat step begins with: its system message, what it inherits, then its
 * prompt or its messages, with the text of its files ahead of the last user message. Of several
 * system messages only the first is kept (spec: Behavior, Files).
 */
export function beginningOf({ input, system, filesText, inherited }: Beginning): SavedMessage[] {
  const own = ownMessages(input);
  const rest = withFiles(
    own.filter(({ role }) => role !== 'system'),
    filesText,
  );
  return withOneSystem([...systemOf(own, system), ...inherited, ...rest]);
}

/** The conversation of a step whose result a person sent back: its own, and what the person says to it. */
export function feedbackOn(
  session: readonly SavedMessage[],
  { input, system }: Pick<Beginning, 'input' | 'system'>,
  pushBack: PushBack,
): SavedMessage[] {
  return withOneSystem([...systemOf(ownMessages(input), system), ...session, feedbackMessage(pushBack)]);
}

/** What a person said with the result that was sent back. */
export function feedbackMessage({ iteration, inputs }: PushBack): SavedMessage {
  const lines = Object.entries(inputs)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `- ${name}: ${value}`);
  const what = `A reviewer sent your answer back (revision ${iteration}). Answer again and take the feedback into account.`;
  return { role: 'user', content: lines.length === 0 ? what : `${what}\n\nFeedback:\n${lines.join('\n')}` };
}

/** The conversation as a model gets it, with the pictures at the last user message. */
export function toModel(
  messages: readonly SavedMessage[],
  images: readonly ModelImage[],
  mask: (text: string) => string,
): ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, index) => {
    const masked = restored({ ...message, content: mask(message.content) });
    return index === last && masked.role === 'user' && images.length > 0 ? { ...masked, images } : masked;
  });
}

/** Adds an instruction to the first system message, or puts it first where there is none. */
export function withInstruction(messages: readonly ChatMessage[], instruction: string): ChatMessage[] {
  const first = messages.findIndex(({ role }) => role === 'system');
  if (first < 0) return [{ role: 'system', content: instruction }, ...messages];
  return messages.map((message, index) =>
    index === first ? { role: 'system', content: `${message.content}\n\n${instruction}` } : message,
  );
}

function ownMessages({ prompt, messages = [] }: ChatInput): SavedMessage[] {
  if (!isBlank(prompt)) return [{ role: 'user', content: prompt as string }];
  return messages.map(({ role, content }) => ({ role: messageRoles[role], content }));
}

function systemOf(own: readonly SavedMessage[], system: string | undefined): SavedMessage[] {
  if (!isBlank(system)) return [{ role: 'system', content: system as string }];
  return own.filter(({ role }) => role === 'system').slice(0, 1);
}

function withOneSystem(messages: readonly SavedMessage[]): SavedMessage[] {
  const first = messages.findIndex(({ role }) => role === 'system');
  return messages.filter(({ role }, index) => role !== 'system' || index === first);
}

function withFiles(messages: readonly SavedMessage[], filesText: string): SavedMessage[] {
  if (filesText === '') return [...messages];
  const last = messages.findLastIndex(({ role }) => role === 'user');
  if (last < 0) return [...messages, { role: 'user', content: filesText }];
  return messages.map((message, index) =>
    index === last ? { ...message, content: `${filesText}\n\n${message.content}` } : message,
  );
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
