import { minTimestamp } from '../../domain/timestamp.ts';
import type { ReadPlan } from '../../query/plan/plan.ts';
import type { RowBlock } from '../row-block.ts';
import { sliceBlock } from '../slice-block.ts';
import type { StreamKey } from '../store.ts';
import { pickRows } from './pick-rows.ts';
import type { RowSource } from './row-source.ts';

/** The rows of one stream before the first time of a plan. */
export interface RowsBefore {
  /** Those before a time (ns, exclusive) of some of the plan's columns, the last ones first; some may come twice. */
  backwards(places: readonly number[], time: bigint): AsyncGenerator<RowBlock>;
  /** Those of all columns in order of time, from one time (ns) to before another one. */
  forwards(from: bigint, before: bigint): AsyncIterable<RowBlock>;
}

/**
 * Reads the rows of a stream before a plan. What all columns look at first, the last block, is read once for all of
 * them.
 */
export function rowsBefore(stored: ReadPlan, stream: StreamKey, source: RowSource): RowsBefore {
  let lastBlock: Promise<RowBlock | undefined> | undefined;

  async function readLast(): Promise<RowBlock | undefined> {
    const range = { from: minTimestamp, to: stored.from - 1n, order: 'Desc' } as const;
    for await (const block of source.runStream({ ...stored, ...range }, stream)) return block;
    return undefined;
  }

  /** Rows of one time may stand in the last block and in the one before it. */
  const oldestOf = ({ base, offsets, count }: RowBlock) => base + BigInt(offsets[count - 1]!);

  async function* forwards(from: bigint, before: bigint): AsyncGenerator<RowBlock> {
    const last = await lastBlock;
    if (last === undefined || from <= oldestOf(last)) {
      yield* source.runStream({ ...stored, from, to: before - 1n }, stream);
      return;
    }
    const [begin, end] = [rowsNotBefore(last, before), rowsNotBefore(last, from)];
    if (begin < end)
      yield pickRows(
        last,
        Uint32Array.from({ length: end - begin }, (_, i) => end - 1 - i),
      );
  }

  return {
    forwards,
    async *backwards(places, time) {
      lastBlock ??= readLast();
      const last = await lastBlock;
      if (last === undefined) return;
      const begin = rowsNotBefore(last, time);
      if (begin < last.count) {
        const rows = sliceBlock(last, begin, last.count);
        yield { ...rows, columns: places.map((place) => rows.columns[place]) };
      }
      const oldest = oldestOf(last);
      const to = oldest < time ? oldest : time - 1n;
      const parameters = places.map((place) => stored.parameters[place]!);
      yield* source.runStream({ ...stored, parameters, from: minTimestamp, to, order: 'Desc' }, stream);
    },
  };
}

/** How many rows of a block in descending order are not before a time: these come first. */
function rowsNotBefore({ base, offsets, count }: RowBlock, time: bigint): number {
  const offset = Number(time - base);
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! >= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
