import type { Principal } from '../../domain/principal.ts';
import type { ByteBudget } from '../../ingest/byte-budget.ts';
import type { LeastRate } from '../../ingest/least-rate.ts';
import type { LiveEvent } from '../../live/live-event.ts';
import { Sequence } from '../../live/sequence.ts';
import type { Subscriber } from '../../live/subscription.ts';
import type { Log } from '../../log.ts';
import type { Slices } from '../../turns/slices.ts';
import { handshakeError } from '../protocol/handshake-protocol.ts';
import type { HubProtocol, Outcome } from '../protocol/hub-message.ts';
import { type Calls, createCalls } from './calls.ts';
import { type ConnectionInput, createConnectionInput } from './connection-input.ts';
import { type ConnectionLife, createConnectionLife } from './connection-life.ts';
import { type ConnectionOutput, createConnectionOutput } from './connection-output.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { EventEncoding } from './event-encoding.ts';
import { type Credentials, type HeldCredentials, heldCredentials } from './held-credentials.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubMeter } from './hub-meter.ts';
import type { Caller } from './hub-method.ts';
import { createKeepAlive, type KeepAlive } from './keep-alive.ts';
import type { LifecycleEvent, State, Step } from './lifecycle.ts';
import type { OutgoingQueue } from './outgoing-queue.ts';
import type { QueueMemory } from './queue-memory.ts';
import { sharedEvent } from './shared-events.ts';
import type { Transport, TransportName } from './transport.ts';

/** A client of the hub, whatever transport and protocol it speaks. Its life is the table of `lifecycle.ts`. */
export interface Connection extends Subscriber {
  /** Public; safe in logs. */
  readonly id: string;
  readonly state: State;
  /** What is on its way to the client; the transport takes from it. */
  readonly queue: OutgoingQueue;
  /** Whether messages to the client are binary. */
  readonly isBinary: boolean;
  /** Undefined until the first request fixes it. */
  readonly transport: TransportName | undefined;
  attach(transport: Transport): void;
  /**
   * Bytes of the client, cut anywhere. With a promise the transport should wait before it reads on: too many
   * calls are in flight, the store has no room, or messages wait for a slice of time.
   */
  receive(chunk: Buffer): Promise<void> | undefined;
  /** Bytes came to the transport, which holds so much of a message that is not whole. */
  arriving(bytes: number, unfinished: number): void;
  /** Takes the credentials of the latest request. */
  authorise(credentials: Credentials): void;
  readonly principal: Principal;
  /** Something has happened; see the table. `reason` is for the client, where the step tells it one. */
  apply(event: LifecycleEvent, reason?: string): void;
  /** Looks at every deadline; comes about once a second. */
  tick(): void;
}

export interface ConnectionParts {
  readonly id: string;
  readonly credentials: Credentials;
  readonly limits: HubLimits;
  readonly int64AsString: boolean;
  readonly dispatcher: Dispatcher;
  readonly budget: ByteBudget;
  readonly leastRate: LeastRate;
  /** Back-pressure of the store; see `Appender.room`. Rejects when it takes too long. */
  readonly room: () => Promise<void> | undefined;
  /** The time that all connections share. */
  readonly slices: Slices;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
  readonly meter: HubMeter;
  readonly memory: QueueMemory;
  readonly encoding: EventEncoding;
  readonly log: Log;
  /** The connection takes no more events. */
  readonly onEnding: (connection: Connection) => void;
  readonly onClosed: (connection: Connection) => void;
}

export function createConnection(parts: ConnectionParts): Connection {
  return new HubConnection(parts);
}

/**
 * A class, so that the engine knows all connections as one shape: getters of a literal make one of each object, and
 * every event looks into every connection that gets it.
 */
class HubConnection implements Connection {
  readonly id: string;
  readonly workspace: string;
  readonly queue: OutgoingQueue;
  readonly #parts: ConnectionParts;
  readonly #keepAlive: KeepAlive;
  readonly #life: ConnectionLife;
  readonly #output: ConnectionOutput;
  readonly #owner: HeldCredentials;
  readonly #calls: Calls;
  readonly #input: ConnectionInput;
  /** Of events, as this connection gets them; undefined until the handshake has fixed it. */
  #form: string | undefined;

