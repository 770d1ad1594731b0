/**
 * Work in short steps: it stops after each fraction of a millisecond, so that who does it can go on in a later turn of the
 * event loop. Its result comes with the last step.
 */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all of it at once. */
export function whole<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
