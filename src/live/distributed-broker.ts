import { foldTopic } from '../domain/topic.ts';
import { createSlices } from '../turns/slices.ts';
import type { Broker } from './broker.ts';
import { captureRows } from './capture.ts';
import type { LiveLink } from './live-link.ts';
import type { LiveContent } from './live-package.ts';
import { createActivity, type TopicActivity } from './nats-activity.ts';
import { subscriptionPattern } from './nats-subject.ts';
import { type Held, subscriptionTable } from './subscription-table.ts';

/** The broker of one node among several: its readers get what is written through any of them. */
export interface DistributedBroker extends Broker {
  /** Resolves when what was subscribed before the call comes from other nodes too, or their link is down. */
  settled(): Promise<void>;
}

export interface DistributedOptions {
  /** A stream without a write for this time is no longer active. */
  readonly interruptedAfterMs: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

/** What was written to a stream just before it ended may be told by another node after its end, with its next beat. */
const lateMs = 2000;

/** What the patterns of a reader who had very many have of a turn. */
const unwantSliceMs = 2;

export function distributedBroker(
  local: Broker,
  link: LiveLink,
  { interruptedAfterMs, now = Date.now }: DistributedOptions,
): DistributedBroker {
  /** What readers of this node want of other nodes, as patterns. */
  const patterns = subscriptionTable<string>();
  const slices = createSlices('unsubscribe', unwantSliceMs);
  /** Contents with all that was written, not only with what readers of this node want. */
  const whole = new WeakSet<LiveContent>();
  const activity = createActivity(interruptedAfterMs, now);
  const endings = new Map<string, number>();

  const endingKey = (workspace: string, topic: string, streamId: string): string =>
    JSON.stringify([workspace, foldTopic(topic), streamId]);

  /** In slices where they are very many: what still comes of them, nobody gets. */
  function unwant(removed: Iterator<Held<string>>): void {
    do {
      const next = removed.next();
      if (next.done === true) return;
      link.unwant(next.value.value);
    } while (!slices.isOver());
    slices.later(() => unwant(removed));
  }

  function applySummary({ workspace, topic, bytes, touched, ended }: TopicActivity): void {
    let untold = bytes;
    const written = (streamId: string, ends: boolean): void => {
      local.publish({ workspace, topic, streamId, bytes: untold, ends, content: undefined });
      untold = 0;
    };
    for (const streamId of ended) {
      endings.set(endingKey(workspace, topic, streamId), now());
      written(streamId, true);
    }
    for (const streamId of touched) {
      const ending = endings.size === 0 ? undefined : endings.get(endingKey(workspace, topic, streamId));
      if (ending === undefined || now() - ending >= lateMs) written(streamId, false);
    }
  }

  function forgetEndings(): void {
    for (const [key, time] of endings) {
      if (now() - time < lateMs) break;
      endings.delete(key);
    }
  }

  link.attach({
    onPackage({ workspace, topic, streamId, content }) {
      endings.delete(endingKey(workspace, topic, streamId));
      // Its bytes are in its node's summary.
      local.publish({ workspace, topic, streamId, bytes: 0, ends: content.type === 'close', content });
    },
    onSummary(summary) {
      forgetEndings();
      for (const topic of summary) applySummary(topic);
    },
    onGap: local.missed,
    summary: activity.take,
  });

  return {
    ...local,
    subscribe(subscriber, subscription) {
      local.subscribe(subscriber, subscription);
      const pattern = subscriptionPattern(subscriber.workspace, subscription);
      if (pattern === undefined) return;
      if (patterns.has(subscriber, subscription)) return;
      patterns.set(subscriber, subscription, pattern);
      link.want(pattern);
    },
    unsubscribe(subscriber, subscription) {
      local.unsubscribe(subscriber, subscription);
      const pattern = patterns.remove(subscriber, subscription);
      if (pattern !== undefined) link.unwant(pattern.value);
    },
    unsubscribeStream(subscriber, topic, streamId) {
      local.unsubscribeStream(subscriber, topic, streamId);
      unwant(patterns.removeStream(subscriber, topic, streamId).held()[Symbol.iterator]());
    },
    drop(subscriber) {
      local.drop(subscriber);
      unwant(patterns.drop(subscriber).held()[Symbol.iterator]());
    },
    // Also while the link is down: it may be up again before the write is acknowledged.
    capture(_workspace, _topic, _streamId, content) {
      const all = wholeOf(content);
      if (all !== undefined) whole.add(all);
      return all;
    },
    publish(written) {
      const { content } = written;
      local.publish(written);
      if (written.quiet !== true) activity.written(written);
      if (content !== undefined && whole.has(content)) link.publish({ ...written, content });
    },
    missed(place) {
      local.missed(place);
      link.missed(place);
    },
    ended(workspace, streams) {
      const list = [...streams];
      local.ended(workspace, list);
      for (const { topic, streamId } of list) {
        endings.set(endingKey(workspace, topic, streamId), now());
        activity.written({ workspace, topic, streamId, bytes: 0, ends: true });
      }
      forgetEndings();
    },
    settled: link.settled,
  };
}

/** Columns of rows are copied: the writer uses its arrays again. */
function wholeOf(content: LiveContent): LiveContent | undefined {
  if (content.type !== 'parameterData') return content;
  const rows = captureRows(content.rows, () => true);
  return rows && { type: 'parameterData', rows };
}
