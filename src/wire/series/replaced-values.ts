import { entryOf } from '../../domain/entry-of.ts';
import { excerpt } from '../base/name.ts';
import type { Refused } from './refused.ts';
import type { NamedRun } from './series-blocks.ts';

/**
 * Counts values of a request that a later one of the same series and time replaces, where that is another one: as of a
 * gauge and a sum of one name.
 */
export class ReplacedValues {
  #count = 0;
  #first = '';

  /** Looks at a run in the order of its samples. */
  within({ name, from, to }: NamedRun, offsets: Float64Array, values: Float64Array): void {
    for (let at = from + 1; at < to; at++)
      if (offsets[at] === offsets[at - 1] && !Object.is(values[at], values[at - 1])) this.#add(name);
  }

  /** Looks at all runs of one set of tags. */
  among(runs: readonly NamedRun[], offsets: Float64Array, values: Float64Array): void {
    const firsts = new Map<string, NamedRun>();
    const places = new Map<string, Map<number, number>>();
    for (const run of runs) {
      const key = `${run.window} ${run.name}`;
      const first = firsts.get(key);
      if (first === undefined) {
        firsts.set(key, run);
        continue;
      }
      const known = entryOf(places, key, () => placesOf(first, offsets));
      for (let at = run.from; at < run.to; at++) {
        const before = known.get(offsets[at]!);
        if (before !== undefined && !Object.is(values[before], values[at])) this.#add(run.name);
        known.set(offsets[at]!, at);
      }
    }
  }

  tell(refused: Refused): void {
    const text = `values of ${this.#first} came twice for one time with the same tags: the last one counts`;
    refused.leaveOut('replaced', this.#count, text);
  }

  #add(name: string): void {
    if (this.#count++ === 0) this.#first = excerpt(name);
  }
}

/** Where the sample of each time stands; of one that comes twice the last. */
function placesOf({ from, to }: NamedRun, offsets: Float64Array): Map<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at++) places.set(offsets[at]!, at);
  return places;
}
