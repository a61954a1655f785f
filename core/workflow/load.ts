import { localTarget } from './dag-run.ts';
import { DocumentReader } from './document-reader.ts';
import { type LocatedProblem, readStream, type SourceDocument } from './stream.ts';
import { checkStream } from './stream-rules.ts';
import type { Problem, Workflow } from './types.ts';

/** What became of reading a workflow file: the workflow when nothing is wrong, and what was noticed. */
export interface Loaded {
  workflow?: Workflow;
  problems: LocatedProblem[];
  warnings: LocatedProblem[];
  /** References whose value shows only when the workflow runs: told to who asks for them. */
  unresolved: LocatedProblem[];
}

export interface LoadOptions {
  /**
   * `validate` asks for the rules of a stream that others may reuse: the first document
   * has no name. `start` takes a name there as the workflow's.
   */
  strictStream: boolean;
  /**
   * Gives the text of a schema of parameters, whose path stands in the file; throws an
   * Error that says why not. Without it such a path is a problem.
   */
  readSchemaFile?: (path: string) => string;
}

/** How many problems of a file are told. */
export const maxTold = 50;

/**
 * Reads the text of a workflow file. Every problem that can be known before a run is
 * told, with line, column and field; a workflow comes back only when there is none.
 *
 * @param path absolute path of the file, which gives the workflow its name
 */
export function loadWorkflow(text: string, path: string, options: LoadOptions): Loaded {
  const { documents, problems } = readStream(text);
  if (problems.length > 0) return { problems, warnings: [], unresolved: [] };
  if (documents.length === 0) {
    const message = 'yaml stream must contain at least one DAG document';
    return { problems: [{ message, path: [] }], warnings: [], unresolved: [] };
  }
  const stream = checkStream(documents, options.strictStream);
  const locals: Workflow[] = [];
  const file = { path, locals, count: { steps: 0 }, readSchemaFile: options.readSchemaFile };
  const read = documents.map((source, position) =>
    stream[position]?.canBeRead === true ? new DocumentReader(source, file, position > 0) : undefined,
  );
  for (const reader of read.slice(1)) if (reader !== undefined) locals.push(reader.workflow);
  for (const workflow of [...locals].reverse()) addOutputNames(workflow);
  const entry = read[0];
  if (entry !== undefined) addOutputNames(entry.workflow);
  for (const reader of read) reader?.check();

  const findingsOf = (kind: 'problems' | 'warnings' | 'unresolved') =>
    documents.flatMap((source, position) => {
      const own = kind === 'problems' ? (stream[position]?.problems ?? []) : [];
      return located([...own, ...(read[position]?.findings[kind] ?? [])], source);
    });
  const found = limited(findingsOf('problems'), 'problems');
  const noted = {
    problems: found,
    warnings: limited(findingsOf('warnings'), 'warnings'),
    unresolved: limited(findingsOf('unresolved'), 'references'),
  };
  return found.length > 0 || entry === undefined ? noted : { workflow: entry.workflow, ...noted };
}

/** How many problems are looked up in the text: of very many, the first ones that were found. */
const maxLocated = 20 * maxTold;

/** Problems with their places, from top to bottom. */
function located(problems: readonly Problem[], source: SourceDocument): LocatedProblem[] {
  const all = problems.map(
    (problem, index): LocatedProblem => (index < maxLocated ? { ...problem, ...source.locate(problem.path) } : problem),
  );
  const line = (problem: LocatedProblem) => problem.line ?? Number.POSITIVE_INFINITY;
  return all.sort((one, other) => (line(one) === line(other) ? 0 : line(one) - line(other)));
}

function limited(problems: LocatedProblem[], what: string): LocatedProblem[] {
  if (problems.length <= maxTold) return problems;
  return [...problems.slice(0, maxTold), { message: `and ${problems.length - maxTold} more ${what}`, path: [] }];
}

/** What a `dag.run` step publishes, where the other workflow is of the same file. */
function addOutputNames(workflow: Workflow): void {
  for (const step of [...workflow.steps, ...Object.values(workflow.handlers)]) {
    if (step.foreach !== undefined) addOutputNames(step.foreach.body);
    if (step.action !== 'dag.run') continue;
    const target = localTarget(step, workflow);
    const isOpen = target === undefined || target.steps.some((inner) => inner.action === 'dag.run');
    const names = target?.steps.flatMap(({ outputNames }) => outputNames) ?? [];
    step.outputNames = [...new Set([...step.outputNames, ...names])];
    if (isOpen) step.hasOtherOutputs = true;
  }
}
