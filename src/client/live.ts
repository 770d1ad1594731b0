import { backoff, pause, type Retry } from './backoff.ts';
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
  /** The streams that are being written to, as `AddUpdate`, then every change; anew after a reconnect. */
  activeStreams(topic: string): LiveQueue<ActiveStreamChange>;
  /** The last five minutes, then one each second. */
  topicMetrics(topic: string): LiveQueue<TopicMetrics>;
  /** Told when the connection stands (subscriptions included) and when it is lost. Gives what takes it back. */
  onConnection(listener: (connected: boolean) => void): () => void;
  /** Ends every iteration and the connection. */
  close(): Promise<void>;
}

/** The part of `@microsoft/signalr` that is used, so that this file's types stand without it. */
interface Connection {
  readonly state: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  on(event: string, handler: (...args: never[]) => void): void;
  onclose(handler: () => void): void;
  invoke<Answer>(method: string, ...args: unknown[]): Promise<Answer>;
}

interface Subscription {
  readonly name: string;
  /** Arguments of each call that subscribes. */
  readonly calls: readonly (readonly string[])[];
  /** Gets every item of its kind, and what the subscribing call answered. */
  readonly receive: (item: never) => void;
  readonly answered: (answer: unknown) => void;
  readonly queue: LiveQueue<never>;
}

const defaultQueue = 10_000;
const defaultPauses = { attempts: Number.POSITIVE_INFINITY, firstDelayMs: 250, longestDelayMs: 10_000 };

/** The hub's events and the subscriptions that they are for. */
const kindOfEvent = {
  ParameterDataReceived: 'Parameter',
  EventDataReceived: 'Event',
  TopicMetricsUpdated: 'TopicMetrics',
} as const;

