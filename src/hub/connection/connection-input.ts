import type { ByteBudget, Owner } from '../../ingest/byte-budget.ts';
import type { LeastRate, Watch } from '../../ingest/least-rate.ts';
import { duringBytes } from '../../turns/long-turns.ts';
import type { Slices } from '../../turns/slices.ts';
import type { Steps } from '../../turns/steps.ts';
import { handshakeAccepted, readHandshake } from '../protocol/handshake-protocol.ts';
import type { HubMessage, HubProtocol, Invocation } from '../protocol/hub-message.ts';
import { textMessageFormat } from '../protocol/message-formats.ts';
import type { Calls } from './calls.ts';
import type { ConnectionLife } from './connection-life.ts';
import type { ConnectionOutput } from './connection-output.ts';
import type { Preparation } from './dispatcher.ts';
import type { HubLimits } from './hub-limits.ts';
import { createIncoming } from './incoming.ts';
import type { KeepAlive } from './keep-alive.ts';

/** The way of messages from the client: the handshake first, then calls, slice by slice, as fast as they can be taken. */
export interface ConnectionInput {
  /** What the handshake has fixed; undefined before. */
  readonly protocol: HubProtocol | undefined;
  /** There may be more messages, which wait for a slice of time. */
  readonly awaitsSlice: boolean;
  /** Bytes came to the transport, which holds so much of a message that is not whole: it has to keep the least rate. */
  arriving(bytes: number, unfinished: number): void;
  push(chunk: Buffer): void;
  /**
   * Takes messages for as long as there are whole ones and nothing stands in the way. Where the slice of this turn is
   * over, the rest is taken in those of later turns.
   */
  work(): void;
  /** Forgets what is not taken. */
  clear(): void;
}

export interface ConnectionInputParts {
  readonly limits: HubLimits;
  readonly int64AsString: boolean;
  /** As many as any method takes. */
  readonly maxArguments: number;
  readonly budget: ByteBudget;
  /** Whose memory unfinished messages take. */
  readonly owner: Owner;
  readonly leastRate: LeastRate;
  readonly life: ConnectionLife;
  readonly keepAlive: KeepAlive;
  readonly output: ConnectionOutput;
  readonly calls: Calls;
  readonly slices: Slices;
}

interface Reading {
  readonly steps: Steps<HubMessage>;
  readonly bytes: number;
}

interface Preparing {
  readonly invocation: Invocation;
  readonly bytes: number;
  readonly prepared: Preparation;
}

/** The longest handshake request: it has two short fields. */
const maxHandshakeBytes = 4096;

export function createConnectionInput(parts: ConnectionInputParts): ConnectionInput {
  return new ArrivingMessages(parts);
}

class ArrivingMessages implements ConnectionInput {
  readonly #parts: ConnectionInputParts;
  readonly #incoming;
  /** Held by the transport. */
  #arriving = 0;
  #watch: Watch | undefined;
  /** The message that is read, step by step, and after it the call that is prepared so; the messages behind it wait. */
  #reading: Reading | undefined;
  #preparing: Preparing | undefined;

  constructor(parts: ConnectionInputParts) {
    this.#parts = parts;
    this.#incoming = createIncoming(parts.budget, parts.owner, parts.limits.maxUnfinishedBytes);
    this.push = this.#incoming.push;
  }

  readonly push: ConnectionInput['push'];

  awaitsSlice = false;
  protocol: HubProtocol | undefined;

