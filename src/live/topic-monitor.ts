import type { StreamKey } from '../domain/stream.ts';
import type { Slices } from '../turns/slices.ts';
import { activeStreamEvents } from './active-stream-events.ts';
import { listActiveStreams } from './active-stream-list.ts';
import type { LiveCatalog } from './live-catalog.ts';
import type { LivePackage } from './live-package.ts';
import type { Sequence } from './sequence.ts';
import { wildcard } from './subscription.ts';
import type { SubscriptionTree } from './subscription-tree.ts';
import { topicMeter } from './topic-metrics.ts';
import { type TopicWatch, watchedTopics } from './watched-topics.ts';

/**
 * Watches topics: which streams are active, and how much is written. Topics are known from their first write, or
 * from the first one that subscribes to their metrics, until five minutes after the last of both.
 */
export interface TopicMonitor {
  written(written: LivePackage): void;
  /** Streams were deleted. */
  ended(workspace: string, streams: Iterable<StreamKey>): void;
  /** Measures a topic even if nothing is written to it; for `*` those that are known. */
  watch(workspace: string, topic: string): void;
  /** A second has passed. */
  tick(): void;
  activeStreams(workspace: string, topic: string): Sequence | Promise<Sequence>;
  topicMetrics(workspace: string, topic: string): Sequence;
}

export interface MonitorOptions {
  readonly catalog: LiveCatalog;
  readonly interruptedAfterMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Milliseconds, from any origin: what has passed is measured by it, for `now` may be set. */
  readonly monotonic: () => number;
  readonly treeOf: (workspace: string) => SubscriptionTree | undefined;
  /** The time that telling of streams has in each turn of the event loop. */
  readonly slices: Slices;
}

/** Topics that are measured between two looks at the clock. */
const fewTopics = 16;

export function topicMonitor(options: MonitorOptions): TopicMonitor {
  const { catalog, now, monotonic, treeOf, slices } = options;
  const topics = watchedTopics();
  const nameOf = ({ workspace, topic }: TopicWatch) => catalog.topicName(workspace, topic) ?? topic;
  const describe = ({ workspace, topic }: TopicWatch, streamId: string) =>
    catalog.describe(workspace, topic, streamId, now());
  const events = activeStreamEvents({ ...options, nameOf, describe });
  const meter = topicMeter({ treeOf, nameOf });
  let lastTick = monotonic();
  /** The topics that are still to be measured. */
  let measuring: Iterator<TopicWatch> | undefined;

  function measure(): void {
    let looked = 0;
    for (let next = measuring!.next(); next.done !== true; next = measuring!.next()) {
      const watch = next.value;
      events.tick(watch, lastTick);
      meter.measure(watch);
      if (meter.isForgotten(watch)) {
        meter.forget(watch);
        topics.end(watch);
      }
      if (++looked % fewTopics === 0 && slices.isOver()) {
        slices.later(measure);
        return;
      }
    }
    measuring = undefined;
  }

  return {
    written({ workspace, topic, streamId, bytes, ends }) {
      const watch = topics.begin(workspace, topic);
      watch.bytes += bytes;
      if (ends) events.ended(watch, streamId);
      else events.written(watch, streamId);
    },

    ended(workspace, streams) {
      for (const { topic, streamId } of streams) {
        const watch = topics.find(workspace, topic);
        if (watch !== undefined) events.ended(watch, streamId);
      }
    },

    watch(workspace, topic) {
      if (topic !== wildcard) topics.begin(workspace, topic);
    },

    tick() {
      // A second whose measures take longer than that becomes a longer one.
      if (measuring !== undefined) return;
      const time = monotonic();
      meter.passSecond(now(), time - lastTick);
      lastTick = time;
      measuring = topics.all()[Symbol.iterator]();
      measure();
    },

    activeStreams: (workspace, topic) => listActiveStreams(() => topics.select(workspace, topic), describe),

    topicMetrics: (workspace, topic) => meter.samples(topics.select(workspace, topic)),
  };
}
