import type { Client, StreamInfo } from '../../../src/client/client.ts';
import type { NewParameterData } from '../../../src/client/models.ts';
import { refreshes } from '../runs/found.ts';
import { client } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { show, streams } from '../state/view.ts';
import { countValues, valuesOf } from './count-values.ts';
import type { Item, Made, Place } from './item.ts';

/** Counts rows among what was written to a stream that came into being with a file. */
export function withRows(made: readonly Made[], place: Place, data: NewParameterData): readonly Made[] {
  const { timestamps: times } = data;
  const known = made.find((one) => isStream(one, place));
  let { from, to } = known ?? { from: times[0]!, to: times[0]! };
  for (const time of times) {
    if (time < from) from = time;
    if (time > to) to = time;
  }
  const { topic, streamId } = place;
  const values = (known?.values ?? 0) + valuesOf(data);
  return [...made.filter((one) => one !== known), { topic, streamId, from, to, values, lastUpdate: '' }];
}

/** Notes when each stream that came into being with a file was written to last: what comes later is of others. */
export async function noteUpdates(service: Client, { made }: Item): Promise<void> {
  made.value = await Promise.all(
    made.value.map(async (own) => ({ ...own, lastUpdate: (await now(service, own))?.lastUpdate ?? '' })),
  );
}

/** Those of these streams that have more than the import has written. */
export async function withOthers(item: Item): Promise<StreamInfo[]> {
  const service = client.value;
  if (service === undefined) return [];
  const found = await Promise.all(
    item.made.value.map(async (own) => {
      const stream = await now(service, own);
      if (stream === undefined) return [];
      return hasMore(stream, own) || (await countValues(service, own)) > own.values ? [stream] : [];
    }),
  );
  return found.flat();
}

function hasMore({ lastUpdate, dataStart, dataEnd }: StreamInfo, own: Made): boolean {
  const isLonger = (dataStart ?? own.from) < own.from || (dataEnd ?? own.to) > own.to;
  return isLonger || lastUpdate !== own.lastUpdate;
}

async function now(service: Client, { topic, streamId }: Place): Promise<StreamInfo | undefined> {
  return (await service.streams({ topic, streamIds: [streamId] }))[0];
}

/** Takes the streams that came into being with a file away: they go into the bin, from which they can be restored. */
export async function takeBack({ made }: Item): Promise<void> {
  const service = client.value;
  if (service === undefined) return;
  for (const place of made.value) {
    await service.deleteStreams({ topic: place.topic, streamIds: [place.streamId] });
    made.value = made.value.filter((one) => one !== place);
    const others = streams.value.filter((one) => !isStream(one, place));
    if (others.length < streams.value.length) show({ streams: others }, 'replace');
  }
  refreshes.value++;
}
