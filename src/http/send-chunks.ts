import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Log } from '../log.ts';

/** Up to this size an answer goes out whole: one write, and a length that the client knows beforehand. */
const wholeBytes = 256 * 1024;

/**
 * Sends an answer as it is made, at the client's pace; a short one goes out whole.
 * If making it fails on the way, the connection is cut without the last chunk, so that no one takes it for whole.
 */
export function sendChunks(chunks: Iterable<Uint8Array>, reply: FastifyReply, log: Log) {
  const iterator = chunks[Symbol.iterator]();
  const begun: Uint8Array[] = [];
  let bytes = 0;
  let next = iterator.next();
  for (; !next.done && bytes <= wholeBytes; next = iterator.next()) {
    begun.push(next.value);
    bytes += next.value.length;
  }
  if (next.done) return reply.send(begun.length === 1 ? asBuffer(begun[0]!) : Buffer.concat(begun, bytes));
  const rest = function* () {
    try {
      yield* begun;
      for (; !next.done; next = iterator.next()) yield next.value;
    } catch (error) {
      log.error({ err: error, requestId: reply.request.id }, 'an answer broke off');
      throw error;
    }
  };
  return reply.send(Readable.from(rest(), { objectMode: false }));
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
