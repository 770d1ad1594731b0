import type { Pace } from '../../../turns/pace.ts';
import type { Steps } from '../../../turns/steps.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { ofOneMoment } from '../catalog/one-moment.ts';
import type { PinnedSnapshot } from './snapshot.ts';

/** A snapshot, and what was looked up in the catalogue as it was at that moment. */
export interface AtMoment<Bound> {
  readonly pinned: PinnedSnapshot;
  readonly bound: Bound;
}

/** Where moments come from. */
export interface Moments {
  readonly state: CatalogState;
  readonly takeSnapshot: () => PinnedSnapshot;
}

/**
 * Pins a snapshot and looks up what a read needs at its moment; at once where the pace let no rest come between. Throws or
 * rejects with the errors of the pace, and holds nothing then.
 *
 * @param begin is called anew where a delete came between
 */
export function bindAtMoment<Bound>(
  { state, takeSnapshot }: Moments,
  begin: () => Steps<Bound>,
  pace: Pace,
): AtMoment<Bound> | Promise<AtMoment<Bound>> {
  let pinned: PinnedSnapshot | undefined;
  const pinAndBegin = () => {
    pinned?.release();
    pinned = takeSnapshot();
    return begin();
  };
  const fail = (error: unknown): never => {
    pinned?.release();
    throw error;
  };
  const done = (bound: Bound): AtMoment<Bound> => ({ pinned: pinned!, bound });
  try {
    const binding = ofOneMoment(state, pinAndBegin, pace);
    return binding instanceof Promise ? binding.then(done, fail) : done(binding);
  } catch (error) {
    return fail(error);
  }
}
