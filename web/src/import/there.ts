import type { Client, StreamInfo } from '../../../src/client/client.ts';
import { anyStatus } from '../../../src/import/any-status.ts';
import { isStream } from '../state/same-stream.ts';
import { streamNameOf } from './chosen.ts';
import { type Item, type Place, placeOf } from './item.ts';

type Streams = Pick<Client, 'streams'>;

const namesTogether = 20;

/** The stream of a name, also one in the bin: a write to its id brings its rows back. Undefined where there is none. */
export async function streamThere(
  service: Streams,
  { topic, streamId }: Place,
): Promise<StreamInfo | undefined> {
  return (await service.streams({ topic, streamIds: [streamId], includeStatuses: anyStatus }))[0];
}

/**
 * A name that no stream of the topic has: the one that is wanted, or with a number behind it.
 * @param taken by others that are imported at the same time
 */
export async function freeName(
  service: Streams,
  { topic, streamId }: Place,
  taken: ReadonlySet<string>,
): Promise<string> {
  for (let from = 1; ; from += namesTogether) {
    const names = Array.from({ length: namesTogether }, (_, i) =>
      from + i === 1 ? streamId : `${streamId}-${from + i}`,
    );
    const found = await service.streams({ topic, streamIds: names, includeStatuses: anyStatus });
    const used = new Set(found.map((stream) => stream.streamId));
    const free = names.find((name) => !used.has(name) && !taken.has(name));
    if (free !== undefined) return free;
  }
}

/**
 * Looks up what the service has where the rows of a file go. Where nobody named the stream, it gets a free name.
 * @param queue the files that are imported at the same time
 */
export async function look(service: Streams, item: Item, queue: readonly Item[]): Promise<void> {
  const { target, there } = item;
  const asked = target.value;
  const { topic, streamId } = placeOf(item);
  if (topic === '' || streamId === '') return;
  const wanted = { topic, streamId: asked.isNamed ? streamId : streamNameOf(item.chosen) };
  const others = queue.filter((one) => one !== item).map(placeOf);
  const taken = new Set(
    others.map((one) => one.streamId).filter((id, i) => isStream(others[i]!, { topic, streamId: id })),
  );
  const [info, free] = await Promise.all([
    streamThere(service, wanted),
    asked.isNamed || isMade(item, wanted) ? wanted.streamId : freeName(service, wanted, taken),
  ]);
  // What was typed meanwhile is looked up by itself.
  if (target.value !== asked) return;
  there.value = { ...wanted, info };
  if (free !== streamId) target.value = { ...asked, streamId: free };
}

/** Whether a stream came into being with the file: its rows may be written once more. */
export function isMade({ made }: Item, place: Place): boolean {
  return made.value.some((one) => isStream(one, place));
}

/** The stream that is there where the rows go, unless it is of this file. */
export function existing(item: Item): StreamInfo | undefined {
  const place = placeOf(item);
  const found = item.there.value;
  if (found?.info === undefined || isMade(item, place)) return undefined;
  return isStream(found, place) ? found.info : undefined;
}
