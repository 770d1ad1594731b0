import { backoff, pause, type Retry } from './backoff.ts';
import type { LiveQueue } from './live-queue.ts';
import { orAborted } from './or-aborted.ts';
import { RequestError } from './request-error.ts';
import { tell } from './tell.ts';
import type { Transport } from './transport.ts';

/** The part of `@microsoft/signalr` that is used, so that this file's types stand without it. */
interface Hub {
  readonly state: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  on(event: string, handler: (...args: never[]) => void): void;
  onclose(handler: (error?: Error) => void): void;
  invoke<Answer>(method: string, ...args: unknown[]): Promise<Answer>;
}

/** What one iteration wants of the hub. */
export interface Subscription {
  /** The hub's methods are `SubscribeTo` and `UnsubscribeFrom` with this name. */
  readonly name: string;
  /** Arguments of each call that subscribes. */
  readonly calls: readonly (readonly string[])[];
  /** Gets every item of its kind, and what the subscribing call answered. */
  readonly receive: (item: never) => void;
  readonly answered: (answer: unknown) => void;
  readonly queue: LiveQueue<never>;
}

/** How the hub's client tells that the service does not admit who asks. */
const refusal = /Status code '40[13]'/;

/** What the hub says where there is no room now; there may be later. */
const isForNow = /\((?:overloaded|shutting_down|not_ready)\)$/;

type Listener = (connected: boolean, reason?: Error) => void;

export interface LiveTerms {
  readonly retry: Retry;
  /** Told of each failed attempt. */
  readonly onRepeat: ((error: unknown) => void) | undefined;
}

/** The hub's events that no answer comes before, and the subscriptions that they are for. */
const kindOfEvent = {
  ParameterDataReceived: 'Parameter',
  EventDataReceived: 'Event',
} as const;

/**
 * The connection to the hub and what is subscribed over it. It is made with the first subscription and made again
 * whenever it is lost, with every subscription that is open then, until `close`.
 */
export class LiveConnection {
  readonly #transport: Transport;
  readonly #terms: LiveTerms;
  readonly #subscriptions = new Set<Subscription>();
  /** Those that the hub has taken before. */
  readonly #known = new WeakSet<Subscription>();
  readonly #listeners = new Set<Listener>();
  readonly #ending = new AbortController();
  /** Resolves when it stood for the first time. Undefined before the first subscription, and where it could not be made. */
  #hub: Promise<Hub> | undefined;
  /** What has been made, whether or not it is connected. */
  #made: Hub | undefined;
  /** The hub while it can be called. */
  #callable: Hub | undefined;
  /** What listeners were told last. */
  #isConnected = false;
  /** There is a loop of attempts, which goes on by itself. */
  #isConnecting = false;

  constructor(transport: Transport, terms: LiveTerms) {
    this.#transport = transport;
    this.#terms = terms;
  }

  get isClosed(): boolean {
    return this.#ending.signal.aborted;
  }

  add(subscription: Subscription): void {
    this.#subscriptions.add(subscription);
    if (this.#hub === undefined) {
      this.#hub = this.#make();
      this.#hub.catch((error: Error) => this.#fail(error));
    } else if (this.#callable !== undefined) {
      // Where the connection is lost meanwhile, the next one subscribes anew.
      this.#subscribe(this.#callable, subscription).catch(() => undefined);
    }
  }

