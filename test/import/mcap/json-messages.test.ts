import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileFault } from '../../../src/import/file-bytes.ts';
import type { LoggedFile } from '../../../src/import/logged-file.ts';
import { openMcap } from '../../../src/import/mcap/open-mcap.ts';
import { makeMcap } from './made-mcap.ts';
import { columnsOf, fileOf } from './read-mcap.ts';

async function opened(...messages: readonly string[]): Promise<LoggedFile> {
  const bytes = messages.map((message) => Buffer.from(message));
  return openMcap(fileOf(await makeMcap([{ topic: 't', encoding: 'json', messages: bytes }])));
}

async function valuesOf(...messages: readonly string[]): Promise<Record<string, unknown[]>> {
  const { 't times': _times, ...columns } = await columnsOf(await opened(...messages));
  return columns;
}

describe('a number of a JSON message', () => {
  it('is the double that JSON.parse gives', async () => {
    const numbers = [
      '0', '-0', '7', '-12', '123456789012345', '-9007199254740991', '1e3', '1E-7', '0.1', '-2.5e+2',
      '1.7976931348623157e308', '5e-324', '4.35', '9007199254740992', '1152921504606846976', '1e22', '100000000000000000000',
      '9007199254740993.0', '0.30000000000000004', '123456789.123456789',
    ]; // biome-ignore format: a list
    for (const text of numbers) {
      const { 't.v': values } = await valuesOf(`{"v": ${text}}`);
      assert.ok(Object.is(values?.[0], JSON.parse(text)), `${text} is ${values?.[0]}`);
    }
  });

  it('keeps its digits where a double would round it, and then all of its field are text', async () => {
    const log = await opened(
      '{"id":1.50,"n":1}',
      '{"id":9007199254740993,"n":2}',
      '{"id":-18446744073709551615}',
      '{"id":true}',
    );
    assert.deepEqual(await columnsOf(log), {
      't times': [0, 10, 20, 30],
      't.id text': ['1.50', '9007199254740993', '-18446744073709551615', '1'],
      't.n': [1, 2, null, null],
    });
    assert.deepEqual(log.notes, [
      'times are the log times of messages',
      't.id is text, for a number would not keep the digits of 9007199254740993 in message 2',
    ]);
  });

  it('is told where it is nearer to 0 than any double, and 0', async () => {
    const log = await opened('{"v":1}', '{"v":1e-400}', '{"v":-2e-999}', '{"v":0e-400}');
    assert.deepEqual((await columnsOf(log))['t.v'], [1, 0, -0, 0]);
    assert.deepEqual(log.notes?.slice(1), [
      'numbers nearer to 0 than a number can be, made 0, in t.v: 2 (message 2: 1e-400)',
    ]);
  });

  it('shares the text channel of its field where it has other texts', async () => {
    assert.deepEqual(await valuesOf('{"id":"a"}', '{"id":9007199254740993}', '{"id":3}'), {
      't.id text': ['a', '9007199254740993', '3'],
    });
    assert.deepEqual(await valuesOf('{"id":3}', '{"id":"a"}', '{"id":9007199254740993}'), {
      't.id text': ['3', 'a', '9007199254740993'],
    });
  });

  it('may be NaN or infinite, as Python writes it', async () => {
    const messages = Array.from(
      { length: 1000 },
      (_, i) => `{"v": ${i === 500 ? 'NaN' : i}, "w": [Infinity, -Infinity]}`,
    );
    const { 't.v': v, 't.w[0]': first, 't.w[1]': second } = await valuesOf(...messages);
    assert.deepEqual(
      v,
      Array.from({ length: 1000 }, (_, i) => (i === 500 ? Number.NaN : i)),
    );
    assert.ok(first!.every((value) => value === Number.POSITIVE_INFINITY));
    assert.ok(second!.every((value) => value === Number.NEGATIVE_INFINITY));
  });

  it('beyond the range of doubles is refused with its topic, its message and its place', async () => {
    for (const text of ['1e400', '-1e400', `1${'0'.repeat(400)}`]) {
      await assert.rejects(
        opened('{"a":{"v":1}}', `{"a":{"v":${text}}}`),
        (error) =>
          error instanceof FileFault &&
          /message 2 of t cannot be read: the number -?1[e0]\S* of a.v is beyond the range/.test(
            error.message,
          ),
      );
    }
  });
});

describe('a JSON message', () => {
  it('gives what JSON.parse gives', async () => {
    const message = ` {"a" : [ ] ,"b":{},"c":[[1,2],[ 3 ]],"d":"x\\u00e9\\n\\"\\\\","\\u0065 f":{"g":[{"h":true},{"h":false}]},"n":null}\r\n`;
    assert.deepEqual(await valuesOf(message), {
      't.c[0][0]': [1],
      't.c[0][1]': [2],
      't.c[1][0]': [3],
      't.d text': ['xé\n"\\'],
      't.e f.g[0].h': [1],
      't.e f.g[1].h': [0],
    });
    assert.deepEqual(await valuesOf('5', '"x"', '\ufeff[1]'), {
      t: [5, null, null],
      't text': [null, 'x', null],
      't[0]': [null, null, 1],
    });
  });

  it('takes the last of fields with one name, as JSON.parse does', async () => {
    assert.deepEqual(await valuesOf('{"a":1,"a":2}'), { 't.a': [2] });
  });

  it('has fields of any name', async () => {
    assert.deepEqual(await valuesOf('{"__proto__":1,"constructor":2,"":3}'), {
      't.__proto__': [1],
      't.constructor': [2],
      t: [3],
    });
  });

  it('is refused where JSON.parse refuses it', async () => {
    const texts = [
      '', '{', '[1', '{"a"}', '{"a":}', '{"a":1,}', '[1,]', '{a:1}', '01', '-', '1.', '.5', '1e', '+1', '"x', '"\\x"', '"\t"',
      'nul', 'truee', '1 2', '{"a":1}}', "{'a':1}", 'nan', '-NaN', 'undefined', '[1;2]', '"\\', '-infinity', '{"a":1,,"b":2}',
    ]; // biome-ignore format: a list
    for (const text of texts) {
      await assert.rejects(
        opened(text),
        (error) => error instanceof FileFault && /message 1 of t cannot be read/.test(error.message),
        text,
      );
    }
    await assert.rejects(
      opened('{"a":1}', '{"a":x}'),
      /message 2 of t cannot be read: it is no JSON: "x" at letter 6 where a value was expected$/,
    );
  });

  it('has arrays of up to 16 elements; longer ones and long texts are left out, and the file says how often', async () => {
    const log = await opened(
      `{"a":[${Array(16).fill(1)}]}`,
      `{"a":[${Array(17).fill('[{"b":"]"}]')}],"s":"${'x'.repeat(4097)}"}`,
    );
    assert.equal(log.tables[0]!.channels.length, 16);
    assert.deepEqual(log.leftOut, [
      't.a (an array of more than 16 elements, in 1 of 2 messages)',
      't.s (a text of more than 4096 letters, in 1 of 2 messages)',
    ]);
  });
});
