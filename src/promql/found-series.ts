import { compareText } from '../domain/tags.ts';
import type { Budget } from './budget.ts';
import type { Labels } from './labels.ts';
import type { Grid, Series } from './values.ts';

/** Where the series of a result go, one after the other. */
export interface SeriesSink {
  /** A series without values, for `end`; one at a time. */
  begin(labels: Labels): Series;
  /**
   * Takes it, unless it has no value: then it gives false.
   *
   * @param of the labels that it is put in order by
   */
  end(series: Series, of: Labels): boolean;
}

/** The most series whose memory is made at once. */
const mostAtOnce = 64;

/** The series of a result as they are found, in no order. Many have their memory together: an array takes longer to make than to fill. */
export class FoundSeries implements SeriesSink {
  readonly #count: number;
  readonly #budget: Budget;
  readonly #found: { readonly key: string; readonly series: Series }[] = [];
  #values = new Float64Array(0);
  #present = new Uint8Array(0);
  #room = 0;
  #used = 0;

  constructor({ count }: Pick<Grid, 'count'>, budget: Budget) {
    this.#count = count;
    this.#budget = budget;
  }

  begin(labels: Labels): Series {
    const count = this.#count;
    if (this.#used === this.#room) {
      this.#room = Math.max(1, Math.min(mostAtOnce, this.#found.length));
      this.#used = 0;
      this.#budget.take(9 * count * this.#room);
      this.#values = new Float64Array(count * this.#room);
      this.#present = new Uint8Array(count * this.#room);
    }
    const from = this.#used * count;
    return {
      labels,
      values: this.#values.subarray(from, from + count),
      present: this.#present.subarray(from, from + count),
    };
  }

  end(series: Series, of: Labels): boolean {
    // Where there is no value the place is for the next one.
    if (!series.present.includes(1)) return false;
    this.#used++;
    this.#found.push({ key: of.key, series });
    return true;
  }

  /** All that were found, by the labels that they were read with. */
  inOrder(): Series[] {
    return this.#found.sort((a, b) => compareText(a.key, b.key)).map(({ series }) => series);
  }
}
