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
  { terms, pinned, left, explain, turns, findPlaces }: ThreadedAnswer,
): Promise<MadeAnswer> {
  const { signal, countRows, countAnswered, take } = terms;
  const chunks: Uint8Array[] = [];
  /** Bytes that the thread has given and nobody has taken. */
  let ahead = 0;
  /** Bytes that were taken, of which the thread was not told. */
  let untold = 0;
  /** Whether the read waits for a place. */
  let isTaking = false;
  let isWhole = false;
  let failure: { readonly reason: unknown } | undefined;
  let wake: () => void = () => undefined;
  let begun: BegunRead = { taken: () => undefined, helper: () => undefined, end: () => undefined };
  /** Whether the snapshot is held: without it, waiting for the client costs no memory of others. */
  let isPinned = true;
  const helpers = helpersOf({
    snapshot: pinned.snapshot,
    countRows,
    died: () => fail(interrupted()),
    letGo: release,
  });
  // Its thread may still read the slabs: they are held until it says that it has let go.
  const joined = left.join(pinned.slabs, endAll);
  /** Whether the read itself uses the snapshot. */
  let isReading = true;

  function endAll(): void {
    begun.end();
    helpers.end();
  }

  function release(): void {
    if (isReading || helpers.areThere() || !isPinned) return;
    isPinned = false;
    joined.leave();
    pinned.release();
  }

  function letGo(): void {
    signal.removeEventListener('abort', leave);
    isReading = false;
    release();
    turns.end();
  }

  /** Nobody waits for the answer any more, or it cannot be had. */
  function fail(reason: unknown): void {
    failure ??= { reason };
    chunks.length = 0;
    endAll();
    wake();
  }

  const leave = (): void => fail(signal.reason);

  /** The client has taken so many bytes: the thread goes on as soon as the read has a place. */
  function taken(bytes: number): void {
    ahead -= bytes;
    untold += bytes;
    if (turns.isHeld()) tellTaken();
    else if (!isWhole && !isTaking && ahead <= aheadBytes) {
      isTaking = true;
      turns.take().then(
        () => {
          isTaking = false;
          tellTaken();
        },
        () => undefined,
      );
    }
  }

  function tellTaken(): void {
    begun.taken(untold);
    untold = 0;
  }

  return new Promise((resolve, reject) => {
    wake = () => {
      if (failure !== undefined) reject(failure.reason);
    };
    const listener = {
      told(message: FromThread) {
        const { end, isRead, begun: head, wantsHelp } = message;
        if (end !== undefined) {
          letGo();
          // Where it failed, they may still be at work.
          helpers.end();
        } else if (isRead) {
          isReading = false;
          release();
        }
        if (failure !== undefined) return;
        if (wantsHelp !== undefined && findPlaces !== undefined) helpers.begin(findPlaces(wantsHelp), begun);
        countRows(message.rowsRead);
        countAnswered(message.rowsAnswered);
        try {
          take(message.takenBytes);
        } catch (error) {
          fail(error);
          return;
        }
        for (const chunk of message.chunks) {
          chunks.push(chunk);
          ahead += chunk.length;
        }
        // The thread waits for the client now.
        if (ahead > aheadBytes) turns.give();
        isWhole = end !== undefined;
        if (end?.error !== undefined) failure = { reason: explain(errorTold(end.error)) };
        if (head !== undefined && failure === undefined)
          resolve({ chunks: given(), nextCursor: head.nextCursor });
        wake();
      },
      died() {
        letGo();
        fail(interrupted());
      },
    };
    try {
      begun = thread.begin({ ...read, snapshot: pinned.snapshot }, listener);
    } catch (error) {
      letGo();
      reject(error);
      return;
    }
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });

  async function* given(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (failure !== undefined) throw failure.reason;
        const chunk = chunks.shift();
        if (chunk !== undefined) {
          if (isPinned) joined.waits();
          yield chunk;
          joined.goesOn();
          taken(chunk.length);
        } else if (isWhole) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      endAll();
    }
  }
}

function interrupted(): PitwallError {
  return new PitwallError('read_interrupted', {
    detail: 'the thread that read for this query has ended; ask again, and for less where that happens again',
  });
}
