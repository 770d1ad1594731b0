import assert from 'node:assert/strict';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { isFault, type MappedRow, rowMapper } from '../../../src/import/text/map-rows.ts';
import { openText } from '../../../src/import/text/open-text.ts';
import { readRows, settleText } from '../../../src/import/text/survey-text.ts';
import type { TextLayout, TextSettings } from '../../../src/import/text/text-layout.ts';

export function fileOf(bytes: Uint8Array): FileBytes {
  return {
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
  };
}

/** Reads a text file as an import does; no row of it has a fault. */
export async function readText(bytes: Uint8Array, settings: TextSettings = {}) {
  const file = fileOf(bytes);
  const opened = await openText(file, settings);
  const { survey, layout } = await settleText(file, opened, () => undefined);
  assert.deepEqual(survey.firstFaults, []);
  const mapRow = rowMapper(layout);
  const rows: MappedRow[] = [];
  for await (const piece of readRows(file, layout)) {
    for (const read of piece.rows) {
      const row = mapRow(read);
      if (row !== undefined && !isFault(row)) rows.push(row);
    }
  }
  return { layout, survey, rows, columns: columnsOf(layout, rows) };
}

/** `name [unit] role`, with the values of a column. */
function columnsOf({ columns }: TextLayout, rows: readonly MappedRow[]): Record<string, unknown[]> {
  return Object.fromEntries(
    columns.flatMap(({ name, unit, role }, i) =>
      role === 'time' || role === 'day' || role === 'skip'
        ? []
        : [[`${name} [${unit}] ${role}`, rows.map(({ cells }) => cells[i])]],
    ),
  );
}
