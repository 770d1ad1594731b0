import type { QueryMemory } from '../query/bounds/query-memory.ts';
import type { Pace } from '../turns/pace.ts';
import { cannotEvaluate } from './query-error.ts';

/** What the evaluation of one query may take. */
export interface Budget {
  /** Bytes that are held from now on; throws where they are too many. */
  take(bytes: number): void;
  /** Bytes that are held until the query ends. */
  keep(bytes: number): void;
  /** Samples that are read; throws where they are too many. */
  countSamples(count: number): void;
  readonly held: number;
  /** From now on so many bytes are held, but for what is kept: results on the way were let go of. */
  settle(bytes: number): void;
  /** Steps of work; gives what to wait for where others must have their turn. */
  work(steps: number): Promise<void> | undefined;
}

/** The most samples of a query: as many as Prometheus takes by default. */
export const maxSamples = 50_000_000;

/** The bytes of a sample: a time and a value. */
export const sampleBytes = 16;

/** The steps between two looks at the clock: about a tenth of a millisecond. */
const paceSteps = 20_000;

export function createBudget(memory: QueryMemory, pace: Pace): Budget {
  let held = 0;
  let kept = 0;
  let most = 0;
  let samples = 0;
  let done = 0;
  const take = (bytes: number): void => {
    held += bytes;
    if (held + kept <= most) return;
    // By the MiB, for this is called often.
    const wanted = Math.max(held + kept - most, 1 << 20);
    memory.take(wanted);
    most += wanted;
  };
  return {
    take,
    keep(bytes) {
      kept += bytes;
      take(0);
    },
    countSamples(count) {
      samples += count;
      if (samples > maxSamples) {
        throw cannotEvaluate('query processing would load too many samples into memory in query execution');
      }
    },
    get held() {
      return held;
    },
    settle(bytes) {
      held = bytes;
    },
    work(steps) {
      done += steps;
      if (done < paceSteps) return undefined;
      done = 0;
      return pace();
    },
  };
}
