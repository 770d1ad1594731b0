import { isPresent, Kind } from '../../../domain/parameter-data.ts';
import { pickTags } from './gather-rows.ts';
import { type ByteWinners, byteWinners, gatherWinners, presenceOf } from './merge-columns.ts';
import type { PieceCut } from './piece-cuts.ts';
import type { GroupColumn, RowGroup } from './row-group.ts';
import type { RowIdentities } from './row-identities.ts';
import type { RowTable } from './row-table.ts';

/**
 * Merges the rows of a cut, row by row: the work is that of the values which are there, however many parameters the
 * sources have and however many of them reach into the cut. The last row of an identity that has a value wins.
 */
export function mergeCut(table: RowTable, cut: PieceCut): RowGroup {
  const { groups, groupOf, firstRows, placesOf } = table;
  const { order, identityOf } = table.identities;
  const merged = columnsOf(table, cut);
  const identities = new Uint32Array(cut.rows);
  let count = 0;
  for (let i = cut.from; i < cut.to; i++) {
    const row = order === undefined ? i : order[i]!;
    const source = groupOf[row]!;
    const { columns } = groups[source]!;
    const places = placesOf[source]!;
    const rowInGroup = row - firstRows[source]!;
    for (let c = 0; c < columns.length; c++) {
      const column = columns[c]!;
      if (!isPresent(column.present, rowInGroup)) continue;
      // Rows without a value get no place.
      if (count === 0 || identities[count - 1] !== identityOf[row]) identities[count++] = identityOf[row]!;
      merged.put(places[c]!, count - 1, column, rowInGroup);
    }
  }
  return {
    stream: groups[0]!.stream,
    count,
    offsets: offsetsOf(table.identities, identities),
    ...pickTags(table.identities, identities),
    columns: merged.finish(),
  };
}

function offsetsOf({ offsets }: RowIdentities, identities: Uint32Array): Float64Array {
  const found = new Float64Array(identities.length);
  for (let i = 0; i < found.length; i++) found[i] = offsets[identities[i]!]!;
  return found;
}

/** A column that values are put into; numbers stand in `values`, others in `winners`. */
interface OpenColumn {
  readonly sample: GroupColumn;
  readonly values: Float64Array;
  readonly winners: ByteWinners | undefined;
  readonly bitmap: Uint8Array;
}

/** The columns of a piece; memory is taken at once for all of them. */
function columnsOf(table: RowTable, { rows, parameters }: PieceCut) {
  const bitmapBytes = (rows + 7) >> 3;
  const values = new Float64Array(rows * parameters);
  const bitmaps = new Uint8Array(bitmapBytes * parameters);
  const open: (OpenColumn | undefined)[] = new Array(table.parameters.length).fill(undefined);
  let opened = 0;

  function openColumn(sample: GroupColumn): OpenColumn {
    const n = opened++;
    return {
      sample,
      values: values.subarray(n * rows, (n + 1) * rows),
      winners: sample.kind === Kind.Numeric ? undefined : byteWinners(rows),
      bitmap: bitmaps.subarray(n * bitmapBytes, (n + 1) * bitmapBytes),
    };
  }

  return {
    put(place: number, row: number, column: GroupColumn, rowInGroup: number): void {
      open[place] ??= openColumn(column);
      const { values, winners, bitmap } = open[place];
      bitmap[row >> 3]! |= 1 << (row & 7);
      if (!('ends' in column)) {
        values[row] = column.values[rowInGroup]!;
        return;
      }
      const { sources, sourceOf, rowOf } = winners!;
      if (sources.at(-1) !== column) sources.push(column);
      sourceOf[row] = sources.length - 1;
      rowOf[row] = rowInGroup;
    },
    finish(): GroupColumn[] {
      const finished: GroupColumn[] = [];
      for (const column of open) if (column !== undefined) finished.push(finish(column));
      return finished;
    },
  };

  function finish({ sample, values, winners, bitmap }: OpenColumn): GroupColumn {
    const { parameter } = sample;
    const present = presenceOf(bitmap, rows);
    if (!('ends' in sample)) return { parameter, kind: sample.kind, values, present };
    return { parameter, kind: sample.kind, ...gatherWinners(winners!), present };
  }
}
