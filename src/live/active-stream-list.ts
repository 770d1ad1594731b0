import type { StreamDescription } from '../domain/definition.ts';
import { type ActiveStream, activeStream } from './models.ts';
import type { TopicWatch } from './watched-topics.ts';

/**
 * The streams that are active in the topics that `watches` gives. A promise where the catalogue has to ask for what is
 * known of them: then those that are active when it resolves.
 */
export function listActiveStreams(
  watches: () => Iterable<TopicWatch>,
  describe: (
    watch: TopicWatch,
    streamId: string,
  ) => StreamDescription | undefined | Promise<StreamDescription | undefined>,
): ActiveStream[] | Promise<ActiveStream[]> {
  const known = new Map<TopicWatch, Map<string, StreamDescription | undefined>>();

  const active = (): [TopicWatch, string][] =>
    [...watches()].flatMap((watch) =>
      [...watch.active.ids()].map((streamId): [TopicWatch, string] => [watch, streamId]),
    );

  const list = (): ActiveStream[] =>
    active().flatMap(([watch, streamId]) => {
      const description = known.get(watch)?.get(streamId);
      return description === undefined ? [] : [activeStream(description)];
    });

  /** Resolves when `known` has all that are active then; undefined where it has at once. */
  const learn = (): Promise<void> | undefined => {
    const asked: Promise<void>[] = [];
    for (const [watch, streamId] of active()) {
      const ofTopic = known.get(watch) ?? new Map<string, StreamDescription | undefined>();
      known.set(watch, ofTopic);
      if (ofTopic.has(streamId)) continue;
      const description = describe(watch, streamId);
      if (description instanceof Promise) {
        asked.push(description.then((found) => void ofTopic.set(streamId, found)));
      } else ofTopic.set(streamId, description);
    }
    if (asked.length === 0) return undefined;
    // Others have begun meanwhile, and were told before the answer that is being made.
    return Promise.all(asked).then(learn);
  };

  const learning = learn();
  return learning === undefined ? list() : learning.then(list);
}
