import type { StreamInfo } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { isLive, streams } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { loaded } from '../ui/loading.ts';

/** The streams that are looked at, as they were when they were opened, or when live data was followed last. */
export const openStreams = loaded<StreamInfo[]>(() => {
  const service = client.value;
  const open = streams.value;
  if (service === undefined || open.length === 0) return undefined;
  return async (signal) => {
    const found = await service.streams({ streamIds: open.map(({ streamId }) => streamId) }, { signal });
    return found.filter((stream) => open.some((wanted) => isStream(stream, wanted)));
  };
}, isLive);

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
