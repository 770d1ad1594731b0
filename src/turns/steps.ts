import type { Pace } from './pace.ts';

/**
 * Work in short steps: it stops after each fraction of a millisecond, so that who does it can go on in a later turn of the
 * event loop. Its result comes with the last step. What it reads may change at each `yield`.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** What is there already, as steps. */
export function* noSteps<Result>(result: Result): Steps<Result> {
  return result;
}

/** Does all steps at once. */
export function whole<Result>(steps: Steps<Result>): Result {
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
