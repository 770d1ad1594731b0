import type { StreamProperties } from '../domain/stream.ts';
import type { StreamLookup } from '../store/store.ts';
import { noSteps } from '../turns/steps.ts';
import type { StreamMetadata } from '../wire/series/series-read.ts';
import { type Decoded, decodedStream } from './decoded.ts';
import type { WritePath } from './write-path.ts';

/** Letters of what is remembered of all streams; beyond them those are forgotten that were not told of for the longest. */
const maxLetters = 16 * 1024 * 1024;

/** Streams that are looked up and written together. */
const together = 256;

/** What programs say of their streams again and again: it becomes metadata when it is new or has changed. */
export interface MetadataWriter {
  /** What is not written yet of these. */
  fresh(workspace: string, said: readonly StreamMetadata[]): StreamMetadata[];
  /**
   * Writes it for streams that are there: an entry replaces the one of its name, all else that is known of a stream stays.
   *
   * @param bytes of the body from which it was read
   */
  write(workspace: string, fresh: readonly StreamMetadata[], bytes: number): Promise<void>;
}

/** @param now milliseconds since the Unix epoch */
export function metadataWriter(
  path: Pick<WritePath, 'write'>,
  catalog: StreamLookup,
  now: () => number,
): MetadataWriter {
  /** By stream, as JSON. The streams told of last stand last. */
  const told = new Map<string, string>();
  let letters = 0;

  const tell = (key: string, text: string): void => {
    letters += key.length + text.length;
    told.set(key, text);
  };
  const forget = (key: string): void => {
    const text = told.get(key);
    if (text === undefined) return;
    letters -= key.length + text.length;
    told.delete(key);
  };

  /** What is to be written of one stream, which keeps all that this does not name. */
  const statementOf = async (workspace: string, { topic, streamId, metadata: own }: StreamMetadata) => {
    const known = await catalog.describe(workspace, topic, streamId, now());
    // All its rows were expired, or it was removed since.
    if (known === undefined) return [];
    const { name, location, metadata, parents, timeOfRecording } = known.stream;
    if (Object.entries(own).every(([key, value]) => metadata[key] === value)) return [];
    const properties: StreamProperties = {
      ...(name !== streamId && { name }),
      location,
      metadata: { ...metadata, ...own },
      parents,
      ...(timeOfRecording !== undefined && { timeOfRecording }),
    };
    return [decodedStream(topic, streamId, properties, 0)];
  };

  return {
    fresh(workspace, said) {
      return said.filter(({ topic, streamId, metadata }) => {
        const key = keyOf(workspace, topic, streamId);
        if (catalog.isNew(workspace, topic, streamId) === true) forget(key);
        const text = JSON.stringify(metadata);
        if (told.get(key) !== text) return text !== '{}';
        forget(key);
        tell(key, text);
        return false;
      });
    },

    async write(workspace, fresh, bytes) {
      for (let from = 0; from < fresh.length; from += together) {
        const some = fresh.slice(from, from + together);
        const found = await Promise.all(some.map((said) => statementOf(workspace, said)));
        const statements = found.flat();
        if (statements.length > 0) await path.write({ workspace }, bytes, noSteps(joined(statements)));
        for (const said of some) {
          const key = keyOf(workspace, said.topic, said.streamId);
          forget(key);
          tell(key, JSON.stringify(said.metadata));
        }
      }
      for (const key of told.keys()) {
        if (letters <= maxLetters) break;
        forget(key);
      }
    },
  };
}

function joined(statements: readonly Decoded[]): Decoded {
  return {
    changes: statements.flatMap(({ changes }) => changes),
    announcements: statements.flatMap(({ announcements }) => announcements),
    rows: 0,
    cells: 0,
  };
}

function keyOf(workspace: string, topic: string, streamId: string): string {
  return `${workspace}\n${topic.toLowerCase()}\n${streamId}`;
}
