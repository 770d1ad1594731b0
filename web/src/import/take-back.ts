import { refreshes } from '../runs/found.ts';
import { client } from '../session.ts';
import { isStream } from '../state/same-stream.ts';
import { show, streams } from '../state/view.ts';
import type { Item } from './item.ts';

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
