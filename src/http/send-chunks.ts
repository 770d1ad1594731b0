import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Log } from '../log.ts';

/**
 * Sends an answer as it is made, at the client's pace. A short one goes out whole, with its length.
 * If making it fails on the way, the connection is cut without the last chunk, so that no one takes it for whole.
 */
export function sendChunks(chunks: Iterable<Uint8Array>, reply: FastifyReply, log: Log) {
  const iterator = chunks[Symbol.iterator]();
  const first = iterator.next();
  if (first.done) return reply.send(Buffer.alloc(0));
  const second = iterator.next();
  if (second.done) return reply.send(asBuffer(first.value));
  const rest = function* () {
    try {
      yield first.value;
      yield second.value;
      for (let next = iterator.next(); !next.done; next = iterator.next()) yield next.value;
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
