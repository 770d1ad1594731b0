import { PitwallError } from '../../../errors.ts';
import type { AnswerTerms, MadeAnswer } from '../../answers/answer.ts';
import type { LeftSlabs } from '../log/left-slabs.ts';
import type { PinnedSnapshot } from '../read/snapshot.ts';
import type { FromThread } from './messages.ts';
import type { BegunRead, ReadThread, ThreadRead } from './read-thread.ts';
import { errorTold } from './told-error.ts';

export interface ThreadedAnswer {
  readonly terms: AnswerTerms;
  readonly pinned: PinnedSnapshot;
  readonly left: Pick<LeftSlabs, 'join'>;
  /** What a reader is told of an error. */
  readonly explain: (error: unknown) => unknown;
  /** Called once, when the thread has let go of the read. */
  readonly onEnd: () => void;
}

/**
 * Has a thread make an answer, and hands it out at the pace of whoever takes it. The snapshot is held until the thread
 * has read, or has ended.
 */
export function threadedAnswer(
  thread: ReadThread,
  read: Omit<ThreadRead, 'snapshot'>,
  { terms, pinned, left, explain, onEnd }: ThreadedAnswer,
): Promise<MadeAnswer> {
  const { signal, countRows, countAnswered, take } = terms;
  const chunks: Uint8Array[] = [];
  let isWhole = false;
  let failure: { readonly reason: unknown } | undefined;
  let wake: () => void = () => undefined;
  let begun: BegunRead = { taken: () => undefined, end: () => undefined };
  const joined = left.join(pinned.slabs, () => {
    begun.end();
    pinned.release();
  });

  function letGo(): void {
    signal.removeEventListener('abort', leave);
    joined.leave();
    pinned.release();
    onEnd();
  }

  /** Nobody waits for the answer any more, or it cannot be had. */
  function fail(reason: unknown): void {
    failure ??= { reason };
    chunks.length = 0;
    begun.end();
    wake();
  }

  const leave = (): void => fail(signal.reason);

  return new Promise((resolve, reject) => {
    wake = () => {
      if (failure !== undefined) reject(failure.reason);
    };
    const listener = {
      told(message: FromThread) {
        const { end, isRead, begun: head } = message;
        if (end !== undefined) letGo();
        else if (isRead) pinned.release();
        if (failure !== undefined) return;
        countRows(message.rowsRead);
        countAnswered(message.rowsAnswered);
        try {
          take(message.takenBytes);
        } catch (error) {
          fail(error);
          return;
        }
        for (const chunk of message.chunks) chunks.push(chunk);
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
    begun = thread.begin({ ...read, snapshot: pinned.snapshot }, listener);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });

  async function* given(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (failure !== undefined) throw failure.reason;
        const chunk = chunks.shift();
        if (chunk !== undefined) {
          joined.waits();
          yield chunk;
          joined.goesOn();
          begun.taken(chunk.length);
        } else if (isWhole) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      begun.end();
    }
  }
}

function interrupted(): PitwallError {
  return new PitwallError('read_interrupted', {
    detail: 'the thread that read for this query has ended; ask again, and for less where that happens again',
  });
}
