import { isPositional } from '../../core/workflow/params.ts';
import { namePattern } from '../../core/workflow/shapes.ts';
import type { Param, Workflow } from '../../core/workflow/types.ts';
import type { ToolSpec } from '../models/model.ts';

/** What a model is told of a workflow that it may call: its parameters as a JSON Schema. */
export function toolSpec({ name, description, params }: Workflow): ToolSpec {
  const described = params.map(describe);
  const required = described.filter((param) => param.required).map((param) => param.name);
  return {
    name,
    description: description ?? `Runs the workflow ${name}.`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(described.map((param) => [param.name, param.schema])),
      ...(required.length > 0 && { required }),
    },
  };
}

interface Described {
  name: string;
  required: boolean;
  schema: Record<string, unknown>;
}

/** A positional parameter whose default is a word goes by that word, and is to be given. */
function describe(param: Param): Described {
  const word = isPositional(param) && new RegExp(namePattern).test(param.default ?? '') ? param.default : undefined;
  if (word !== undefined) {
    return { name: word, required: true, schema: { type: 'string', description: describedBy(param, word) } };
  }
  const { name, required, minimum, maximum, minLength, maxLength, pattern } = param;
  const value = typedDefault(param);
  const type = param.untyped ? jsonType(value) : param.type;
  const schema = {
    type,
    description: describedBy(param, name),
    ...(value !== undefined && { default: value }),
    ...(param.enum !== undefined && { enum: param.enum.map((one) => typed(type, one)) }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
  };
  return { name, required, schema };
}

function describedBy({ description }: Param, name: string): string {
  return description ?? `${name} parameter`;
}

function typedDefault(param: Param): unknown {
  if (param.default === undefined) return undefined;
  // Rules that are for texts say that it is one.
  const isText = param.enum ?? param.minLength ?? param.maxLength ?? param.pattern;
  if (!param.untyped) return typed(param.type, param.default);
  return isText === undefined ? guessed(param.default) : param.default;
}

function typed(type: string, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? numberOr(text, text) : text;
}

/** What a default stands for where no type is written: a number, a boolean, a list or a map in JSON, else a text. */
function guessed(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  if (/^\s*[[{]/.test(text)) return jsonOr(text);
  return numberOr(text, text);
}

/** A number only where it is written as numbers are: `007` and `1e3` are texts. */
function numberOr(text: string, otherwise: string): unknown {
  const number = Number(text);
  return text !== '' && Number.isFinite(number) && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? number : otherwise;
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function jsonType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return value === undefined ? 'string' : typeof value;
}
