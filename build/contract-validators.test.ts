import { notices, params, results } from 'virtual:contract-validators';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { apiNotices, apiProtocol } from '../core/contract/api.ts';
import { validatorCode } from './contract-validators.mjs';

describe('the compiled checks of the API contract', () => {
  test('cover every call and every notice', () => {
    expect(Object.keys(params)).toEqual(Object.keys(apiProtocol));
    expect(Object.keys(results)).toEqual(Object.keys(apiProtocol));
    expect(Object.keys(notices)).toEqual(Object.keys(apiNotices));
  });

  test('take what the contract allows', () => {
    expect(params.listRuns({ limit: 1 })).toBe(true);
    expect(params.listRuns.errors).toBeNull();
    expect(notices.runChanged({ runId: 'r1' })).toBe(true);
  });

  test('name the place of what it does not', () => {
    expect(params.listRuns({ limit: 0 })).toBe(false);
    expect(params.listRuns.errors?.[0]).toMatchObject({ instancePath: '/limit', keyword: 'minimum' });
    expect(params.listRuns({ limit: 1, other: true })).toBe(false);
    expect(notices.runChanged({})).toBe(false);
  });

  test('need no compiler where they run', () => {
    const code = validatorCode({
      apiProtocol: { call: { params: Type.Object({ name: Type.String({ minLength: 2 }) }), result: Type.Null() } },
      apiNotices: {},
    });
    expect(code).not.toMatch(/\beval\(|new Function|\brequire\(/);
  });
});
