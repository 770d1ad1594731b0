import type { StreamRef } from './refs.ts';

/** Streams of one topic, as queries name them. */
export interface TopicStreams {
  readonly topic: string;
  readonly streamIds: readonly string[];
}

/**
 * Streams by their topics, in the order in which the topics come. A query by ids alone finds them in every topic, so what is
 * asked of runs of several topics is asked topic by topic.
 */
export function byTopic(streams: readonly StreamRef[]): TopicStreams[] {
  const found = new Map<string, { topic: string; streamIds: string[] }>();
  for (const { topic, streamId } of streams) {
    const folded = topic.toLowerCase();
    const known = found.get(folded);
    if (known === undefined) found.set(folded, { topic, streamIds: [streamId] });
    else known.streamIds.push(streamId);
  }
  return [...found.values()];
}

/** What `ask` finds of each topic, in one list. */
export async function ofEachTopic<Found>(
  streams: readonly StreamRef[],
  ask: (place: TopicStreams) => Promise<readonly Found[]>,
): Promise<Found[]> {
  return (await Promise.all(byTopic(streams).map(ask))).flat();
}
