import type { Invocation, Outcome } from '../protocol/hub-message.ts';
import type { Dispatcher, Preparation } from './dispatcher.ts';
import type { Caller } from './hub-method.ts';
import type { OutgoingMessage } from './outgoing-message.ts';

/**
 * The calls of one connection that are under way, in the order in which they came. They block the connection's
 * messages while there are too many, while one of them waits for those before it or is decoded in slices, while a long answer is
 * made, and while the store has no room: so a write never overtakes another, and nobody asks for many long answers at once.
 */
export interface Calls {
  /** What is to be done before `begin`, step by step; undefined for most. */
  prepare(invocation: Invocation, bytes: number): Preparation | undefined;
  begin(invocation: Invocation, bytes: number, prepared?: Preparation): void;
  /** False while the store has none; `onFree` comes when that is over. */
  hasRoom(): boolean;
  isBlocked(): boolean;
  /** Blocks until the message has its bytes: it is a long answer. */
  awaitMaking(message: OutgoingMessage): void;
  /** Nothing is under way. */
  isIdle(): boolean;
  /** Resolves with the next `release`. */
  whenReleased(): Promise<void>;
  release(): void;
}

export interface CallsParts {
  readonly caller: Caller;
  readonly dispatcher: Dispatcher;
  readonly maxInFlight: number;
  /** Back-pressure of the store; see `Appender.room`. Rejects when it takes too long. */
  readonly room: () => Promise<void> | undefined;
  readonly answer: (invocationId: string, outcome: Outcome) => void;
  /** Something that blocked may be gone, or all calls are answered. */
  readonly onFree: () => void;
}

export function createCalls(parts: CallsParts): Calls {
  const { caller, dispatcher, maxInFlight, onFree } = parts;
  let inFlight = 0;
  /** Those that are decoded in slices, and answers that are made so. */
  let long = 0;
  let waitsForRoom = false;
  /** Why the next write fails: the store had no room for too long. */
  let refusal: unknown;
  /** A call that waits for those before it. */
  let held:
    | { readonly invocation: Invocation; readonly bytes: number; readonly prepared: Preparation | undefined }
    | undefined;
  let readers: (() => void)[] = [];

  const isBlocked = (): boolean => waitsForRoom || held !== undefined || long > 0 || inFlight >= maxInFlight;

  const start = (invocation: Invocation, bytes: number, prepared: Preparation | undefined): void => {
    const refused = refusal;
    refusal = undefined;
    inFlight++;
    const isLong = dispatcher.isLong(invocation);
    if (isLong) long++;
    const answer = answerTo(invocation.invocationId, isLong);
    dispatcher.dispatch(caller, invocation, bytes, refused, answer, prepared);
  };

  /** It does not hold the invocation, whose arguments are what takes memory. */
  const answerTo =
    (invocationId: string | undefined, isLong: boolean) =>
    (outcome: Outcome): void => {
      const wasBlocked = isBlocked();
      inFlight--;
      if (invocationId !== undefined) parts.answer(invocationId, outcome);
      if (isLong) long--;
      if (held !== undefined && inFlight === 0) {
        const next = held;
        held = undefined;
        start(next.invocation, next.bytes, next.prepared);
      }
      if (wasBlocked || inFlight === 0) onFree();
    };

  return {
    prepare: (invocation, bytes) => dispatcher.prepare(caller, invocation, bytes),

    begin(invocation, bytes, prepared) {
      if (inFlight > 0 && dispatcher.looksBack(invocation.target)) held = { invocation, bytes, prepared };
      else start(invocation, bytes, prepared);
    },

    hasRoom() {
      const room = refusal === undefined ? parts.room() : undefined;
      if (room === undefined) return true;
      waitsForRoom = true;
      room
        .catch((error: unknown) => {
          refusal = error;
        })
        .then(() => {
          waitsForRoom = false;
          onFree();
        });
      return false;
    },

    isBlocked,

    awaitMaking({ whenMade }) {
      long++;
      whenMade?.add(() => {
        long--;
        onFree();
      });
    },

    isIdle: () => inFlight === 0 && !waitsForRoom,

    whenReleased: () => new Promise((resolve) => readers.push(resolve)),

    release() {
      const waiting = readers;
      readers = [];
      for (const resume of waiting) resume();
    },
  };
}
