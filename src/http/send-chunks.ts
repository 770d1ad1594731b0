import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Log } from '../log.ts';

/** Up to this size an answer goes out whole: one write, and a length that the client knows beforehand. */
const wholeBytes = 256 * 1024;

/** How long making chunks may have the thread before everything else gets a turn, ms. */
const sliceMs = 4;

type Chunks = Iterator<Uint8Array> | AsyncIterator<Uint8Array>;

/**
 * Sends an answer as it is made, at the client's pace; a short one goes out whole. What fails before that much was
 * made is thrown, so that it becomes an answer of its own; if making it fails later, the connection is cut without
 * the last chunk, so that no one takes it for whole. When the client leaves, the chunks are ended.
 */
export function sendChunks(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  reply: FastifyReply,
  log: Log,
) {
  return Symbol.asyncIterator in chunks
    ? sendMade(chunks[Symbol.asyncIterator](), reply, log)
    : sendNow(chunks[Symbol.iterator](), reply, log);
}

/** A short answer whose chunks need no waiting leaves in the same turn. */
function sendNow(chunks: Iterator<Uint8Array>, reply: FastifyReply, log: Log) {
  const begun: Uint8Array[] = [];
  let bytes = 0;
  for (let next = chunks.next(); ; next = chunks.next()) {
    if (next.done) return sendWhole(begun, reply);
    if (next.value.length > 0) begun.push(next.value);
    bytes += next.value.length;
    if (bytes > wholeBytes) return sendRest(begun, chunks, reply, log);
  }
}

async function sendMade(chunks: AsyncIterator<Uint8Array>, reply: FastifyReply, log: Log) {
  const begun: Uint8Array[] = [];
  let bytes = 0;
  for (let next = await chunks.next(); ; next = await chunks.next()) {
    if (next.done) return sendWhole(begun, reply);
    if (next.value.length > 0) begun.push(next.value);
    bytes += next.value.length;
    if (bytes > wholeBytes) return sendRest(begun, chunks, reply, log);
  }
}

function sendWhole(chunks: readonly Uint8Array[], reply: FastifyReply) {
  return reply.send(chunks.length === 1 ? asBuffer(chunks[0]!) : Buffer.concat(chunks));
}

function sendRest(begun: readonly Uint8Array[], chunks: Chunks, reply: FastifyReply, log: Log) {
  // Whatever becomes of the stream below, also if it is never read: what makes the chunks holds files open.
  reply.raw.once('close', async () => {
    try {
      await chunks.return?.();
    } catch (error) {
      log.error({ err: error, requestId: reply.request.id }, 'making an answer did not end well');
    }
  });
  const rest = async function* () {
    try {
      yield* begun;
      let start = performance.now();
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
        if (next.value.length > 0) yield next.value;
        if (performance.now() - start < sliceMs) continue;
        await setImmediate();
        start = performance.now();
      }
    } catch (error) {
      const requestId = reply.request.id;
      if (reply.raw.destroyed) log.debug({ requestId }, 'the client left before the end of its answer');
      else log.error({ err: error, requestId }, 'an answer broke off');
      throw error;
    }
  };
  return reply.send(Readable.from(rest(), { objectMode: false }));
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
