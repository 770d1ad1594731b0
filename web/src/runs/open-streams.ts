import { computed, effect, signal, untracked } from '@preact/signals';
import type { Client, StreamInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { isLive, streams } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { type Loaded, loaded } from '../ui/loading.ts';
import { first } from '../ui/turns.ts';
import { askAgain } from './asked-again.ts';
import { found, refreshes } from './found.ts';

/** Grows while the streams have no data: the first rows may be written now. And where they are to be read again. */
const waited = signal(0);
const again = computed(() => ({ isLive: isLive.value, waited: waited.value }));

/** Streams that were asked for, and those of them that there are. */
interface Found {
  readonly open: readonly StreamRef[];
  readonly found: StreamInfo[];
}

const load = loaded<Found>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  // What is drawn of them begins in the same turn in which this has ended.
  return first((signal) => readStreams(service, open, signal));
}, again);
askAgain(load);

async function readStreams(service: Client, open: readonly StreamRef[], signal: AbortSignal): Promise<Found> {
  const found = await service.streams({ streamIds: open.map(({ streamId }) => streamId) }, { signal });
  return { open, found: found.filter((stream) => open.some((wanted) => isStream(stream, wanted))) };
}

/** The streams that are looked at, as they were when they were opened, or when live data was followed last. */
export const openStreams = computed<Loaded<StreamInfo[]>>(() => ({
  ...load.value,
  value: load.value.value?.found,
}));

/** Runs that the view names and that are not there: nobody wrote them, or they were deleted. */
export const missingStreams = stable(() => {
  const known = load.value.value;
  if (known === undefined || known.open !== streams.value) return [];
  return known.open.filter((wanted) => !known.found.some((stream) => isStream(stream, wanted)));
});

/** Streams that have no data yet are read again, and others where one was deleted, or has come back. */
effect(() => {
  refreshes.value;
  const service = client.peek();
  const { value, busy } = load.peek();
  if (service === undefined || value === undefined || busy) return undefined;
  if (extentOf(value.found) === undefined) {
    readStreamsAgain();
    return undefined;
  }
  const asking = new AbortController();
  untracked(() => readStreams(service, value.open, asking.signal)).then(
    ({ found }) => {
      if (found.length !== value.found.length && load.peek().value === value) readStreamsAgain();
    },
    // It is asked for again.
    () => undefined,
  );
  return () => asking.abort(new Error('it is asked for anew'));
});

/** Reads how far they go now. */
export function readStreamsAgain(): void {
  waited.value = waited.peek() + 1;
}

/** Whether rows may still come to what is open, as far as the list of runs tells. */
export const mayGrow = computed(() =>
  (openStreams.value.value ?? []).some((stream) => {
    const { status } = found.value.value?.find((other) => isStream(other, stream)) ?? stream;
    return status === 'Open' || status === 'Interrupted';
  }),
);

/** Whether what is known is still of the streams that were open before. */
export const isOfOthers = computed(
  () => load.value.error === undefined && load.value.value?.open !== streams.value,
);

/** From the first row of the streams to their last one. */
export function extentOf(streams: readonly StreamInfo[]): TimeRange | undefined {
  const starts = streams.flatMap(({ dataStart }) => dataStart ?? []);
  const ends = streams.flatMap(({ dataEnd }) => dataEnd ?? []);
  if (starts.length === 0) return undefined;
  return {
    from: starts.reduce((a, b) => (a < b ? a : b)),
    to: ends.reduce((a, b) => (a > b ? a : b)),
  };
}
