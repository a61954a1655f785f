import { expect, it } from 'vitest';
import { selectorsInWords } from './selector-text.ts';
import { textsFor } from './texts.ts';

const { words } = textsFor('en');
const say = (text: string) => selectorsInWords(text, words);

it('says selectors in words', () => {
  expect(say('element {"app":"books","window":"Payables","role":"cell","name":"-428.40 €"}')).toBe(
    'cell “-428.40 €” in “Payables”',
  );
  expect(say('{"role":"text_field","near":{"label":"Date","side":"right"}} is there')).toBe(
    'text field beside “Date” is there',
  );
  expect(say('element {"name":"a } b"} or {"id":"ok"}')).toBe('element “a } b” or element “ok”');
  expect(selectorsInWords('element {"role":"cell","name":"A","window":"W"}', textsFor('ja').words)).toBe(
    '「W」のセル「A」',
  );
});

it('leaves everything else as it is', () => {
  for (const text of ['plain', '{"number":"INV-1"}', 'broken {"role":"cell"', '{"role":3}', 'a {"b" c']) {
    expect(say(text)).toBe(text);
  }
});
