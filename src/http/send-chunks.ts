import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Log } from '../log.ts';
import { isEnded } from '../query/bounds/running-queries.ts';
import { allChunks, type BegunChunks, beginChunks, type Chunks } from './begin-chunks.ts';

/**
 * Sends an answer as it is made, at the client's pace; a short one goes out whole. An early error is thrown: nothing has
 * left yet, so it becomes the answer. A later error cuts the connection without the last chunk, so that nobody takes
 * the answer for whole; so does `ended`, also while the client takes nothing. When the client leaves, the chunks are ended.
 */
export function sendChunks(chunks: Chunks, reply: FastifyReply, log: Log, ended?: AbortSignal) {
  const beginning = beginChunks(chunks);
  return beginning instanceof Promise
    ? beginning.then((begun) => sendBegun(begun, reply, log, ended))
    : sendBegun(beginning, reply, log, ended);
}

function sendBegun(beginning: BegunChunks, reply: FastifyReply, log: Log, ended: AbortSignal | undefined) {
  const { begun, rest } = beginning;
  if (rest === undefined) return reply.send(begun.length === 1 ? asBuffer(begun[0]!) : Buffer.concat(begun));
  const endRest = async (): Promise<void> => {
    try {
      await rest.return?.();
    } catch (error) {
      log.error({ err: error, requestId: reply.request.id }, 'making an answer did not end well');
    }
  };
  if (ended?.aborted) {
    void endRest();
    throw ended.reason;
  }
  // Also where the stream below is never read: what makes the chunks holds files open.
  if (reply.raw.destroyed) void endRest();
  else reply.raw.once('close', endRest);
  const told = async function* () {
    try {
      yield* allChunks(beginning);
    } catch (error) {
      const requestId = reply.request.id;
      if (isEnded(error)) log.debug({ requestId }, 'an answer was ended');
      else if (reply.raw.destroyed) log.debug({ requestId }, 'the client left before the end of its answer');
      else log.error({ err: error, requestId }, 'an answer broke off');
      throw error;
    }
  };
  const stream = Readable.from(told(), { objectMode: false });
  ended?.addEventListener('abort', () => stream.destroy(ended.reason as Error), { once: true });
  return reply.send(stream);
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}
