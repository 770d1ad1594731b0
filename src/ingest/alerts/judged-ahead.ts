import type { Change, StreamLookup } from '../../store/store.ts';
import { decodeInSlices } from '../../wire/json/in-slices.ts';
import { type AlertChanges, type Alerts, judgedAtOnce } from './alerts.ts';

/**
 * Judges a long batch in slices, before it has its place. What it gives is to be called once, when the batch has it: it is
 * what was judged, or judged anew where that does not hold any more.
 */
export async function judgedAhead(
  catalog: Pick<StreamLookup, 'lostStreams'>,
  alerts: Alerts,
  workspace: string,
  changes: readonly Change[],
): Promise<() => AlertChanges | undefined> {
  const lost = catalog.lostStreams();
  const judgement = alerts.watches(workspace, changes)
    ? await decodeInSlices(alerts.judge(workspace, changes))
    : undefined;
  return () => {
    // Streams that were removed for good meanwhile come into being again.
    const makesMore = catalog.lostStreams() !== lost && alerts.makesStreams(workspace, changes);
    if (!makesMore && (judgement === undefined || alerts.isCurrent(judgement)))
      return judgement && alerts.place(judgement);
    if (judgement === undefined && !alerts.watches(workspace, changes)) return undefined;
    return judgedAtOnce(alerts, workspace, changes);
  };
}
