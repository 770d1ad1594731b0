import type { Principal } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { Subscriber } from '../live/subscription.ts';
import type { Log } from '../log.ts';
import { createCalls } from './calls.ts';
import type { Dispatcher } from './dispatcher.ts';
import { handshakeAccepted, handshakeError, readHandshake } from './handshake-protocol.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubProtocol } from './hub-message.ts';
import { type LifecycleEvent, type State, type Step, step } from './lifecycle.ts';
import { createMessageBuffer } from './message-buffer.ts';
import { createOutgoingQueue, type OutgoingQueue } from './outgoing-queue.ts';
import { textMessageFormat } from './text-message-format.ts';
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
   * calls are in flight, or the store has no room.
   */
  receive(chunk: Buffer): Promise<void> | undefined;
  /** Whose credentials the latest request had; `check` throws a PitwallError when they are valid no more. */
  authorise(credentials: Credentials): void;
  readonly principal: Principal;
  /** Something has happened; see the table. `reason` is for the client, where the step tells it one. */
  apply(event: LifecycleEvent, reason?: string): void;
  /** Looks at every deadline; comes about once a second. */
  tick(): void;
}

export interface Credentials {
  readonly principal: Principal;
  check(): void;
}

export interface ConnectionParts {
  readonly id: string;
  readonly credentials: Credentials;
  readonly limits: HubLimits;
  readonly int64AsString: boolean;
  readonly dispatcher: Dispatcher;
  /** Back-pressure of the store; see `Store.room`. Rejects when it takes too long. */
  readonly room: () => Promise<void> | undefined;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
  readonly log: Log;
  /** The connection takes no more events. */
  readonly onEnding: (connection: Connection) => void;
  readonly onClosed: (connection: Connection) => void;
}

/** Between negotiating and connecting (that of ASP.NET). */
const connectTimeoutMs = 15_000;
/** A last message has so long to leave; then the socket is cut. */
const drainMs = 5000;
/** A reader that was too slow gets longer, to read why. */
const slowDrainMs = 30_000;
/** Calls in flight have so long to be answered when the service stops. */
const finishMs = 20_000;
/** How often a token is looked up again; a revoked one must not live for a minute. */
const credentialsMs = 20_000;
/** A handshake request has two short fields. */
const maxHandshakeBytes = 4096;

