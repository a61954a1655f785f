import { type Static, Type } from 'typebox';
import { type Findings, shapeCheck } from './findings.ts';
import { isObject } from './json.ts';
import { closed, envNamePattern, namePattern, optional, text } from './shapes.ts';
import type { FieldPath, Json, OutputSource, Step, StreamTarget } from './types.ts';

/** What a step publishes, and where its streams go. */

const OutputEntry = Type.Object(
  optional({
    value: Type.Unknown({ title: 'A value; references in its texts are resolved' }),
    from: Type.Enum(['stdout', 'stderr', 'file']),
    path: text('The file, where from is file'),
    decode: Type.Enum(['text', 'json', 'yaml'], { title: 'How the text is read' }),
    select: Type.String({
      pattern: '^\\.',
      title: 'A path into the decoded value',
      description: 'a path such as .items[0].name',
    }),
  }),
  closed,
);
type OutputEntry = Static<typeof OutputEntry>;

const AnyOutputs = Type.Record(Type.String(), Type.Unknown());

export const OutputDocument = Type.Union(
  [
    Type.String({ pattern: envNamePattern, description: 'the name of a variable' }),
    Type.Record(Type.String({ pattern: namePattern }), Type.Unknown(), { ...closed, minProperties: 1 }),
  ],
  {
    title: 'Name of the variable and output that the trimmed stdout becomes; or outputs by name',
    description: 'the name of a variable, or a map of names and values or sources',
  },
);
export type OutputDocument = Static<typeof OutputDocument>;

export const OutputsDocument = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: namePattern, description: `a name that matches ${namePattern}` }),
      type: Type.Optional(Type.Enum(['string', 'json'])),
    },
    closed,
  ),
  {
    minItems: 1,
    title: 'Outputs that the step writes to the file DAGU_OUTPUT_FILE',
    description: 'a non-empty list of outputs with name and type',
  },
);
export type OutputsDocument = Static<typeof OutputsDocument>;

export function streamDocument(stream: string) {
  return Type.Union(
    [
      Type.String({ minLength: 1 }),
      Type.Object(
        optional({
          artifact: Type.String({ minLength: 1, title: "File among the run's artifacts" }),
          outputs: Type.Object({ fields: AnyOutputs }, closed),
        }),
        { ...closed, minProperties: 1 },
      ),
    ],
    {
      title: `Where ${stream} also goes`,
      description: 'a path, or an object with artifact or outputs',
    },
  );
}
export type StreamDocument = Static<ReturnType<typeof streamDocument>>;

const checkEntry = shapeCheck(OutputEntry, Object.keys(OutputEntry.properties));
const sourceKeys = Object.keys(OutputEntry.properties);

/** `output` of a step whose shape was checked. */
export function readOutput(
  document: OutputDocument | undefined,
  path: FieldPath,
  findings: Findings,
): Pick<Step, 'output' | 'outputMap'> {
  if (document === undefined) return {};
  return typeof document === 'string' ? { output: document } : { outputMap: readSources(document, path, findings) };
}

/** Outputs by name: each a source, or the value itself. */
function readSources(map: Record<string, unknown>, path: FieldPath, findings: Findings): Record<string, OutputSource> {
  const entries = Object.entries(map).map(
    ([name, entry]) => [name, readSource(entry, [...path, name], findings)] as const,
  );
  return Object.fromEntries(entries);
}

function readSource(entry: unknown, path: FieldPath, findings: Findings): OutputSource {
  if (!isObject(entry) || !sourceKeys.some((key) => key in entry)) return { value: entry as Json };
  if (checkEntry(entry, path, findings).size > 0) return {};
  const source = entry as OutputEntry & OutputSource;
  if (source.value !== undefined) {
    if (Object.keys(source).length > 1)
      findings.field(path, 'value stands alone, without from, path, decode or select');
    return source;
  }
  if (source.from === 'file' && source.path === undefined) findings.field(path, 'from: file needs path');
  if (source.from !== 'file' && source.path !== undefined) findings.field([...path, 'path'], 'path needs from: file');
  if (source.select !== undefined && (source.decode ?? 'text') === 'text') {
    findings.field([...path, 'select'], 'select needs decode: json or decode: yaml');
  }
  return source;
}

/** `stdout` or `stderr` of a step whose shape was checked. */
export function readTarget(
  document: StreamDocument | undefined,
  from: 'stdout' | 'stderr',
  path: FieldPath,
  findings: Findings,
): StreamTarget | undefined {
  if (document === undefined) return undefined;
  if (typeof document === 'string') return { path: document };
  if (document.artifact !== undefined && leavesFolder(document.artifact)) {
    findings.field(
      [...path, 'artifact'],
      `artifact must be a path inside the run's artifacts (value: ${document.artifact})`,
    );
  }
  const fields = document.outputs?.fields;
  const place = [...path, 'outputs', 'fields'];
  const sources = fields === undefined ? undefined : readSources(fields, place, findings);
  for (const [name, source] of Object.entries(sources ?? {})) {
    if (!new RegExp(namePattern).test(name))
      findings.field([...place, name], `an output's name must match ${namePattern}`);
    if (source.from !== undefined || source.path !== undefined) {
      findings.field([...place, name], `it is read from ${from}; leave from and path away`);
    }
  }
  return {
    ...(document.artifact !== undefined && { artifact: document.artifact }),
    ...(sources !== undefined && { outputs: sources }),
  };
}

function leavesFolder(path: string): boolean {
  return /^([\\/~]|[A-Za-z]:)/.test(path) || path.split(/[\\/]/).includes('..');
}

/** Declared outputs whose shape was checked. */
export function readDeclaredOutputs(
  document: OutputsDocument | undefined,
  id: string | undefined,
  path: FieldPath,
  findings: Findings,
): Step['declaredOutputs'] {
  if (document === undefined) return undefined;
  if (id === undefined) findings.field(path, "outputs needs the step's id, by which others name them");
  const names = new Set<string>();
  for (const [index, { name }] of document.entries()) {
    if (names.has(name)) findings.field([...path, index, 'name'], `output "${name}" is declared twice`);
    names.add(name);
  }
  return document.map(({ name, type = 'string' }) => ({ name, type }));
}
