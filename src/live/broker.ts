import type { StreamKey } from '../domain/stream.ts';
import { createSlices, type Slices } from '../turns/slices.ts';
import { type CalculatedFeed, calculatedFeed } from './calculated-feed.ts';
import { type LiveRoom, liveRoomValues } from './calculated-runs.ts';
import { captureRows } from './capture.ts';
import { createGapPauses, type GapTeller, gapTeller } from './gap.ts';
import type { LiveCatalog } from './live-catalog.ts';
import type { LiveEvent } from './live-event.ts';
import type { LiveContent, LivePackage } from './live-package.ts';
import type { ActiveStream } from './models.ts';
import { createPublishing, type Publishing } from './publishing.ts';
import { publishingRoom } from './publishing-room.ts';
import type { Sequence } from './sequence.ts';
import type { Subscriber, Subscription } from './subscription.ts';
import { type SubscriptionTree, subscriptionTree } from './subscription-tree.ts';
import type { TopicMetrics } from './topic-metrics.ts';
import { topicMonitor } from './topic-monitor.ts';

export type { ActiveStream, LiveContent, LiveEvent, LivePackage, Subscriber, Subscription, TopicMetrics };

/**
 * Publish and subscribe, in process: what is written goes to those who subscribed to it. A package costs what it
 * matches, however many subscriptions there are; where nobody has subscribed, nothing is copied.
 */
export interface Broker {
  /** From now on; the same subscription twice is one. */
  subscribe(subscriber: Subscriber, subscription: Subscription): void;
  unsubscribe(subscriber: Subscriber, subscription: Subscription): void;
  /** Takes back every subscription to this stream, in the words in which it was made. */
  unsubscribeStream(subscriber: Subscriber, topic: string, streamId: string): void;
  /** Takes back all. */
  drop(subscriber: Subscriber): void;
  /**
   * What of a content someone wants now, to be kept until it is published; undefined where nobody does. Columns of
   * rows are copied, so the caller may use its arrays again.
   */
  capture(workspace: string, topic: string, streamId: string, content: LiveContent): LiveContent | undefined;
  /** To be called when a package is durable and readable, in order for each stream. */
  publish(written: LivePackage): void;
  /**
   * Contents that someone wanted were not and will not be published: readers of the topic, or, where none is named, all
   * readers are told to come back. The topic `*` stands for all of the workspace.
   */
  missed(place?: { readonly workspace: string; readonly topic: string }): void;
  /** To be called when streams were deleted, in order with what is written to them. */
  ended(workspace: string, streams: Iterable<StreamKey>): void;
  /**
   * `ActiveStream`s, those that were written to within the interruption time, each as it is when it is asked for; the topic may
   * be `*`. A promise where the catalogue has to ask for what is known of them: then as they are when it resolves.
   */
  activeStreams(workspace: string, topic: string): Sequence | Promise<Sequence>;
  /** `TopicMetrics` of the last five minutes, oldest first; the topic may be `*`. */
  topicMetrics(workspace: string, topic: string): Sequence;
  close(): void;
}

export interface BrokerOptions {
  readonly catalog: LiveCatalog;
  /** A stream without a write for this time is no longer active. */
  readonly interruptedAfterMs: number;
  /** How far (ms) rows may be ahead of `now`: what is calculated along rows leaves others out. */
  readonly aheadMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Told of how many rows of a package were left out, counted for each calculated parameter. */
  readonly onAhead?: (rows: number) => void;
  /** Readers were told to come back, so many, because something is missing. */
  readonly onGapTold?: (readers: number) => void;
  /** The time that publishing has in each turn of the event loop; by the clock where absent. */
  readonly slices?: Slices;
  /** Memory (bytes) of packages that wait for their slice, of all workspaces together; 64 MiB by default. */
  readonly maxWaitingBytes?: number;
  /** Calls `tick` once a second until the function that it gives back is called. */
  readonly everySecond?: (tick: () => void) => () => void;
}

/** The subscriptions of one workspace, and what is on its way to them: a workspace waits for its own packages only. */
interface Feed {
  readonly tree: SubscriptionTree;
  readonly gap: GapTeller;
  readonly publishing: Publishing;
  readonly calculated: CalculatedFeed;
  close(): void;
}

/** What a package with very many readers, or events, has of a turn; the rest waits for later ones. */
const publishingSliceMs = 2;

