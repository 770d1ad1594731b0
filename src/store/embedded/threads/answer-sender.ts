import type { FromThread, ThreadMemory } from './messages.ts';
import { type ToldError, tellError } from './told-error.ts';

/** What a read on a thread tells the main thread: gathered, so that a short answer is one message. */
export interface AnswerSender {
  readRows(rows: number): void;
  answeredRows(rows: number): void;
  take(bytes: number): void;
  /** Other threads may take portions of so much work (ms). */
  wantHelp(leftMs: number): void;
  /** The answer is about to have chunks; from here on an error cuts it. */
  begin(nextCursor: string | undefined): void;
  /** The snapshot is not used from here on. */
  isRead(): void;
  /** A chunk, of which the sender may make any use; a promise where the other end has to take some first. */
  chunk(bytes: Uint8Array): Promise<void> | undefined;
  /** The other end has taken so many bytes. */
  taken(bytes: number): void;
  /** The read is to end: lets go of who waits for the other end, and shows that the thread is alive. */
  wake(): void;
  end(error?: unknown): void;
}

/** The size up to which chunks are gathered. */
const messageBytes = 256 * 1024;
/** The bytes that a read is ahead of whoever takes its chunks; beyond that it waits. */
export const aheadBytes = 1024 * 1024;
/** The time after which it is told what was done, or after as much memory. */
const toldAfterMs = 100;
const toldAfterBytes = 1024 * 1024;

/** @param post sends a message with the memory that it gives away */
export function answerSender(
  id: number,
  memory: () => ThreadMemory,
  post: (message: FromThread, given: ArrayBuffer[]) => void,
): AnswerSender {
  let rowsRead = 0;
  let rowsAnswered = 0;
  let takenBytes = 0;
  let begun: FromThread['begun'];
  let isRead = false;
  let wantsHelp: number | undefined;
  let chunks: Uint8Array[] = [];
  let chunkBytes = 0;
  let ahead = 0;
  let told = performance.now();
  let wake: (() => void) | undefined;

  function send(end: { readonly error: ToldError | undefined } | undefined): void {
    const given = chunks.map(({ buffer }) => buffer as ArrayBuffer);
    post(
      { id, rowsRead, rowsAnswered, takenBytes, begun, isRead, chunks, end, wantsHelp, memory: memory() },
      given,
    );
    rowsRead = 0;
    rowsAnswered = 0;
    takenBytes = 0;
    begun = undefined;
    wantsHelp = undefined;
    chunks = [];
    chunkBytes = 0;
    told = performance.now();
  }

  return {
    readRows(rows) {
      rowsRead += rows;
      if (performance.now() - told > toldAfterMs) send(undefined);
    },
    answeredRows(rows) {
      rowsAnswered += rows;
    },
    take(bytes) {
      takenBytes += bytes;
      if (takenBytes >= toldAfterBytes) send(undefined);
    },
    wantHelp(leftMs) {
      wantsHelp = leftMs;
      send(undefined);
    },
    begin(nextCursor) {
      begun = { nextCursor };
    },
    isRead() {
      isRead = true;
    },
    chunk(bytes) {
      chunks.push(givable(bytes));
      chunkBytes += bytes.length;
      ahead += bytes.length;
      if (chunkBytes >= messageBytes || ahead > aheadBytes) send(undefined);
      if (ahead <= aheadBytes) return undefined;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
    taken(bytes) {
      ahead -= bytes;
      if (ahead <= aheadBytes) wake?.();
    },
    wake() {
      wake?.();
      send(undefined);
    },
    end(error) {
      send({ error: error === undefined ? undefined : tellError(error) });
    },
  };
}

/** The fewest bytes that are given away rather than copied. */
const givenBytes = 16 * 1024;

/** The bytes in memory that is theirs alone. Encoders give each chunk its own, but short ones are in shared pools. */
function givable(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = bytes;
  const isOwn = byteOffset === 0 && length >= givenBytes && 2 * length >= buffer.byteLength;
  return isOwn ? new Uint8Array(buffer, 0, length) : Uint8Array.from(bytes);
}
