import { isObject } from './json.ts';
import type { SourceDocument } from './stream.ts';
import type { FieldPath, Problem } from './types.ts';

/** What the documents of a file must be for one another. */

/** What is wrong with the place that a document has in its file; a document that is no map cannot be read further. */
export interface StreamFindings {
  document: number;
  problems: Problem[];
  canBeRead: boolean;
}

/**
 * Checks that every document is a map with steps, and that later ones have names of their own.
 *
 * @param strict the first document must not have a name
 */
export function checkStream(documents: readonly SourceDocument[], strict: boolean): StreamFindings[] {
  const names = new Set<string>();
  return documents.map(({ value }, document) => {
    const problems: Problem[] = [];
    const title = document === 0 ? 'entrypoint document' : `document ${document + 1}`;
    const add = (message: string, path: FieldPath = []) => problems.push({ message: `${title} ${message}`, path });
    if (value === null || value === undefined) add('must not be empty');
    else if (!isObject(value)) add('must be a mapping');
    else {
      if (value.steps === undefined) add('must define steps');
      else if (!Array.isArray(value.steps) || value.steps.length === 0)
        add('steps must be a non-empty sequence', ['steps']);
      if (document > 0) problems.push(...checkName(value.name, title, names));
      else if (strict && value.name !== undefined) add('must not define name', ['name']);
    }
    return { document, problems, canBeRead: isObject(value) };
  });
}

function checkName(name: unknown, title: string, names: Set<string>): Problem[] {
  if (name === undefined) return [{ message: `${title} must define name`, path: [] }];
  if (typeof name !== 'string' || name.trim() === '') {
    return [{ message: `${title} name must be a non-empty string`, path: ['name'] }];
  }
  if (names.has(name)) return [{ message: `DAG document name "${name}" must be unique`, path: ['name'] }];
  names.add(name);
  return [];
}
