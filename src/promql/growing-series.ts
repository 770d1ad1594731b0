import { type Budget, sampleBytes } from './budget.ts';
import type { Labels } from './labels.ts';
import type { Samples } from './values.ts';

/** Samples of a series as they come. The memory is used again for other series. */
export class GrowingSeries {
  labels: Labels;
  readonly ends: number[] = [];
  readonly #budget: Budget;
  #times: Float64Array = new Float64Array(0);
  #values: Float64Array = new Float64Array(0);
  #count = 0;
  /** Values of all samples there are, in the memory of others. */
  #held: Float64Array | undefined;
  /** Times of all samples there are, which others have as well: then they are not in `#times`. */
  #shared: Float64Array | undefined;

  constructor(labels: Labels, budget: Budget) {
    this.labels = labels;
    this.#budget = budget;
  }

  get isEmpty(): boolean {
    return this.#count + this.ends.length === 0;
  }

  /** Begins a series. */
  begin(labels: Labels): void {
    this.labels = labels;
    this.ends.length = 0;
    this.#count = 0;
    this.#shared = undefined;
    this.#held = undefined;
  }

  push(time: number, value: number): void {
    this.#makeRoom(1);
    this.#ownTimes();
    this.#times[this.#count] = time;
    this.#values[this.#count] = value;
    this.#count++;
  }

  /** Takes back the last sample if it was at this time. */
  takeBack(time: number): void {
    const last = this.#count - 1;
    if (last >= 0 && (this.#shared ?? this.#times)[last] === time) this.#count = last;
  }

  /** @param times nobody writes to them later */
  append(times: Float64Array, values: Float64Array): void {
    this.#makeRoom(values.length);
    this.#values.set(values, this.#count);
    if (this.#count === 0) this.#shared = times;
    else {
      this.#ownTimes();
      this.#times.set(times, this.#count);
    }
    this.#count += values.length;
  }

  /** All samples that there will be, in arrays that hold as long as the series. */
  hold(times: Float64Array, values: Float64Array): void {
    this.#budget.countSamples(values.length);
    this.#count = values.length;
    this.#shared = times;
    this.#held = values;
  }

  addEnd(time: number): void {
    this.#budget.take(16);
    this.ends.push(time);
  }

  /** They hold until something is added, or another series begun. */
  samples(): Samples {
    const count = this.#count;
    return {
      labels: this.labels,
      times: this.#shared ?? this.#times.subarray(0, count),
      values: this.#held ?? this.#values.subarray(0, count),
      ends: this.ends.length === 0 ? noEnds : Float64Array.from(this.ends),
    };
  }

  #makeRoom(more: number): void {
    this.#budget.countSamples(more);
    const wanted = this.#count + more;
    if (wanted <= this.#values.length) return;
    const length = Math.max(16, 2 * this.#count, wanted);
    this.#budget.take((length - this.#values.length) * sampleBytes);
    this.#values = grown(this.#values, length, this.#count);
  }

  /** Makes room in `#times` for as many as there are values. */
  #ownTimes(): void {
    const shared = this.#shared;
    if (this.#times.length < this.#values.length)
      this.#times = grown(this.#times, this.#values.length, shared === undefined ? this.#count : 0);
    if (shared !== undefined) this.#times.set(shared);
    this.#shared = undefined;
  }
}

const noEnds = new Float64Array(0);

function grown(values: Float64Array, length: number, count: number): Float64Array {
  const larger = new Float64Array(length);
  larger.set(values.subarray(0, count));
  return larger;
}
