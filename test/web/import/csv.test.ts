import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CsvFault, csvParser, separatorOf } from '../../../web/src/import/csv.ts';

function parse(pieces: readonly string[], separator = ',') {
  const parser = csvParser(separator);
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
}

describe('the CSV parser of the explorer', () => {
  it('gives rows with the line that each begins on, whatever ends the lines', () => {
    assert.deepEqual(parse(['a,b\r\n1,"x\ny"\n\n2,""\n3,"say ""no"""']), [
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', 'x\ny'] },
      { line: 5, cells: ['2', ''] },
      { line: 6, cells: ['3', 'say "no"'] },
    ]);
  });

  it('says where a quote is opened that nothing closes', () => {
    assert.throws(
      () => parse(['a\n1\n"2\n3']),
      (error: CsvFault) => error instanceof CsvFault && error.line === 3,
    );
  });

  it('gives back the cells that were written, wherever the text is cut', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '1', '"', ',', ';', '\n', ' ') });
    const row = fc.array(cell, { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), fc.integer({ min: 1, max: 7 }), (rows, length) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = rows.map((cells) => `${cells.map(quoted).join(',')}\n`).join('');
        const pieces = text.match(new RegExp(`[^]{1,${length}}`.replace('[^]', '[\\s\\S]'), 'g')) ?? [];
        assert.deepEqual(
          parse(pieces).map(({ cells }) => cells),
          rows,
        );
      }),
    );
  });

  it('finds out what separates cells', () => {
    assert.equal(separatorOf('Time;"a,b,c";Speed\n1,2,3,4'), ';');
    assert.equal(separatorOf('Time\tSpeed'), '\t');
    assert.equal(separatorOf('Time'), ',');
  });
});
