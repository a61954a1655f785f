import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SecretDeclaration, Workflow } from '../../core/workflow/types.ts';
import { StepError } from '../action.ts';
import { parseDotenv } from './dotenv.ts';
import { openKeychain } from './keychain.ts';
import { makeStep, makeWorkflow } from './testing.ts';
import { RunValues, type ValueSources } from './values.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'values-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(workflow: Partial<Workflow>, sources: Partial<ValueSources> = {}): Promise<RunValues> {
  return RunValues.open({ workflow: makeWorkflow(folder, workflow), params: {}, ownNames: {}, ...sources });
}

const secret = (provider: SecretDeclaration['provider'], key: string, options = {}): SecretDeclaration => ({
  name: 'KEY',
  provider,
  key,
  options,
});

describe('the environment', () => {
  it('takes the nearest of the variables of one name', async () => {
    process.env.VALUES_TEST = 'system';
    writeFileSync(join(folder, '.env'), 'VALUES_TEST=dotenv\nA=dotenv\nB=dotenv\nC=dotenv\nD=dotenv\nE=dotenv\n');
    const step = makeStep({ key: 's', output: 'D', depends: [] });
    const last = makeStep({ key: 't', depends: ['s'], env: [['E', 'step']] });
    const values = await open(
      {
        dotenv: ['.env'],
        env: [
          ['B', 'env'],
          ['C', 'env $A'],
        ],
        secrets: [secret('env', 'C')],
        steps: [step, last],
      },
      { params: { B: 'param', A: 'param' } },
    );
    delete process.env.VALUES_TEST;
    values.addOutputs(step, { D: 'output' });
    expect(values.stepEnv(last)).toMatchObject({
      VALUES_TEST: 'dotenv',
      A: 'param',
      B: 'env',
      C: 'env param',
      KEY: 'env param',
      D: 'output',
      E: 'step',
    });
  });

  it('takes dotenv files from the working directory, then from beside the workflow file, later ones over earlier', async () => {
    mkdirSync(join(folder, 'work'));
    writeFileSync(join(folder, '.env'), 'A=standard\nB=standard\n');
    writeFileSync(join(folder, 'prod.env'), 'B=beside $A\n');
    writeFileSync(join(folder, 'work', 'prod.env'), 'B=work $A\nC=1\n');
    writeFileSync(join(folder, 'more.env'), 'C=${C}2\n');
    const dotenv = ['${params.STAGE}.env', 'more.env', 'none.env'];
    const values = await open({ dotenv, workingDir: './work' }, { params: { STAGE: 'prod' } });
    expect(values.env).toMatchObject({ A: 'standard', B: 'work standard', C: '12' });
    expect(values.missingDotenv).toEqual(['none.env']);
    const none = await open({ dotenv: [] });
    expect(none.env.A).toBeUndefined();
  });

  it('is refused where a dotenv file cannot be read', async () => {
    writeFileSync(join(folder, '.env'), 'A=1\nwrong line\n');
    const values = await open({ dotenv: ['.env'] });
    expect(() => values.assertComplete()).toThrow(`${join(folder, '.env')}:2: must be NAME=value`);
  });
});

describe('a dotenv file', () => {
  it.each([
    ['A=1', { A: '1' }],
    ['\uFEFFexport A = one two  # comment\r\n\r\n# B=2\n  C=x#y', { A: 'one two', C: 'x#y' }],
    ["A='$X \\n # no'", { A: '$X \\n # no' }],
    ['A="two\nlines\\t\\"$X\\" \\$X ${X}" # yes\nB=', { A: 'two\nlines\t"known" $X known', B: '' }],
    ['A=$X\nB=${A}!\nC=$NONE', { A: 'known', B: 'known!', C: '$NONE' }],
  ])('%j is read', (text, variables) => {
    expect(parseDotenv(text, 'f', { X: 'known' })).toEqual(variables);
  });

  it.each([
    ['A=1\n=2', 'f:2: must be NAME=value'],
    ['A="open', 'f:1: A: the closing quote " is missing'],
    ["A='a' b", 'f:1: A: only a comment may follow the closing quote'],
  ])('%j is refused', (text, message) => {
    expect(() => parseDotenv(text, 'f', {})).toThrow(message);
  });
});

