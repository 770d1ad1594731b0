import { once } from 'node:events';
import type { Socket } from 'node:net';
import { allChunks, type BegunChunks } from '../begin-chunks.ts';

/** Sends a short answer in one write; `onGone` is called when all of it has left, or never will. */
export function sendWhole(
  socket: Socket,
  head: string | Buffer,
  { begun, bytes }: BegunChunks,
  onGone: () => void,
): void {
  if (begun.length === 0) {
    socket.write(head, 'latin1');
    onGone();
    return;
  }
  const whole = Buffer.allocUnsafe(head.length + bytes);
  let at = typeof head === 'string' ? whole.write(head, 'latin1') : head.copy(whole);
  for (const chunk of begun) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  socket.write(whole, onGone);
}

/**
 * Sends a long answer in chunks (RFC 9112, section 7.1) behind its head, at the client's pace. Rejects where making
 * the chunks fails or `left` aborts: the last chunk has not been sent then. What makes them has ended either way.
 */
export async function sendInChunks(
  socket: Socket,
  head: string | Buffer,
  beginning: BegunChunks,
  left: AbortSignal,
): Promise<void> {
  socket.write(head, 'latin1');
  try {
    for await (const chunk of allChunks(beginning)) {
      left.throwIfAborted();
      socket.cork();
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      const hasRoom = socket.write('\r\n');
      socket.uncork();
      if (!hasRoom) await once(socket, 'drain', { signal: left });
    }
    socket.write('0\r\n\r\n');
  } finally {
    await beginning.rest?.return?.();
  }
}
