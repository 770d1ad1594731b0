import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../src/wire/json/json-value.ts';
import { decodeJson } from '../../src/wire/json/value.ts';
import { encode, fill, integer } from './fill.ts';

const bindings = new Map<string, JsonValue>([
  ['now', integer(1_700_000_000_000_000_000n)],
  ['id', 's 1'],
  ['count', integer(9_007_199_254_740_993n)],
]);

const filled = (text: string) => encode(fill(decodeJson(Buffer.from(text)), bindings));

describe('a value of a script', () => {
  it('keeps its numbers as they were written', () => {
    assert.equal(filled('[1591733989000000001,1.50,-0,1e3]'), '[1591733989000000001,1.50,-0,1e3]');
  });

  it('has what was captured in its place, of its own type or within text', () => {
    assert.equal(
      filled(`["\${id}","\${count}","a \${id} b \${count}"]`),
      '["s 1",9007199254740993,"a s 1 b 9007199254740993"]',
    );
    assert.equal(filled(`{"\${id}":1}`), '{"s 1":1}');
    assert.throws(() => filled(`"\${nothing}"`), /captures \$\{nothing\}/);
  });

  it('has times relative to now', () => {
    assert.equal(
      filled(`["\${now}","\${now-1h}","\${now+250ms}","\${now-1d as ISO}"]`),
      '[1700000000000000000,1699996400000000000,1700000000250000000,"2023-11-13T22:13:20.000Z"]',
    );
  });

  it('is repeated as text, elements or members', () => {
    assert.equal(filled('{"$repeat":3,"text":"ab"}'), '"ababab"');
    assert.equal(filled('[{"$repeat":2,"element":[1]}]'), '[[[1],[1]]]');
    assert.equal(filled('{"$repeat":2,"name":"p#","value":[1]}'), '{"p1":[1],"p2":[1]}');
    assert.throws(() => filled('{"$repeat":2}'), /\$repeat needs/);
  });
});
