import type { StreamKey } from '../domain/stream.ts';
import { createSlices, type Slices } from '../turns/slices.ts';
import { type LiveRoom, liveRoomValues } from './calculated-runs.ts';
import { createGapPauses, type GapTeller, gapTeller } from './gap.ts';
import type { LiveCatalog } from './live-catalog.ts';
import type { LiveEvent } from './live-event.ts';
import type { LiveContent, LivePackage } from './live-package.ts';
import type { ActiveStream } from './models.ts';
import { type PublishingRoom, publishingRoom } from './publishing-room.ts';
import type { Sequence } from './sequence.ts';
import type { Subscriber, Subscription } from './subscription.ts';
import type { TopicMetrics } from './topic-metrics.ts';
import { type TopicMonitor, topicMonitor } from './topic-monitor.ts';
import { WorkspaceFeed } from './workspace-feed.ts';

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
  /** Milliseconds, from any origin: what has passed is measured by it, for `now` may be set. */
  readonly monotonic?: () => number;
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

/** The share (ms) of a turn that a package with very many readers, or events, has; the rest waits for later ones. */
const publishingSliceMs = 2;

export function createBroker(options: BrokerOptions): Broker {
  return new LocalBroker(options);
}

class LocalBroker implements Broker {
  readonly #options: BrokerOptions;
  readonly #slices: Slices;
  /** By workspace; one without subscriptions has none. */
  readonly #feeds = new Map<string, WorkspaceFeed>();
  /** Which streams are active, and how much is written. */
  readonly #monitor: TopicMonitor;
  /** How long a workspace waits until it tells of a gap again, also where its feed is a new one. */
  readonly #pauses = createGapPauses();
  /** Memory that the feeds share: of packages that wait, and of values that calculated parameters look back on. */
  readonly #room: PublishingRoom;
  readonly #calculatedRoom: LiveRoom = { left: liveRoomValues };
  /** Tells the readers of all workspaces. */
  readonly #gap: GapTeller;
  readonly #stopTicks: () => void;

  constructor(options: BrokerOptions) {
    this.#options = options;
    this.#slices = options.slices ?? createSlices('publish', publishingSliceMs);
    this.#room = publishingRoom(options.maxWaitingBytes);
    this.#monitor = topicMonitor({
      monotonic: () => performance.now(),
      ...options,
      slices: this.#slices,
      treeOf: (workspace) => this.#feeds.get(workspace)?.tree,
    });
    this.#gap = gapTeller(
      () => [...this.#feeds.values()].flatMap(({ tree }) => tree.readers()),
      options.onGapTold,
    );
    this.#stopTicks = (options.everySecond ?? everySecond)(() => this.#monitor.tick());
  }

  subscribe(subscriber: Subscriber, subscription: Subscription): void {
    this.#change(subscriber, ({ tree }) => tree.add(subscriber, subscription));
    if (subscription.kind === 'topicMetrics') this.#monitor.watch(subscriber.workspace, subscription.topic);
  }

  unsubscribe(subscriber: Subscriber, subscription: Subscription): void {
    this.#change(subscriber, ({ tree, calculated }) => {
      tree.remove(subscriber, subscription);
      calculated.forget(subscriber, subscription);
    });
  }

  unsubscribeStream(subscriber: Subscriber, topic: string, streamId: string): void {
    this.#change(subscriber, ({ tree, calculated }) => {
      tree.removeStream(subscriber, topic, streamId);
      calculated.forget(subscriber, { topic, streamId });
    });
  }

  drop(subscriber: Subscriber): void {
    this.#change(subscriber, ({ tree, calculated }) => {
      tree.drop(subscriber);
      calculated.forget(subscriber);
    });
  }

  capture(workspace: string, topic: string, streamId: string, content: LiveContent): LiveContent | undefined {
    return this.#feeds.get(workspace)?.wantedOf(topic, streamId, content);
  }

  publish(written: LivePackage): void {
    const { workspace, topic, streamId, content } = written;
    const feed = this.#feeds.get(workspace);
    if (feed !== undefined && content !== undefined) {
      const { catalog, now } = this.#options;
      const place = { topic: catalog.topicName(workspace, topic) ?? topic, streamId };
      const { tree, calculated } = feed;
      feed.publishing.add({ tree, place, content, time: now(), calculated });
    }
    if (written.ends) feed?.calculated.ended(topic, streamId);
    if (written.quiet !== true) this.#monitor.written(written);
  }

  missed(place?: { readonly workspace: string; readonly topic: string }): void {
    if (place === undefined) this.#gap.missed();
    else this.#feeds.get(place.workspace)?.gap.missed(place.topic);
  }

  ended(workspace: string, streams: Iterable<StreamKey>): void {
    const list = [...streams];
    for (const { topic, streamId } of list) this.#feeds.get(workspace)?.calculated.ended(topic, streamId);
    this.#monitor.ended(workspace, list);
  }

  activeStreams(workspace: string, topic: string): Sequence | Promise<Sequence> {
    return this.#monitor.activeStreams(workspace, topic);
  }

  topicMetrics(workspace: string, topic: string): Sequence {
    return this.#monitor.topicMetrics(workspace, topic);
  }

  close(): void {
    this.#stopTicks();
    this.#gap.close();
    for (const feed of this.#feeds.values()) feed.close();
    this.#feeds.clear();
  }

  /** Changes a workspace's subscriptions, for which it gets a feed, and ends the feed where none is left. */
  #change({ workspace }: Subscriber, action: (feed: WorkspaceFeed) => void): void {
    const feed = this.#feeds.get(workspace) ?? this.#openFeed(workspace);
    action(feed);
    if (!feed.tree.isEmpty()) {
      this.#feeds.set(workspace, feed);
      return;
    }
    this.#feeds.delete(workspace);
    feed.close();
  }

  #openFeed(workspace: string): WorkspaceFeed {
    const { catalog, now, aheadMs, onAhead, onGapTold } = this.#options;
    return new WorkspaceFeed({
      slices: this.#slices,
      room: this.#room,
      calculatedRoom: this.#calculatedRoom,
      pauses: this.#pauses.of(workspace),
      onGapTold,
      kept: (topic) => catalog.documents(workspace, 'calculated', topic),
      ahead: { last: () => BigInt(now() + aheadMs) * 1_000_000n, onAhead },
    });
  }
}

function everySecond(tick: () => void): () => void {
  const timer = setInterval(tick, 1000).unref();
  return () => clearInterval(timer);
}
