import type { Stream } from './stream.ts';
import { foldTopic } from './topic.ts';

/** What the token of a share reads: one view, and these streams of one topic. Nothing else exists for it. */
export interface SharedStreams {
  /** Id of the view. */
  readonly view: string;
  readonly topic: string;
  readonly streamIds: ReadonlySet<string>;
}

/** A choice of streams as queries and filters make it; what is absent chooses all. */
export interface StreamChoice {
  readonly streamIds?: readonly string[] | undefined;
  readonly topic?: string | undefined;
  readonly topics?: readonly string[] | undefined;
}

export function readsTopic({ topic }: SharedStreams, asked: string): boolean {
  return foldTopic(topic) === foldTopic(asked);
}

export function readsStream(shared: SharedStreams, topic: string, streamId: string): boolean {
  return shared.streamIds.has(streamId) && readsTopic(shared, topic);
}

/** The streams of a share that a choice is about; undefined where it is about none of them. */
export function sharedOf(
  shared: SharedStreams,
  { streamIds, topic, topics }: StreamChoice,
): { readonly topic: string; readonly streamIds: readonly string[] } | undefined {
  if (topic !== undefined && !readsTopic(shared, topic)) return undefined;
  if (topics?.some((one) => readsTopic(shared, one)) === false) return undefined;
  const own =
    streamIds === undefined
      ? [...shared.streamIds]
      : [...new Set(streamIds)].filter((id) => shared.streamIds.has(id));
  return own.length === 0 ? undefined : { topic: shared.topic, streamIds: own };
}

/** A stream as a share shows it: of its parents those that are shared too. */
export function withSharedParents(shared: SharedStreams, stream: Stream): Stream {
  return { ...stream, parents: stream.parents.filter((id) => shared.streamIds.has(id)) };
}
