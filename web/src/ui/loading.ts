import { effect, type ReadonlySignal, signal } from '@preact/signals';

/** Something that is fetched: the last good value stays while a new one is on its way. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly busy: boolean;
}

/**
 * Fetches whenever a signal that `begin` reads changes, and cancels the fetch before. `begin` reads its signals at once
 * and gives back the fetch, or undefined where there is nothing to fetch.
 */
export function loaded<Value>(
  begin: () => ((signal: AbortSignal) => Promise<Value>) | undefined,
): ReadonlySignal<Loaded<Value>> {
  const state = signal<Loaded<Value>>({ value: undefined, error: undefined, busy: false });
  effect(() => {
    const fetchValue = begin();
    if (fetchValue === undefined) {
      state.value = { value: undefined, error: undefined, busy: false };
      return undefined;
    }
    const controller = new AbortController();
    state.value = { ...state.peek(), busy: true };
    fetchValue(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) state.value = { value, error: undefined, busy: false };
      },
      (error: unknown) => {
        if (!controller.signal.aborted) state.value = { ...state.peek(), error: error as Error, busy: false };
      },
    );
    return () => controller.abort(new Error('it is not needed any more'));
  });
  return state;
}
