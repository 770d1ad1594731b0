import { restEvery } from '../turns/rest.ts';

/** The size up to which an answer goes out whole: one write, and a length that the client knows beforehand. */
const wholeBytes = 256 * 1024;

/** The longest time of making chunks before everything else gets a turn. */
const sliceMs = 2;

export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The beginning of an answer. */
export interface BegunChunks {
  readonly begun: readonly Uint8Array[];
  /** The size of `begun` together. */
  readonly bytes: number;
  /** What makes the rest; undefined where the beginning is all of it. */
  readonly rest: Iterator<Uint8Array> | AsyncIterator<Uint8Array> | undefined;
}

/**
 * Makes the first chunks of an answer; all of them where it is short. Gives them at once where nothing is waited for. An
 * error here is thrown before a byte has left, so it can still become the answer.
 */
export function beginChunks(chunks: Chunks): BegunChunks | Promise<BegunChunks> {
  return Symbol.asyncIterator in chunks
    ? beginMade(chunks[Symbol.asyncIterator]())
    : beginNow(chunks[Symbol.iterator]());
}

function beginNow(chunks: Iterator<Uint8Array>): BegunChunks {
  const begun: Uint8Array[] = [];
  let bytes = 0;
  for (let next = chunks.next(); ; next = chunks.next()) {
    if (next.done) return { begun, bytes, rest: undefined };
    if (next.value.length > 0) begun.push(next.value);
    bytes += next.value.length;
    if (bytes > wholeBytes) return { begun, bytes, rest: chunks };
  }
}

async function beginMade(chunks: AsyncIterator<Uint8Array>): Promise<BegunChunks> {
  const begun: Uint8Array[] = [];
  let bytes = 0;
  for (let next = await chunks.next(); ; next = await chunks.next()) {
    if (next.done) return { begun, bytes, rest: undefined };
    if (next.value.length > 0) begun.push(next.value);
    bytes += next.value.length;
    if (bytes > wholeBytes) return { begun, bytes, rest: chunks };
  }
}

/** All chunks of an answer, the beginning included, with a turn for everything else now and then. */
export async function* allChunks({ begun, rest }: BegunChunks): AsyncGenerator<Uint8Array> {
  yield* begun;
  if (rest === undefined) return;
  const pace = restEvery(sliceMs);
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    if (next.value.length > 0) yield next.value;
    const turn = pace();
    if (turn !== undefined) await turn;
  }
}
