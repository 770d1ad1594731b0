import type { ByteBudget, Owner } from '../ingest/byte-budget.ts';
import type { LeastRate, Watch } from '../ingest/least-rate.ts';
import { duringBytes } from '../turns/long-turns.ts';
import type { Slices } from '../turns/slices.ts';
import type { Steps } from '../turns/steps.ts';
import type { Calls } from './calls.ts';
import type { ConnectionLife } from './connection-life.ts';
import type { ConnectionOutput } from './connection-output.ts';
import type { Preparation } from './dispatcher.ts';
import { handshakeAccepted, readHandshake } from './handshake-protocol.ts';
import type { HubLimits } from './hub-limits.ts';
import type { HubMessage, HubProtocol, Invocation } from './hub-message.ts';
import { createIncoming } from './incoming.ts';
import type { KeepAlive } from './keep-alive.ts';
import { textMessageFormat } from './message-formats.ts';

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

/** A handshake request has two short fields. */
const maxHandshakeBytes = 4096;

export function createConnectionInput(parts: ConnectionInputParts): ConnectionInput {
  const { limits, life, keepAlive, output, calls, slices } = parts;
  const incoming = createIncoming(parts.budget, parts.owner, limits.maxUnfinishedBytes);
  /** Held by the transport. */
  let arriving = 0;
  let watch: Watch | undefined;
  /** The message that is read, step by step, and after it the call that is prepared so; the messages behind it wait. */
  let reading: Reading | undefined;
  let preparing: Preparing | undefined;

  /** Watches for as long as nothing but the client keeps a message from being whole. */
  const keepWatch = (): void => {
    const isOpen = life.state === 'handshaking' || life.state === 'connected';
    const waits = isOpen && arriving + incoming.size() > 0 && !input.awaitsSlice && !calls.isBlocked();
    if (waits) {
      watch ??= parts.leastRate.watch(({ message, code }) => life.apply('faulted', `${message} (${code})`));
    } else if (watch !== undefined) {
      watch.end();
      watch = undefined;
    }
  };

  const shakeHands = (): void => {
    const message = incoming.next(textMessageFormat, maxHandshakeBytes);
    if (message === undefined) return;
    try {
      input.protocol = readHandshake(message, {
        int64AsString: parts.int64AsString,
        maxDepth: limits.maxDepth,
        maxJsonBytes: 2 * limits.maxMessageBytes,
        maxArguments: parts.maxArguments,
        textOnly: output.transport!.name === 'ServerSentEvents',
      });
    } catch (error) {
      life.apply('refused', (error as Error).message);
      return;
    }
    output.send(handshakeAccepted);
    life.apply('accepted');
  };

  /** A step of a message; it is taken after the last. */
  const read = ({ steps, bytes }: Reading): void => {
    const step = steps.next();
    if (step.done !== true) {
      reading ??= { steps, bytes };
      return;
    }
    if (reading !== undefined) {
      reading = undefined;
      // From now on the call counts it.
      incoming.count(0);
    }
    take(step.value, bytes);
  };

  const take = (message: HubMessage, bytes: number): void => {
    switch (message.kind) {
      case 'ping':
        keepAlive.pinged();
        break;
      case 'close':
        life.apply('left');
        break;
      case 'invocation':
        takeCall(message, bytes);
    }
  };

  const takeCall = (invocation: Invocation, bytes: number): void => {
    const prepared = calls.prepare(invocation, bytes);
    if (prepared === undefined) calls.begin(invocation, bytes);
    else preparing = { invocation, bytes, prepared };
  };

  /** A step of the call that is prepared; it begins after the last. */
  const prepare = ({ invocation, bytes, prepared }: Preparing): void => {
    if (prepared.step()) return;
    preparing = undefined;
    calls.begin(invocation, bytes, prepared);
  };

  const takesCalls = (): boolean =>
    (life.state === 'connected' || life.state === 'finishing') && !calls.isBlocked() && calls.hasRoom();

  const hasMore = (): boolean => reading !== undefined || preparing !== undefined || incoming.size() > 0;

  /** In a slice that has just begun for this connection, its first message may be taken in any case. */
  const takeMessages = (isFirst: boolean): void => {
    for (let mayTake = isFirst; takesCalls(); mayTake = false) {
      if (!mayTake && hasMore() && slices.isOver()) {
        input.awaitsSlice = true;
        slices.later(goOn);
        return;
      }
      if (preparing !== undefined) {
        prepare(preparing);
        continue;
      }
      if (reading !== undefined) {
        read(reading);
        continue;
      }
      const message = incoming.next(input.protocol!.framing, limits.maxMessageBytes);
      if (message === undefined) {
        incoming.checkUnfinished();
        return;
      }
      read({ steps: input.protocol!.parse(message), bytes: message.length });
    }
  };

  const advance = (isFirst: boolean): void => {
    life.attempt(() => {
      if (life.state === 'negotiated') incoming.checkUnfinished();
      if (life.state === 'handshaking') shakeHands();
      if (!input.awaitsSlice) duringBytes(incoming.size(), 'hub', () => takeMessages(isFirst));
      incoming.count(reading?.bytes ?? 0);
    });
    keepWatch();
    if (input.awaitsSlice) return;
    if (!calls.isBlocked()) calls.release();
    if (calls.isIdle()) life.apply('idle');
  };

  const goOn = (): void => {
    input.awaitsSlice = false;
    advance(true);
  };

  const input = {
    protocol: undefined as HubProtocol | undefined,
    awaitsSlice: false,

    arriving(bytes: number, unfinished: number) {
      arriving = unfinished;
      watch?.arrived(bytes);
      keepWatch();
    },

    push: incoming.push,

    work: () => advance(false),

    clear() {
      input.awaitsSlice = false;
      incoming.clear();
      reading = undefined;
      preparing?.prepared.reservation.release();
      preparing = undefined;
      arriving = 0;
      keepWatch();
    },
  };
  return input;
}