export function createConnection(parts: ConnectionParts): Connection {
  const { limits, now, log } = parts;
  const incoming = createMessageBuffer();
  const queue = createOutgoingQueue(limits.maxQueueBytes);
  let credentials = parts.credentials;
  let state: State = 'negotiated';
  let since = now();
  let transport: Transport | undefined;
  let protocol: HubProtocol | undefined;
  let lastSent = since;
  let lastReceived = since;
  let lastChecked = since;
  let hasPinged = false;
  let isSlow = false;

  const send = (message: Uint8Array): void => {
    if (state === 'draining' || state === 'closed') return;
    if (queue.push(message)) {
      lastSent = now();
      transport?.flush();
    } else {
      isSlow = true;
      queue.clear();
      apply('faulted', `the reader is too slow: more than ${limits.maxQueueBytes} bytes wait for it`);
    }
  };

  const farewell = ({ say }: Step, reason: string): Uint8Array | undefined => {
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
  };

  const apply = (event: LifecycleEvent, reason = ''): void => {
    const next = step(state, event);
    if (next === undefined) return;
    log.debug({ connection: connection.id, from: state, event, to: next.to, reason }, 'hub connection');
    state = next.to;
    since = now();
    const last = farewell(next, reason);
    if (last !== undefined && !queue.push(last)) {
      queue.clear();
      queue.push(last);
    }
    if (next.to === 'finishing') work();
    if (next.to === 'draining' || next.to === 'closed') end(next.to);
  };

  /** Ending may lead to the next event before it returns, so it goes by the step, not by the state. */
  const end = (to: 'draining' | 'closed'): void => {
    incoming.clear();
    calls.release();
    parts.onEnding(connection);
    queue.end();
    if (to === 'draining') {
      transport?.flush();
    } else {
      transport?.cut();
      parts.onClosed(connection);
    }
  };

  /** Takes messages for as long as there are whole ones and nothing stands in the way. */
  const work = (): void => {
    try {
      if (state === 'handshaking') shakeHands();
      while ((state === 'connected' || state === 'finishing') && !calls.isBlocked && calls.hasRoom()) {
        const message = incoming.next(protocol!.framing, limits.maxMessageBytes);
        if (message === undefined) break;
        take(message);
      }
    } catch (error) {
      if (!(error instanceof PitwallError)) throw error;
      apply('faulted', textOf(error));
    }
    if (!calls.isBlocked) calls.release();
    if (calls.isIdle) apply('idle');
  };

  const shakeHands = (): void => {
    const message = incoming.next(textMessageFormat, maxHandshakeBytes);
    if (message === undefined) return;
    try {
      protocol = readHandshake(message, {
        int64AsString: parts.int64AsString,
        maxDepth: limits.maxDepth,
        textOnly: transport!.name === 'ServerSentEvents',
      });
    } catch (error) {
      apply('refused', (error as Error).message);
      return;
    }
    send(handshakeAccepted);
    apply('accepted');
  };

  const take = (message: Buffer): void => {
    const parsed = protocol!.parse(message);
    switch (parsed.kind) {
      case 'ping':
        hasPinged = true;
        break;
      case 'close':
        apply('left');
        break;
      case 'invocation':
        calls.begin(parsed, message.length);
    }
  };

  const connection: Connection = {
    id: parts.id,
    queue,
    get workspace() {
      return credentials.principal.workspace;
    },
    get principal() {
      return credentials.principal;
    },
    get state() {
      return state;
    },
    get isBinary() {
      return protocol?.isBinary === true;
    },
    get transport() {
      return transport?.name;
    },
    apply,

    attach(attached) {
      transport = attached;
      lastReceived = now();
      lastSent = lastReceived;
      apply('attached');
      work();
    },

    receive(chunk) {
      if (state === 'finishing' || state === 'draining' || state === 'closed') return undefined;
      lastReceived = now();
      incoming.push(chunk);
      if (state === 'negotiated') {
        if (incoming.size > limits.maxMessageBytes) apply('faulted');
        return undefined;
      }
      work();
      return calls.isBlocked ? calls.whenReleased() : undefined;
    },

    authorise(latest) {
      credentials = latest;
      lastChecked = now();
    },

    deliver(event) {
      if (state !== 'connected' || protocol === undefined) return;
      const { name, event: encode } = protocol;
      send(event.encoded(parts.int64AsString ? `${name} int64=string` : name, encode));
    },

    tick() {
      const time = now();
      const age = time - since;
      switch (state) {
        case 'negotiated':
          if (age >= connectTimeoutMs) apply('expired');
          break;
        case 'handshaking':
          if (age >= limits.handshakeTimeoutMs) apply('expired', 'Handshake was canceled.');
          break;
        case 'connected':
          keepAlive(time);
          break;
        case 'finishing':
          if (age >= finishMs) apply('expired');
          break;
        case 'draining':
          if (age >= (isSlow ? slowDrainMs : drainMs)) apply('expired');
      }
      if (state !== 'closed') transport?.tick(time);
      if (state === 'connected' && time - lastChecked >= credentialsMs) checkCredentials(time);
    },
  };

  const calls = createCalls({
    caller: {
      get principal() {
        return credentials.principal;
      },
      subscriber: connection,
    },
    dispatcher: parts.dispatcher,
    maxInFlight: limits.maxInvocationsInFlight,
    room: parts.room,
    answer: (invocationId, outcome) => send(protocol!.completion(invocationId, outcome)),
    onFree: work,
  });

  /** Long polls say by themselves that both sides live. */
  const keepAlive = (time: number): void => {
    if (transport?.name === 'LongPolling') return;
    if (hasPinged && calls.isIdle && time - lastReceived >= limits.clientTimeoutMs) {
      apply('expired', `no message came for ${limits.clientTimeoutMs / 1000} s`);
      return;
    }
    if (time - lastSent >= limits.keepAliveMs) send(protocol!.ping);
  };

  const checkCredentials = (time: number): void => {
    lastChecked = time;
    try {
      credentials.check();
    } catch (error) {
      apply('faulted', textOf(error));
    }
  };

  return connection;
}

function textOf(error: unknown): string {
  return error instanceof PitwallError ? `${error.message} (${error.code})` : 'The service failed.';
}
