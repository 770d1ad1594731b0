import type { StreamDescription } from '../domain/definition.ts';
import type { StreamKey } from '../domain/stream.ts';
import { isoFromMillis } from '../domain/timestamp.ts';
import { foldTopic } from '../domain/topic.ts';
import { type ActiveStreams, activeStreams } from './active-streams.ts';
import { type InOrder, inOrder } from './in-order.ts';
import type { LiveCatalog } from './live-catalog.ts';
import { liveEvent } from './live-event.ts';
import type { LivePackage } from './live-package.ts';
import { type ActiveStream, activeStream } from './models.ts';
import { wildcard } from './subscription.ts';
import type { SubscriptionTree } from './subscription-tree.ts';
import {
  historySeconds,
  passSecond,
  type Sample,
  seconds,
  type TopicHistory,
  topicHistory,
} from './topic-history.ts';

/** What a second was like in a topic; `timestamp` is ISO 8601 UTC. */
export interface TopicMetrics {
  readonly timestamp: string;
  readonly topicId: string;
  readonly topicName: string;
  readonly bytesPerSecond: number;
  readonly activeStreams: number;
}

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
  activeStreams(workspace: string, topic: string): ActiveStream[] | Promise<ActiveStream[]>;
  topicMetrics(workspace: string, topic: string): TopicMetrics[];
}

export interface MonitorOptions {
  readonly catalog: LiveCatalog;
  readonly interruptedAfterMs: number;
  readonly now: () => number;
  readonly treeOf: (workspace: string) => SubscriptionTree | undefined;
}

/** Topics beyond this many have no history from before someone subscribes: 15 MB for the others. */
const maxHistories = 4096;

interface TopicWatch {
  readonly workspace: string;
  /** As it came. */
  readonly topic: string;
  readonly active: ActiveStreams;
  /** Streams to be told at the next tick. */
  readonly changed: Set<string>;
  /** Streams that have been told since the last tick: once a second is enough. */
  readonly told: Set<string>;
  /** Readers learn of streams in the order in which things happened to them. */
  readonly telling: InOrder;
  /** Bytes since the last tick. */
  bytes: number;
  quietTicks: number;
  history: TopicHistory | undefined;
}

type Descriptions = Map<TopicWatch, Map<string, StreamDescription | undefined>>;