export function createBroker(options: BrokerOptions): Broker {
  const { catalog, now, aheadMs, onAhead } = options;
  const slices = options.slices ?? createSlices('publish', publishingSliceMs);
  const feeds = new Map<string, Feed>();
  const calculatedRoom: LiveRoom = { left: liveRoomValues };
  const monitor = topicMonitor({ ...options, slices, treeOf: (workspace) => feeds.get(workspace)?.tree });
  const pauses = createGapPauses();
  const room = publishingRoom(options.maxWaitingBytes);
  const gap = gapTeller(() => [...feeds.values()].flatMap(({ tree }) => tree.readers()), options.onGapTold);
  const stop = (options.everySecond ?? everySecond)(() => monitor.tick());

  /** Changes a workspace's subscriptions; a workspace without any has no feed. */
  function change({ workspace }: Subscriber, action: (tree: SubscriptionTree, feed: Feed) => void): void {
    const feed = feeds.get(workspace) ?? openFeed(workspace);
    action(feed.tree, feed);
    if (!feed.tree.isEmpty()) {
      feeds.set(workspace, feed);
      return;
    }
    feeds.delete(workspace);
    feed.close();
  }

  function openFeed(workspace: string): Feed {
    const tree = subscriptionTree(slices);
    const ownGap = gapTeller(tree.readers, options.onGapTold, pauses.of(workspace));
    const publishing = createPublishing(slices, () => ownGap.missed(), room);
    return {
      tree,
      gap: ownGap,
      publishing,
      calculated: calculatedFeed(
        tree,
        (topic) => catalog.kept(workspace, 'calculated', topic),
        calculatedRoom,
        { last: () => BigInt(now() + aheadMs) * 1_000_000n, onAhead },
      ),
      close() {
        ownGap.close();
        publishing.close();
      },
    };
  }

  return {
    subscribe(subscriber, subscription) {
      change(subscriber, (tree) => tree.add(subscriber, subscription));
      if (subscription.kind === 'topicMetrics') monitor.watch(subscriber.workspace, subscription.topic);
    },
    unsubscribe(subscriber, subscription) {
      change(subscriber, (tree, { calculated }) => {
        tree.remove(subscriber, subscription);
        calculated.forget(subscriber, subscription);
      });
    },
    unsubscribeStream(subscriber, topic, streamId) {
      change(subscriber, (tree, { calculated }) => {
        tree.removeStream(subscriber, topic, streamId);
        calculated.forget(subscriber, { topic, streamId });
      });
    },
    drop(subscriber) {
      change(subscriber, (tree, { calculated }) => {
        tree.drop(subscriber);
        calculated.forget(subscriber);
      });
    },
    capture(workspace, topic, streamId, content) {
      const feed = feeds.get(workspace);
      return feed === undefined ? undefined : wantedOf(feed, topic, streamId, content);
    },
    publish(written) {
      const { workspace, topic, streamId, content } = written;
      const feed = feeds.get(workspace);
      if (feed !== undefined && content !== undefined) {
        const place = { topic: catalog.topicName(workspace, topic) ?? topic, streamId };
        const { tree, calculated } = feed;
        feed.publishing.add({ tree, place, content, time: now(), calculated });
      }
      if (written.ends) feed?.calculated.ended(topic, streamId);
      if (written.quiet !== true) monitor.written(written);
    },
    missed(place) {
      if (place === undefined) gap.missed();
      else feeds.get(place.workspace)?.gap.missed(place.topic);
    },
    ended(workspace, streams) {
      const list = [...streams];
      for (const { topic, streamId } of list) feeds.get(workspace)?.calculated.ended(topic, streamId);
      monitor.ended(workspace, list);
    },
    activeStreams: monitor.activeStreams,
    topicMetrics: monitor.topicMetrics,
    close() {
      stop();
      gap.close();
      for (const feed of feeds.values()) feed.close();
      feeds.clear();
    },
  };
}

/** The kind of subscription that a content is for, beside the one to packages. */
const kindOf = {
  parameterData: 'parameter',
  eventData: 'event',
  parameterDefinitions: 'parameterDefinitions',
  eventDefinitions: 'eventDefinitions',
} as const;

function wantedOf(
  { tree, calculated }: Feed,
  topic: string,
  streamId: string,
  content: LiveContent,
): LiveContent | undefined {
  if (tree.hasAny('packages', topic)) {
    return content.type === 'parameterData' ? withRows(captureRows(content.rows, () => true)) : content;
  }
  if (content.type === 'close' || content.type === 'stream') return undefined;
  if (!tree.hasAny(kindOf[content.type], topic, streamId)) return undefined;
  if (content.type !== 'parameterData') return content;
  const operands = calculated.operands(topic, streamId);
  const wanted = tree.parametersOf(topic, streamId);
  return withRows(captureRows(content.rows, (name) => operands.has(name) || wanted.has(name)));
}

function withRows(rows: ReturnType<typeof captureRows>): LiveContent | undefined {
  return rows && { type: 'parameterData', rows };
}

function everySecond(tick: () => void): () => void {
  const timer = setInterval(tick, 1000).unref();
  return () => clearInterval(timer);
}
