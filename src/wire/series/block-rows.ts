import { NumericRows } from '../../domain/numeric-rows.ts';
import type { TagSet } from '../../domain/tags.ts';
import type { Steps } from '../../turns/steps.ts';
import { type Block, nsOfMs, type SameTimes, windowMs } from './series-blocks.ts';

/** Samples of a step. */
const stepSamples = 16_384;

/** The time of one row, from its base. */
const oneOffset = Float64Array.of(0);

/** Makes rows of series that were joined. */
export class BlockRows {
  readonly #offsets: Float64Array;
  readonly #values: Float64Array;
  /** The base of the rows that were made last. */
  #base = 0n;
  #baseWindow = Number.NaN;
  #baseOffset = 0;

  /**
   * @param offsets of all samples: nanoseconds in their windows
   * @param values of all samples, which rows go on using
   */
  constructor(offsets: Float64Array, values: Float64Array) {
    this.#offsets = offsets;
    this.#values = values;
  }

  ofOne({ tags, names, window, count, from, starts }: SameTimes): NumericRows {
    let min = this.#offsets[from]!;
    let offsets = oneOffset;
    if (count > 1) {
      offsets = this.#offsets.slice(from, from + count);
      min = leaveBase(offsets);
    }
    const rows = { count, base: this.#baseOf(window, min), offsets, tagSets: [tags], tagIndex: undefined };
    if (starts === undefined) return new NumericRows(rows, names.names, this.#values, from);
    const values = new Float64Array(count * starts.length);
    for (let column = 0; column < starts.length; column++)
      copy(this.#values, starts[column]!, values, column * count, count);
    return new NumericRows(rows, names.names, values, 0);
  }

  /** In steps. */
  *ofBlock(block: Block): Steps<NumericRows> {
    if (block.length === 1) return this.ofOne(block[0]!);
    const { names, window } = block[0]!;
    let count = 0;
    for (const same of block) count += same.count;
    const offsets = new Float64Array(count);
    const tagSets: TagSet[] = [];
    const tagNumbers = new Map<TagSet, number>();
    const tagIndex = new Uint32Array(count);
    const values = new Float64Array(count * names.length);
    let row = 0;
    let copied = 0;
    for (const { tags, count: own, from, starts } of block) {
      copy(this.#offsets, from, offsets, row, own);
      let number = tagNumbers.get(tags);
      if (number === undefined) {
        number = tagSets.push(tags) - 1;
        tagNumbers.set(tags, number);
      }
      tagIndex.fill(number, row, row + own);
      for (let column = 0; column < names.length; column++)
        copy(this.#values, starts?.[column] ?? from + column * own, values, column * count + row, own);
      row += own;
      copied += own * names.length;
      if (copied < stepSamples) continue;
      copied = 0;
      yield;
    }
    const base = this.#baseOf(window, leaveBase(offsets));
    return new NumericRows({ count, base, offsets, tagSets, tagIndex }, names.names, values, 0);
  }

  /** The time (ns) of an offset in a window: mostly the one that was asked for last. */
  #baseOf(window: number, offset: number): bigint {
    if (window !== this.#baseWindow || offset !== this.#baseOffset) {
      this.#baseWindow = window;
      this.#baseOffset = offset;
      this.#base = BigInt(window) * BigInt(windowMs * nsOfMs) + BigInt(offset);
    }
    return this.#base;
  }
}

/** Takes the smallest of some offsets away from all; gives it. */
function leaveBase(offsets: Float64Array): number {
  let min = offsets[0]!;
  for (let row = 1; row < offsets.length; row++) if (offsets[row]! < min) min = offsets[row]!;
  for (let row = 0; row < offsets.length; row++) offsets[row]! -= min;
  return min;
}

/** For a few values a loop is several times faster than `set`. */
function copy(from: Float64Array, start: number, to: Float64Array, at: number, count: number): void {
  if (count > 64) to.set(from.subarray(start, start + count), at);
  else for (let i = 0; i < count; i++) to[at + i] = from[start + i]!;
}

/** The same values in a longer array. */
export function grown(values: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(values);
  return larger;
}
