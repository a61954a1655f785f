import { fieldName } from './field-name.ts';
import type { LocatedReference } from './references.ts';
import { itemReferences, rootReferences, stepReferences } from './resolved-fields.ts';
import type { Problem, Step, Workflow } from './types.ts';

/**
 * Checks the references of a workflow's fields to parameters and constants. One that names
 * none is a mistake: it would reach the step as the text that stands in the file. Others
 * that have no value are worth a notice (notices.ts).
 */
export function checkRootReferences(workflow: Workflow): Problem[] {
  return problemsOf(rootReferences(workflow), knownNames(workflow));
}

/** The same for a step; the body of a `foreach` is a workflow of its own. */
export function referenceChecker(workflow: Workflow): (step: Step) => Problem[] {
  const known = knownNames(workflow);
  return (step) => {
    const { key, collect } = itemReferences(step);
    return problemsOf([...stepReferences(step), ...key, ...collect], known);
  };
}

interface KnownNames {
  /** Undefined where others than the declared may be given. */
  params: ReadonlySet<string> | undefined;
  consts: ReadonlySet<string>;
}

function knownNames({ params, paramsSchema, paramsSchemaFile, consts }: Workflow): KnownNames {
  const isOpen = paramsSchemaFile !== undefined || paramsSchema?.additionalProperties === true;
  // A positional parameter may be given by the word that is its default.
  const names = params.flatMap(({ name, default: word }) => (/^\d/.test(name) && word !== undefined ? [word] : [name]));
  return { params: isOpen ? undefined : new Set(names), consts: new Set(Object.keys(consts)) };
}

function problemsOf(references: LocatedReference[], known: KnownNames): Problem[] {
  return references.flatMap(({ path, reference: [namespace, name], source }) => {
    if (name === undefined) return [];
    const reason =
      namespace === 'params' && known.params?.has(name) === false
        ? `names no parameter of this workflow${listed(known.params)}`
        : namespace === 'consts' && !known.consts.has(name)
          ? `names no constant of this workflow${listed(known.consts)}`
          : undefined;
    return reason === undefined ? [] : [{ path, message: `field '${fieldName(path)}': ${source} ${reason}` }];
  });
}

/** How many names a message lists. */
const maxListed = 12;

/** ` (there are: a, b)`: names that could have been meant. */
export function listed(names: Iterable<string>): string {
  const all = [...names];
  if (all.length === 0) return '';
  const more = all.length > maxListed ? ` and ${all.length - maxListed} more` : '';
  return ` (there ${all.length === 1 ? 'is' : 'are'}: ${all.slice(0, maxListed).join(', ')}${more})`;
}
