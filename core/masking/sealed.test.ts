import { describe, expect, it } from 'vitest';
import { Masker } from './masker.ts';
import { mask, openSealed, sealedNames, showSealed } from './sealed.ts';

const secrets = [
  { name: 'KEY', value: 'se-cret-値-1' },
  { name: 'PIN', value: '4711' },
  { name: 'FILE', value: ' of a file\n' },
  { name: 'S', value: 'q9' },
  { name: 'PEM', value: 'BEGIN\n"key"\nEND\n' },
];
const masker = new Masker(secrets);

const values: [string, unknown][] = [
  ['a secret', 'se-cret-値-1'],
  ['secrets in a text', 'a se-cret-値-1, 4711 and q9.'],
  ['a secret without its line end', 'x of a file.'],
  ['a JSON text', JSON.stringify({ key: 'BEGIN\n"key"\nEND\n' })],
  ['keys, lists and other values', { 'se-cret-値-1': ['4711', null, true, 1.5, { a: 'q9' }] }],
  ['numbers', [4711, 147110, -4711.25, 12]],
  ['characters that markers are made of', '\uF8A1KEY\uF8A2 \uF8A3\uF8A4 \uF8A3\uF8A1 4711'],
  ['base64', ['', 'u', 'us', 'use'].map((before) => Buffer.from(`${before}se-cret-値-1${before}`).toString('base64'))],
  ['base64 for URLs', Buffer.from('??>se-cret-値-1??>').toString('base64url')],
  [
    'wrapped base64',
    Buffer.from(`${'x'.repeat(50)}se-cret-値-1`)
      .toString('base64')
      .replaceAll(/.{76}/g, '$&\n'),
  ],
];

describe('a sealed value', () => {
  it.each(values)('of %s holds no secret, shows the mask, and opens', (_, value) => {
    const sealed = JSON.parse(JSON.stringify(masker.seal(value)));
    expect(masker.values(sealed)).toEqual(sealed);
    expect(showSealed(sealed)).toEqual(masker.values(value));
    expect(openSealed(sealed, secrets)).toEqual(value);
  });

  it('opens with what the secret is by then', () => {
    const sealed = masker.seal({ text: '<4711>', number: 4711 });
    expect(openSealed(sealed, [{ name: 'PIN', value: '42' }])).toEqual({ text: '<42>', number: 42 });
    expect(openSealed(sealed, [{ name: 'PIN', value: 'x' }])).toEqual({ text: '<x>', number: 'x' });
  });

  it('stays masked where the secret is not known', () => {
    expect(openSealed(masker.seal('<4711>'), [])).toBe(`<${mask}>`);
    const unnamed = new Masker();
    unnamed.add('an answer');
    expect(openSealed(unnamed.seal('an answer!'), secrets)).toBe(`${mask}!`);
  });

  it('in base64 stays masked where the secret has another length by then', () => {
    const sealed = masker.seal(Buffer.from('u:4711').toString('base64'));
    expect(openSealed(sealed, [{ name: 'PIN', value: '1174' }])).toBe(Buffer.from('u:1174').toString('base64'));
    expect(openSealed(sealed, [{ name: 'PIN', value: '47110' }])).not.toContain('471');
  });

  it('stands between other values as they are', () => {
    const plain = { a: [1, 'text', null], b: {} };
    expect(masker.seal(plain)).toEqual(plain);
    expect(showSealed(plain)).toEqual(plain);
  });

  it('tells the names of its secrets', () => {
    const sealed = masker.seal({ a: ['4711', 'se-cret-値-1 \uF8A1PEM\uF8A2'], b: 12 });
    expect([...sealedNames(sealed)]).toEqual(['PIN', 'KEY']);
    expect(sealedNames(masker.seal('\uF8A1KEY\uF8A2'))).toEqual(new Set());
  });
});
