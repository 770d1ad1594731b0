/** States that can be gone back to, and on to again. */
export interface Steps<State> {
  readonly past: readonly State[];
  readonly future: readonly State[];
  /** What the last change was of, and when, ms: small changes of the same that follow it belong to it. */
  readonly last: { readonly of: string; readonly at: number } | undefined;
}

export const noSteps: Steps<never> = { past: [], future: [], last: undefined };

/** So many can be taken back. */
const most = 100;
/** A hand that zooms or types makes no longer pause, ms. */
const restMs = 1000;

/** A change of `before`. A small one goes with small ones of the same that were made just before. */
export function withChange<State>(
  { past, last }: Steps<State>,
  before: State,
  { of, at, isSmall }: { readonly of: string; readonly at: number; readonly isSmall: boolean },
): Steps<State> {
  const isMore = isSmall && last?.of === of && at - last.at < restMs;
  return {
    past: isMore ? past : [...past, before].slice(-most),
    future: [],
    last: isSmall ? { of, at } : undefined,
  };
}

type IsSame<State> = (a: State, b: State) => boolean;

/** A state that was gone to, and what is left to go to from there. */
export interface Gone<State> {
  readonly steps: Steps<State>;
  readonly state: State;
}

/** Goes back from `now` to the last state that is not the same; undefined where there is none. */
export function back<State>(
  { past, future }: Steps<State>,
  now: State,
  isSame: IsSame<State>,
): Gone<State> | undefined {
  const place = past.findLastIndex((state) => !isSame(state, now));
  if (place < 0) return undefined;
  return {
    steps: { past: past.slice(0, place), future: [...future, now], last: undefined },
    state: past[place]!,
  };
}

/** Goes on again from `now`; undefined where there is nothing to go to. */
export function forth<State>(
  { past, future }: Steps<State>,
  now: State,
  isSame: IsSame<State>,
): Gone<State> | undefined {
  const gone = back({ past: future, future: past, last: undefined }, now, isSame);
  if (gone === undefined) return undefined;
  const { steps, state } = gone;
  return { steps: { past: steps.future, future: steps.past, last: undefined }, state };
}
