import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readSettings } from './settings.ts';

const standard = resolve('/home/workflows');

it('takes the folder from the command line, then the environment, then the default', () => {
  const env = { DAGU_DESKTOP_WORKFLOWS: resolve('/from-env') };
  expect(readSettings(['--workflows', '/from-args'], env, standard).workflows).toBe(resolve('/from-args'));
  expect(readSettings(['--workflows=/from-args'], env, standard).workflows).toBe(resolve('/from-args'));
  expect(readSettings([], env, standard).workflows).toBe(resolve('/from-env'));
  expect(readSettings([], {}, standard).workflows).toBe(standard);
});

it('makes a relative folder absolute', () => {
  expect(readSettings(['--workflows', 'flows'], {}, standard).workflows).toBe(resolve('flows'));
});

it('takes an empty value as not given', () => {
  expect(readSettings(['--workflows='], { DAGU_DESKTOP_WORKFLOWS: '' }, standard).workflows).toBe(standard);
  expect(readSettings(['--workflows'], {}, standard).workflows).toBe(standard);
});

it('reads the language and leaves switches of Chromium alone', () => {
  const settings = readSettings(['.', '--no-sandbox', '--remote-debugging-port=0', '--lang=ja'], {}, standard);
  expect(settings).toEqual({ workflows: standard, language: 'ja' });
});
