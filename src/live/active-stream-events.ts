import type { StreamDescription } from '../domain/definition.ts';
import type { Slices } from '../turns/slices.ts';
import { liveEvent } from './live-event.ts';
import { activeStream } from './models.ts';
import type { SubscriptionTree } from './subscription-tree.ts';
import type { TopicWatch } from './watched-topics.ts';

/** Tells readers which streams of a topic become active, change and end: of each once a second at most, in slices. */
export interface ActiveStreamEvents {
  /** A stream was written to. */
  written(watch: TopicWatch, streamId: string): void;
  /** A stream was closed or deleted. */
  ended(watch: TopicWatch, streamId: string): void;
  /** A second has passed; `time` is in ms of `monotonic`. */
  tick(watch: TopicWatch, time: number): void;
}

export interface ActiveStreamEventsParts {
  readonly treeOf: (workspace: string) => SubscriptionTree | undefined;
  /** A stream without a write for this time is no longer active. */
  readonly interruptedAfterMs: number;
  /** Milliseconds, from any origin. */
  readonly monotonic: () => number;
  /** A topic as it was first spelt. */
  readonly nameOf: (watch: TopicWatch) => string;
  /** What the catalogue knows of a stream; a promise where it has to ask. */
  readonly describe: (
    watch: TopicWatch,
    streamId: string,
  ) => StreamDescription | undefined | Promise<StreamDescription | undefined>;
  readonly slices: Slices;
}

interface Telling {
  readonly watch: TopicWatch;
  readonly streamId: string;
  readonly change: 'AddUpdate' | 'Remove';
}

export function activeStreamEvents(parts: ActiveStreamEventsParts): ActiveStreamEvents {
  const { treeOf, interruptedAfterMs, monotonic, nameOf, describe, slices } = parts;
  /** Tellings that wait for a slice of time, in order. */
  let line: Telling[] = [];

  const isTold = ({ workspace, topic }: TopicWatch): boolean =>
    treeOf(workspace)?.hasAny('activeStreams', topic) === true;

  function tell(watch: TopicWatch, streamId: string, change: Telling['change']): void {
    watch.told.add(streamId);
    watch.changed.delete(streamId);
    const telling = { watch, streamId, change };
    if (line.length === 0 && !slices.isOver()) {
      tellNow(telling);
      return;
    }
    line.push(telling);
    if (line.length === 1) slices.later(goOn);
  }

  function goOn(): void {
    let done = 0;
    do tellNow(line[done++]!);
    while (done < line.length && !slices.isOver());
    line = line.slice(done);
    if (line.length > 0) slices.later(goOn);
  }

  function tellNow({ watch, streamId, change }: Telling): void {
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
    watch.telling.take(describe(watch, streamId), say, () => {
      if (change === 'Remove') say(undefined);
      else watch.changed.add(streamId);
    });
  }

  return {
    written(watch, streamId) {
      const isNew = watch.active.touch(streamId, monotonic());
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
      // Where telling takes longer than a second, no more comes on top.
      const due = line.length === 0 && watch.telling.waiting() === 0 ? [...watch.changed] : [];
      for (const streamId of due) if (!watch.told.has(streamId)) tell(watch, streamId, 'AddUpdate');
      watch.told.clear();
    },
  };
}
