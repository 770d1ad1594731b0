import type { RuleFilter } from '../domain/alert.ts';
import type { Stream } from '../domain/stream.ts';

/** What is known of a stream where a rule chooses. */
export type ChosenBy = Pick<Stream, 'streamId' | 'name' | 'topic' | 'location' | 'metadata' | 'parents'>;

/** A stream as it comes into being with its first rows. */
export function newStream(topic: string, streamId: string): ChosenBy {
  return { streamId, name: streamId, topic, location: '/', metadata: {}, parents: [] };
}

/** Whether a filter says more of a stream than its id. */
export function asksForProperties({ streamIds: _, ...others }: RuleFilter): boolean {
  return Object.keys(others).length > 0;
}

/** Whether a filter selects a stream, as `/streams` does. */
export function matches(filter: RuleFilter, stream: ChosenBy): boolean {
  const { streamIds, location, metadata, name, parentStreamId, search } = filter;
  return (
    (streamIds === undefined || streamIds.includes(stream.streamId)) &&
    (location === undefined || isBelow(stream.location, location)) &&
    (metadata ?? []).every((entry) => hasEntry(stream.metadata, entry)) &&
    (name === undefined || contains(stream.name, name)) &&
    (parentStreamId === undefined || stream.parents.includes(parentStreamId)) &&
    (search === undefined || hasWords(stream, search))
  );
}

/** Prefix of the location with a slash at its end, so that `/one/` finds `/one` and not `/one111`. */
function isBelow(place: string, location: string): boolean {
  const prefix = location.startsWith('/') ? location : `/${location}`;
  return (place.endsWith('/') ? place : `${place}/`).startsWith(prefix);
}

function hasEntry(
  metadata: Readonly<Record<string, string>>,
  { key, value }: { readonly key?: string; readonly value?: string },
): boolean {
  if (key !== undefined)
    return Object.hasOwn(metadata, key) && (value === undefined || metadata[key] === value);
  return value === undefined || Object.values(metadata).includes(value);
}

/** Case matters only if the wanted text has a capital. */
function contains(text: string, wanted: string): boolean {
  return wanted === wanted.toLowerCase() ? text.toLowerCase().includes(wanted) : text.includes(wanted);
}

/** Every word stands, in any case, in the id, name, topic, location or metadata. */
function hasWords({ streamId, name, topic, location, metadata }: ChosenBy, search: string): boolean {
  const text = [streamId, name, topic, location, ...Object.entries(metadata).flat()].join('\n').toLowerCase();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => text.includes(word));
}
