import { effect, type ReadonlySignal, signal, untracked } from '@preact/signals';
import { isReachable } from '../session.ts';

/** Something that is fetched: the last good value stays while a new one is on its way. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly busy: boolean;
  /** Fetches once more. */
  readonly retry: () => void;
}

/** Changes when somebody tries again what failed: all that failed is fetched, for it had one cause, mostly. */
export const tries = signal(0);

/** A fetch for which something is not known yet: what is there stays until a signal changes. */
export const later = () => new Promise<never>(() => undefined);

/**
 * Fetches whenever a signal that `begin` reads changes, and cancels the fetch before. `begin` reads its signals at once
 * and gives back the fetch, or undefined where there is nothing to fetch. What failed because the service could not be
 * reached is fetched again when it can. A change of `again` fetches once more, and lets a fetch that is on its way end
 * before that.
 */
export function loaded<Value>(
  begin: () => ((signal: AbortSignal) => Promise<Value>) | undefined,
  again?: ReadonlySignal<unknown>,
): ReadonlySignal<Loaded<Value>> {
  const attempts = signal(0);
  const retry = () => {
    attempts.value++;
  };
  const state = signal<Loaded<Value>>({ value: undefined, error: undefined, busy: false, retry });
  let isWanted = false;
  const end = (result: Pick<Loaded<Value>, 'value' | 'error'>) => {
    // It is not at rest in between: what came is not the newest.
    const isNext = isWanted;
    state.value = { ...result, busy: isNext, retry };
    if (isNext) retry();
  };
  effect(() => {
    attempts.value;
    isWanted = false;
    const fetchValue = begin();
    if (fetchValue === undefined) {
      state.value = { value: undefined, error: undefined, busy: false, retry };
      return undefined;
    }
    const controller = new AbortController();
    state.value = { ...state.peek(), busy: true };
    untracked(async () => fetchValue(controller.signal)).then(
      (value) => {
        if (!controller.signal.aborted) end({ value, error: undefined });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) end({ value: state.peek().value, error: error as Error });
      },
    );
    return () => controller.abort(new Error('it is not needed any more'));
  });
  effect(() => {
    if (!isReachable.value || !(state.peek().error instanceof TypeError)) return;
    // It is of before, too.
    state.value = { ...state.peek(), error: undefined };
    untracked(retry);
  });
  effect(() => {
    const { error, busy } = state.peek();
    if (tries.value > 0 && error !== undefined && !busy) untracked(retry);
  });
  if (again !== undefined) {
    let isFirst = true;
    effect(() => {
      again.value;
      if (isFirst) isFirst = false;
      else if (state.peek().busy) isWanted = true;
      else untracked(retry);
    });
  }
  return state;
}
