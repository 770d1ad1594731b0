import { effect, type ReadonlySignal, untracked } from '@preact/signals';
import type { Loaded } from '../ui/loading.ts';
import { refreshes } from './found.ts';

/** What the page cannot do without is asked for again with the list of runs, as long as it fails. */
export function askAgain(load: ReadonlySignal<Loaded<unknown>>): void {
  effect(() => {
    refreshes.value;
    const { error, busy, retry } = load.peek();
    if (error !== undefined && !busy) untracked(retry);
  });
}
