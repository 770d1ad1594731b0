import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: Message;
}

export interface Message {
  readonly id: string;
  readonly rule: string;
  readonly stream: string;
  readonly state: string;
  readonly time: number;
  readonly [other: string]: unknown;
}

export interface Receiver {
  readonly port: number;
  readonly host: string;
  readonly received: Received[];
  /** What it does with a message; at first it answers 200. */
  answer(how: (response: ServerResponse, received: Received) => void): void;
  close(): Promise<void>;
}

/** A server that gets messages, at 127.0.0.1. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let how = (response: ServerResponse, _: Received): void => void response.end('ok');
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    const one = { path: request.url!, headers: request.headers, message };
    received.push(one);
    how(response, one);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  return {
    port: own,
    host: `127.0.0.1:${own}`,
    received,
    answer(next) {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
