import { isFault, mapRow, type RowFault } from './map-rows.ts';
import type { Mapping } from './mapping.ts';
import { readCsv } from './read-csv.ts';

/** What a whole file is under a mapping. */
export interface Survey {
  /** Rows without a fault. */
  readonly rows: number;
  readonly faults: number;
  /** The first of them. */
  readonly firstFaults: readonly RowFault[];
  readonly from: bigint | undefined;
  readonly to: bigint | undefined;
  /** Rows with the time and the tags of the row before, whose values they replace. */
  readonly repeated: number;
}

const listedFaults = 100;

/** Looks at every row, so that what is wrong is known before the first one is written. */
export async function survey(
  file: Blob,
  mapping: Mapping,
  onBytes: (bytes: number) => void,
): Promise<Survey> {
  const firstFaults: RowFault[] = [];
  const tags = mapping.columns.flatMap(({ role }, i) => (role === 'tag' ? [i] : []));
  let rows = 0;
  let faults = 0;
  let repeated = 0;
  let from: bigint | undefined;
  let to: bigint | undefined;
  let identity = '';
  let isHeader = true;
  for await (const piece of readCsv(file)) {
    for (const csvRow of piece.rows) {
      if (isHeader) {
        isHeader = false;
        continue;
      }
      const row = mapRow(csvRow, mapping);
      if (isFault(row)) {
        faults++;
        if (firstFaults.length < listedFaults) firstFaults.push(row);
        continue;
      }
      rows++;
      if (from === undefined || row.time < from) from = row.time;
      if (to === undefined || row.time > to) to = row.time;
      const now = JSON.stringify([String(row.time), ...tags.map((i) => row.cells[i])]);
      if (now === identity) repeated++;
      identity = now;
    }
    onBytes(piece.bytes);
  }
  return { rows, faults, firstFaults, from, to, repeated };
}
