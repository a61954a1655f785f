import { readFile } from 'node:fs/promises';
import { dirname, resolve as resolvePath } from 'node:path';
import { whyNoVariable } from '../../core/workflow/shell-data.ts';
import type { SecretDeclaration } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { type Keychain, openKeychain } from './keychain.ts';

/** A declared secret with its value. */
export interface Secret {
  name: string;
  value: string;
}

/** Where the values of secrets come from. */
export interface SecretSources {
  /** Environment of the run; what the workflow sets goes before the system's. */
  env: Readonly<Record<string, string>>;
  /** The workflow's working directory, where it has one: the first place for a relative file. */
  workingDir: string | undefined;
  workflowPath: string;
  /** The system's key store where it is absent. */
  openKeychain?: (() => Promise<Keychain>) | undefined;
}

/** Service of keychain entries whose `options` name none. */
export const defaultService = 'Dagu Desktop';

/**
 * Looks up the values of declared secrets, in the order of their names.
 *
 * - `env`: the variable that `key` names.
 * - `file`: the whole content of the file `key`, line ends included; a relative one is looked
 *   for in the working directory, then beside the workflow file.
 * - `keychain`: the password of the account `key`, kept for the service that
 *   `options.service` names, else for "Dagu Desktop".
 *
 * Those that were found are told even where one is missing, so that they are masked; the
 * first that is missing is the problem, in words.
 */
export async function readSecrets(
  declared: readonly SecretDeclaration[],
  sources: SecretSources,
): Promise<{ secrets: Secret[]; problem: string | undefined }> {
  const secrets: Secret[] = [];
  let problem: string | undefined;
  for (const declaration of declared) {
    const { name } = declaration;
    try {
      const value = await readSecret(declaration, sources);
      const refusal = whyNoVariable(value);
      if (refusal !== undefined) throw new StepError(`its value ${refusal}`);
      secrets.push({ name, value });
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      problem ??= `secret ${name}: ${error.message}`;
    }
  }
  secrets.sort((one, other) => (one.name < other.name ? -1 : 1));
  return { secrets, problem };
}

async function readSecret(secret: SecretDeclaration, sources: SecretSources): Promise<string> {
  switch (secret.provider) {
    case 'env':
      return fromEnv(secret.key, sources.env);
    case 'file':
      return await fromFile(secret.key, sources);
    case 'keychain':
      return await fromKeychain(secret, sources);
  }
}

function fromEnv(key: string, env: Readonly<Record<string, string>>): string {
  const value = Object.hasOwn(env, key) ? env[key] : undefined;
  if (value === undefined) throw new StepError(`environment variable "${key}" is not set`);
  return value;
}

async function fromFile(key: string, { workingDir, workflowPath }: SecretSources): Promise<string> {
  const beside = dirname(workflowPath);
  for (const path of new Set([workingDir ?? beside, beside].map((folder) => resolvePath(folder, key)))) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
    } catch (error) {
      if (error instanceof TypeError) throw new StepError(`the secret file ${path} is not text in UTF-8`);
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        throw new StepError(`the secret file ${path} cannot be read: ${message}`, { cause: error });
      }
    }
  }
  throw new StepError(`secret file not found: ${key}`);
}

async function fromKeychain({ key, options }: SecretDeclaration, sources: SecretSources): Promise<string> {
  const keychain = await (sources.openKeychain ?? openKeychain)();
  const service = options.service ?? defaultService;
  const value = await keychain.read(service, key);
  if (value !== undefined) return value;
  throw new StepError(`the system's key store has no entry for the account "${key}" of the service "${service}"`);
}
