import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameArgument, textArgument } from '../../../src/hub/connection/hub-method.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';

const args = (json: string) => {
  const { length } = json;
  return [{ length, jsonLength: length, json: () => Buffer.from(json) }];
};

describe('an argument that is a text', () => {
  it('is read as a text, and as a name where it must be one', () => {
    assert.equal(textArgument(args('"cars"'), 0, 'topic'), 'cars');
    assert.equal(nameArgument(args('"*"'), 0, 'topic', defaultPayloadLimits), '*');
    assert.throws(() => textArgument(args('5'), 0, 'topic'), {
      code: 'wrong_type',
      message: /^topic must be/,
    });
  });

  it('is the same whether it is plain or has to be decoded', () => {
    const texts = [
      '',
      ' ',
      'cars',
      'a"b',
      'a\\b',
      'tab\t',
      'Zürich',
      '\u007f',
      '~',
      'x'.repeat(64),
      'x'.repeat(65),
    ];
    for (const text of texts) assert.equal(textArgument(args(JSON.stringify(text)), 0, 'topic'), text);
    assert.equal(textArgument(args('"\\u0041/\\/"'), 0, 'topic'), 'A//');
  });

  it('is refused where it is no JSON', () => {
    for (const bad of ['"', '"a', 'a"', '"a"b"', '"a\t"', '"a\\"', '"\u0000"']) {
      assert.throws(() => textArgument(args(bad), 0, 'topic'), { code: 'bad_json' }, bad);
    }
  });

  it('is refused where it is an array of much, before that is made', () => {
    const bombs = [`[${'{},'.repeat(1_000_000)}{}]`, `[${'{},'.repeat(60_000)}{}]`];
    for (const bomb of bombs) {
      assert.throws(() => textArgument(args(bomb), 0, 'topic'), { code: 'body_too_large' });
    }
    const packed = {
      length: 1_000_000,
      jsonLength: 1_000_000,
      json: () => assert.fail('JSON is made of it'),
    };
    assert.throws(() => textArgument([packed], 0, 'topic'), { code: 'body_too_large' });
  });
});