  constructor(parts: ConnectionParts) {
    const { limits, now, meter, dispatcher, memory, credentials } = parts;
    this.#parts = parts;
    this.id = parts.id;
    this.workspace = credentials.principal.workspace;
    this.#keepAlive = createKeepAlive(limits, now);
    this.#life = createConnectionLife({ ...parts, onStep: (taken, reason) => this.#onStep(taken, reason) });
    this.#output = createConnectionOutput({
      limits,
      life: this.#life,
      keepAlive: this.#keepAlive,
      meter,
      memory,
    });
    this.queue = this.#output.queue;
    this.#owner = heldCredentials(credentials, now, this.#life.attempt);
    this.#calls = createCalls({
      caller: new ConnectionCaller(this),
      dispatcher,
      maxInFlight: limits.maxInvocationsInFlight,
      room: parts.room,
      answer: (invocationId, outcome) => this.#answer(invocationId, outcome),
      onFree: () => this.#input.work(),
    });
    this.#input = createConnectionInput({
      ...parts,
      owner: credentials.principal,
      maxArguments: dispatcher.maxArguments,
      life: this.#life,
      keepAlive: this.#keepAlive,
      output: this.#output,
      calls: this.#calls,
    });
  }

  get principal(): Principal {
    return this.#owner.principal;
  }

  get state(): State {
    return this.#life.state;
  }

  get isBinary(): boolean {
    return this.#input.protocol?.isBinary === true;
  }

  get transport(): TransportName | undefined {
    return this.#output.transport?.name;
  }

  apply(event: LifecycleEvent, reason?: string): void {
    this.#life.apply(event, reason);
  }

  attach(transport: Transport): void {
    this.#output.attach(transport);
    this.#keepAlive.received();
    this.apply('attached');
    this.#input.work();
  }

  receive(chunk: Buffer): Promise<void> | undefined {
    if (this.state === 'finishing' || this.state === 'draining' || this.state === 'closed') return undefined;
    this.#keepAlive.received();
    this.#parts.meter.received(chunk.length);
    this.#input.push(chunk);
    this.#input.work();
    return this.#calls.isBlocked() || this.#input.awaitsSlice ? this.#calls.whenReleased() : undefined;
  }

  arriving(bytes: number, unfinished: number): void {
    this.#input.arriving(bytes, unfinished);
  }

  authorise(latest: Credentials): void {
    this.#owner.renew(latest);
  }

  deliver(event: LiveEvent): void {
    const { protocol } = this.#input;
    if (this.#life.state !== 'connected' || protocol === undefined) return;
    const { share } = this.#owner.principal;
    const told = share === undefined ? event : sharedEvent(share, event);
    if (told === undefined) return;
    const { int64AsString, encoding } = this.#parts;
    this.#form ??= int64AsString ? `${protocol.name} int64=string` : protocol.name;
    this.#output.share(encoding.message(told, this.#form, protocol.event));
  }

  /** It comes back as after a restart: its calls are answered first. */
  interrupted(): void {
    this.apply('stopping', 'Live data are missing.');
  }

  tick(): void {
    const time = this.#parts.now();
    this.#life.checkDeadline(time, this.#output.isSlow);
    if (this.state === 'connected') this.#checkAlive(time);
    if (this.state !== 'closed') this.#output.transport?.tick(time);
    if (this.state === 'connected') this.#owner.tick(time);
  }

  #answer(invocationId: string, outcome: Outcome): void {
    const protocol = this.#input.protocol!;
    if (!('result' in outcome && outcome.result instanceof Sequence)) {
      this.#output.send(protocol.completion(invocationId, outcome));
      return;
    }
    const list = outcome.result;
    const source = { bytes: list.length * bytesOfElement };
    const message = this.#parts.encoding.own(source, protocol.listCompletion(invocationId, list));
    this.#output.share(message);
    if (message.bytes === undefined) this.#calls.awaitMaking(message);
  }

  #onStep(taken: Step, reason: string): void {
    const last = farewell(taken, reason, this.#input.protocol);
    if (last !== undefined) this.#output.sendLast(last);
    if (taken.to === 'finishing') this.#input.work();
    if (taken.to === 'draining' || taken.to === 'closed') this.#end(taken.to);
  }

  #end(to: 'draining' | 'closed'): void {
    this.#input.clear();
    this.#calls.release();
    this.#parts.onEnding(this);
    if (to === 'draining') {
      this.#output.drain();
      return;
    }
    this.#output.cut();
    this.#parts.onClosed(this);
  }

  /** Long polls say by themselves that both sides live. */
  #checkAlive(time: number): void {
    if (this.transport === 'LongPolling') return;
    switch (this.#keepAlive.due(time, !this.#calls.isIdle() || this.#input.awaitsSlice)) {
      case 'ping':
        this.#output.send(this.#input.protocol!.ping);
        break;
      case 'giveUp':
        this.apply('expired', `no message came for ${this.#parts.limits.clientTimeoutMs / 1000} s`);
    }
  }
}

/** What an element of a list in an answer counts before it is encoded. */
const bytesOfElement = 40;

/** Who calls, as the latest credentials say. */
class ConnectionCaller implements Caller {
  readonly subscriber: Connection;

  constructor(connection: Connection) {
    this.subscriber = connection;
  }

  get principal(): Principal {
    return this.subscriber.principal;
  }
}

/** The last message of a step, in the protocol that the handshake has fixed. */
function farewell({ say }: Step, reason: string, protocol: HubProtocol | undefined): Uint8Array | undefined {
  switch (say) {
    case 'nothing':
      return undefined;
    case 'handshakeError':
      return handshakeError(reason);
    case 'closeToReconnect':
      return protocol!.close(undefined, true);
    case 'closeWithError':
      return protocol!.close(`Connection closed with an error. ${reason}`, false);
  }
}
