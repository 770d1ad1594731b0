import type { Pace } from '../../../turns/pace.ts';
import { atPace, type Steps, whole } from '../../../turns/steps.ts';
import type { CatalogState } from './catalog-state.ts';

/** The streams that are looked at in one step: some tens of microseconds. */
export const streamsOfStep = 512;

/** The attempts in which a delete came between, after which the steps are done in one go. */
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
    if (number > maxAttempts) return whole(steps);
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
