import { isObject } from '../../core/workflow/json.ts';
import { listedProperties } from '../../core/workflow/output-schema.ts';
import type { Selector } from '../../core/workflow/selector.ts';
import type { JsonObject } from '../../core/workflow/types.ts';
import type { Element } from '../../native/desktop.ts';
import { StepError } from '../action.ts';
import { pinSystem } from './act.ts';
import { convert, type ScalarType } from './convert.ts';
import { describeSelector, findElement, lookUntil, Miss, notFound } from './find.ts';
import type { OperationResult } from './operations.ts';
import type { ExtractOperation } from './plan.ts';
import { windowToRead } from './windows.ts';
import type { OperationWork } from './work.ts';

/** Reads an extract's pinned fields from their elements (spec: Extract binding, Pinned steps). */
export async function runExtract(work: OperationWork, operation: ExtractOperation): Promise<OperationResult> {
  const system = pinSystem(work.system);
  const fields = operation.fields[system] ?? {};
  const outputs: Record<string, string | number | boolean> = {};
  for (const name of listedProperties(operation.schema)) {
    const selector = fields[name];
    if (selector === undefined) {
      throw new StepError(
        `field "${name}" cannot be read without AI: it has no pin for ${system} and no binding on this host`,
      );
    }
    outputs[name] = await readField(
      work,
      { name, selector, type: typeOf(operation.schema, name) },
      operation.findWithinMs,
    );
  }
  return { status: 'completed', detail: JSON.stringify(masked(outputs, work.context.mask)), via: 'element', outputs };
}

/** The answer with each text masked before it is quoted, which may change it. */
function masked(outputs: Record<string, string | number | boolean>, mask: (text: string) => string): object {
  const entries = Object.entries(outputs).map(([name, value]) => [
    name,
    typeof value === 'string' ? mask(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function typeOf(schema: JsonObject, name: string): ScalarType {
  const property = isObject(schema.properties) ? schema.properties[name] : undefined;
  return (isObject(property) ? property.type : 'string') as ScalarType;
}

interface Field {
  name: string;
  selector: Selector;
  type: ScalarType;
}

async function readField(work: OperationWork, field: Field, withinMs: number): Promise<string | number | boolean> {
  const selector = work.variables.selector(field.selector, 'step');
  try {
    return await lookUntil(work, withinMs, async () => {
      const chosen = await windowToRead(work, selector);
      if ('miss' in chosen) throw new Miss(chosen.miss);
      const { element } = await findElement(work, chosen.window, selector);
      const value = readValue(element, field.type);
      if (work.lease.isHeld) work.apps.workedIn(chosen.window);
      return value;
    });
  } catch (error) {
    if (!(error instanceof Miss)) throw error;
    throw notFound(`field "${field.name}": ${describeSelector(selector)}`, withinMs, '', error.message);
  }
}

function readValue(element: Element, type: ScalarType): string | number | boolean {
  if (type === 'boolean') {
    if (element.checked === undefined) throw new Miss('it has no checked state');
    return element.checked;
  }
  const shown = shownBy(element);
  if (shown === undefined) throw new Miss('it shows no value');
  const converted = convert(shown, type);
  if ('miss' in converted) throw new Miss(converted.miss);
  return converted.value;
}

/**
 * What an element shows. The name of a control that holds a value is its caption, never
 * its value; everything else is named by what it shows.
 */
function shownBy({ role, name, value }: Element): string | undefined {
  if (role === 'text_field' || role === 'combo_box') return value;
  return value ?? name;
}
