import { type Static, Type } from 'typebox';
import type { Findings } from './findings.ts';
import { resolve } from './references.ts';
import { closed, type Env, envNamePattern, namePattern, OneKey, optional, Scalar, texts } from './shapes.ts';
import type { SecretDeclaration } from './types.ts';

/** What a document declares by name: constants, environment, files of variables, secrets. */

export const ConstsDocument = Type.Array(
  Type.Record(Type.String({ pattern: namePattern }), Scalar, { ...closed, ...OneKey }),
  { title: "The author's own values: ${consts.NAME}", description: 'a list of single-key maps' },
);
export type ConstsDocument = Static<typeof ConstsDocument>;

/** Constants by name; each may refer to those before it. */
export function readConsts(document: ConstsDocument | undefined): Record<string, string> {
  const consts = new Map<string, string>();
  for (const entry of document ?? []) {
    for (const [name, value] of Object.entries(entry)) {
      const resolved = resolve(String(value), ([namespace, other = '']) =>
        namespace === 'consts' ? consts.get(other) : undefined,
      );
      consts.set(name, resolved);
    }
  }
  return Object.fromEntries(consts);
}

/** `env` in any of its forms, as name and value in the order written. */
export function readEnv(env: Static<typeof Env> | undefined): [string, string][] {
  if (env === undefined) return [];
  const entries = Array.isArray(env) ? env : [env];
  return entries.flatMap((entry) => {
    if (typeof entry !== 'string')
      return Object.entries(entry).map(([name, value]): [string, string] => [name, String(value)]);
    const separator = entry.indexOf('=');
    return [[entry.slice(0, separator), entry.slice(separator + 1)]];
  });
}

export const DotenvDocument = texts(
  'Files of variables, beside the workflow file; [] reads none',
  'a path, or a list of paths',
);

/** Files of variables; the one beside the workflow file where nothing is said (decision of the default `.env`). */
export function readDotenv(document: Static<typeof DotenvDocument> | undefined): string[] {
  return document === undefined ? ['.env'] : [document].flat().filter((path) => path.trim() !== '');
}

const providers = ['env', 'file', 'keychain'] as const;
/** Providers of Dagu's that need what this computer does not have. */
const elsewhere = new Set(['vault', 'kubernetes', 'aws', 'gcp', 'azure', 'alibaba']);

export const SecretsDocument = Type.Array(
  Type.Object(
    {
      name: Type.String({ pattern: envNamePattern, description: 'a name of letters, digits and underscores' }),
      ...optional({
        provider: Type.String({ title: 'env, file or keychain' }),
        key: Type.String({
          minLength: 1,
          title: 'A variable, a file, or an entry of the key store',
          description: 'a non-empty string',
        }),
        options: Type.Record(Type.String(), Type.String(), { description: 'a map of strings' }),
        ref: Type.Unknown(),
      }),
    },
    closed,
  ),
  {
    title: 'Values that are read at the start, and masked wherever they show',
    description: 'a list of secrets with name, provider and key',
  },
);
export type SecretsDocument = Static<typeof SecretsDocument>;

/** Names that a run sets itself; what begins with DAG_RUN_ is one, too. */
const managedNames = new Set(['DAG_NAME', 'DAG_PARAMS_JSON', 'DAG_RUN_ID', 'DAG_WAITING_STEPS']);

/** Declared secrets whose shape was checked. */
export function readSecrets(document: SecretsDocument | undefined, findings: Findings): SecretDeclaration[] {
  const names = new Set<string>();
  return (document ?? []).flatMap((secret, index) => {
    const path = ['secrets', index];
    const { name, provider, key, options = {}, ref } = secret;
    const title = `secret "${name}"`;
    if (name.startsWith('DAGU_'))
      findings.problem([...path, 'name'], `secret name "${name}" must not start with DAGU_`);
    if (managedNames.has(name) || name.startsWith('DAG_RUN_')) {
      findings.problem([...path, 'name'], `secret name "${name}" is one that each run sets itself`);
    }
    if (names.has(name)) findings.problem([...path, 'name'], `secret "${name}" is declared twice`);
    names.add(name);
    if (ref !== undefined) {
      const reason = 'ref names an entry of a secret store that a server of Dagu has; give provider and key instead';
      findings.problem([...path, 'ref'], `${title}: ${reason}`);
      return [];
    }
    if (provider === undefined || key === undefined) {
      findings.problem(path, `${title} must have provider and key`);
      return [];
    }
    const known = providers.find((one) => one === provider);
    if (known === undefined) {
      const why = elsewhere.has(provider) ? 'is a provider of Dagu that Dagu Desktop does not run' : 'is not known';
      findings.problem([...path, 'provider'], `${title}: provider "${provider}" ${why}; use ${providers.join(', ')}`);
      return [];
    }
    return [{ name, provider: known, key, options }];
  });
}
