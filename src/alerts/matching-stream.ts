import type { RuleFilter } from '../domain/alert.ts';
import { containsTest } from '../domain/listing.ts';
import type { Stream } from '../domain/stream.ts';
import { locationTest, metadataTest, wordsTest } from '../domain/stream-tests.ts';

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
    (location === undefined || locationTest(location)(stream.location)) &&
    (metadata ?? []).every((entry) => metadataTest(entry)(stream.metadata)) &&
    (name === undefined || containsTest(name)(stream.name)) &&
    (parentStreamId === undefined || stream.parents.includes(parentStreamId)) &&
    (search === undefined || wordsTest(search)(stream))
  );
}
