import { randomUUID } from 'node:crypto';
import { noMoreAnswers, thrownFor, unanswered } from './client-errors.ts';
import type { Pulse } from './pulse.ts';

/** The longest time of a statement. */
export const silenceMs = 3_600_000;

/** The time after its own limit from which on a statement will not be answered. */
export const graceMs = 30_000;

export interface StatementLimits {
  readonly signal?: AbortSignal | undefined;
  /** By default a little more than `max_execution_time` (s), or than a statement may take at all. */
  readonly patienceMs?: number | undefined;
  readonly settings?: { readonly max_execution_time?: unknown } | undefined;
}

/** A statement from its begin until `done`. It is killed when its signal aborts, its time is over, or its server is lost. */
export class RunningStatement {
  /** What its request needs: the id under which the server knows it, and what ends the request. */
  readonly request: { readonly query_id: string; readonly abort_signal: AbortSignal };
  readonly #signal: AbortSignal | undefined;
  readonly #pulse: Pulse;
  readonly #kill: (queryId: string) => void;
  /** Aborts with what the statement ends with, where it is ended from here. */
  readonly #ended = new AbortController();
  /** Ends it when its time is over. */
  readonly #timer: NodeJS.Timeout;
  /** Takes back the watch on the server. */
  readonly #ignorePulse: () => void;

  /**
   * Throws the signal's reason where that has aborted.
   *
   * @param kill ends the statement on the server
   */
  constructor(limits: StatementLimits, pulse: Pulse, kill: (queryId: string) => void) {
    const { signal, patienceMs, settings } = limits;
    signal?.throwIfAborted();
    this.#signal = signal;
    this.#pulse = pulse;
    this.#kill = kill;
    this.request = { query_id: randomUUID(), abort_signal: this.#ended.signal };
    signal?.addEventListener('abort', this.#leave, { once: true });
    const limitMs = patienceMs ?? Number(settings?.max_execution_time ?? silenceMs / 1000) * 1000 + graceMs;
    this.#timer = setTimeout(() => this.#end(unanswered(limitMs)), limitMs);
    this.#ignorePulse = pulse.watch(() => this.#end(noMoreAnswers()));
  }

  /** Some of the answer has come: its time begins anew. */
  heard(): void {
    this.#timer.refresh();
    this.#pulse.heard();
  }

  /** What the statement ends with that failed so. */
  failure(error: unknown): unknown {
    return this.#ended.signal.aborted ? this.#ended.signal.reason : thrownFor(error);
  }

  /** @param isWhole there is nothing left on the server to be killed */
  done(isWhole: boolean): void {
    clearTimeout(this.#timer);
    this.#ignorePulse();
    this.#signal?.removeEventListener('abort', this.#leave);
    if (!isWhole && !this.#ended.signal.aborted) this.#end(undefined);
  }

  readonly #leave = (): void => this.#end(this.#signal!.reason);

  #end(reason: unknown): void {
    this.#ended.abort(reason);
    this.#kill(this.request.query_id);
  }
}
