import type { ListedEvent, ListedParameter, TopicSummary } from '../../domain/listing.ts';
import { isoFromMillis } from '../../domain/timestamp.ts';

/**
 * The answers of `/parameters`, `/events` and `/topics`: arrays of
 *
 *   { parameterId, name, description?, minimumValue?, maximumValue?, valueNames?, unit?, format?, customProperties?, location?,
 *     type, streamIds: [string, ...] }
 *   { id, name, description?, customProperties?, location?, level?, streamIds: [string, ...] }
 *   { name, streams, dataStart?, dataEnd?, lastUpdate? }
 *
 * What nobody has said is left out. dataStart and dataEnd are int64 nanoseconds, exact, or strings of their digits
 * where `int64AsString` asks for them; lastUpdate is ISO 8601 UTC.
 */
export function encodeParameters(parameters: readonly ListedParameter[]): Generator<Uint8Array> {
  return encodeEntries(parameters, ({ id, streamIds, ...rest }) => ({ parameterId: id, ...rest }));
}

export function encodeEvents(events: readonly ListedEvent[]): Generator<Uint8Array> {
  return encodeEntries(events, ({ streamIds, ...event }) => event);
}

/** How many bytes the ids of streams of all entries take, about: they are what makes an answer large. */
export function sizeOfStreamIds(entries: readonly { readonly streamIds: readonly string[] }[]): number {
  const known = new Map<readonly string[], number>();
  let size = 0;
  for (const { streamIds } of entries) {
    let bytes = known.get(streamIds);
    if (bytes === undefined) {
      bytes = streamIds.reduce((sum, id) => sum + id.length + 3, 0);
      known.set(streamIds, bytes);
    }
    size += bytes;
  }
  return size;
}

function* encodeEntries<Entry extends { readonly streamIds: readonly string[] }>(
  entries: readonly Entry[],
  shown: (entry: Entry) => object,
): Generator<Uint8Array> {
  /** Many entries are of the same streams: the text of these is made once, and stands in memory once where it is long. */
  let last: { readonly streamIds: readonly string[]; readonly ids: string | Uint8Array } | undefined;
  let text = '[';
  for (const [i, entry] of entries.entries()) {
    const { streamIds } = entry;
    if (last?.streamIds !== streamIds) last = { streamIds, ids: textOfIds(streamIds) };
    text += `${i === 0 ? '' : '},'}${JSON.stringify(shown(entry)).slice(0, -1)},"streamIds":`;
    if (typeof last.ids === 'string') text += last.ids;
    if (typeof last.ids === 'string' && text.length < chunkLength) continue;
    yield Buffer.from(text);
    text = '';
    if (typeof last.ids !== 'string') yield last.ids;
  }
  yield Buffer.from(`${text}${entries.length === 0 ? '' : '}'}]`);
}

const chunkLength = 64 * 1024;
const longIds = 8 * 1024;

function textOfIds(streamIds: readonly string[]): string | Uint8Array {
  const text = JSON.stringify(streamIds);
  return text.length < longIds ? text : Buffer.from(text);
}

export function encodeTopics(
  topics: readonly TopicSummary[],
  { int64AsString }: { readonly int64AsString: boolean },
): string {
  const digits = (name: string, value: bigint | undefined) => {
    if (value === undefined) return '';
    return int64AsString ? `,"${name}":"${value}"` : `,"${name}":${value}`;
  };
  const texts = topics.map(({ name, streams, dataStart, dataEnd, lastUpdate }) => {
    const head = JSON.stringify({ name, streams }).slice(0, -1);
    const update = lastUpdate === undefined ? '' : `,"lastUpdate":"${isoFromMillis(lastUpdate)}"`;
    return `${head}${digits('dataStart', dataStart)}${digits('dataEnd', dataEnd)}${update}}`;
  });
  return `[${texts.join()}]`;
}
