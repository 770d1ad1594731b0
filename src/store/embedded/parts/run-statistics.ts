import { crc32 } from 'node:zlib';
import { ByteReader } from '../codecs/byte-reader.ts';
import { ByteWriter } from '../codecs/byte-writer.ts';
import { verifyChecksum } from '../codecs/checksum.ts';
import {
  addTotals,
  type ColumnTotals,
  decodeTotalsList,
  encodeTotals,
  noValues,
  type TotalsList,
  totalsOfList,
} from '../codecs/column-totals.ts';

/** The row groups of a run that have totals together: about 2^20 rows. */
export const groupsOfStretch = 128;

/**
 * Totals of the numeric columns of a run (column-totals.ts), so that an aggregation over a long time reads few bytes:
 *
 *   uint32   length of the head, with its checksum
 *   head     varint, how many columns have totals; then for each, in order of parameters: a varint, the parameter's number
 *            less that of the column before; a varint, the length of its block; uint32 CRC-32 of its block; the totals of
 *            each stretch of 128 row groups (the last may be shorter). Then uint32 CRC-32 of all that
 *   blocks   of each column the totals of each row group; nothing in a run of one row group
 *
 * Totals are not known where a row group has NaN, infinities or fewer than 128 values. A run of one row group of fewer
 * than 2048 rows has none: its values are read as fast.
 */
export interface RunStatistics {
  readonly parameters: readonly number[];
  /** Per parameter, of each stretch. */
  readonly stretches: readonly (readonly (ColumnTotals | undefined)[])[];
  /** Per parameter, of each row group of the run. */
  readonly groups: readonly (readonly (ColumnTotals | undefined)[])[];
}

/** Totals of one row group by parameter; undefined where they are not known. */
export type GroupTotals = ReadonlyMap<number, ColumnTotals | undefined>;

const minRows = 2048;

/** Gathers the totals of a run's row groups. */
export function runTotals() {
  let groups: (() => GroupTotals)[] = [];
  let rows = 0;
  return {
    add(totals: () => GroupTotals, count: number): void {
      groups.push(totals);
      rows += count;
    },
    /** The statistics of the groups since the last call. */
    take(): Buffer | undefined {
      const taken = groups;
      const isSmall = taken.length < 2 && rows < minRows;
      groups = [];
      rows = 0;
      return isSmall ? undefined : encodeRunStatistics(taken.map((totals) => totals()));
    },
  };
}

function encodeRunStatistics(groups: readonly GroupTotals[]): Buffer | undefined {
  const parameters = new Set<number>();
  for (const group of groups)
    for (const [parameter, totals] of group) if (totals !== undefined) parameters.add(parameter);
  if (parameters.size === 0) return undefined;
  const head = new ByteWriter();
  const blocks = new ByteWriter();
  head.uint32(0);
  head.varint(parameters.size);
  let before = 0;
  for (const parameter of [...parameters].sort((a, b) => a - b)) {
    const totals = groups.map((group) => (group.has(parameter) ? group.get(parameter) : noValues));
    const start = blocks.length;
    if (totals.length > 1) encodeTotals(blocks, totals);
    const block = blocks.written().subarray(start);
    head.varint(parameter - before);
    before = parameter;
    head.varint(block.length);
    head.uint32(crc32(block));
    encodeTotals(head, stretchesOf(totals));
  }
  head.bytes.writeUInt32LE(head.length + 4, 0);
  head.uint32(crc32(head.written()));
  head.append(blocks.written());
  return head.written();
}

function stretchesOf(totals: readonly (ColumnTotals | undefined)[]): (ColumnTotals | undefined)[] {
  return Array.from({ length: Math.ceil(totals.length / groupsOfStretch) }, (_, i) =>
    addTotals(totals.slice(i * groupsOfStretch, (i + 1) * groupsOfStretch)),
  );
}

/** What the head of a run's statistics tells. */
export interface StatisticsHead {
  readonly parameters: readonly number[];
  /** Per parameter, of each stretch. */
  readonly stretches: readonly TotalsList[];
  /** Per parameter, where the totals of the row groups stand; counted from the start of the statistics. */
  readonly blocks: readonly StatisticsBlock[];
}

interface StatisticsBlock {
  readonly start: number;
  readonly end: number;
  readonly checksum: number;
}

/** The length of the head of statistics, with its checksum, from their first four bytes. */
export function statisticsHeadLength(bytes: Buffer): number {
  if (bytes.length < 8) throw new RangeError('the statistics are cut');
  return bytes.readUInt32LE(0);
}

/** Reads the head of the statistics of a run of so many row groups. Throws RangeError where it is not what was written. */
export function decodeStatisticsHead(bytes: Buffer, groupCount: number): StatisticsHead {
  const headLength = statisticsHeadLength(bytes);
  const reader = new ByteReader(bytes, 4, headLength - 4);
  verifyChecksum(bytes.subarray(0, headLength - 4), bytes.readUInt32LE(headLength - 4));
  const count = reader.varint();
  const parameters: number[] = [];
  const stretches: TotalsList[] = [];
  const blocks: StatisticsBlock[] = [];
  let start = headLength;
  for (let i = 0; i < count; i++) {
    parameters.push((parameters.at(-1) ?? 0) + reader.varint());
    const end = start + reader.varint();
    blocks.push({ start, end, checksum: reader.uint32() });
    stretches.push(decodeTotalsList(reader, Math.ceil(groupCount / groupsOfStretch)));
    start = end;
  }
  if (reader.position !== reader.end) throw new RangeError('bytes are left over');
  return { parameters, stretches, blocks };
}

/** Reads the totals of the row groups of one column from its block. */
export function decodeStatisticsBlock(bytes: Buffer, checksum: number, groupCount: number): TotalsList {
  verifyChecksum(bytes, checksum);
  const reader = new ByteReader(bytes);
  const list = decodeTotalsList(reader, groupCount);
  if (reader.position !== reader.end) throw new RangeError('bytes are left over');
  return list;
}

/** Reads the statistics of a run of so many row groups. Throws RangeError where they are not what was written. */
export function decodeRunStatistics(bytes: Buffer, groupCount: number): RunStatistics {
  const { parameters, stretches, blocks } = decodeStatisticsHead(bytes, groupCount);
  if ((blocks.at(-1)?.end ?? statisticsHeadLength(bytes)) !== bytes.length)
    throw new RangeError('bytes are left over');
  const groups = blocks.map(({ start, end, checksum }, i) => {
    const block = bytes.subarray(start, end);
    if (groupCount > 1) return totalsOfList(decodeStatisticsBlock(block, checksum, groupCount));
    verifyChecksum(block, checksum);
    if (block.length > 0) throw new RangeError('bytes are left over');
    return totalsOfList(stretches[i]!);
  });
  return { parameters, stretches: stretches.map(totalsOfList), groups };
}