describe('a secret', () => {
  it('from a file is its whole content, from the nearest place', async () => {
    mkdirSync(join(folder, 'work'));
    writeFileSync(join(folder, 'key.txt'), 'beside\n');
    const values = await open({ secrets: [secret('file', 'key.txt')], workingDir: 'work' });
    expect(values.secrets).toEqual([{ name: 'KEY', value: 'beside\n' }]);
    writeFileSync(join(folder, 'work', 'key.txt'), 'work\n');
    expect((await open({ secrets: [secret('file', 'key.txt')], workingDir: 'work' })).env.KEY).toBe('work\n');
  });

  it('from the key store is the entry of its account and service', async () => {
    const entries: Record<string, string> = { 'Dagu Desktop/erp': 'one', 'Bank/erp': 'two' };
    const keychain = async () => ({
      read: async (service: string, account: string) => entries[`${service}/${account}`],
    });
    const from = (options: Record<string, string>) =>
      open({ secrets: [secret('keychain', 'erp', options)] }, { openKeychain: keychain });
    expect((await from({})).env.KEY).toBe('one');
    expect((await from({ service: 'Bank' })).env.KEY).toBe('two');
    const none = await from({ service: 'None' });
    expect(() => none.assertComplete()).toThrow(
      'secret KEY: the system\'s key store has no entry for the account "erp" of the service "None"',
    );
  });

  it.runIf(process.platform === 'linux')('cannot be had where there is no key store', async () => {
    const { DBUS_SESSION_BUS_ADDRESS } = process.env;
    process.env.DBUS_SESSION_BUS_ADDRESS = `unix:path=${join(folder, 'no-bus')}`;
    try {
      const keychain = await openKeychain();
      const refused = await keychain.read('Dagu Desktop', 'erp').catch((error) => error);
      expect(refused).toBeInstanceOf(StepError);
      expect(refused.message).toMatch(/^the system's key store cannot be read: .*; it needs a Secret Service such as/);
    } finally {
      delete process.env.DBUS_SESSION_BUS_ADDRESS;
      if (DBUS_SESSION_BUS_ADDRESS !== undefined) process.env.DBUS_SESSION_BUS_ADDRESS = DBUS_SESSION_BUS_ADDRESS;
    }
  });

  it.each([
    [secret('env', 'NOT_SET_ANYWHERE'), 'secret KEY: environment variable "NOT_SET_ANYWHERE" is not set'],
    [secret('file', 'none.txt'), 'secret KEY: secret file not found: none.txt'],
    [secret('file', 'nul.txt'), 'secret KEY: its value holds a NUL character'],
    [secret('file', 'latin.txt'), 'latin.txt is not text in UTF-8'],
    [secret('file', '.'), 'cannot be read: EISDIR'],
  ])('%j that cannot be had is told, and the others are known', async (wrong, message) => {
    writeFileSync(join(folder, 'nul.txt'), 'a\0b');
    writeFileSync(join(folder, 'latin.txt'), Buffer.from([0x66, 0xfc, 0x72]));
    writeFileSync(join(folder, 'other.txt'), 'value');
    const values = await open({ secrets: [wrong, { ...secret('file', 'other.txt'), name: 'OTHER' }] });
    expect(() => values.assertComplete()).toThrow(message);
    expect(values.secrets).toEqual([{ name: 'OTHER', value: 'value' }]);
  });
});

describe('references', () => {
  it('see outputs of steps before, and items', async () => {
    const steps = [makeStep({ key: 'a', id: 'a' }), makeStep({ key: 'b', id: 'b', depends: ['a'] })];
    const outerOutputs = new Map([['outer', { x: [1] }]]);
    const values = await open({ steps }, { foreach: { item: { tags: ['t'] } }, outerOutputs });
    values.addOutputs(steps[0] as (typeof steps)[0], { n: 1, text: 'x' });
    const [a, b] = steps;
    const of = (step: typeof a, ...reference: string[]) => values.scope(values.env, step)(reference);
    expect(of(b, 'steps', 'a', 'outputs', 'n')).toBe('1');
    expect(of(b, 'steps', 'a', 'outputs', 'none')).toBeUndefined();
    expect(of(a, 'steps', 'b', 'outputs', 'n')).toBeUndefined();
    expect(of(b, 'steps', 'outer', 'outputs', 'x')).toBe('[1]');
    expect(of(b, 'foreach', 'item', 'tags')).toBe('["t"]');
    expect(of(b, 'foreach', 'item', 'constructor')).toBeUndefined();
    const handler = makeStep({ path: ['handler_on', 'exit'] });
    expect(of(handler, 'steps', 'a', 'outputs', 'n')).toBeUndefined();
  });
});
