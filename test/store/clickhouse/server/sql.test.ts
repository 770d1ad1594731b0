import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  every,
  integer,
  join,
  literal,
  name,
  param,
  print,
  some,
  sql,
} from '../../../../src/store/clickhouse/server/sql.ts';

/** What a value, a name or a text may try to break out of its place with. */
const hostile = [
  `'; DROP TABLE samples; --`,
  '`; DROP TABLE samples; --',
  '{p0:String}',
  '\\',
  `\\'`,
  '\\`',
  '*/ /*',
  '\u0000\n\r\t\u001b',
  '😀 ünï\u2028',
];

describe('sql', () => {
  it('sends values beside the text', () => {
    for (const value of hostile) {
      assert.deepEqual(print(sql`SELECT 1 WHERE stream = ${param(value, 'String')}`), {
        text: 'SELECT 1 WHERE stream = {p0:String}',
        params: { p0: value },
      });
    }
  });

  it('sends a long list in pieces, each short enough for a field of a form', () => {
    const ids = Array.from({ length: 10_000 }, (_, i) => `stream-${i}`);
    const { text, params } = print(sql`SELECT ${param(ids, 'Array(String)')}, ${param('x', 'String')}`);
    const pieces = Object.values(params).slice(0, -1) as string[][];
    assert.deepEqual(pieces.flat(), ids);
    for (const piece of pieces) assert.ok(piece.join().length <= 30_000);
    const bound = pieces.map((_, i) => `{p${i}:Array(String)}`).join(', ');
    assert.equal(text, `SELECT arrayConcat(${bound}), {p${pieces.length}:String}`);
    // Of a subquery ClickHouse always makes a set.
    assert.equal(
      print(sql`stream NOT IN ${param(ids, 'Array(String)')}`).text,
      `stream NOT IN (SELECT arrayJoin(arrayConcat(${bound})))`,
    );
  });

  it('numbers parameters through all that is put together', () => {
    const one = sql`a = ${param(1, 'UInt8')}`;
    const two = sql`b IN ${param(['x', 'y'], 'Array(String)')} OR ${one}`;
    assert.deepEqual(
      print(sql`SELECT ${param(2n ** 63n - 1n, 'Int64')} WHERE ${every([one, two])} LIMIT 1`),
      {
        text: 'SELECT {p0:Int64} WHERE (a = {p1:UInt8}) AND (b IN {p2:Array(String)} OR a = {p3:UInt8}) LIMIT 1',
        params: { p0: 2n ** 63n - 1n, p1: 1, p2: ['x', 'y'], p3: 1 },
      },
    );
  });

  it('can print one piece many times', () => {
    const condition = sql`a = ${param('x', 'String')}`;
    assert.equal(print(sql`${condition} AND ${condition}`).text, 'a = {p0:String} AND a = {p1:String}');
    assert.deepEqual(print(condition).params, { p0: 'x' });
  });

  it('joins conditions and lists, empty ones too', () => {
    assert.equal(print(every([])).text, 'true');
    assert.equal(print(some([])).text, 'false');
    assert.equal(print(some([sql`a`, sql`b`])).text, '(a) OR (b)');
    assert.equal(print(join([name('a'), name('b')])).text, '`a`, `b`');
    assert.equal(print(join([sql`a`, sql`b`], sql` UNION ALL `)).text, 'a UNION ALL b');
  });

  it('quotes names', () => {
    assert.equal(print(name('da`ta\\base', 'samples')).text, '`da\\`ta\\\\base`.`samples`');
    assert.equal(print(name('a\u0000\n')).text, '`a\\x00\\x0a`');
    for (const text of hostile) assert.match(print(name(text)).text, /^`(?:[^`\\\p{Cc}]|\\.)*`$/u);
    assert.throws(() => name(''));
  });

  it('quotes the texts of statements that take no parameters', () => {
    assert.equal(print(literal(`it's \\`)).text, `'it\\'s \\\\'`);
    for (const text of hostile) assert.match(print(literal(text)).text, /^'(?:[^'\\\p{Cc}]|\\.)*'$/u);
  });

  it('prints whole numbers and nothing else as numbers', () => {
    assert.equal(print(integer(-5n)).text, '-5');
    assert.equal(print(integer(2 ** 53 - 1)).text, '9007199254740991');
    for (const value of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
      assert.throws(() => integer(value));
  });
});
