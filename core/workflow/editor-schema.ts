import { type TSchema, Type } from 'typebox';
import { actionRules } from './actions.ts';
import {
  Act,
  Condition,
  Extract,
  type OperationKind,
  operationKinds,
  pinnedSteps,
  pinSystems,
  TablePin,
} from './computer-schema.ts';
import { ParamsDocument } from './declared-params.ts';
import { WorkflowDocument } from './document.ts';
import { ForeachDocument } from './foreach.ts';
import { isObject } from './json.ts';
import { Selector } from './selector.ts';
import { closed, texts } from './shapes.ts';
import { StepDocument } from './step-document.ts';
import { handlerNames, type JsonObject } from './types.ts';

/**
 * The JSON Schema that editors read, dagu.schema.json: the shapes that files are checked
 * with, put together. What the product checks piece by piece, as the operations of a
 * computer step, stands here as a whole.
 */
export function editorSchema(): JsonObject {
  const { description, ...root } = asJson(object(rootFields(), { required: ['steps'] }));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Workflow of Dagu Desktop',
    description:
      'One document of a workflow file. The first is what runs; later ones have names, by which it runs them.',
    ...root,
    definitions: {
      step: asJson(stepSchema()),
      stepEntry: {
        anyOf: [
          reference('step'),
          { type: 'string', description: 'Old; use run.' },
          { type: 'array', items: reference('stepEntry'), description: 'A group of steps.' },
        ],
      },
      selector: asJson(selectorSchema()),
    },
  };
}

function rootFields(): Record<string, TSchema> {
  const title = (name: keyof typeof WorkflowDocument.properties) => ({
    title: titleOf(WorkflowDocument.properties[name]),
  });
  return {
    ...WorkflowDocument.properties,
    name: Type.String({ pattern: '^[-A-Za-z0-9._]{1,40}$', ...title('name') }),
    type: Type.Enum(['graph', 'chain'], title('type')),
    params: ParamsDocument,
    steps: entries('The steps'),
    handler_on: object(Object.fromEntries(handlerNames.map((name) => [name, pointer('step')])), {
      title: 'Steps that run at a moment of the run',
    }),
  };
}

function titleOf(schema: TSchema): string {
  return String((schema as { title?: unknown }).title ?? '');
}

function stepSchema(): TSchema {
  const fields = {
    ...StepDocument.properties,
    id: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,39}$', title: titleOf(StepDocument.properties.id) }),
    action: Type.Enum(Object.keys(actionRules), { title: titleOf(StepDocument.properties.action) }),
    with: Type.Record(Type.String(), Type.Unknown(), { title: titleOf(StepDocument.properties.with) }),
    foreach: object(
      { ...ForeachDocument.properties, steps: entries('The body') },
      { required: ['items', 'steps'], title: titleOf(ForeachDocument) },
    ),
  };
  const shell = { shell: texts('Program that runs the commands'), shell_args: texts('Its arguments') };
  const inputs = Object.entries(actionRules).map(([action, { input }]) => ({
    if: { properties: { action: { const: action } }, required: ['action'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { with: inputSchema(action, input) } },
  }));
  const run = {
    if: { required: ['run'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { with: object(shell) } },
  };
  return Type.Unsafe({ ...object(fields), allOf: [...inputs, run] });
}

function inputSchema(action: string, input: TSchema): TSchema {
  // Old fields of a step may hold what is required.
  const {
    properties,
    required: _,
    ...rest
  } = input as TSchema & { properties: Record<string, TSchema>; required?: string[] };
  if (action !== 'computer.run') return Type.Unsafe({ ...rest, properties });
  return Type.Unsafe({ ...rest, properties: { ...properties, do: operations() } });
}

function operations(): TSchema {
  const when = Type.Union([Type.String(), Condition], { title: 'A condition without which it is skipped' });
  const shared = { when, timeout: Type.String({ title: 'A duration such as 30s' }) };
  const kinds = Object.keys(operationKinds) as OperationKind[];
  const all = kinds.map((kind) => object({ [kind]: operation(kind), ...shared }, { required: [kind] }));
  return Type.Array(Type.Union(all), { minItems: 1, title: 'Operations, one after another' });
}

function operation(kind: OperationKind): TSchema {
  const selectors = Type.Record(Type.String(), Type.Union([pointer('selector'), TablePin]));
  const pins = Type.Array(Type.Union(Object.values(pinnedSteps)));
  switch (kind) {
    case 'act':
      return Type.Union([Type.String(), Type.Object({ ...Act.properties, recorded: perSystem(pins) }, closed)]);
    case 'extract':
      return Type.Object({ ...Extract.properties, fields: perSystem(selectors) }, closed);
    case 'launch':
    case 'expect':
      return Type.Union([Type.String(), operationKinds[kind]]);
    case 'ask':
      return operationKinds.ask;
    default:
      return Type.String();
  }
}

function perSystem(schema: TSchema): TSchema {
  return Type.Optional(object(Object.fromEntries(pinSystems.map((system) => [system, schema]))));
}

function selectorSchema(): TSchema {
  return Type.Object({ ...Selector.properties, in: Type.Optional(pointer('selector')) }, closed);
}

/** An object of these fields and no others. */
function object(properties: Record<string, TSchema>, more: { required?: string[]; title?: string } = {}): TSchema {
  return Type.Unsafe({ type: 'object', properties, ...more, additionalProperties: false });
}

function entries(title: string): TSchema {
  return Type.Array(pointer('stepEntry'), { minItems: 1, title });
}

function pointer(definition: string): TSchema {
  return Type.Unsafe(reference(definition));
}

function reference(definition: string): JsonObject {
  return { $ref: `#/definitions/${definition}` };
}

const selectorJson = JSON.stringify(Selector);

/** A schema as JSON, each title and wanted shape in the one text that editors show. */
function asJson(schema: TSchema): JsonObject {
  return withTexts(JSON.parse(JSON.stringify(schema))) as JsonObject;
}

function withTexts(value: unknown, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((item) => withTexts(item));
  if (!isObject(value)) return value;
  if (JSON.stringify(value) === selectorJson) return reference('selector');
  const inner = Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      withTexts(item, !(isSchema && (key === 'properties' || key === 'patternProperties'))),
    ]),
  );
  if (!isSchema) return inner;
  const { title, description, ...rest } = inner;
  const said = [
    ...(typeof title === 'string' && title !== '' ? [`${title}.`] : []),
    ...(typeof description === 'string' ? [`Must be ${description}.`] : []),
  ];
  return said.length === 0 ? rest : { description: said.join(' '), ...rest };
}
