import { effect } from '@preact/signals';
import { openStreams } from '../runs/open-streams.ts';
import { plots } from '../state/view.ts';
import { listedParameters } from './parameters.ts';

/** A service that takes longer is not waited for: people want to see that something happens, ms. */
const patienceMs = 200;

/**
 * Calls `go` when the streams that the address names are known, and their channels where it names none, and so what is drawn
 * of them is asked for: to lay the page out takes longer than an answer, and would hold up what comes after it. At once where
 * nothing is asked for.
 */
export function whenAsked(go: () => void): void {
  let isDone = false;
  const end = () => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    // Behind what the answer sets off in this turn.
    setTimeout(() => {
      stop();
      go();
    });
  };
  const timer = setTimeout(end, patienceMs);
  const stop = effect(() => {
    const isUnknown = plots.value.length === 0 && listedParameters.value.busy;
    if (!openStreams.value.busy && !isUnknown) end();
  });
}
