import { effect, signal } from '@preact/signals';
import { connected } from '../live/follow.ts';
import { beat, tagChange } from '../live/news.ts';
import { refreshes } from '../runs/found.ts';
import { mayGrow } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { isLive } from '../state/view.ts';
import { countChanged } from './count-load.ts';
import { countedRuns, lapSource, readCountsAgain } from './lap-source.ts';

/** Grows when there may be laps that the list has not: it is read again. */
export const lapGrowth = signal(0);

/** A little later the rows behind the line are there, which tell when it was crossed. */
const settleMs = 2000;

/** Live, each package says which tags its rows have; a lost connection may have hidden a line. */
effect(() => {
  const change = tagChange.value;
  const { kind, name } = lapSource.value;
  if (!isLive.value || connected.value !== true || kind !== 'tag') return undefined;
  if (change !== undefined && change.tag !== name) return undefined;
  lapGrowth.value = lapGrowth.peek() + 1;
  const timer = setTimeout(() => {
    lapGrowth.value++;
  }, settleMs);
  return () => clearTimeout(timer);
});

/** Live, the channel that counts laps is asked each second whether it counts on; without live data, from time to time. */
effect(() => {
  const [service, runs, { kind, name }] = [client.value, countedRuns.value, lapSource.value];
  if (isLive.value) beat.value;
  else refreshes.value;
  if (service === undefined || runs === undefined || kind !== 'channel' || !mayGrow.value) return undefined;
  const asking = new AbortController();
  const asked = runs.map(({ stream, counted }) => {
    const rows = { topic: stream.topic, streamIds: [stream.streamId] };
    // What changes all the time counts no laps later, either.
    return counted !== undefined && countChanged(service, rows, name, counted, asking.signal);
  });
  Promise.all(asked).then(
    (changed) => {
      if (asking.signal.aborted || !changed.includes(true)) return;
      readCountsAgain();
    },
    // It is asked again.
    () => undefined,
  );
  return () => asking.abort(new Error('it is asked for anew'));
});

let counted: typeof countedRuns.value;

/** Behind a new lap rows come that tell when its line was crossed. */
effect(() => {
  const now = countedRuns.value;
  const isNew = now !== undefined && counted !== undefined && now !== counted;
  counted = now;
  if (!isNew) return undefined;
  const timer = setTimeout(() => {
    lapGrowth.value++;
  }, settleMs);
  return () => clearTimeout(timer);
});
