import { type Retry, retryOf } from './backoff.ts';
import { LiveConnection, type Subscription } from './live-connection.ts';
import type {
  ActiveStream,
  ActiveStreamChange,
  LiveEvent,
  LiveParameterData,
  TopicMetrics,
} from './live-models.ts';
import { type LiveQueue, liveQueue } from './live-queue.ts';
import {
  callsOf,
  idsOf,
  isAt,
  isTopic,
  onlyParameters,
  type WireLiveData,
  type WireLiveEvent,
} from './live-wire.ts';
import { decodeParameterData } from './parameter-data.ts';
import type { Transport } from './transport.ts';

export type * from './live-models.ts';
export type { LiveQueue };

export interface LiveOptions {
  /** Pauses between attempts to connect again; there are attempts until one succeeds or `close` is called. */
  readonly retry?: Partial<Omit<Retry, 'attempts'>>;
  /** Told of each attempt to connect that failed, before the pause. */
  readonly onRepeat?: (error: unknown) => void;
  /** Items that may wait for a reader; beyond it its iteration ends with TooSlow. */
  readonly maxQueue?: number;
}

/** A stream, or `*` for every one; a parameter or event, several of them, or `*`. The default of both is `*`. */
export interface LivePlace {
  readonly topic: string;
  readonly streamId?: string;
  readonly id?: string | readonly string[];
}

/**
 * Live data through the hub, over one connection that is made when it is first needed. Iterations survive reconnects;
 * what is written while there is no connection is not among them: listen to `onConnection` and read it by a query.
 */
export interface Live {
  /** Parameter data as it is written, from now on; `id` is a parameter's. What is written together comes in one item. */
  parameterData(place: LivePlace): LiveQueue<LiveParameterData>;
  /** Events as they are written; `id` is an event's. */
  events(place: LivePlace): LiveQueue<LiveEvent>;
  /**
   * The streams that are being written to, as `AddUpdate`, then every change. After a reconnect they come anew, behind
   * `Remove` for those that ended meanwhile.
   */
  activeStreams(topic: string): LiveQueue<ActiveStreamChange>;
  /** The last five minutes, then one each second. After a reconnect those that it has not given yet. */
  topicMetrics(topic: string): LiveQueue<TopicMetrics>;
  /**
   * Told when the connection stands (subscriptions included) and when it is lost, with the reason where there is one, such as
   * that the hub found its reader too slow. Gives what takes it back.
   */
  onConnection(listener: (connected: boolean, reason?: Error) => void): () => void;
  /** Ends every iteration and the connection. */
  close(): Promise<void>;
}

const defaultQueue = 10_000;
const defaultPauses = { attempts: Number.POSITIVE_INFINITY, firstDelayMs: 250, longestDelayMs: 10_000 };

export function createLive(transport: Transport, options: LiveOptions = {}): Live {
  const connection = new LiveConnection(transport, {
    retry: retryOf(defaultPauses, options.retry),
    onRepeat: options.onRepeat,
  });
  const limit = options.maxQueue ?? defaultQueue;
  if (!(limit >= 0)) throw new RangeError(`maxQueue is a number from 0, not ${limit}`);
  const iterate = <Wire, Item>(wanted: Wanted<Wire, Item>) => openIteration(connection, limit, wanted);

  return {
    parameterData({ topic, streamId = '*', id = '*' }) {
      const ids = idsOf(id);
      return iterate({
        name: 'Parameter',
        calls: callsOf(topic, streamId, ids),
        itemOf(wire: WireLiveData) {
          if (!isAt(wire, topic, streamId)) return undefined;
          const own = onlyParameters(wire, ids);
          return own && { ...decodeParameterData(own), topic: wire.topicName, streamId: wire.streamId };
        },
      });
    },
    events({ topic, streamId = '*', id = '*' }) {
      const ids = idsOf(id);
      return iterate({
        name: 'Event',
        calls: callsOf(topic, streamId, ids),
        itemOf: (wire: WireLiveEvent) =>
          isAt(wire, topic, streamId) && (ids.has('*') || ids.has(wire.id)) ? eventOf(wire) : undefined,
      });
    },
    activeStreams(topic) {
      const known = new Map<string, ActiveStream>();
      return iterate({
        name: 'ActiveStreams',
        calls: [[topic]],
        itemOf(change: ActiveStreamChange) {
          const { stream, action } = change;
          if (!isTopic(stream, topic)) return undefined;
          if (action === 'Remove') known.delete(keyOf(stream));
          else known.set(keyOf(stream), stream);
          return change;
        },
        initial: (answer) => changesTo(known, answer as ActiveStream[]),
      });
    },
    topicMetrics(topic) {
      const newest = new Map<string, string>();
      return iterate({
        name: 'TopicMetrics',
        calls: [[topic]],
        itemOf(metrics: TopicMetrics) {
          if (!isTopic(metrics, topic)) return undefined;
          newest.set(metrics.topicName, metrics.timestamp);
          return metrics;
        },
        // After a reconnect it begins with what was given before.
        initial: (answer) =>
          (answer as TopicMetrics[]).filter(
            ({ topicName, timestamp }) => timestamp > (newest.get(topicName) ?? ''),
          ),
      });
    },
    onConnection: (listener) => connection.listen(listener),
    close: () => connection.close(),
  };
}

/** What an iteration subscribes to, and which items it makes of it. */
interface Wanted<Wire, Item> extends Pick<Subscription, 'name' | 'calls'> {
  /** Undefined for what another iteration of the same connection wants. */
  itemOf(wire: Wire): Item | undefined;
  /** What the answer of a subscribing call holds; nothing where absent. */
  initial?(answer: unknown): readonly Wire[];
}

/** Items from now on, until the iteration or the connection ends. Throws an Error where the connection is closed. */
function openIteration<Wire, Item>(
  connection: LiveConnection,
  limit: number,
  { name, calls, itemOf, initial }: Wanted<Wire, Item>,
): LiveQueue<Item> {
  if (connection.isClosed) throw new Error('the live connection is closed');
  const queue = liveQueue<Item>(limit, () => connection.remove(subscription));
  const receive = (wire: Wire, isInitial: boolean): void => {
    const item = itemOf(wire);
    if (item !== undefined) queue.push(item, isInitial);
  };
  const subscription: Subscription = {
    name,
    calls,
    receive: (wire) => receive(wire, false),
    answered: (answer) => {
      for (const wire of initial?.(answer) ?? []) receive(wire, true);
    },
    queue: queue as unknown as LiveQueue<never>,
  };
  connection.add(subscription);
  return queue;
}

function keyOf({ topicName, streamId }: ActiveStream): string {
  return JSON.stringify([topicName, streamId]);
}

/** What has changed where these streams are active now, and those were known to be. */
function changesTo(
  known: ReadonlyMap<string, ActiveStream>,
  active: readonly ActiveStream[],
): ActiveStreamChange[] {
  const there = new Set(active.map(keyOf));
  const gone = [...known].flatMap(([key, stream]) => (there.has(key) ? [] : [stream]));
  return [
    ...gone.map((stream) => ({ stream, action: 'Remove' }) as const),
    ...active.map((stream) => ({ stream, action: 'AddUpdate' }) as const),
  ];
}

function eventOf({ topicName, streamId, id, timestamp, value, tags }: WireLiveEvent): LiveEvent {
  return { topic: topicName, streamId, id, timestamp: BigInt(timestamp), value, tags };
}
