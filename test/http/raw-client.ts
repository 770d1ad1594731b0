import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that decides itself in which segments its bytes travel. */
export interface RawClient {
  readonly socket: Socket;
  /** Resolves with the head and body of the next answer; rejects where the connection ends before. */
  answer(): Promise<string>;
  /** Resolves with all that still comes until the connection ends. */
  rest(): Promise<string>;
}

export async function openRawClient(url: string): Promise<RawClient> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), noDelay: true });
  await once(socket, 'connect');
  return readAnswers(socket);
}

/** @param socket that is connected, and whose bytes nobody has read */
export function readAnswers(socket: Socket): RawClient {
  let text = '';
  let hasEnded = false;
  let tell = (): void => {};
  // For as long as it lives: what comes while nobody listens would be lost.
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    tell();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    hasEnded = true;
    tell();
  });
  const news = (): Promise<void> => new Promise((resolve) => (tell = resolve));
  return {
    socket,
    async answer() {
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
        if (end >= 0 && text.length >= end + 4 + length) {
          const whole = text.slice(0, end + 4 + length);
          text = text.slice(whole.length);
          return whole;
        }
        if (hasEnded) throw new Error(`the connection ended after '${text}'`);
        await news();
      }
    },
    async rest() {
      while (!hasEnded) await news();
      return text;
    },
  };
}