export function createLive(transport: Transport, options: LiveOptions = {}): Live {
  const retry: Retry = { ...defaultPauses, ...options.retry };
  const limit = options.maxQueue ?? defaultQueue;
  const subscriptions = new Set<Subscription>();
  const listeners = new Set<(connected: boolean) => void>();
  const ending = new AbortController();
  let connection: Promise<Connection> | undefined;
  let connected = false;
  /** While it can be called. */
  let up: Connection | undefined;
  let connecting = false;

  const tell = (now: boolean): void => {
    connected = now;
    for (const listener of listeners) {
      try {
        listener(now);
      } catch (error) {
        // A fault of the listener is told as such, and does not stop the connection.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };

  async function build(): Promise<Connection> {
    const { HubConnectionBuilder, LogLevel } = await import('@microsoft/signalr');
    const made = new HubConnectionBuilder()
      .withUrl(`${transport.url}/hub?int64=string`, { accessTokenFactory: transport.token })
      .configureLogging(LogLevel.None)
      .build() as Connection;
    for (const [event, kind] of Object.entries(kindOfEvent)) {
      made.on(event, (item: never) => {
        for (const { name, receive } of subscriptions) if (name === kind) receive(item);
      });
    }
    made.on('ActiveStreamsChanged', (stream: never, action: never) => {
      const item = { stream, action } as never;
      for (const { name, receive } of subscriptions) if (name === 'ActiveStreams') receive(item);
    });
    made.onclose(() => {
      up = undefined;
      if (connected) tell(false);
      // An attempt that lost the connection on its way goes on by itself.
      if (!connecting) keepConnected(made);
    });
    await connect(made);
    return made;
  }

  async function connect(made: Connection): Promise<void> {
    connecting = true;
    for (let attempt = 1; !ending.signal.aborted; attempt++) {
      try {
        await made.start();
        // From here on whoever opens an iteration subscribes by itself.
        up = made;
        await Promise.all([...subscriptions].map((subscription) => subscribe(made, subscription)));
        // It may end in the packet of its last answer, and is told of before that answer.
        if (up !== made) throw new Error('the connection ended');
      } catch {
        await pause(backoff(retry, attempt), ending.signal);
        continue;
      }
      connecting = false;
      tell(true);
      return;
    }
  }

  function keepConnected(made: Connection): void {
    // Its only failure is the end of this client.
    connect(made).catch(() => undefined);
  }

  /** Rejects where the connection is lost meanwhile; a refusal by the hub ends the iteration. */
  async function subscribe(made: Connection, { name, calls, answered, queue }: Subscription): Promise<void> {
    try {
      const answers = await Promise.all(calls.map((args) => made.invoke(`SubscribeTo${name}`, ...args)));
      for (const answer of answers) answered(answer);
    } catch (error) {
      if (made.state !== 'Connected') throw error;
      queue.end(error as Error);
    }
  }

  function open<Wire, Item>(
    name: string,
    calls: readonly (readonly string[])[],
    itemsOf: (wire: Wire) => Item | undefined,
    initial: (answer: unknown) => readonly Wire[] = () => [],
  ): LiveQueue<Item> {
    if (ending.signal.aborted) throw new Error('the live connection is closed');
    const queue = liveQueue<Item>(limit, () => {
      subscriptions.delete(subscription);
      const shared = new Set([...subscriptions].flatMap(keysOf));
      const keys = keysOf(subscription);
      for (const [i, args] of calls.entries())
        if (!shared.has(keys[i]!)) up?.invoke(`UnsubscribeFrom${name}`, ...args).catch(() => undefined);
    });
    const receive = (wire: Wire, isInitial = false): void => {
      const item = itemsOf(wire);
      if (item !== undefined) queue.push(item, isInitial);
    };
    const subscription: Subscription = {
      name,
      calls,
      receive: (item) => receive(item),
      answered: (answer) => {
        for (const wire of initial(answer)) receive(wire, true);
      },
      queue: queue as unknown as LiveQueue<never>,
    };
    subscriptions.add(subscription);
    if (connection === undefined) {
      connection = build();
      connection.catch((error: Error) => {
        connection = undefined;
        for (const { queue: open } of [...subscriptions]) open.end(error);
      });
    } else if (up !== undefined) {
      // Where the connection is lost meanwhile, the next one subscribes anew.
      subscribe(up, subscription).catch(() => undefined);
    }
    return queue;
  }

  return {
    parameterData({ topic, streamId = '*', id = '*' }) {
      const ids = idsOf(id);
      return open('Parameter', callsOf(topic, streamId, ids), (wire: WireLiveData) => {
        if (!isAt(wire, topic, streamId)) return undefined;
        const own = onlyParameters(wire, ids);
        return own && { ...decodeParameterData(own), topic: wire.topicName, streamId: wire.streamId };
      });
    },
    events({ topic, streamId = '*', id = '*' }) {
      const ids = idsOf(id);
      return open('Event', callsOf(topic, streamId, ids), (wire: WireLiveEvent) => {
        if (!isAt(wire, topic, streamId) || !(ids.has('*') || ids.has(wire.id))) return undefined;
        const { timestamp, value, tags } = wire;
        return {
          topic: wire.topicName,
          streamId: wire.streamId,
          id: wire.id,
          timestamp: BigInt(timestamp),
          value,
          tags,
        };
      });
    },
    activeStreams(topic) {
      return open(
        'ActiveStreams',
        [[topic]],
        (change: ActiveStreamChange) => (isTopic(change.stream, topic) ? change : undefined),
        (answer) => (answer as ActiveStream[]).map((stream) => ({ stream, action: 'AddUpdate' })),
      );
    },
    topicMetrics(topic) {
      return open(
        'TopicMetrics',
        [[topic]],
        (metrics: TopicMetrics) => (isTopic(metrics, topic) ? metrics : undefined),
        (answer) => answer as TopicMetrics[],
      );
    },
    onConnection(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      ending.abort(new Error('the live connection is closed'));
      for (const { queue } of [...subscriptions]) queue.end();
      await connection?.then((made) => made.stop()).catch(() => undefined);
    },
  };
}

/** What the hub holds once, whoever subscribed to it. */
function keysOf({ name, calls }: Subscription): string[] {
  return calls.map((args) => JSON.stringify([name, ...args]));
}
