import type { Pace } from '../../../query/pace.ts';
import type { CatalogState } from './catalog-state.ts';

/**
 * Work on the catalogue that can rest between small steps, so that a million streams don't keep the thread. What it reads
 * may change at each `yield`.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** So many streams are looked at in one step: some tens of microseconds. */
export const streamsOfStep = 512;

/** Does all steps in one go. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the steps at a pace; gives the result at once where no rest came between. */
export function atPace<Result>(steps: Steps<Result>, pace: Pace): Result | Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = pace();
    if (turn !== undefined) return goOn(steps, turn, pace);
  }
}

async function goOn<Result>(steps: Steps<Result>, turn: Promise<void>, pace: Pace): Promise<Result> {
  await turn;
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const next = pace();
    if (next !== undefined) await next;
  }
}

/** After so many attempts in which a delete came between, the steps are done in one go. */
const maxAttempts = 3;

/**
 * Does steps whose result must be that of one moment: it has all of a delete or a restore, or nothing of it. They are begun
 * anew where one was applied between two of them.
 *
 * @param begin is called at the moment that counts
 */
export function ofOneMoment<Result>(
  state: CatalogState,
  begin: () => Steps<Result>,
  pace: Pace,
): Result | Promise<Result> {
  return attempt(1);

  function attempt(number: number): Result | Promise<Result> {
    const isSame = momentOf(state);
    const steps = begin();
    if (number > maxAttempts) return inOneGo(steps);
    const result = atPace(whileSame(steps, isSame), pace);
    if (!(result instanceof Promise)) return result.done ? result.value : attempt(number + 1);
    return result.then((later) => (later.done ? later.value : attempt(number + 1)));
  }
}

type Outcome<Result> = { readonly done: true; readonly value: Result } | { readonly done: false };

function* whileSame<Result>(steps: Steps<Result>, isSame: () => boolean): Steps<Outcome<Result>> {
  for (;;) {
    if (!isSame()) return { done: false };
    const step = steps.next();
    if (step.done === true) return { done: true, value: step.value };
    yield;
  }
}

/** Tells whether no delete or restore was applied since the call. What was written since does not count. */
function momentOf({ showing, tombstones }: CatalogState): () => boolean {
  const { changes } = showing;
  const { all } = tombstones;
  return () => showing.changes === changes && tombstones.all === all;
}
