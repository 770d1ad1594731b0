import { endOf, expiredIn } from './answers.ts';
import { backoff, pause, type Retry } from './backoff.ts';
import { encodeJson } from './encode-json.ts';
import { encodeParameterData } from './parameter-data.ts';
import { topicPath } from './paths.ts';
import { RequestError } from './request-error.ts';
import { columnsOf, type PendingRow, type Row } from './rows.ts';
import { checkPath, isWorthRepeating, JsonText, retryAfterOf, type Transport } from './transport.ts';

/** Rows that the service refused, or that could not be sent, and why; trying again would not help. */
export class RowsRejected extends Error {
  readonly rows: readonly { readonly streamId: string; readonly row: Row }[];

  constructor(rows: readonly PendingRow[], cause: Error, count = rows.length) {
    const what = cause instanceof RequestError ? 'the service refused' : 'the writer could not send';
    super(`${what} ${count} row(s): ${cause.message}`, { cause });
    this.name = 'RowsRejected';
    this.rows = rows;
  }
}

/** The most refused rows that are kept for the next flush; `onRejected` is told of all. */
const maxRejected = 1000;

export interface SenderOptions {
  readonly transport: Transport;
  readonly topic: string;
  /** The pauses between attempts, of which there is no maximum. */
  readonly retry: Retry;
  /** Ends every attempt. */
  readonly signal: AbortSignal;
  readonly onRejected: (rejected: RowsRejected) => void;
  readonly onExpired: (rows: number) => void;
}

/** Why rows are not taken; some of them may be, where it is about rows. */
interface Refusal {
  readonly cause: Error;
  readonly isAboutRows: boolean;
}

function refusalBy(error: unknown): Refusal {
  const isAboutRows = error instanceof RequestError && [400, 413].includes(error.status);
  return { cause: error instanceof Error ? error : new Error(String(error)), isAboutRows };
}

/** Sends rows of one topic until the service has taken them, and collects those that it refuses. */
export class RowSender {
  readonly #options: SenderOptions;
  readonly #path: string;
  /** What was refused and is not forgotten: the first rows, why the first of them was refused, and how many there were in all. */
  #rejected: { readonly rows: PendingRow[]; readonly cause: Error; count: number } | undefined;
  /** Rows that were to be sent last, and how many of them are taken or refused. */
  #batch: readonly PendingRow[] = [];
  #settled = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#path = `${topicPath(options.topic)}/parameters/data`;
    checkPath(this.#path);
  }

  /**
   * Resolves when every row is taken or refused; what is refused is halved until the bad rows stand alone. Rejects with
   * the reason of the signal.
   */
  async send(rows: readonly PendingRow[]): Promise<void> {
    this.#batch = rows;
    this.#settled = 0;
    await this.#send(rows);
  }

  /** Rows that are neither taken nor refused, as far as is known. */
  get left(): readonly PendingRow[] {
    return this.#batch.slice(this.#settled);
  }

  async #send(rows: readonly PendingRow[]): Promise<void> {
    const refusal = await this.#refusalOf(rows);
    if (refusal !== undefined && rows.length > 1 && refusal.isAboutRows) {
      const half = rows.length >> 1;
      await this.#send(rows.slice(0, half));
      await this.#send(rows.slice(half));
      return;
    }
    this.#settled += rows.length;
    if (refusal !== undefined) this.#reject(rows, refusal);
  }

  #reject(rows: readonly PendingRow[], { cause }: Refusal): void {
    const rejection = new RowsRejected(rows, cause);
    this.#rejected ??= { rows: [], cause, count: 0 };
    this.#rejected.rows.push(...rows.slice(0, maxRejected - this.#rejected.rows.length));
    this.#rejected.count += rows.length;
    this.#options.onRejected(rejection);
  }

  /** The rows that were refused and are not forgotten, if any, the first 1000 of them. */
  rejection(): RowsRejected | undefined {
    const kept = this.#rejected;
    return kept && new RowsRejected([...kept.rows], kept.cause, kept.count);
  }

  forgetRejected(): void {
    this.#rejected = undefined;
  }

  /** Why the rows are not taken, if they are not. Tries until there is an answer. */
  async #refusalOf(rows: readonly PendingRow[]): Promise<Refusal | undefined> {
    const { transport, signal, retry } = this.#options;
    let body: JsonText;
    try {
      body = new JsonText(encodeJson(columnsOf(rows).map(encodeParameterData)));
    } catch (error) {
      return { cause: error as Error, isAboutRows: true };
    }
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await transport.send('POST', this.#path, body, { signal });
        await endOf(response);
        const expired = expiredIn(response);
        if (expired > 0) this.#options.onExpired(expired);
        return undefined;
      } catch (error) {
        signal.throwIfAborted();
        // Also what is no answer, such as a token that its function cannot get: thrown from here, nobody could catch it.
        if (!isWorthRepeating(error)) return refusalBy(error);
        await pause(backoff(retry, attempt, retryAfterOf(error)), signal);
      }
    }
  }
}