  /** Tells the hub too, of what no other subscription shares. */
  remove(subscription: Subscription): void {
    this.#subscriptions.delete(subscription);
    const { name, calls } = subscription;
    const shared = new Set([...this.#subscriptions].flatMap(keysOf));
    const keys = keysOf(subscription);
    for (const [i, args] of calls.entries())
      if (!shared.has(keys[i]!))
        this.#callable?.invoke(`UnsubscribeFrom${name}`, ...args).catch(() => undefined);
  }

  /** Ends every subscription; the next one begins anew. */
  #fail(error: Error): void {
    this.#hub = undefined;
    this.#isConnecting = false;
    for (const { queue } of [...this.#subscriptions]) queue.end(error);
  }

  /** Returns what takes the listener back. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends every subscription's queue, and the connection. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the live connection is closed'));
    for (const { queue } of [...this.#subscriptions]) queue.end();
    const isConnecting = this.#made?.state === 'Connecting';
    const stopped = this.#made?.stop().catch(() => undefined);
    // What asks for a connection cannot be broken off, and the service may never answer it: then it comes to nothing.
    if (!isConnecting) await stopped;
  }

  async #make(): Promise<Hub> {
    const { HubConnectionBuilder, LogLevel } = await import('@microsoft/signalr');
    // One that no header takes is told at once: each attempt would fail.
    await this.#transport.token();
    const hub = new HubConnectionBuilder()
      .withUrl(`${this.#transport.url}/hub?int64=string`, { accessTokenFactory: this.#transport.token })
      .configureLogging(LogLevel.None)
      .build() as Hub;
    this.#made = hub;
    this.#passItems(hub);
    hub.onclose((reason) => {
      this.#callable = undefined;
      if (this.#isConnected) this.#tell(false, reason);
      // An attempt that lost the connection on its way goes on by itself.
      if (!this.#isConnecting) this.#connect(hub).catch((error: Error) => this.#fail(error));
    });
    await this.#connect(hub);
    return hub;
  }

  /** Has each event of the hub passed to the subscriptions of its kind. */
  #passItems(hub: Hub): void {
    const pass = (kind: string, item: never): void => {
      for (const { name, receive } of this.#subscriptions) if (name === kind) receive(item);
    };
    for (const [event, kind] of Object.entries(kindOfEvent)) hub.on(event, (item: never) => pass(kind, item));
    // An answer that came just before, maybe in the same packet, is told of a turn later, and has to stand first.
    hub.on('TopicMetricsUpdated', (item: never) => queueMicrotask(() => pass('TopicMetrics', item)));
    hub.on('ActiveStreamsChanged', (stream: never, action: never) =>
      queueMicrotask(() => pass('ActiveStreams', { stream, action } as never)),
    );
  }

  /**
   * Tries until the hub is there and has every subscription. Rejects where `close` ends a pause, and with RequestError
   * where the service does not admit who asks.
   */
  async #connect(hub: Hub): Promise<void> {
    this.#isConnecting = true;
    for (let attempt = 1; !this.isClosed; attempt++) {
      try {
        await orAborted(hub.start(), this.#ending.signal);
        // From here on whoever opens an iteration subscribes by itself.
        this.#callable = hub;
        await Promise.all([...this.#subscriptions].map((subscription) => this.#subscribe(hub, subscription)));
        // It may end in the packet of its last answer, and is told of before that answer.
        if (this.#callable !== hub) throw new Error('the connection ended');
      } catch (error) {
        if (refusal.test(String(error))) await this.#askWhy();
        if (!this.isClosed) tell(this.#terms.onRepeat, error);
        if (hub.state === 'Connected') await hub.stop();
        await pause(backoff(this.#terms.retry, attempt), this.#ending.signal);
        continue;
      }
      this.#isConnecting = false;
      this.#tell(true);
      return;
    }
  }

  /** Rejects with RequestError where the service refuses a connection still; another trouble is none of this question's. */
  async #askWhy(): Promise<void> {
    const { signal } = this.#ending;
    try {
      await this.#transport.send('POST', '/hub/negotiate?negotiateVersion=1', undefined, { signal });
    } catch (error) {
      if (error instanceof RequestError && [401, 403].includes(error.status)) throw error;
    }
  }

  /**
   * Rejects where the connection is lost meanwhile, and where the hub has no room for now for what it has taken before;
   * another refusal by the hub ends the iteration.
   */
  async #subscribe(hub: Hub, subscription: Subscription): Promise<void> {
    const { name, calls, answered, queue } = subscription;
    try {
      await Promise.all(calls.map((args) => hub.invoke(`SubscribeTo${name}`, ...args).then(answered)));
      this.#known.add(subscription);
    } catch (error) {
      const isTriedAgain = this.#known.has(subscription) && isForNow.test(String(error));
      if (hub.state !== 'Connected' || isTriedAgain) throw error;
      queue.end(error as Error);
    }
  }

  #tell(connected: boolean, reason?: Error): void {
    this.#isConnected = connected;
    for (const listener of this.#listeners)
      if (reason === undefined) tell(listener, connected);
      else tell(listener, connected, reason);
  }
}

/** What the hub holds once, whoever subscribed to it. Topics have no case. */
function keysOf({ name, calls }: Subscription): string[] {
  return calls.map(([topic, ...rest]) => JSON.stringify([name, topic?.toLowerCase(), ...rest]));
}
