import { type ChatInput, messageRoles } from '../../core/workflow/chat.ts';
import type { ChatMessage } from '../models/model.ts';

/**
 * The conversation that a chat step sends: its system message first, then its prompt or
 * its messages, with the text of its files ahead of the last user message. Of several
 * system messages only the first is kept (spec: Behavior, Files).
 */
export function assembleMessages(input: ChatInput, system: string | undefined, filesText: string): ChatMessage[] {
  const own: ChatMessage[] = isBlank(input.prompt)
    ? (input.messages ?? []).map(({ role, content }) => ({ role: messageRoles[role], content }))
    : [{ role: 'user', content: input.prompt as string }];
  const systems = [
    ...(isBlank(system) ? [] : [system as string]),
    ...own.filter(({ role }) => role === 'system').map(({ content }) => content),
  ];
  const rest = withFiles(
    own.filter(({ role }) => role !== 'system'),
    filesText,
  );
  return systems[0] === undefined ? rest : [{ role: 'system', content: systems[0] }, ...rest];
}

/** Adds an instruction to the first system message, or puts it first where there is none. */
export function withInstruction(messages: readonly ChatMessage[], instruction: string): ChatMessage[] {
  const [first, ...rest] = messages;
  if (first?.role === 'system') return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...rest];
  return [{ role: 'system', content: instruction }, ...messages];
}

function withFiles(messages: readonly ChatMessage[], filesText: string): ChatMessage[] {
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
