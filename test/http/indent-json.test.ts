import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { indentJson } from '../../src/http/indent-json.ts';

describe('indentJson', () => {
  it('lays JSON out as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const expected = JSON.stringify(JSON.parse(text), null, 2);
        assert.equal(indentJson(JSON.stringify(JSON.parse(text))), expected);
        assert.equal(indentJson(JSON.stringify(JSON.parse(text), null, 7)), expected);
      }),
    );
  });

  it('keeps every digit', () => {
    assert.equal(
      indentJson('{"a":[9223372036854775807,-0,1.50]}'),
      `{
  "a": [
    9223372036854775807,
    -0,
    1.50
  ]
}`,
    );
  });

  it('leaves strings alone, whatever stands in them', () => {
    const text = JSON.stringify(['{"a": [1, 2]}', 'a \\"b\\", c', '\\']);
    assert.deepEqual(JSON.parse(indentJson(text)), JSON.parse(text));
  });
});
