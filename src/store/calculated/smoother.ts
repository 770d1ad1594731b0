import { isPresent, Kind } from '../../domain/parameter-data.ts';
import type { NumberColumn } from '../../expression/column.ts';
import { type MovingMean, movingMean } from '../../expression/moving-mean.ts';
import type { ValueRoom } from '../../expression/value-room.ts';
import type { RowBlock } from '../row-block.ts';
import type { RowsOfStream } from './split-streams.ts';

/** Values of rows that no mean has yet. */
interface Waiting {
  /** What `times` count from. */
  base: bigint;
  times: Float64Array;
  readonly values: Float64Array;
  /** The first one that is left. */
  at: number;
}

/**
 * The means of one column of one stream around each of its rows: of the values from `half` before it to `half` behind it, both
 * included. Rows are taken first, and their means are asked for when those behind them have been taken, too.
 */
export class Smoother {
  readonly #column: number;
  readonly #half: number;
  readonly #mean: MovingMean;
  readonly #waiting: Waiting[] = [];
  #base: bigint | undefined;
  #scratch = { values: new Float64Array(0), present: new Uint8Array(0) };

  /**
   * @param column its place in the blocks
   * @param half nanoseconds
   */
  constructor(column: number, half: number, room: ValueRoom) {
    this.#column = column;
    this.#half = half;
    // The window of a moving mean is without its begin.
    this.#mean = movingMean(2 * half + 1, room);
  }

  /** Takes rows behind all that it has. */
  take(block: RowBlock, { rows }: RowsOfStream): void {
    const column = this.#columnOf(block);
    if (column === undefined) return;
    const { base, count, offsets } = block;
    if (rows === undefined && column.present === undefined) {
      this.#waiting.push({
        base,
        times: offsets.subarray(0, count),
        values: column.values.subarray(0, count),
        at: 0,
      });
      return;
    }
    const [times, values]: [number[], number[]] = [[], []];
    for (let i = 0; i < (rows?.length ?? count); i++) {
      const row = rows?.[i] ?? i;
      if (!isPresent(column.present, row)) continue;
      times.push(offsets[row]!);
      values.push(column.values[row]!);
    }
    this.#waiting.push({ base, times: Float64Array.from(times), values: Float64Array.from(values), at: 0 });
  }

  /** Writes the means of rows that have a value into their places. */
  means(block: RowBlock, { rows }: RowsOfStream, out: Float64Array): void {
    const column = this.#columnOf(block);
    if (column === undefined) return;
    if (this.#base !== undefined && this.#base !== block.base)
      this.#mean.moveOrigin(Number(block.base - this.#base));
    this.#base = block.base;
    for (let i = 0; i < (rows?.length ?? block.count); i++) {
      const row = rows?.[i] ?? i;
      if (!isPresent(column.present, row)) continue;
      const end = block.offsets[row]! + this.#half;
      this.#goTo(block.base, end);
      out[row] = this.#mean.meanAt(end);
    }
  }

  #columnOf({ columns }: RowBlock): NumberColumn | undefined {
    const column = columns[this.#column];
    return column?.kind === Kind.Numeric ? column : undefined;
  }

  /** Has the mean take what stands up to a time. */
  #goTo(base: bigint, end: number): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      moveTo(base, next);
      const { times, values, at } = next;
      let to = at;
      while (to < times.length && times[to]! <= end) to++;
      if (to > at) {
        const { values: made, present } = this.#scratchOf(to);
        this.#mean.nextAll({ from: at, to, base, times, values }, made, present);
        next.at = to;
      }
      if (to < times.length) return;
      this.#waiting.shift();
    }
  }

  #scratchOf(rows: number): { readonly values: Float64Array; readonly present: Uint8Array } {
    if (this.#scratch.values.length < rows)
      this.#scratch = { values: new Float64Array(2 * rows), present: new Uint8Array((2 * rows + 7) >> 3) };
    return this.#scratch;
  }
}

function moveTo(base: bigint, waiting: Waiting): void {
  if (waiting.base === base) return;
  const by = Number(waiting.base - base);
  waiting.times = waiting.times.map((time) => time + by);
  waiting.base = base;
}
