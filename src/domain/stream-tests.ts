// What `/streams` and alert rules alike ask of a stream.

/** Prefix of the location with a slash at its end, so that `/one/` finds `/one` and not `/one111`. */
export function locationTest(location: string): (place: string) => boolean {
  const prefix = location.startsWith('/') ? location : `/${location}`;
  return (place) => (place.endsWith('/') ? place : `${place}/`).startsWith(prefix);
}

type Metadata = Readonly<Record<string, string>>;

/** Has the key, with the value where one is asked for; without a key, has the value under any. */
export function metadataTest(entry: {
  readonly key?: string | undefined;
  readonly value?: string | undefined;
}): (metadata: Metadata) => boolean {
  const { key, value } = entry;
  if (key === undefined) return (metadata) => value === undefined || Object.values(metadata).includes(value);
  return (metadata) => Object.hasOwn(metadata, key) && (value === undefined || metadata[key] === value);
}

/** What words are looked for in. */
export interface StreamTexts {
  readonly streamId: string;
  readonly name: string;
  readonly topic: string;
  readonly location: string;
  readonly metadata: Metadata;
}

/** Every word stands, in any case, in the id, name, topic, location or metadata. */
export function wordsTest(search: string): (stream: StreamTexts) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ streamId, name, topic, location, metadata }) => {
    const texts = [streamId, name, topic, location, ...Object.entries(metadata).flat()];
    const text = texts.join('\n').toLowerCase();
    return words.every((word) => text.includes(word));
  };
}
