import type { IncomingMessage } from 'node:http';
import { PitwallError } from '../errors.ts';
import type { Reservation } from '../ingest/byte-budget.ts';
import { tooLarge } from './message-buffer.ts';

/**
 * The bytes of a POST, whatever its Content-Type says: clients send none, or one that is not true. Rejects with
 * `body_too_large` (413), `overloaded` (503) and, where the client leaves, `bad_request`.
 */
export function readPost(request: IncomingMessage, limit: number, reservation: Reservation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const fail = (error: unknown): void => {
      request.off('data', onData);
      request.resume();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      try {
        if (size > limit) throw tooLarge(limit);
        reservation.take(chunk.length);
      } catch (error) {
        fail(error);
      }
    };
    request.on('data', onData);
    request.once('end', () => resolve(Buffer.concat(chunks, size)));
    request.once('close', () => {
      if (!request.complete)
        reject(new PitwallError('bad_request', { detail: 'the connection ended inside the body' }));
    });
    request.once('error', () => {});
  });
}
