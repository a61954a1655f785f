import type { WorkflowDocument } from './document.ts';
import { resolve } from './references.ts';
import type { Param, Problem, Workflow } from './types.ts';

/** Reads what a document declares by name: constants, parameters, environment, secrets. */

/** Constants by name; each may refer to those before it. */
export function readConsts(document: WorkflowDocument): Record<string, string> {
  const consts: Record<string, string> = {};
  for (const entry of document.consts ?? []) {
    for (const [name, value] of Object.entries(entry)) {
      consts[name] = resolve(String(value), (reference) =>
        reference[0] === 'consts' ? consts[reference[1] ?? ''] : undefined,
      );
    }
  }
  return consts;
}

/** Parameters in any of their forms; what is wrong with them is added to the problems. */
export function readParams(params: WorkflowDocument['params'], problems: Problem[]): Param[] {
  const list: Param[] = [];
  const add = (param: Param, index: number) => {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(param.name)) {
      problems.push({
        path: ['params', index],
        message: `parameter name "${param.name}" must match ^[A-Za-z][A-Za-z0-9_]*$`,
      });
    } else if (list.some(({ name }) => name === param.name)) {
      problems.push({ path: ['params', index], message: `duplicate parameter name "${param.name}"` });
    } else list.push(param);
  };
  const entry = (name: string, value: unknown): Param =>
    value === null
      ? { name, type: 'string', required: true }
      : { name, type: 'string', default: String(value), required: false };
  const word = (text: string): Param => {
    const [name = '', ...rest] = text.split('=');
    return rest.length === 0
      ? { name, type: 'string', required: true }
      : { name, type: 'string', default: rest.join('='), required: false };
  };
  if (typeof params === 'string')
    for (const [index, text] of params.split(/\s+/).filter(Boolean).entries()) add(word(text), index);
  else if (Array.isArray(params)) {
    for (const [index, item] of params.entries()) {
      if (typeof item === 'string') add(word(item), index);
      else if (typeof item.name === 'string' && Object.keys(item).length > 1) add(richParam(item as never), index);
      else for (const [name, value] of Object.entries(item)) add(entry(name, value), index);
    }
  } else for (const [index, [name, value]] of Object.entries(params ?? {}).entries()) add(entry(name, value), index);
  return list;
}

function richParam(item: { name: string; default?: unknown; description?: string; required?: boolean }): Param {
  return {
    name: item.name,
    type: 'string',
    required: item.required ?? false,
    ...(item.default !== undefined && { default: String(item.default) }),
    ...(item.description !== undefined && { description: item.description }),
  };
}

/** `env` in any of its forms, as name and value in the order written. */
export function readEnv(env: WorkflowDocument['env']): [string, string][] {
  if (env === undefined) return [];
  const entries = Array.isArray(env) ? env : [env];
  return entries.flatMap((entry) => {
    if (typeof entry !== 'string')
      return Object.entries(entry).map(([name, value]): [string, string] => [name, String(value)]);
    const separator = entry.indexOf('=');
    return [[entry.slice(0, separator), entry.slice(separator + 1)]];
  });
}

/** Declared secrets; what is wrong with them is added to the problems. */
export function readSecrets(document: WorkflowDocument, problems: Problem[]): Workflow['secrets'] {
  const secrets = document.secrets ?? [];
  for (const [index, secret] of secrets.entries()) {
    const path = ['secrets', index, 'provider'];
    if (secret.provider !== 'env') {
      problems.push({
        path,
        message: `secret "${secret.name}": provider "${secret.provider}" is not supported; use env`,
      });
    }
    if (secret.name.startsWith('DAGU_')) {
      problems.push({
        path: ['secrets', index, 'name'],
        message: `secret name "${secret.name}" must not start with DAGU_`,
      });
    }
  }
  return secrets.map(({ name, key, options = {} }) => ({ name, provider: 'env', key, options }));
}
