import { isoFromMillis } from '../domain/timestamp.ts';
import { liveEvent } from './live-event.ts';
import { type Stretch, sequenceOf } from './models.ts';
import type { Sequence } from './sequence.ts';
import type { SubscriptionTree } from './subscription-tree.ts';
import { historySeconds, passSecond, type Sample, seconds, topicHistory } from './topic-history.ts';
import type { TopicWatch } from './watched-topics.ts';

/** What a second was like in a topic; `timestamp` is ISO 8601 UTC. */
export interface TopicMetrics {
  readonly timestamp: string;
  readonly topicId: string;
  readonly topicName: string;
  readonly bytesPerSecond: number;
  readonly activeStreams: number;
}

/** Measures topics once a second, keeps the last five minutes of each, and tells those who subscribed. */
export interface TopicMeter {
  /** A second has passed, in truth `elapsedMs`; `time` is in ms since the Unix epoch. Comes before `measure`. */
  passSecond(time: number, elapsedMs: number): void;
  measure(watch: TopicWatch): void;
  /** Nobody has written, asked or subscribed for as long as a history goes back. */
  isForgotten(watch: TopicWatch): boolean;
  /** The topic is watched no more. */
  forget(watch: TopicWatch): void;
  /** The last five minutes of topics, one after the other, oldest first. */
  samples(watches: Iterable<TopicWatch>): Sequence;
}

export interface TopicMeterParts {
  readonly treeOf: (workspace: string) => SubscriptionTree | undefined;
  /** A topic as it was first spelt. */
  readonly nameOf: (watch: TopicWatch) => string;
}

/** The most topics that have a history from before someone subscribes: 15 MB. */
const maxHistories = 4096;

export function topicMeter({ treeOf, nameOf }: TopicMeterParts): TopicMeter {
  const clock = seconds();
  let tick = { time: 0, elapsedMs: 1000 };
  let histories = 0;
  return {
    passSecond(time, elapsedMs) {
      tick = { time, elapsedMs };
      passSecond(clock, time);
    },

    measure(watch) {
      const tree = treeOf(watch.workspace);
      const isWanted = tree?.hasAny('topicMetrics', watch.topic) === true;
      if (watch.history === undefined && (isWanted || histories < maxHistories)) {
        watch.history = topicHistory(clock);
        histories++;
      }
      watch.quietTicks = watch.bytes === 0 && !isWanted ? watch.quietTicks + 1 : 0;
      const bytesPerSecond = Math.round((watch.bytes * 1000) / Math.max(1, tick.elapsedMs));
      watch.bytes = 0;
      watch.history?.record(bytesPerSecond, watch.active.count());
      if (!isWanted) return;
      const sample = { time: tick.time, bytesPerSecond, activeStreams: watch.active.count() };
      const event = liveEvent('TopicMetricsUpdated', () => [metricsOf(nameOf(watch), sample)]);
      for (const subscriber of new Set(tree?.matches('topicMetrics', watch.topic))) subscriber.deliver(event);
    },

    isForgotten: ({ quietTicks, active }) => quietTicks >= historySeconds && active.count() === 0,

    forget({ history }) {
      if (history !== undefined) histories--;
    },

    samples(watches) {
      const stretches: Stretch[] = [];
      let total = 0;
      for (const watch of watches) {
        const samples = watch.history?.samples();
        if (samples === undefined) continue;
        const name = nameOf(watch);
        const valueAt = (index: number) => metricsOf(name, samples.at(index));
        stretches.push({ start: total, end: total + samples.length, valueAt });
        total += samples.length;
      }
      return sequenceOf(total, stretches);
    },
  };
}

function metricsOf(topic: string, { time, bytesPerSecond, activeStreams }: Sample): TopicMetrics {
  return {
    timestamp: isoFromMillis(time),
    topicId: topic,
    topicName: topic,
    bytesPerSecond,
    activeStreams,
  };
}
