import { Kind } from '../../../domain/parameter-data.ts';
import type { RunSums, Runs } from '../../../query/runs/runs.ts';
import { decodeStored } from '../files/damage.ts';
import type { GroupColumn } from '../rows/row-group.ts';
import type { ByteReader } from './byte-reader.ts';
import { verifyChecksum } from './checksum.ts';
import { decodeValues } from './column-codec.ts';
import { decodeStatistics, type FrameStatistics } from './frame-statistics.ts';
import { sumRuns } from './frame-sums.ts';
import { type FrameTable, readExtremes, readFrames } from './frame-table.ts';
import { decodeNumbers } from './number-codec.ts';
import { PresenceForm } from './presence-codec.ts';
import type { Block, ColumnEntry, GroupHandle } from './row-group-directory.ts';
import type { StoredBytes } from './stored-bytes.ts';

// The columns of a row group, each from blocks with checksums of their own (row-group-codec.ts).

/**
 * Decodes a column from bytes that hold its blocks; numbers go to `into` where that is given, and stay there until it is
 * used again. Throws DamagedError.
 */
export function decodeColumn(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  into?: Float64Array,
): GroupColumn {
  return decodeBlock(file, handle, entry.values, valuesOf(entry.parameter), stored, (reader) =>
    decodeValues(reader, entry, handle.rows, into),
  );
}

/**
 * The values of a column of numbers that every row has, in the frames that are marked; what stands in the others
 * means nothing. `stored` as above.
 */
export function decodeColumnFrames(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  marks: Uint8Array,
  into: Float64Array,
): Float64Array {
  return decodeBlock(file, handle, entry.values, valuesOf(entry.parameter), stored, (reader) => {
    const values = decodeNumbers(reader, handle.rows, into, marks);
    reader.position = reader.end;
    return values;
  });
}

/**
 * The sums of runs of a column of numbers that every row has, to `sums`; false where nothing stored gives them
 * (`sumRuns`). `stored` as above.
 */
export function decodeRunSums(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  runs: Runs,
  sums: RunSums,
): boolean {
  const { statistics, values } = entry;
  if (statistics === undefined) return false;
  return decodeBlock(file, handle, values, valuesOf(entry.parameter), stored, (ofValues) => {
    const what = statisticsOf(entry.parameter);
    return decodeBlock(file, handle, statistics, what, stored, (ofStatistics) => {
      const areThere = sumRuns(ofValues, ofStatistics, handle.rows, runs, sums);
      ofValues.position = ofValues.end;
      ofStatistics.position = ofStatistics.end;
      return areThere;
    });
  });
}

/** Frames of a column that were read to a table. */
export interface TakenFrames {
  readonly scale: number;
  /** All bytes of the values; positions in the table are in the same memory, in which these begin at `from`. */
  readonly bytes: Buffer;
  readonly from: number;
}

/**
 * Reads the frames of a column of numbers that every row has to a table, from the place `at` on; undefined where it has none
 * of which all is known (`readFrames`). `stored` as above.
 */
export function decodeFrameTable(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  table: FrameTable,
  at: number,
): TakenFrames | undefined {
  const { statistics, values } = entry;
  if (statistics === undefined || entry.presenceForm !== PresenceForm.All || entry.kind !== Kind.Numeric)
    return undefined;
  return decodeBlock(file, handle, values, valuesOf(entry.parameter), stored, (ofValues) => {
    const what = statisticsOf(entry.parameter);
    const from = ofValues.position;
    const bytes = ofValues.bytes.subarray(from, ofValues.end);
    const scale = decodeBlock(file, handle, statistics, what, stored, (ofStatistics) => {
      const start = ofStatistics.position;
      const found = readFrames(ofValues, ofStatistics, handle.rows, table, at);
      ofStatistics.position = start;
      if (found !== undefined) readExtremes(ofStatistics, handle.rows, table, at);
      ofStatistics.position = ofStatistics.end;
      return found;
    });
    ofValues.position = ofValues.end;
    return scale === undefined ? undefined : { scale, bytes, from };
  });
}

/** The statistics of a column, its sums only where they are wanted; undefined where it has none. `stored` as above. */
export function decodeColumnStatistics(
  file: string,
  handle: GroupHandle,
  entry: ColumnEntry,
  stored: StoredBytes,
  withSums: boolean,
  into?: FrameStatistics,
): FrameStatistics | undefined {
  if (entry.statistics === undefined) return undefined;
  const what = statisticsOf(entry.parameter);
  return decodeBlock(file, handle, entry.statistics, what, stored, (reader) =>
    decodeStatistics(reader, entry.present, withSums, into),
  );
}

/** Holds the blocks of columns against their checksums. Throws DamagedError. */
export function checkColumns(
  file: string,
  handle: GroupHandle,
  entries: readonly ColumnEntry[],
  stored: StoredBytes,
): void {
  const check = (block: Block, what: string) =>
    decodeBlock(file, handle, block, what, stored, (reader) => {
      reader.position = reader.end;
    });
  for (const { parameter, values, statistics } of entries) {
    check(values, valuesOf(parameter));
    if (statistics !== undefined) check(statistics, statisticsOf(parameter));
  }
}

const valuesOf = (parameter: number) => `parameter ${parameter}`;
const statisticsOf = (parameter: number) => `statistics of parameter ${parameter}`;

function decodeBlock<T>(
  file: string,
  handle: GroupHandle,
  { position, length, checksum }: Block,
  what: string,
  stored: StoredBytes,
  decode: (reader: ByteReader) => T,
): T {
  const start = handle.position + position;
  return decodeStored(file, start, start + length, what, () => {
    const reader = stored.reader(position, position + length);
    if (checksum !== undefined && !stored.isChecked)
      verifyChecksum(stored.bytes.subarray(reader.position, reader.end), checksum);
    const decoded = decode(reader);
    if (reader.position !== reader.end) throw new RangeError('bytes are left over');
    return decoded;
  });
}
