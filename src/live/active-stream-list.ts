import type { StreamDescription } from '../domain/definition.ts';
import { activeStream } from './models.ts';
import { Sequence } from './sequence.ts';
import type { TopicWatch } from './watched-topics.ts';

/** Of each stream what is known of it when it is asked for; one that is gone by then is left out. */
export type ActiveStreamList = Sequence;

/**
 * The streams that are asked for at one time: one question for all takes the thread for long, and their answers all
 * of the catalogue's connections.
 */
const portion = 1000;

interface Listed {
  readonly watch: TopicWatch;
  readonly streamId: string;
}

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
): ActiveStreamList | Promise<ActiveStreamList> {
  const active = (): Listed[] => {
    const listed: Listed[] = [];
    for (const watch of watches())
      for (const streamId of watch.active.ids()) listed.push({ watch, streamId });
    return listed;
  };

  const listOf = (
    listed: readonly Listed[],
    descriptionOf: (watch: TopicWatch, streamId: string) => StreamDescription | undefined,
  ): ActiveStreamList =>
    new Sequence(listed.length, (into, from, to) => {
      for (let i = from; i < to; i++) {
        const { watch, streamId } = listed[i]!;
        const description = descriptionOf(watch, streamId);
        into[i - from] = description && activeStream(description);
      }
    });

  const known = new Map<TopicWatch, Map<string, StreamDescription | undefined>>();
  const listed = active();
  const first = listed[0] && describe(listed[0].watch, listed[0].streamId);

  /** Until all that are active are known. Others have begun meanwhile, and were told before the answer that is being made. */
  async function learn(): Promise<ActiveStreamList> {
    let asked: Promise<unknown>[] = [learnOf(listed[0]!, first)];
    for (;;) {
      const now = active();
      const unknown = now.filter(({ watch, streamId }) => known.get(watch)?.has(streamId) !== true);
      if (asked.length + unknown.length === 0)
        return listOf(now, (watch, streamId) => known.get(watch)?.get(streamId));
      for (let from = 0; asked.length > 0 || from < unknown.length; from += portion) {
        for (const one of unknown.slice(from, from + portion))
          asked.push(learnOf(one, describe(one.watch, one.streamId)));
        await Promise.all(asked);
        asked = [];
      }
    }
  }

  function learnOf({ watch, streamId }: Listed, answer: ReturnType<typeof describe>): Promise<unknown> {
    const ofTopic = known.get(watch) ?? new Map<string, StreamDescription | undefined>();
    known.set(watch, ofTopic.set(streamId, undefined));
    return Promise.resolve(answer).then((found) => ofTopic.set(streamId, found));
  }

  // All are described at once where one is.
  return first instanceof Promise
    ? learn()
    : listOf(listed, (watch, streamId) => describe(watch, streamId) as StreamDescription | undefined);
}
