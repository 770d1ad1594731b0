import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createJsonWriter,
  type JsonWriter,
  takeRest,
  writeText,
} from '../../../src/wire/json/json-writer.ts';

const textOf = (out: JsonWriter) => Buffer.concat(takeRest(out)).toString();

describe('writers of JSON', () => {
  it('write by turns, each into memory of its own', () => {
    writeText(createJsonWriter(), '"nothing"');
    const [one, other] = [createJsonWriter(), createJsonWriter()];
    for (let i = 0; i < 3; i++) {
      writeText(one, `[${i}]`);
      writeText(other, `{${i}}`);
    }
    assert.deepEqual([textOf(one), textOf(other)], ['[0][1][2]', '{0}{1}{2}']);
  });

  it('give their memory back once, however often they are ended', () => {
    const ended = createJsonWriter();
    writeText(ended, '1');
    assert.equal(textOf(ended), '1');
    const one = createJsonWriter();
    assert.equal(textOf(ended), '');
    const other = createJsonWriter();
    writeText(one, '"one"');
    writeText(other, '"other"');
    assert.deepEqual([textOf(one), textOf(other)], ['"one"', '"other"']);
  });

  it('leave what they gave back alone', () => {
    const ended = createJsonWriter();
    writeText(ended, '1');
    takeRest(ended);
    const next = createJsonWriter();
    writeText(next, '"next"');
    writeText(ended, '22222222');
    assert.deepEqual([textOf(next), textOf(ended)], ['"next"', '22222222']);
  });
});
