import { type Column, Kind } from '../../domain/parameter-data.ts';
import { PitwallError } from '../../errors.ts';
import { valueRoom } from '../../expression/value-room.ts';
import type { RowBlock } from '../row-block.ts';
import { maxRemembered } from './evaluator-pool.ts';
import { blockBytes, maxHeldBytes } from './held-bytes.ts';
import { maxStreams } from './open-streams.ts';
import { Smoother } from './smoother.ts';
import { rowsOfStreams } from './split-streams.ts';

/** A column of blocks whose values become means. */
export interface SmoothedColumn {
  readonly column: number;
  /** Nanoseconds before and behind a row. */
  readonly half: bigint;
}

/**
 * Blocks in order of time, with the means of some columns in the place of their values. A block is held until rows have come that
 * lie farther behind its last one. Throws `query_too_large` where too much would be held.
 */
export async function* smoothedBlocks(
  blocks: AsyncIterable<RowBlock>,
  columns: readonly SmoothedColumn[],
): AsyncGenerator<RowBlock> {
  const room = valueRoom(maxRemembered);
  const ofStreams = new Map<string, readonly Smoother[]>();
  const farthest = columns.reduce((most, { half }) => (half > most ? half : most), 0n);

  const smoothersOf = ({ streamId, topic }: RowBlock['streams'][number]): readonly Smoother[] => {
    const key = JSON.stringify([streamId, topic]);
    let own = ofStreams.get(key);
    if (own === undefined) {
      if (ofStreams.size === maxStreams) throw tooLarge(`goes over more than ${maxStreams} streams`);
      own = columns.map(({ column, half }) => new Smoother(column, Number(half), room));
      ofStreams.set(key, own);
    }
    return own;
  };

  const smoothed = (block: RowBlock): RowBlock => {
    const made = columns.map(() => new Float64Array(block.count));
    for (const own of rowsOfStreams(block))
      for (const [i, smoother] of smoothersOf(own.stream).entries()) smoother.means(block, own, made[i]!);
    const all = [...block.columns];
    for (const [i, { column }] of columns.entries()) all[column] = withValues(all[column], made[i]!);
    return { ...block, columns: all };
  };

  const held: RowBlock[] = [];
  let bytes = 0;
  for await (const block of blocks) {
    for (const own of rowsOfStreams(block))
      for (const smoother of smoothersOf(own.stream)) smoother.take(block, own);
    held.push(block);
    bytes += blockBytes(block);
    if (bytes > maxHeldBytes)
      throw tooLarge(`would hold more than ${maxHeldBytes} bytes of rows until those behind them have come`);
    const newest = lastTime(block);
    while (held.length > 0 && lastTime(held[0]!) + farthest < newest) {
      const first = held.shift()!;
      bytes -= blockBytes(first);
      yield smoothed(first);
    }
  }
  for (const block of held) yield smoothed(block);
}

function withValues(column: Column | undefined, values: Float64Array): Column | undefined {
  return column?.kind === Kind.Numeric ? { ...column, values } : column;
}

function lastTime({ base, offsets, count }: RowBlock): bigint {
  return base + BigInt(offsets[count - 1]!);
}

function tooLarge(what: string): PitwallError {
  return new PitwallError('query_too_large', {
    detail: `a calculated parameter with smooth ${what}; make its window narrower, or ask for fewer streams`,
  });
}
