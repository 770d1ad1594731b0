import type { TotalsList } from '../codecs/column-totals.ts';
import { decodeStored } from '../files/damage.ts';
import { type PartFile, readExactly } from './part-bytes.ts';
import { type PartIndex, runStart, statisticsOf } from './part-index.ts';
import {
  decodeStatisticsBlock,
  decodeStatisticsHead,
  type StatisticsHead,
  statisticsHeadLength,
} from './run-statistics.ts';

/**
 * Reads the totals of runs as far as they are asked for, at once where they were kept: first those of stretches, then of
 * one column those of each row group. In a place without values the smallest and the largest are NaN. Both reject, or
 * throw, with DamagedError.
 */
export interface RunTotals {
  /** Undefined where the run has no statistics. */
  ofStretches(index: PartIndex, run: number): StatisticsHead | undefined | Promise<StatisticsHead>;
  /** @param column place of the column in the head */
  ofGroups(
    index: PartIndex,
    run: number,
    head: StatisticsHead,
    column: number,
  ): TotalsList | Promise<TotalsList>;
}

/** What is read of statistics at first: mostly the head. */
const firstReadBytes = 16 * 1024;
/** The bytes of the totals of a column: six doubles. */
const totalsBytes = 48;
const what = 'the statistics of a part';

export function runTotalsReader(file: PartFile): RunTotals {
  const heads = file.keep?.<StatisticsHead>();
  const lists = file.keep?.<TotalsList>();

  async function readHead(start: number, end: number, groups: number): Promise<StatisticsHead> {
    const first = await readExactly(file, start, Math.min(firstReadBytes, end - start));
    const length = decodeStored(file.name, start, end, what, () => {
      const told = statisticsHeadLength(first);
      if (told > end - start) throw new RangeError('the statistics are cut');
      return told;
    });
    const bytes = length <= first.length ? first : await readExactly(file, start, length);
    const head = decodeStored(file.name, start, end, what, () => {
      const decoded = decodeStatisticsHead(bytes, groups);
      if (decoded.blocks.at(-1)?.end !== end - start) throw new RangeError('the lengths do not add up');
      return decoded;
    });
    for (const list of head.stretches) hideEmpty(list);
    heads?.put(start, head, sizeOf(head));
    return head;
  }

  async function readList(position: number, length: number, checksum: number, groups: number) {
    const bytes = await readExactly(file, position, length);
    const list = decodeStored(file.name, position, position + length, what, () =>
      decodeStatisticsBlock(bytes, checksum, groups),
    );
    hideEmpty(list);
    lists?.put(position, list, groups * totalsBytes);
    return list;
  }

  return {
    ofStretches(index, run) {
      const { start, end } = statisticsOf(index, run);
      if (start === end) return undefined;
      return heads?.get(start) ?? readHead(start, end, groupsOf(index, run));
    },
    ofGroups(index, run, head, column) {
      const groups = groupsOf(index, run);
      if (groups === 1) return head.stretches[column]!;
      const { start: before } = statisticsOf(index, run);
      const { start, end, checksum } = head.blocks[column]!;
      return lists?.get(before + start) ?? readList(before + start, end - start, checksum, groups);
    },
  };
}

function groupsOf(index: PartIndex, run: number): number {
  return index.runs.ends[run]! - runStart(index.runs, run);
}

function sizeOf({ stretches, parameters }: StatisticsHead): number {
  return stretches.reduce((sum, { count }) => sum + totalsBytes * count.length, 300 * parameters.length);
}

function hideEmpty({ count, min, max }: TotalsList): void {
  for (let i = 0; i < count.length; i++) if (count[i] === 0) min[i] = max[i] = Number.NaN;
}
