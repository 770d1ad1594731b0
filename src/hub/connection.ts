import type { Principal } from '../domain/principal.ts';
import { PitwallError } from '../errors.ts';
import type { ByteBudget } from '../ingest/byte-budget.ts';
import type { Subscriber } from '../live/subscription.ts';
import type { Log } from '../log.ts';
import { createCalls } from './calls.ts';
import { deadlineOf } from './deadlines.ts';
import type { Dispatcher } from './dispatcher.ts';
import { handshakeAccepted, handshakeError, readHandshake } from './handshake-protocol.ts';
import { type Credentials, heldCredentials } from './held-credentials.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubProtocol } from './hub-message.ts';
import type { HubMeter } from './hub-meter.ts';
import { createIncoming } from './incoming.ts';
import { createKeepAlive } from './keep-alive.ts';
import { type LifecycleEvent, type State, type Step, step } from './lifecycle.ts';
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
  /**
   * Whose credentials the latest request had; `check` throws a PitwallError when they are valid no more, or rejects
   * with it.
   */
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
  /** Back-pressure of the store; see `Store.room`. Rejects when it takes too long. */
  readonly room: () => Promise<void> | undefined;
  /** Milliseconds, from any origin. */
  readonly now: () => number;
  readonly meter: HubMeter;
  readonly log: Log;
  /** The connection takes no more events. */
  readonly onEnding: (connection: Connection) => void;
  readonly onClosed: (connection: Connection) => void;
}

/** A handshake request has two short fields. */
const maxHandshakeBytes = 4096;

export function createConnection(parts: ConnectionParts): Connection {
  const { limits, now, log, meter } = parts;
  const incoming = createIncoming(parts.budget, limits.maxUnfinishedBytes);
  const queue = createOutgoingQueue(limits.maxQueueBytes);
  const keepAlive = createKeepAlive(limits, now);
  let state: State = 'negotiated';
  let since = now();
  let transport: Transport | undefined;
  let protocol: HubProtocol | undefined;
  let isSlow = false;

  const send = (message: Uint8Array): void => {
    if (state === 'draining' || state === 'closed') return;
    if (queue.push(message)) {
      keepAlive.sent();
      meter.sent(message.length);
      transport?.flush();
    } else {
      isSlow = true;
      meter.readerTooSlow();
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
    if (last !== undefined) {
      meter.sent(last.length);
      if (!queue.push(last)) {
        queue.clear();
        queue.push(last);
      }
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
      if (transport !== undefined) meter.detached(transport.name);
      parts.onClosed(connection);
    }
  };

  /** What goes wrong with one connection ends that one, and no other. */
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      if (error instanceof PitwallError) {
        apply('faulted', `${error.message} (${error.code})`);
      } else {
        log.error({ err: error, connection: connection.id }, 'a connection of the hub failed');
        apply('faulted', 'The service failed.');
      }
    }
  };

  const owner = heldCredentials(parts.credentials, now, attempt);

  /** Takes messages for as long as there are whole ones and nothing stands in the way. */
  const work = (): void => {
    attempt(() => {
      if (state === 'negotiated') incoming.checkUnfinished();
      if (state === 'handshaking') shakeHands();
      while ((state === 'connected' || state === 'finishing') && !calls.isBlocked && calls.hasRoom()) {
        const message = incoming.next(protocol!.framing, limits.maxMessageBytes);
        if (message === undefined) {
          incoming.checkUnfinished();
          break;
        }
        take(message);
      }
      incoming.count();
    });
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
        keepAlive.pinged();
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
      return owner.principal.workspace;
    },
    get principal() {
      return owner.principal;
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
      meter.attached(attached.name);
      keepAlive.received();
      keepAlive.sent();
      apply('attached');
      work();
    },

    receive(chunk) {
      if (state === 'finishing' || state === 'draining' || state === 'closed') return undefined;
      keepAlive.received();
      meter.received(chunk.length);
      incoming.push(chunk);
      work();
      return calls.isBlocked ? calls.whenReleased() : undefined;
    },

    authorise(latest) {
      owner.renew(latest);
    },

    deliver(event) {
      if (state !== 'connected' || protocol === undefined) return;
      const { name, event: encode } = protocol;
      send(event.encoded(parts.int64AsString ? `${name} int64=string` : name, encode));
    },

    /** It comes back as after a restart: its calls are answered first. */
    interrupted: () => apply('stopping', 'Live data are missing.'),

    tick() {
      const time = now();
      const deadline = deadlineOf(state, limits, isSlow);
      if (deadline !== undefined && time - since >= deadline.afterMs) apply('expired', deadline.reason);
      if (state === 'connected') checkAlive(time);
      if (state !== 'closed') transport?.tick(time);
      if (state === 'connected') owner.tick(time);
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
    answer: (invocationId, outcome) => send(protocol!.completion(invocationId, outcome)),
    onFree: work,
  });

  /** Long polls say by themselves that both sides live. */
  const checkAlive = (time: number): void => {
    if (transport?.name === 'LongPolling') return;
    switch (keepAlive.due(time, !calls.isIdle)) {
      case 'ping':
        send(protocol!.ping);
        break;
      case 'giveUp':
        apply('expired', `no message came for ${limits.clientTimeoutMs / 1000} s`);
    }
  };

  return connection;
}
