import { type Static, Type } from 'typebox';
import type { Findings } from './findings.ts';
import { closed, namePattern, optional, text } from './shapes.ts';
import type { Approval, FieldPath } from './types.ts';

const InputNames = Type.Array(
  Type.String({ pattern: namePattern, description: 'a name of letters, digits and underscores' }),
  {
    title: 'Names of what a reviewer may give',
    description: 'a list of names',
  },
);

export const ApprovalDocument = Type.Object(
  optional({
    prompt: text('What the reviewer is asked'),
    input: InputNames,
    required: Type.Array(Type.String(), { title: 'Those of input that must be given', description: 'a list of names' }),
    rewind_to: text('The step where a push-back begins again: this one, or one before it'),
  }),
  {
    ...closed,
    title: 'A person looks at the result before the run goes on',
    description: 'an object with prompt, input, required and rewind_to',
  },
);
export type ApprovalDocument = Static<typeof ApprovalDocument>;

/** An approval whose shape was checked. Where it rewinds to is checked with the graph. */
export function readApproval(document: ApprovalDocument, path: FieldPath, findings: Findings): Approval {
  const { prompt, input = [], required = [], rewind_to } = document;
  for (const [index, name] of required.entries()) {
    if (!input.includes(name))
      findings.field([...path, 'required', index], `required names "${name}", which is not in input`);
  }
  const twice = input.findIndex((name, index) => input.indexOf(name) < index);
  if (twice >= 0) findings.field([...path, 'input', twice], `input names "${input[twice]}" twice`);
  return {
    input,
    required,
    ...(prompt !== undefined && { prompt }),
    ...(rewind_to !== undefined && { rewindTo: rewind_to }),
  };
}
