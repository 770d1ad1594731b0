import type { StreamDescription } from '../domain/definition.ts';
import { liveEvent } from './live-event.ts';
import { activeStream } from './models.ts';
import type { SubscriptionTree } from './subscription-tree.ts';
import type { TopicWatch } from './watched-topics.ts';

/** Tells readers which streams of a topic become active, change and end: of each once a second at most. */
export interface ActiveStreamEvents {
  /** A stream was written to. */
  written(watch: TopicWatch, streamId: string): void;
  /** A stream was closed or deleted. */
  ended(watch: TopicWatch, streamId: string): void;
  /** A second has passed; `time` is in ms since the Unix epoch. */
  tick(watch: TopicWatch, time: number): void;
}

export interface ActiveStreamEventsParts {
  readonly treeOf: (workspace: string) => SubscriptionTree | undefined;
  /** A stream without a write for this time is no longer active. */
  readonly interruptedAfterMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** A topic as it was first spelt. */
  readonly nameOf: (watch: TopicWatch) => string;
  /** What the catalogue knows of a stream; a promise where it has to ask. */
  readonly describe: (
    watch: TopicWatch,
    streamId: string,
  ) => StreamDescription | undefined | Promise<StreamDescription | undefined>;
}

export function activeStreamEvents(parts: ActiveStreamEventsParts): ActiveStreamEvents {
  const { treeOf, interruptedAfterMs, now, nameOf, describe } = parts;

  const isTold = ({ workspace, topic }: TopicWatch): boolean =>
    treeOf(workspace)?.hasAny('activeStreams', topic) === true;

  function tell(watch: TopicWatch, streamId: string, change: 'AddUpdate' | 'Remove'): void {
    const say = (description: StreamDescription | undefined): void => {
      // A stream that is gone for good has only its name left.
      const name = nameOf(watch);
      const makeArgs = () =>
        description === undefined
          ? [{ streamId, topicId: name, topicName: name }, 'Remove']
          : [activeStream(description), change];
      const place = { topic: watch.topic, streamId };
      const event = liveEvent('ActiveStreamsChanged', makeArgs, undefined, undefined, place);
      const found = treeOf(watch.workspace)?.matches('activeStreams', watch.topic) ?? [];
      for (const subscriber of new Set(found)) subscriber.deliver(event);
    };
    watch.told.add(streamId);
    watch.changed.delete(streamId);
    watch.telling.take(describe(watch, streamId), say, () => {
      if (change === 'Remove') say(undefined);
      else watch.changed.add(streamId);
    });
  }

  return {
    written(watch, streamId) {
      const isNew = watch.active.touch(streamId, now());
      if (!isTold(watch)) return;
      if (isNew) tell(watch, streamId, 'AddUpdate');
      else watch.changed.add(streamId);
    },

    ended(watch, streamId) {
      if (watch.active.end(streamId) && isTold(watch)) tell(watch, streamId, 'Remove');
      watch.changed.delete(streamId);
      watch.told.delete(streamId);
    },

    tick(watch, time) {
      const interrupted = watch.active.silent(time, interruptedAfterMs);
      const told = isTold(watch);
      for (const streamId of interrupted) {
        watch.changed.delete(streamId);
        if (told) tell(watch, streamId, 'Remove');
      }
      if (!told) watch.changed.clear();
      // A catalogue that takes longer than a second is not asked for more on top.
      const due = watch.telling.waiting() === 0 ? [...watch.changed] : [];
      for (const streamId of due) if (!watch.told.has(streamId)) tell(watch, streamId, 'AddUpdate');
      watch.told.clear();
    },
  };
}
