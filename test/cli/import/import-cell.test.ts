import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeCell } from '../../../src/cli/import/import-cell.ts';
import type { Cell } from '../../../src/import/tables/table-source.ts';

const number = (text: string): Cell => ({ text, value: Number(text) });

describe('a cell of a table', () => {
  it('becomes JSON', () => {
    assert.equal(encodeCell(null, 'numeric'), 'null');
    assert.equal(encodeCell(number('-0'), 'numeric'), '-0');
    assert.equal(encodeCell(-0, 'numeric'), '-0');
    assert.equal(encodeCell(1.5, 'numeric'), '1.5');
    assert.equal(encodeCell(Number.NaN, 'numeric'), '"NaN"');
    assert.equal(encodeCell(1.5, 'string'), '"1.5"');
    assert.equal(encodeCell(12n, 'numeric'), '12');
    assert.equal(encodeCell(9007199254740993n, 'string'), '"9007199254740993"');
    assert.equal(encodeCell(9007199254740993n, 'timestamp'), '9007199254740993');
    assert.equal(encodeCell(number('1.50'), 'numeric'), '1.50');
    assert.equal(encodeCell(number('NaN'), 'numeric'), '"NaN"');
    assert.equal(encodeCell(number('1.50'), 'string'), '"1.50"');
    assert.equal(encodeCell('a "b"', 'tag'), '"a \\"b\\""');
    assert.equal(encodeCell(Buffer.of(0, 255), 'binary'), '"AP8="');
  });
});
