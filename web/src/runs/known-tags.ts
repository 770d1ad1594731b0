import type { Client, TagInfo } from '../../../src/client/client.ts';
import { ofEachTopic } from '../state/by-topic.ts';
import type { StreamRef } from '../state/view-text.ts';

/** The tags of runs. One that several topics have stands once: `values` may count a value of it for each topic. */
export async function loadTags(
  service: Client,
  streams: readonly StreamRef[],
  signal: AbortSignal,
): Promise<TagInfo[]> {
  const found = await ofEachTopic(streams, (place) => service.tagNames(place, { signal }));
  const tags = new Map<string, TagInfo>();
  for (const tag of found) {
    const known = tags.get(tag.name);
    tags.set(tag.name, known === undefined ? tag : both(known, tag));
  }
  return [...tags.values()];
}

function both(a: TagInfo, b: TagInfo): TagInfo {
  return {
    name: a.name,
    values: a.values + b.values,
    first: a.first < b.first ? a.first : b.first,
    last: a.last > b.last ? a.last : b.last,
  };
}
