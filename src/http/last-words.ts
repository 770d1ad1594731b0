import type { Duplex } from 'node:stream';
import { errorTable, type PitwallError } from '../errors.ts';
import { guardingLines } from '../wire/answers/guarding-headers.ts';
import { encodeProblem, problemType } from '../wire/answers/problem.ts';

/**
 * How long a connection stays after its last answer: longer than the way to any client, short enough for a stop to
 * wait for.
 */
const lingerMs = 5000;

/**
 * Answers on the bare socket, and ends the connection. What its client is sending meanwhile is read and thrown away for
 * a while: a connection that is closed with bytes unread is reset, which can cost the client its answer (RFC 9112,
 * section 9.6).
 */
export function sayLast(socket: Duplex, error: PitwallError, requestId: string): void {
  const body = encodeProblem(error, requestId);
  socket.end(
    `HTTP/1.1 ${error.status} ${errorTable[error.code].title}\r\nDate: ${new Date().toUTCString()}\r\n` +
      `Content-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${guardingLines}` +
      `Connection: close\r\n\r\n${body}`,
  );
  linger(socket);
}

/** Ends the connection after an answer that has left. */
export function endConnection(socket: Duplex): void {
  socket.end();
  linger(socket);
}

function linger(socket: Duplex): void {
  const patience = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(patience));
  socket.on('error', () => {});
  // A parser that is at it must not lose its socket before it returns.
  process.nextTick(() =>
    socket
      .removeAllListeners('data')
      .on('data', () => {})
      .resume(),
  );
}
