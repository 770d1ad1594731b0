import { mayCall } from '../../domain/principal.ts';
import { PitwallError } from '../../errors.ts';
import type { ByteBudget, Reservation } from '../../ingest/byte-budget.ts';
import type { Log } from '../../log.ts';
import type { MemoryShare } from '../../wire/json/json-memory.ts';
import type { Invocation, Outcome } from '../protocol/hub-message.ts';
import type { HubMeter } from './hub-meter.ts';
import { type Caller, type HubMethod, isLongArgument } from './hub-method.ts';

/** Calls methods by their names, which have no case, and turns whatever happens into an outcome. */
export interface Dispatcher {
  /** The largest number of arguments that any method takes. */
  readonly maxArguments: number;
  /** Whether the method has to wait for the calls before it; see `HubMethod.looksBack`. */
  looksBack(target: string): boolean;
  /** Whether the calls after this one have to wait for it: its payload is decoded in slices, or its answer made so. */
  isLong(invocation: Invocation): boolean;
  /** What is to be done, step by step, before a call of so many bytes begins; undefined for most. */
  prepare(caller: Caller, invocation: Invocation, bytes: number): Preparation | undefined;
  /**
   * Begins a call that takes `bytes` of memory, or has the memory of its preparation; `answer` gets its outcome once, never before this returns. Where there
   * is a `refusal`, a call that writes fails with it.
   */
  dispatch(
    caller: Caller,
    invocation: Invocation,
    bytes: number,
    refusal: unknown,
    answer: (outcome: Outcome) => void,
    prepared?: Preparation,
  ): void;
}

export interface Preparation {
  /** Of the call; it gives it back. */
  readonly reservation: Reservation;
  /** A short one; false where nothing is left to do. */
  step(): boolean;
}

export interface DispatcherParts {
  readonly methods: readonly HubMethod[];
  /** Messages of calls under way count against it. */
  readonly budget: ByteBudget;
  readonly meter: HubMeter;
  readonly log: Log;
  /** Told why a call fails whose client asked for no answer. */
  readonly onUnheard: (error: string) => void;
}

export function createDispatcher(parts: DispatcherParts): Dispatcher {
  return new CallDispatcher(parts);
}

class CallDispatcher implements Dispatcher {
  readonly #parts: DispatcherParts;
  /** The methods of readers and writers. */
  readonly #byName;
  /** Counts of calls of methods that are not known. */
  readonly #unknownCounts;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#byName = new Map(
      parts.methods.flatMap((method) => {
        const known = { method, counts: parts.meter.invocationsOf(method.name) };
        return [
          [method.name, known],
          [method.name.toLowerCase(), known],
        ] as const;
      }),
    );
    this.#unknownCounts = parts.meter.invocationsOf('unknown');
    this.maxArguments = Math.max(0, ...parts.methods.map(({ arity }) => arity[1]));
  }

  readonly maxArguments: number;

  looksBack(target: string): boolean {
    return this.#find(target)?.method.looksBack === true;
  }

  isLong({ target, arguments: given }: Invocation): boolean {
    const method = this.#find(target)?.method;
    const payload = given[method?.payload ?? -1];
    return method?.answersList === true || (payload !== undefined && isLongArgument(payload));
  }

  prepare(caller: Caller, invocation: Invocation, bytes: number): Preparation | undefined {
    const method = this.#find(invocation.target)?.method;
    const payload = invocation.arguments[method?.payload ?? -1];
    if (method === undefined || payload?.prepare === undefined) return undefined;
    // The call fails without a look at its payload.
    if (invocation.streaming || arityMismatch(method, invocation) !== undefined) return undefined;
    if (!mayCall(caller.principal, method)) return undefined;
    const reservation = this.#parts.budget.open(caller.principal);
    try {
      reservation.take(bytes);
    } catch {
      // The call fails for the same reason as soon as it begins.
      return undefined;
    }
    const step = payload.prepare(reservation);
    if (step !== undefined) return { reservation, step };
    reservation.release();
    return undefined;
  }

  dispatch(
    caller: Caller,
    invocation: Invocation,
    bytes: number,
    refusal: unknown,
    answer: (outcome: Outcome) => void,
    prepared?: Preparation,
  ): void {
    const { target } = invocation;
    const isHeard = invocation.invocationId !== undefined;
    const found = this.#find(target);
    const { succeeded, failed } = found?.counts ?? this.#unknownCounts;
    const reservation = prepared?.reservation ?? this.#parts.budget.open(caller.principal);
    const finish = (outcome: Outcome): void => {
      reservation.release();
      if ('error' in outcome) {
        failed();
        if (!isHeard) this.#parts.onUnheard(String(outcome.error));
      } else succeeded();
      answer(outcome);
    };
    let result: unknown;
    try {
      if (prepared === undefined) reservation.take(bytes);
      result = this.#begin(found?.method, caller, invocation, refusal, reservation);
    } catch (error) {
      result = Promise.reject(error);
    }
    Promise.resolve(result).then(
      (value) => finish({ result: value }),
      (error: unknown) => finish(this.#outcomeOf(target, error)),
    );
  }

  #find(target: string) {
    return this.#byName.get(target) ?? this.#byName.get(target.toLowerCase());
  }

  #begin(
    method: HubMethod | undefined,
    caller: Caller,
    invocation: Invocation,
    refusal: unknown,
    share: MemoryShare,
  ): unknown {
    const { target, streaming } = invocation;
    if (method === undefined) throw new CallError(`Unknown hub method '${shown(target)}'`);
    if (streaming) {
      throw new CallError(
        `The client attempted to invoke the non-streaming '${shown(target)}' method with a streaming invocation.`,
      );
    }
    const mismatch = arityMismatch(method, invocation);
    if (mismatch !== undefined) {
      throw new CallError(
        `Failed to invoke '${shown(target)}' due to an error on the server. InvalidDataException: ${mismatch}`,
      );
    }
    if (!mayCall(caller.principal, method)) {
      const { share, scopes } = caller.principal;
      const why =
        share === undefined
          ? `this needs the scope ${method.scope}; the token has ${scopes.join(', ') || 'none'}`
          : 'this is the token of a share, which reads the streams that were shared';
      throw new CallError(
        `Failed to invoke '${shown(target)}' because user is unauthorized. HubException: ${why}`,
      );
    }
    if (refusal !== undefined && method.scope === 'write') throw refusal;
    return method.invoke(caller, invocation.arguments, share);
  }

  #outcomeOf(target: string, thrown: unknown): Outcome {
    if (thrown instanceof CallError) return { error: thrown.message };
    const general = `An unexpected error occurred invoking '${shown(target)}' on the server.`;
    if (thrown instanceof PitwallError) {
      return { error: `${general} HubException: ${thrown.message} (${thrown.code})` };
    }
    this.#parts.log.error({ err: thrown, method: shown(target) }, 'a call failed');
    return { error: general };
  }
}

/** Why a method does not take that many arguments; undefined where it does. */
function arityMismatch({ arity: [min, max] }: HubMethod, call: Invocation): string | undefined {
  const given = call.arguments.length;
  if (!call.hasMore && given >= min && given <= max) return undefined;
  const expected = `target expects ${min === max ? min : `${min} or ${max}`}`;
  return call.hasMore
    ? `Invocation provides more than ${given} argument(s) but ${expected}: arguments[${max}] is one too many.`
    : `Invocation provides ${given} argument(s) but ${expected}.`;
}

/** An error in the words of the official server. */
class CallError extends Error {}

/** A name that a client sent, cut for a message. */
function shown(target: string): string {
  return target.length <= 64 ? target : `${target.slice(0, 63)}…`;
}
