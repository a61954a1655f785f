import { describe, expect, it } from 'vitest';
import { asOutput, toSortedJson } from '../json.ts';
import { answerJudge } from './answer.ts';

const schema = {
  type: 'object',
  properties: { number: { type: 'string' }, total: { type: 'number' } },
  required: ['number'],
};
const judge = answerJudge(schema);
const respond = (text: string) =>
  judge({ text: '', cut: false, toolCalls: [{ id: 'c', name: 'respond', arguments: text }] });
const said = (text: string) => judge({ text, cut: false, toolCalls: [] });

describe('answerJudge', () => {
  it('drops properties that the schema does not list, before the check', () => {
    const strict = answerJudge({ ...schema, additionalProperties: false });
    const call = { id: 'c', name: 'respond', arguments: '{"number":"A-1","note":"x"}' };
    expect(strict({ text: '', cut: false, toolCalls: [call] })).toEqual({ value: { number: 'A-1' } });
  });

  it.each([
    '{"number":"A-1"}',
    '\n{"number":"A-1"}\n',
    '```json\n{"number":"A-1"}\n```',
    '```\n{"number":"A-1"}\n```',
    'Here it is:\n```json\n{"number":"A-1"}\n```\nAnything else?',
    '```json\n{"number":"A-1"}',
    '{"number":"A-1"}\n```',
    '```json {"number":"A-1"}```',
    '{"number":"A-1"} I hope that this helps. {"number":"B-2"}',
    '{"number":"A-1","note":"a } in a \\"text\\" and ``` too"} and so on',
    '```json\n{"number":"A-1"}\n\nAnything else?',
    'This is how: ```js\nlet x\n``` and here:\n```json\n{"number":"A-1"}\n```',
  ])('takes the text %j', (text) => {
    expect(said(text)).toEqual({ value: { number: 'A-1' } });
  });

  it.each([
    ['', '(no answer)', 'the reply holds no JSON answer'],
    ['The number is A-1', 'The number is A-1', 'the reply holds no JSON answer'],
    ['["A-1"]', '["A-1"]', 'the answer must be a JSON object'],
    ['{"number":"A-1"', '{"number":"A-1"', 'the reply holds no JSON answer'],
    ['I think of {"number":"A-1"}', 'I think of {"number":"A-1"}', 'the reply holds no JSON answer'],
    ['12345678901234567890', '12345678901234567890', 'the answer must be a JSON object'],
    ['{"total":1}', '{"total":1}', "the answer must have required property 'number'"],
    ['{"number":5}', '{"number":5}', 'number must be string'],
  ])('rejects %j', (text, rejected, reason) => {
    expect(said(text)).toEqual({ rejected, reason });
    if (text !== '') expect(respond(text)).toEqual({ rejected, reason });
  });

  it('tells that an answer was cut off', () => {
    expect(judge({ text: '{"number":"A', cut: true, toolCalls: [] })).toMatchObject({
      reason: 'the reply holds no JSON answer; it was cut off at the limit of tokens',
    });
  });

  it('keeps every digit of a large integer', () => {
    const wide = answerJudge({ type: 'object', properties: { id: { type: 'integer' }, text: {}, list: {} } });
    const text = '{"id":12345678901234567890,"text":"12345678901234567890","list":[{"id":98765432109876543210}]}';
    const judged = wide({ text, cut: false, toolCalls: [] });
    if (!('value' in judged)) throw new Error(judged.reason);
    expect(toSortedJson(judged.value)).toBe(
      '{"id":12345678901234567890,"list":[{"id":98765432109876543210}],"text":"12345678901234567890"}',
    );
    expect(asOutput(judged.value.id)).toBe('12345678901234567890');
    expect(asOutput(judged.value.list)).toBe('[{"id":98765432109876543210}]');
  });
});
