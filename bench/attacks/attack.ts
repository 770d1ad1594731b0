import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WebSocket } from 'ws';

/** What an attacker has: the service's ports, and a token of a workspace of its own. */
export interface Target {
  readonly port: number;
  readonly mqttPort: number;
  readonly token: string;
}

/** One kind of attack, which goes on until its thread ends. */
export interface Attack {
  readonly name: string;
  readonly title: string;
  run(target: Target): Promise<void>;
}

/** Begins again as soon as a round is over, whatever became of it, on so many connections. */
export async function again(lines: number, round: () => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: lines }, async () => {
      for (;;) {
        await round().catch(() => {});
        await new Promise(setImmediate);
      }
    }),
  );
}

/** A socket with the head of a POST on it. */
export async function beginPost(
  { port, token }: Target,
  path: string,
  headers: readonly string[],
): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    ...headers,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

/** A connection of the hub that has shaken hands. */
export async function openHub({ port, token }: Target, protocol: 'json' | 'messagepack'): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/hub?access_token=${token}`);
  socket.on('error', () => {});
  await once(socket, 'open');
  socket.send(`{"protocol":"${protocol}","version":1}\u001e`);
  await once(socket, 'message');
  return socket;
}

/** Sends something that the hub answers or closes the connection for, and waits for that. */
export async function exchange(socket: WebSocket, message: Buffer): Promise<void> {
  socket.send(message);
  await Promise.race([once(socket, 'message'), once(socket, 'close')]);
  socket.terminate();
}