  readonly #goOn = (): void => {
    this.awaitsSlice = false;
    this.#advance(true);
  };

  arriving(bytes: number, unfinished: number): void {
    this.#arriving = unfinished;
    this.#watch?.arrived(bytes);
    this.#keepWatch();
  }

  work(): void {
    this.#advance(false);
  }

  clear(): void {
    this.awaitsSlice = false;
    this.#incoming.clear();
    this.#reading = undefined;
    this.#preparing?.prepared.reservation.release();
    this.#preparing = undefined;
    this.#arriving = 0;
    this.#keepWatch();
  }

  /** Watches for as long as nothing but the client keeps a message from being whole. */
  #keepWatch(): void {
    const isOpen = this.#parts.life.state === 'handshaking' || this.#parts.life.state === 'connected';
    const waits =
      isOpen &&
      this.#arriving + this.#incoming.size() > 0 &&
      !this.awaitsSlice &&
      !this.#parts.calls.isBlocked();
    if (waits) {
      this.#watch ??= this.#parts.leastRate.watch(({ message, code }) =>
        this.#parts.life.apply('faulted', `${message} (${code})`),
      );
    } else if (this.#watch !== undefined) {
      this.#watch.end();
      this.#watch = undefined;
    }
  }

  #shakeHands(): void {
    const message = this.#incoming.next(textMessageFormat, maxHandshakeBytes);
    if (message === undefined) return;
    try {
      this.protocol = readHandshake(message, {
        int64AsString: this.#parts.int64AsString,
        maxDepth: this.#parts.limits.maxDepth,
        maxJsonBytes: 2 * this.#parts.limits.maxMessageBytes,
        maxArguments: this.#parts.maxArguments,
        textOnly: this.#parts.output.transport!.name === 'ServerSentEvents',
      });
    } catch (error) {
      this.#parts.life.apply('refused', (error as Error).message);
      return;
    }
    this.#parts.output.send(handshakeAccepted);
    this.#parts.life.apply('accepted');
  }

  /** A step of a message; it is taken after the last. */
  #read({ steps, bytes }: Reading): void {
    const step = steps.next();
    if (step.done !== true) {
      this.#reading ??= { steps, bytes };
      return;
    }
    if (this.#reading !== undefined) {
      this.#reading = undefined;
      // From now on the call counts it.
      this.#incoming.count(0);
    }
    this.#take(step.value, bytes);
  }

  #take(message: HubMessage, bytes: number): void {
    switch (message.kind) {
      case 'ping':
        this.#parts.keepAlive.pinged();
        break;
      case 'close':
        this.#parts.life.apply('left');
        break;
      case 'invocation':
        this.#takeCall(message, bytes);
    }
  }

  #takeCall(invocation: Invocation, bytes: number): void {
    const prepared = this.#parts.calls.prepare(invocation, bytes);
    if (prepared === undefined) this.#parts.calls.begin(invocation, bytes);
    else this.#preparing = { invocation, bytes, prepared };
  }

  /** A step of the call that is prepared; it begins after the last. */
  #prepare({ invocation, bytes, prepared }: Preparing): void {
    if (prepared.step()) return;
    this.#preparing = undefined;
    this.#parts.calls.begin(invocation, bytes, prepared);
  }

  #takesCalls(): boolean {
    return (
      (this.#parts.life.state === 'connected' || this.#parts.life.state === 'finishing') &&
      !this.#parts.calls.isBlocked() &&
      this.#parts.calls.hasRoom()
    );
  }

  #hasMore(): boolean {
    return this.#reading !== undefined || this.#preparing !== undefined || this.#incoming.size() > 0;
  }

  /** In a slice that has just begun for this connection, its first message may be taken in any case. */
  #takeMessages(isFirst: boolean): void {
    for (let mayTake = isFirst; this.#takesCalls(); mayTake = false) {
      if (!mayTake && this.#hasMore() && this.#parts.slices.isOver()) {
        this.awaitsSlice = true;
        this.#parts.slices.later(this.#goOn);
        return;
      }
      if (this.#preparing !== undefined) {
        this.#prepare(this.#preparing);
        continue;
      }
      if (this.#reading !== undefined) {
        this.#read(this.#reading);
        continue;
      }
      const message = this.#incoming.next(this.protocol!.framing, this.#parts.limits.maxMessageBytes);
      if (message === undefined) {
        this.#incoming.checkUnfinished();
        return;
      }
      this.#read({ steps: this.protocol!.parse(message), bytes: message.length });
    }
  }

  #advance(isFirst: boolean): void {
    this.#parts.life.attempt(() => {
      if (this.#parts.life.state === 'negotiated') this.#incoming.checkUnfinished();
      if (this.#parts.life.state === 'handshaking') this.#shakeHands();
      if (!this.awaitsSlice) duringBytes(this.#incoming.size(), 'hub', () => this.#takeMessages(isFirst));
      this.#incoming.count(this.#reading?.bytes ?? 0);
    });
    this.#keepWatch();
    if (this.awaitsSlice) return;
    if (!this.#parts.calls.isBlocked()) this.#parts.calls.release();
    if (this.#parts.calls.isIdle()) this.#parts.life.apply('idle');
  }
}
