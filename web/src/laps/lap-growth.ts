import { effect, signal } from '@preact/signals';
import { connected } from '../live/follow.ts';
import { tagChange } from '../live/news.ts';
import { refreshes } from '../runs/found.ts';
import { loadTags } from '../runs/known-tags.ts';
import { mayGrow } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { isLive, streams } from '../state/view.ts';
import { lapTag } from './lap-tag.ts';

/** Grows when there may be laps that the list has not: it is read again. */
export const lapGrowth = signal(0);

/** A little later the rows behind the line are there, which tell when it was crossed. */
const settleMs = 2000;

/** Live, each package says of which lap it is; a lost connection may have hidden a line. */
effect(() => {
  const change = tagChange.value;
  if (!isLive.value || connected.value !== true) return undefined;
  if (change !== undefined && change.tag !== lapTag.value) return undefined;
  lapGrowth.value = lapGrowth.peek() + 1;
  const timer = setTimeout(() => {
    lapGrowth.value++;
  }, settleMs);
  return () => clearTimeout(timer);
});

/** What the tag of laps was seen to hold, by the runs that are open. */
let seen: { readonly streams: unknown; readonly laps: string } | undefined;

/** Without live data, the runs are asked from time to time whether they have another lap. */
effect(() => {
  refreshes.value;
  const service = client.value;
  const open = streams.value;
  const tag = lapTag.value;
  if (isLive.value || service === undefined || tag === '' || !mayGrow.value) return undefined;
  const asking = new AbortController();
  loadTags(service, open, asking.signal).then(
    (tags) => {
      const own = tags.find(({ name }) => name === tag);
      const laps = JSON.stringify([tag, own?.values, own?.last]);
      if (seen?.streams === open && seen.laps !== laps) lapGrowth.value++;
      seen = { streams: open, laps };
    },
    // The list of laps itself says what is wrong.
    () => undefined,
  );
  return () => asking.abort(new Error('it is not needed any more'));
});
