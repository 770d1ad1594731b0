import type { Principal } from '../domain/principal.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { LeastRate } from '../ingest/least-rate.ts';
import type { Subscriber } from '../live/subscription.ts';
import type { Log } from '../log.ts';
import type { Slices } from '../slices.ts';
import { createCalls } from './calls.ts';
import { createConnectionInput } from './connection-input.ts';
import { createConnectionLife } from './connection-life.ts';
import { createConnectionOutput } from './connection-output.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { EventEncoding } from './event-encoding.ts';
import { handshakeError } from './handshake-protocol.ts';
import { type Credentials, heldCredentials } from './held-credentials.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubProtocol } from './hub-message.ts';
import type { HubMeter } from './hub-meter.ts';
import { createKeepAlive } from './keep-alive.ts';
import type { LifecycleEvent, State, Step } from './lifecycle.ts';
import type { OutgoingQueue } from './outgoing-queue.ts';
import type { QueueMemory } from './queue-memory.ts';
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
  /** Back-pressure of the store; see `Store.room`. Rejects when it takes too long. */
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
  const { limits, now, meter } = parts;
  const keepAlive = createKeepAlive(limits, now);
  const life = createConnectionLife({ ...parts, onStep });
  const output = createConnectionOutput({ limits, life, keepAlive, meter, memory: parts.memory });
  const owner = heldCredentials(parts.credentials, now, life.attempt);

  const connection: Connection = {
    id: parts.id,
    queue: output.queue,
    get workspace() {
      return owner.principal.workspace;
    },
    get principal() {
      return owner.principal;
    },
    get state() {
      return life.state;
    },
    get isBinary() {
      return input.protocol?.isBinary === true;
    },
    get transport() {
      return output.transport?.name;
    },
    apply: life.apply,

    attach(transport) {
      output.attach(transport);
      keepAlive.received();
      life.apply('attached');
      input.work();
    },

    receive(chunk) {
      if (life.state === 'finishing' || life.state === 'draining' || life.state === 'closed')
        return undefined;
      keepAlive.received();
      meter.received(chunk.length);
      input.push(chunk);
      input.work();
      return calls.isBlocked || input.awaitsSlice ? calls.whenReleased() : undefined;
    },

    arriving: (bytes, unfinished) => input.arriving(bytes, unfinished),

    authorise(latest) {
      owner.renew(latest);
    },

    deliver(event) {
      const { protocol } = input;
      if (life.state !== 'connected' || protocol === undefined) return;
      const { name, event: encode } = protocol;
      const form = parts.int64AsString ? `${name} int64=string` : name;
      output.share(parts.encoding.message(event, form, encode));
    },

    /** It comes back as after a restart: its calls are answered first. */
    interrupted: () => life.apply('stopping', 'Live data are missing.'),

    tick() {
      const time = now();
      life.checkDeadline(time, output.isSlow);
      if (life.state === 'connected') checkAlive(time);
      if (life.state !== 'closed') output.transport?.tick(time);
      if (life.state === 'connected') owner.tick(time);
    },
  };

  const calls = createCalls({
    caller: {
      get principal() {
        return owner.principal;
      },
      subscriber: connection,
    },
    dispatcher: parts.dispatcher,
    maxInFlight: limits.maxInvocationsInFlight,
    room: parts.room,
    answer: (invocationId, outcome) => output.send(input.protocol!.completion(invocationId, outcome)),
    onFree: () => input.work(),
  });
  const { maxArguments } = parts.dispatcher;
  const input = createConnectionInput({
    ...parts,
    owner: parts.credentials.principal,
    maxArguments,
    life,
    keepAlive,
    output,
    calls,
  });

  function onStep(taken: Step, reason: string): void {
    const last = farewell(taken, reason, input.protocol);
    if (last !== undefined) output.sendLast(last);
    if (taken.to === 'finishing') input.work();
    if (taken.to === 'draining' || taken.to === 'closed') end(taken.to);
  }

  function end(to: 'draining' | 'closed'): void {
    input.clear();
    calls.release();
    parts.onEnding(connection);
    if (to === 'draining') {
      output.drain();
      return;
    }
    output.cut();
    parts.onClosed(connection);
  }

  /** Long polls say by themselves that both sides live. */
  function checkAlive(time: number): void {
    if (output.transport?.name === 'LongPolling') return;
    switch (keepAlive.due(time, !calls.isIdle || input.awaitsSlice)) {
      case 'ping':
        output.send(input.protocol!.ping);
        break;
      case 'giveUp':
        life.apply('expired', `no message came for ${limits.clientTimeoutMs / 1000} s`);
    }
  }

  return connection;
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
