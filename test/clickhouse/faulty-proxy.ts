import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * What becomes of a request on its way to the server:
 * - `pass`: it goes through
 * - `slow`: it goes through after so many milliseconds
 * - `refuse`: the connection is reset before anything is read
 * - `hang`: the request is read, and nothing is ever sent or answered
 * - `cut-request`: half of the body reaches the server, then both connections break
 * - `cut-answer`: the server runs the whole request and its answer is thrown away
 * - `error`: the server never sees it, and it is answered with this error of ClickHouse
 */
export type Fault =
  | { readonly kind: 'pass' | 'refuse' | 'hang' | 'cut-request' | 'cut-answer' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  | { readonly kind: 'error'; readonly code: number; readonly name: string; readonly status?: number };

export const notEnoughSpace: Fault = { kind: 'error', code: 243, name: 'NOT_ENOUGH_SPACE' };

/** A request as far as a rule may look at it. */
export interface Passing {
  /** From 1, of those that came so far. */
  readonly number: number;
  /** The statement where it stands in the address, as that of an insert does. */
  readonly query: string;
  readonly url: URL;
  readonly isPing: boolean;
}

export interface FaultyProxy {
  readonly port: number;
  /** The address of a server with this proxy before it. */
  urlOf(url: string): string;
  /** From now on. A function decides for every request. */
  set(fault: Fault | ((passing: Passing) => Fault)): void;
  /** How many requests came to which fault. */
  seen(kind: Fault['kind']): number;
  stop(): Promise<void>;
}

/** Stands on loopback before a server of ClickHouse and does with its requests what a test says. */
export async function startFaultyProxy(target: { readonly port: number }): Promise<FaultyProxy> {
  let decide: (passing: Passing) => Fault = () => ({ kind: 'pass' });
  const counts = new Map<Fault['kind'], number>();
  let requests = 0;

  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://proxy');
    const query = url.searchParams.get('query') ?? '';
    requests += 1;
    const fault = decide({ number: requests, query, url, isPing: url.pathname === '/ping' });
    counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
    incoming.on('error', () => undefined);
    response.on('error', () => undefined);
    apply(fault, target.port, incoming, response).catch(() => response.destroy());
  });
  server.requestTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urlOf(url) {
      return url.replace(/:\d+(?=\/|$)/, `:${port}`);
    },
    set(fault) {
      decide = typeof fault === 'function' ? fault : () => fault;
    },
    seen: (kind) => counts.get(kind) ?? 0,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close').catch(() => undefined);
    },
  };
}

async function apply(
  fault: Fault,
  port: number,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  switch (fault.kind) {
    case 'refuse':
      incoming.socket.resetAndDestroy();
      return;
    case 'hang':
      incoming.resume();
      return;
    case 'error': {
      // As ClickHouse does, after the request has been read.
      await incoming.resume().toArray();
      response.writeHead(fault.status ?? 500, { 'X-ClickHouse-Exception-Code': String(fault.code) });
      response.end(
        `Code: ${fault.code}. DB::Exception: Injected by a test. (${fault.name}) (version 26.7.2.1)\n`,
      );
      return;
    }
    case 'slow':
      await pause(fault.delayMs, undefined, { ref: false });
      await forward(port, incoming, response, 'whole');
      return;
    case 'cut-request':
      await forward(port, incoming, response, 'half');
      return;
    case 'cut-answer':
      await forward(port, incoming, response, 'unanswered');
      return;
    case 'pass':
      await forward(port, incoming, response, 'whole');
  }
}

async function forward(
  port: number,
  incoming: IncomingMessage,
  response: ServerResponse,
  how: 'whole' | 'half' | 'unanswered',
): Promise<void> {
  const { method, url: path, headers } = incoming;
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  outgoing.on('error', () => response.destroy());
  if (how === 'half') {
    const body = Buffer.concat(await incoming.toArray());
    outgoing.write(body.subarray(0, body.length >> 1));
    // It may have its connection by now.
    const socket = outgoing.socket ?? ((await once(outgoing, 'socket')) as [Socket])[0];
    if (socket.connecting) await once(socket, 'connect');
    setImmediate(() => socket.destroy());
    await once(outgoing, 'close');
    incoming.socket.destroy();
    return;
  }
  incoming.pipe(outgoing);
  if (how === 'whole') response.on('close', () => outgoing.destroy());
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  if (how === 'unanswered') {
    await answer.resume().toArray();
    incoming.socket.destroy();
    return;
  }
  response.writeHead(answer.statusCode!, answer.headers);
  answer.on('error', () => response.destroy());
  answer.on('aborted', () => response.destroy());
  answer.pipe(response);
}
