import { PitwallError } from '../../../errors.ts';
import type { AnswerTerms, MadeAnswer } from '../../answers/answer.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import type { PinnedSnapshot } from '../snapshot/snapshot.ts';
import { aheadBytes } from './answer-sender.ts';
import { type FindPlaces, helpersOf } from './helpers.ts';
import type { FromThread } from './messages.ts';
import type { BegunRead, ReadThread, ThreadRead } from './read-thread.ts';
import { errorTold } from './told-error.ts';

export interface ThreadedAnswer {
  readonly terms: AnswerTerms;
  readonly pinned: PinnedSnapshot;
  readonly left: Pick<LeftSlabs, 'join'>;
  /** What a reader is told of an error. */
  readonly explain: (error: unknown) => unknown;
  readonly turns: ReadTurns;
  /** For portions of an aggregation. */
  readonly findPlaces?: FindPlaces;
}

/** The place of a read on its thread, which it has while it works and not while it waits for its client. */
export interface ReadTurns {
  isHeld(): boolean;
  give(): void;
  /** Waits for a place; rejects where the client leaves meanwhile. */
  take(): Promise<void>;
  /** The thread has let go of the read. */
  end(): void;
}

/**
 * Has a thread make an answer, and hands it out at the pace of whoever takes it. The snapshot is held until the thread
 * has read, or has ended.
 */
export function threadedAnswer(
  thread: ReadThread,
  read: Omit<ThreadRead, 'snapshot'>,
  given: ThreadedAnswer,
): Promise<MadeAnswer> {
  return new Answering(given).begin(thread, read);
}

class Answering {
  readonly #given: ThreadedAnswer;
  readonly #helpers;
  readonly #joined;
  /** What the thread has given and nobody has taken, and its bytes. */
  readonly #chunks: Uint8Array[] = [];
  #ahead = 0;
  /** Bytes that were taken, of which the thread was not told. */
  #untold = 0;
  /** Whether the read waits for a place. */
  #isTaking = false;
  /** Whether all chunks have come. */
  #isWhole = false;
  #failure: { readonly reason: unknown } | undefined;
  /** Goes on where the answer waits for its first chunk, or for the next one. */
  #wake: () => void = () => undefined;
  #begun: BegunRead = { taken: () => undefined, helper: () => undefined, end: () => undefined };
  /** Whether the snapshot is held: without it, waiting for the client costs no memory of others. */
  #isPinned = true;
  /** Whether the read itself uses the snapshot. */
  #isReading = true;

  constructor(given: ThreadedAnswer) {
    this.#given = given;
    const { pinned, left, terms } = given;
    this.#helpers = helpersOf({
      snapshot: pinned.snapshot,
      countRows: terms.countRows,
      died: () => this.#fail(interrupted()),
      letGo: this.#release,
    });
    // Its thread may still read the slabs: they are held until it says that it has let go.
    this.#joined = left.join(pinned.slabs, this.#endAll);
  }

  begin(thread: ReadThread, read: Omit<ThreadRead, 'snapshot'>): Promise<MadeAnswer> {
    const { signal } = this.#given.terms;
    return new Promise((resolve, reject) => {
      this.#wake = () => {
        if (this.#failure !== undefined) reject(this.#failure.reason);
      };
      const listener = {
        told: (message: FromThread) => this.#told(message, resolve),
        died: () => {
          this.#letGo();
          this.#fail(interrupted());
        },
      };
      try {
        this.#begun = thread.begin({ ...read, snapshot: this.#given.pinned.snapshot }, listener);
      } catch (error) {
        this.#letGo();
        reject(error);
        return;
      }
      signal.addEventListener('abort', this.#leave, { once: true });
      if (signal.aborted) this.#leave();
    });
  }

  /** @param resolve takes the answer as soon as the thread has begun it */
  #told(message: FromThread, resolve: (answer: MadeAnswer) => void): void {
    const { explain, turns, findPlaces } = this.#given;
    const { end, isRead, begun: head, wantsHelp } = message;
    if (end !== undefined) {
      this.#letGo();
      // Where it failed, they may still be at work.
      this.#helpers.end();
    } else if (isRead) {
      this.#isReading = false;
      this.#release();
    }
    if (this.#failure !== undefined) return;
    if (wantsHelp !== undefined && findPlaces !== undefined)
      this.#helpers.begin(findPlaces(wantsHelp), this.#begun);
    if (!this.#count(message)) return;
    for (const chunk of message.chunks) {
      this.#chunks.push(chunk);
      this.#ahead += chunk.length;
    }
    // The thread waits for the client now.
    if (this.#ahead > aheadBytes) turns.give();
    this.#isWhole = end !== undefined;
    if (end?.error !== undefined) this.#failure = { reason: explain(errorTold(end.error)) };
    if (head !== undefined && this.#failure === undefined)
      resolve({ chunks: this.#handedOut(), nextCursor: head.nextCursor });
    this.#wake();
  }

  /** Counts what the thread has read, and whether there is memory for it. */
  #count({ rowsRead, rowsAnswered, takenBytes }: FromThread): boolean {
    const { countRows, countAnswered, take } = this.#given.terms;
    countRows(rowsRead);
    countAnswered(rowsAnswered);
    try {
      take(takenBytes);
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  async *#handedOut(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.reason;
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          if (this.#isPinned) this.#joined.waits();
          yield chunk;
          this.#joined.goesOn();
          this.#taken(chunk.length);
        } else if (this.#isWhole) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#endAll();
    }
  }

  /** The client has taken so many bytes: the thread goes on as soon as the read has a place. */
  #taken(bytes: number): void {
    const { turns } = this.#given;
    this.#ahead -= bytes;
    this.#untold += bytes;
    if (turns.isHeld()) this.#tellTaken();
    else if (!this.#isWhole && !this.#isTaking && this.#ahead <= aheadBytes) {
      this.#isTaking = true;
      turns.take().then(
        () => {
          this.#isTaking = false;
          this.#tellTaken();
        },
        () => undefined,
      );
    }
  }

  #tellTaken(): void {
    this.#begun.taken(this.#untold);
    this.#untold = 0;
  }

  /** Nobody waits for the answer any more, or it cannot be had. */
  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#chunks.length = 0;
    this.#endAll();
    this.#wake();
  }

  readonly #leave = (): void => this.#fail(this.#given.terms.signal.reason);

  readonly #endAll = (): void => {
    this.#begun.end();
    this.#helpers.end();
  };

  /** The thread has let go of the read. */
  #letGo(): void {
    this.#given.terms.signal.removeEventListener('abort', this.#leave);
    this.#isReading = false;
    this.#release();
    this.#given.turns.end();
  }

  readonly #release = (): void => {
    if (this.#isReading || this.#helpers.areThere() || !this.#isPinned) return;
    this.#isPinned = false;
    this.#joined.leave();
    this.#given.pinned.release();
  };
}

function interrupted(): PitwallError {
  return new PitwallError('read_interrupted', {
    detail: 'the thread that read for this query has ended; ask again, and for less where that happens again',
  });
}
