import { PitwallError } from '../../errors.ts';
import { inNextTurn } from '../../turns/rest.ts';

/**
 * What a request may spend on searching for patterns. The engine cannot be interrupted, and how long a search takes is
 * known only when it is done: most take a few nanoseconds a character, whatever the pattern; the worst, in texts in which the
 * engine meets ever new states, a hundred for each of its steps. So one search is bounded by steps beforehand, and all of them by the time that they took.
 */
export interface PatternBudget {
  /**
   * Does a search of so many steps at most: the pattern's, for each character. Throws `query_too_slow` (400) where it
   * would be too many, or where this and earlier searches took too long.
   */
  search(steps: number, run: () => boolean): boolean;
  /** What all searches took, in milliseconds. */
  spentMs(): number;
}

/**
 * The most steps of one search, which then takes half a second in the worst case. A pattern of 76 steps in 64 KiB
 * has as many.
 */
const maxSteps = 5_000_000;
/** What a step takes at most, nearly. More than that is time in which the thread did not run. */
const stepMs = 1e-4;
/**
 * The longest time of searches between which nothing else had a turn: row groups of a few thousand short texts take
 * a tenth of it.
 */
const maxTurnMs = 100;
/** The longest time of all searches of a query: a simple pattern over a million short texts takes a tenth of it. */
const maxMs = 5000;
/** So short turns are not told from the next ones. */
const shortTurnMs = 1;

/**
 * @param alreadyMs what earlier searches of the request took
 * @param now milliseconds, from any origin
 * @param onNextTurn calls its argument when everything else has had a turn
 */
export function patternBudget(
  alreadyMs = 0,
  now: () => number = performance.now.bind(performance),
  onNextTurn: (begin: () => void) => void = inNextTurn,
): PatternBudget {
  let spentMs = alreadyMs;
  let turnMs = 0;
  let isTurnNoted = false;
  return {
    search(steps, run) {
      if (steps > maxSteps) throw tooSlow(`one value would take ${steps} steps, and ${maxSteps} are allowed`);
      const start = now();
      const isMatch = run();
      const tookMs = Math.min(now() - start, steps * stepMs);
      spentMs += tookMs;
      turnMs += tookMs;
      if (turnMs > maxTurnMs)
        throw tooSlow(`values that are looked at together take more than ${maxTurnMs} ms`);
      if (spentMs > maxMs) throw tooSlow(`all values take more than ${maxMs / 1000} s`);
      if (!isTurnNoted && turnMs > shortTurnMs) {
        isTurnNoted = true;
        onNextTurn(() => {
          turnMs = 0;
          isTurnNoted = false;
        });
      }
      return isMatch;
    },
    spentMs: () => spentMs,
  };
}

/** For filters whose searches a request has paid for already. */
export const unbounded: PatternBudget = { search: (_steps, run) => run(), spentMs: () => 0 };

function tooSlow(what: string): PitwallError {
  return new PitwallError('query_too_slow', {
    detail: `searching for the patterns of the tag filters takes too long: ${what}; use shorter patterns, or ask for less time or fewer streams`,
  });
}
