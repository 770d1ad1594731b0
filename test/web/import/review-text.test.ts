import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { isFault, rowMapper } from '../../../src/import/text/map-rows.ts';
import { readRows } from '../../../src/import/text/survey-text.ts';
import { layoutProblem, reviewText, withEdits } from '../../../web/src/import/review-text.ts';
import { payloadOf } from '../../../web/src/import/send.ts';

function fileOf(text: string): FileBytes {
  const bytes = Buffer.from(text);
  return {
    size: bytes.length,
    read: async (offset, length) => Uint8Array.from(bytes.subarray(offset, offset + length)),
  };
}
const reading = { onBytes: () => undefined, pace: () => undefined };
const review = (text: string, settings = {}) => reviewText(fileOf(text), settings, reading);

describe('a text file in the page', () => {
  it('keeps names, units and roles that somebody gave its columns when it is read anew', async () => {
    const text = 'Time,Speed,Note,Gear\n0.1,3,a,1\n0.2,4,b,2\n';
    const before = await review(text);
    const columns = before.layout.columns.map((column) => {
      if (column.header === 'Speed') return { ...column, name: 'v', unit: 'm/s' };
      return column.header === 'Note' ? { ...column, role: 'tag' as const } : column;
    });
    const edited = { ...before, layout: { ...before.layout, columns } };
    const { layout } = withEdits(await review(text, { start: 1_000_000_000n }), edited);
    assert.equal(layout.start, 1_000_000_000n);
    assert.deepEqual(
      layout.columns.map(({ name, unit, role }) => [name, unit, role]),
      [
        ['Time', '', 'time'],
        ['v', 'm/s', 'number'],
        ['Note', '', 'tag'],
        ['Gear', '', 'number'],
      ],
    );
  });

  it('has numbers in a column where most cells are, and its texts as faults', async () => {
    const { layout, survey, surveyed } = await review('Time,Speed\n0.1,3\n0.2,ERR\n0.3,4\n');
    assert.equal(layout, surveyed);
    assert.deepEqual(
      layout.columns.map(({ role }) => role),
      ['time', 'number'],
    );
    assert.deepEqual([survey.rows, survey.faults, survey.firstFaults[0]!.line], [2, 1, 3]);
  });

  it('is not written to one stream where its rows are of several', async () => {
    const { layout } = await review('Timestamp,Speed,TAG__streamId\n1,3,a\n1,4,b\n');
    assert.match(layoutProblem(layout)!, /^TAG__streamId says which stream a row is of/);
    const columns = layout.columns.map((column) =>
      column.role === 'stream' ? { ...column, role: 'tag' as const } : column,
    );
    assert.equal(layoutProblem({ ...layout, columns }), undefined);
  });

  it('has its binaries written', async () => {
    const text = 'Timestamp,Frame (binary),Frame\n1,AAEC,3\n2,,4\n';
    const { layout } = await review(text);
    assert.equal(layoutProblem(layout), undefined);
    const mapRow = rowMapper(layout);
    const rows = [];
    for await (const piece of readRows(fileOf(text), layout)) {
      for (const read of piece.rows) {
        const row = mapRow(read);
        if (row !== undefined && !isFault(row)) rows.push(row);
      }
    }
    assert.deepEqual(payloadOf(rows, layout).binaryValues, { Frame: [Uint8Array.of(0, 1, 2), null] });
  });
});
