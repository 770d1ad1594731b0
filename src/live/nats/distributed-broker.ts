import type { StreamKey } from '../../domain/stream.ts';
import { createSlices } from '../../turns/slices.ts';
import type { Broker } from '../broker.ts';
import { captureRows } from '../capture.ts';
import type { LiveContent, LivePackage } from '../live-package.ts';
import { RecentEndings } from '../recent-endings.ts';
import type { Sequence } from '../sequence.ts';
import type { Subscriber, Subscription } from '../subscription.ts';
import { type Held, subscriptionTable } from '../subscription-table.ts';
import { type Activity, createActivity, type TopicActivity } from './activity.ts';
import type { Place } from './heartbeat.ts';
import type { LiveLink } from './live-link.ts';
import { subscriptionPattern } from './subject.ts';

/** The broker of one node among several: its readers get what is written through any of them. */
export interface DistributedBroker extends Broker {
  /** Resolves when what was subscribed before the call comes from other nodes too, or their link is down. */
  settled(): Promise<void>;
}

export interface DistributedOptions {
  /** A stream without a write for this time is no longer active. */
  readonly interruptedAfterMs: number;
  /** Milliseconds, from any origin. */
  readonly now?: () => number;
}

/** The share (ms) of a turn in which the patterns of a reader who had very many are taken back. */
const unwantSliceMs = 2;

export function distributedBroker(
  local: Broker,
  link: LiveLink,
  options: DistributedOptions,
): DistributedBroker {
  return new LinkedBroker(local, link, options);
}

class LinkedBroker implements DistributedBroker {
  readonly #local: Broker;
  readonly #link: LiveLink;
  /** What readers of this node want of other nodes, as patterns. */
  readonly #patterns = subscriptionTable<string>();
  readonly #slices = createSlices('unsubscribe', unwantSliceMs);
  /** Contents with all that was written, not only with what readers of this node want. */
  readonly #whole = new WeakSet<LiveContent>();
  /** What happened through this node, which its beats tell the others. */
  readonly #activity: Activity;
  readonly #endings: RecentEndings;

  constructor(
    local: Broker,
    link: LiveLink,
    { interruptedAfterMs, now = () => performance.now() }: DistributedOptions,
  ) {
    this.#local = local;
    this.#link = link;
    this.#activity = createActivity(interruptedAfterMs, now);
    this.#endings = new RecentEndings(now);
    link.attach({
      onPackage: ({ workspace, topic, streamId, content }) => {
        this.#endings.remove(workspace, topic, streamId);
        // Its bytes are in its node's summary.
        local.publish({ workspace, topic, streamId, bytes: 0, ends: content.type === 'close', content });
      },
      onSummary: (summary) => {
        this.#endings.forgetOld();
        for (const topic of summary) this.#applySummary(topic);
      },
      onGap: (place) => local.missed(place),
      summary: (all) => this.#activity.take(all),
    });
  }

  subscribe(subscriber: Subscriber, subscription: Subscription): void {
    this.#local.subscribe(subscriber, subscription);
    const pattern = subscriptionPattern(subscriber.workspace, subscription);
    if (pattern === undefined) return;
    if (this.#patterns.has(subscriber, subscription)) return;
    this.#patterns.set(subscriber, subscription, pattern);
    this.#link.want(pattern);
  }

  unsubscribe(subscriber: Subscriber, subscription: Subscription): void {
    this.#local.unsubscribe(subscriber, subscription);
    const pattern = this.#patterns.remove(subscriber, subscription);
    if (pattern !== undefined) this.#link.unwant(pattern.value);
  }

  unsubscribeStream(subscriber: Subscriber, topic: string, streamId: string): void {
    this.#local.unsubscribeStream(subscriber, topic, streamId);
    this.#unwant(this.#patterns.removeStream(subscriber, topic, streamId).held()[Symbol.iterator]());
  }

  drop(subscriber: Subscriber): void {
    this.#local.drop(subscriber);
    this.#unwant(this.#patterns.drop(subscriber).held()[Symbol.iterator]());
  }

  // Also while the link is down: it may be up again before the write is acknowledged.
  capture(
    _workspace: string,
    _topic: string,
    _streamId: string,
    content: LiveContent,
  ): LiveContent | undefined {
    const all = wholeOf(content);
    if (all !== undefined) this.#whole.add(all);
    return all;
  }

  publish(written: LivePackage): void {
    const { content } = written;
    this.#local.publish(written);
    if (written.quiet !== true) this.#activity.written(written);
    if (content !== undefined && this.#whole.has(content)) this.#link.publish({ ...written, content });
  }

  missed(place?: Place): void {
    this.#local.missed(place);
    this.#link.missed(place);
  }

  ended(workspace: string, streams: Iterable<StreamKey>): void {
    const list = [...streams];
    this.#local.ended(workspace, list);
    for (const { topic, streamId } of list) {
      this.#endings.add(workspace, topic, streamId);
      this.#activity.written({ workspace, topic, streamId, bytes: 0, ends: true });
    }
    this.#endings.forgetOld();
  }

  activeStreams(workspace: string, topic: string): Sequence | Promise<Sequence> {
    return this.#local.activeStreams(workspace, topic);
  }

  topicMetrics(workspace: string, topic: string): Sequence {
    return this.#local.topicMetrics(workspace, topic);
  }

  settled(): Promise<void> {
    return this.#link.settled();
  }

  close(): void {
    this.#local.close();
  }

  /** In slices where they are very many: what still comes of them, nobody gets. */
  #unwant(removed: Iterator<Held<string>>): void {
    do {
      const next = removed.next();
      if (next.done === true) return;
      this.#link.unwant(next.value.value);
    } while (!this.#slices.isOver());
    this.#slices.later(() => this.#unwant(removed));
  }

  /** Tells readers here which streams were written to, or ended, through another node, and counts the bytes once. */
  #applySummary({ workspace, topic, bytes, touched, ended }: TopicActivity): void {
    let untold = bytes;
    const written = (streamId: string, ends: boolean): void => {
      this.#local.publish({ workspace, topic, streamId, bytes: untold, ends, content: undefined });
      untold = 0;
    };
    for (const streamId of ended) {
      this.#endings.add(workspace, topic, streamId);
      written(streamId, true);
    }
    for (const streamId of touched)
      if (!this.#endings.has(workspace, topic, streamId)) written(streamId, false);
  }
}

/** Columns of rows are copied: the writer uses its arrays again. */
function wholeOf(content: LiveContent): LiveContent | undefined {
  if (content.type !== 'parameterData') return content;
  const rows = captureRows(content.rows, () => true);
  return rows && { type: 'parameterData', rows };
}
