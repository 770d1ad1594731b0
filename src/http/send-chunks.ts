import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Log } from '../log.ts';
import { allChunks, type BegunChunks, beginChunks, type Chunks } from './begin-chunks.ts';

/**
 * Sends an answer as it is made, at the client's pace; a short one goes out whole. What fails before that much was
 * made is thrown, so that it becomes an answer of its own; if making it fails later, the connection is cut without
 * the last chunk, so that no one takes it for whole. When the client leaves, the chunks are ended.
 */
export function sendChunks(chunks: Chunks, reply: FastifyReply, log: Log) {
  const beginning = beginChunks(chunks);
  return beginning instanceof Promise
    ? beginning.then((begun) => sendBegun(begun, reply, log))
    : sendBegun(beginning, reply, log);
}

function sendBegun(beginning: BegunChunks, reply: FastifyReply, log: Log) {
  const { begun, rest } = beginning;
  if (rest === undefined) return reply.send(begun.length === 1 ? asBuffer(begun[0]!) : Buffer.concat(begun));
  // Whatever becomes of the stream below, also if it is never read: what makes the chunks holds files open.
  reply.raw.once('close', async () => {
    try {
      await rest.return?.();
    } catch (error) {
      log.error({ err: error, requestId: reply.request.id }, 'making an answer did not end well');
    }
  });
  const told = async function* () {
    try {
      yield* allChunks(beginning);
    } catch (error) {
      const requestId = reply.request.id;
      if (reply.raw.destroyed) log.debug({ requestId }, 'the client left before the end of its answer');
      else log.error({ err: error, requestId }, 'an answer broke off');
      throw error;
    }
  };
  return reply.send(Readable.from(told(), { objectMode: false }));
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