export function topicMonitor(options: MonitorOptions): TopicMonitor {
  const { catalog, now, treeOf, interruptedAfterMs } = options;
  const clock = seconds();
  const workspaces = new Map<string, Map<string, TopicWatch>>();
  let lastTick = now();
  let histories = 0;

  function known(workspace: string, topic: string): TopicWatch {
    let topics = workspaces.get(workspace);
    if (topics === undefined) {
      topics = new Map();
      workspaces.set(workspace, topics);
    }
    const key = foldTopic(topic);
    let watch = topics.get(key);
    if (watch === undefined) {
      const history = undefined;
      const sets = { changed: new Set<string>(), told: new Set<string>() };
      const telling = inOrder();
      watch = {
        workspace,
        topic,
        active: activeStreams(),
        ...sets,
        telling,
        bytes: 0,
        quietTicks: 0,
        history,
      };
      topics.set(key, watch);
    }
    return watch;
  }

  function selected(workspace: string, topic: string): Iterable<TopicWatch> {
    const topics = workspaces.get(workspace);
    if (topic === wildcard) return topics?.values() ?? [];
    const watch = topics?.get(foldTopic(topic));
    return watch === undefined ? [] : [watch];
  }

  function active(workspace: string, topic: string): [TopicWatch, string][] {
    return [...selected(workspace, topic)].flatMap((watch) =>
      [...watch.active.ids()].map((streamId): [TopicWatch, string] => [watch, streamId]),
    );
  }

  const nameOf = ({ workspace, topic }: TopicWatch) => catalog.topicName(workspace, topic) ?? topic;
  const isTold = ({ workspace, topic }: TopicWatch) =>
    treeOf(workspace)?.hasAny('activeStreams', topic) === true;

  const describe = ({ workspace, topic }: TopicWatch, streamId: string) =>
    catalog.describe(workspace, topic, streamId, now());

  function tell(watch: TopicWatch, streamId: string, change: 'AddUpdate' | 'Remove'): void {
    const say = (description: StreamDescription | undefined): void => {
      // A stream that is gone for good has only its name left.
      const name = nameOf(watch);
      const event = liveEvent('ActiveStreamsChanged', () =>
        description === undefined
          ? [{ streamId, topicId: name, topicName: name }, 'Remove']
          : [activeStream(description), change],
      );
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

  /** Resolves when `known` has all that are active then; undefined where it has at once. */
  function learn(workspace: string, topic: string, known: Descriptions): Promise<void> | undefined {
    const asked: Promise<void>[] = [];
    for (const [watch, streamId] of active(workspace, topic)) {
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
    return Promise.all(asked).then(() => learn(workspace, topic, known));
  }

  function tickStreams(watch: TopicWatch, time: number): void {
    const interrupted = watch.active.silent(time, interruptedAfterMs);
    const told = isTold(watch);
    for (const streamId of interrupted) {
      watch.changed.delete(streamId);
      if (told) tell(watch, streamId, 'Remove');
    }
    if (!told) watch.changed.clear();
    // A catalogue that takes longer than a second is not asked for more on top.
    const due = watch.telling.waiting === 0 ? [...watch.changed] : [];
    for (const streamId of due) if (!watch.told.has(streamId)) tell(watch, streamId, 'AddUpdate');
    watch.told.clear();
  }

  function tickMetrics(watch: TopicWatch, elapsedMs: number): void {
    const tree = treeOf(watch.workspace);
    const isWanted = tree?.hasAny('topicMetrics', watch.topic) === true;
    if (watch.history === undefined && (isWanted || histories < maxHistories)) {
      watch.history = topicHistory(clock);
      histories++;
    }
    watch.quietTicks = watch.bytes === 0 && !isWanted ? watch.quietTicks + 1 : 0;
    const bytesPerSecond = Math.round((watch.bytes * 1000) / Math.max(1, elapsedMs));
    watch.bytes = 0;
    watch.history?.record(bytesPerSecond, watch.active.count);
    if (!isWanted) return;
    const sample = { time: lastTick, bytesPerSecond, activeStreams: watch.active.count };
    const event = liveEvent('TopicMetricsUpdated', () => [metricsOf(nameOf(watch), sample)]);
    for (const subscriber of new Set(tree?.matches('topicMetrics', watch.topic))) subscriber.deliver(event);
  }

  function end(watch: TopicWatch, streamId: string): void {
    if (watch.active.end(streamId) && isTold(watch)) tell(watch, streamId, 'Remove');
    watch.changed.delete(streamId);
    watch.told.delete(streamId);
  }

  return {
    written({ workspace, topic, streamId, bytes, ends }) {
      const watch = known(workspace, topic);
      watch.bytes += bytes;
      if (ends) {
        end(watch, streamId);
        return;
      }
      const isNew = watch.active.touch(streamId, now());
      if (!isTold(watch)) return;
      if (isNew) tell(watch, streamId, 'AddUpdate');
      else watch.changed.add(streamId);
    },

    ended(workspace, streams) {
      const topics = workspaces.get(workspace);
      if (topics === undefined) return;
      for (const { topic, streamId } of streams) {
        const watch = topics.get(foldTopic(topic));
        if (watch !== undefined) end(watch, streamId);
      }
    },

    watch(workspace, topic) {
      if (topic !== wildcard) known(workspace, topic);
    },

    tick() {
      const time = now();
      const elapsedMs = time - lastTick;
      lastTick = time;
      passSecond(clock, time);
      for (const [workspace, topics] of workspaces) {
        for (const [key, watch] of topics) {
          tickStreams(watch, time);
          tickMetrics(watch, elapsedMs);
          if (watch.quietTicks < historySeconds || watch.active.count > 0) continue;
          if (watch.history !== undefined) histories--;
          topics.delete(key);
        }
        if (topics.size === 0) workspaces.delete(workspace);
      }
    },

    activeStreams(workspace, topic) {
      const known: Descriptions = new Map();
      const listed = (): ActiveStream[] =>
        active(workspace, topic).flatMap(([watch, streamId]) => {
          const description = known.get(watch)?.get(streamId);
          return description === undefined ? [] : [activeStream(description)];
        });
      const learning = learn(workspace, topic, known);
      return learning === undefined ? listed() : learning.then(listed);
    },

    topicMetrics(workspace, topic) {
      const found: TopicMetrics[] = [];
      for (const watch of selected(workspace, topic)) {
        const name = nameOf(watch);
        for (const sample of watch.history?.samples() ?? []) found.push(metricsOf(name, sample));
      }
      return found;
    },
  };
}

function metricsOf(topic: string, sample: Sample): TopicMetrics {
  return {
    timestamp: isoFromMillis(sample.time),
    topicId: topic,
    topicName: topic,
    bytesPerSecond: sample.bytesPerSecond,
    activeStreams: sample.activeStreams,
  };
}
