import { effect } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { refreshes } from '../runs/found.ts';
import { loadTags } from '../runs/known-tags.ts';
import { mayGrow } from '../runs/open-streams.ts';
import { client } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { isLive, streams } from '../state/view.ts';
import type { StreamRef } from '../state/view-text.ts';
import { lapGrowth } from './lap-growth.ts';
import { lapList } from './lap-list.ts';
import { lapSource } from './lap-source.ts';

/** What the tag of laps was seen to hold, by the runs that are open. */
let seen: { readonly streams: unknown; readonly laps: string } | undefined;

/** Without live data, the runs are asked from time to time whether a tag has told another lap. */
export function watchLaterLaps(): void {
  effect(() => {
    refreshes.value;
    const service = client.value;
    const open = streams.value;
    const { kind, name: tag } = lapSource.value;
    if (isLive.value || service === undefined || kind !== 'tag' || !mayGrow.value) return undefined;
    const asking = new AbortController();
    const { signal } = asking;
    const asked = open.map((stream) => isBehind(service, stream, tag, signal));
    Promise.all([loadTags(service, open, signal), ...asked]).then(
      ([tags, ...others]) => {
        const own = tags.find(({ name }) => name === tag);
        const laps = JSON.stringify([tag, own?.values, own?.last]);
        const isOther = seen?.streams === open && seen.laps !== laps;
        seen = { streams: open, laps };
        if (isOther || others.includes(true)) lapGrowth.value++;
      },
      // The list of laps itself says what is wrong.
      () => undefined,
    );
    return () => asking.abort(new Error('it is not needed any more'));
  });
}

/** Whether rows of another lap stand behind the last one that is known: its value may be one that an earlier lap has. */
async function isBehind(service: Client, { topic, streamId }: StreamRef, tag: string, signal: AbortSignal) {
  const last = lapList.peek().value?.findLast(({ stream }) => isStream(stream, { topic, streamId }));
  if (last === undefined) return false;
  const behind = { topic, streamIds: [streamId], from: last.end };
  const values = await service.tagValues(tag, behind, { signal });
  return values.some((value) => value !== last.tagged);
}
