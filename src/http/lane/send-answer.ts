import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Reservation } from '../../ingest/byte-budget.ts';
import { guardingLines } from '../../wire/answers/guarding-headers.ts';
import { allChunks, type BegunChunks } from '../begin-chunks.ts';
import type { Answer } from '../route.ts';

/** How the client knows where the body ends: by its length in bytes, or by its last chunk. */
export type BodyEnd = number | 'chunked';

/**
 * Makes the heads of answers, complete with the empty line, in Latin-1. The head of an empty answer, as writes have it,
 * is made once a second: it tells the time (RFC 9110, section 6.6.1).
 */
export function answerHeads(): (answer: Answer, end: BodyEnd, isLast: boolean) => string | Buffer {
  let second = 0;
  let date = '';
  let empty: Buffer = Buffer.alloc(0);
  return (answer, end, isLast) => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      date = new Date(now * 1000).toUTCString();
      empty = Buffer.from(headOf({}, 0, date, false), 'latin1');
    }
    const { status, type, headers } = answer;
    const isEmpty = end === 0 && status === undefined && type === undefined && headers === undefined;
    return isEmpty && !isLast ? empty : headOf(answer, end, date, isLast);
  };
}

function headOf(answer: Answer, end: BodyEnd, date: string, isLast: boolean): string {
  const { status = 200, type, vary, headers = {} } = answer;
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${date}\r\n`;
  head += `${guardingLines}Connection: ${isLast ? 'close' : 'keep-alive'}\r\n`;
  if (type !== undefined) head += `Content-Type: ${type}\r\n`;
  if (vary !== undefined) head += `Vary: ${vary}\r\n`;
  for (const name of Object.keys(headers)) head += `${name}: ${headers[name]}\r\n`;
  return `${head}${end === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${end}`}\r\n\r\n`;
}

/** Sends a short answer in one write, and ends its `reservation` when all of it has left, or never will. */
export function sendWhole(
  socket: Socket,
  head: string | Buffer,
  { begun, bytes }: BegunChunks,
  reservation: Pick<Reservation, 'end'>,
): void {
  if (begun.length === 0) {
    socket.write(head, 'latin1');
    reservation.end();
    return;
  }
  const whole = Buffer.allocUnsafe(head.length + bytes);
  let at = typeof head === 'string' ? whole.write(head, 'latin1') : head.copy(whole);
  for (const chunk of begun) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  socket.write(whole, () => reservation.end());
}

/**
 * Sends a long answer in chunks (RFC 9112, section 7.1) after its head, at the client's pace. Rejects where making
 * the chunks fails or `ended` aborts: the last chunk has not been sent then. What makes them has ended either way.
 */
export async function sendInChunks(
  socket: Socket,
  head: string | Buffer,
  beginning: BegunChunks,
  ended: AbortSignal,
): Promise<void> {
  socket.write(head, 'latin1');
  try {
    for await (const chunk of allChunks(beginning)) {
      ended.throwIfAborted();
      socket.cork();
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      const hasRoom = socket.write('\r\n');
      socket.uncork();
      if (!hasRoom) await once(socket, 'drain', { signal: ended });
    }
    socket.write('0\r\n\r\n');
  } finally {
    await beginning.rest?.return?.();
  }
}
