import { connect, type Socket } from 'node:net';

/**
 * A lean HTTP client over raw keep-alive sockets: a general client costs 20 to 30 µs a request and would be what
 * is measured. Requests are whole buffers made before the clock starts; every answer's status is checked.
 */
export interface Connection {
  /** Sends a request and resolves with the body of its answer. Rejects on any status but 200 and 204. */
  send(request: Buffer): Promise<Buffer>;
  close(): void;
}

export function request(method: string, path: string, headers: Record<string, string>, body: Buffer): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Content-Length: ${body.length}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
}

export async function openConnection(port: number): Promise<Connection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return connection(socket);
}

interface Waiting {
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: Error) => void;
}

function connection(socket: Socket): Connection {
  let chunks: Buffer[] = [];
  let size = 0;
  let waiting: Waiting | undefined;

  const fail = (error: Error) => {
    waiting?.reject(error);
    waiting = undefined;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    const whole = parse(chunks, size);
    if (whole === undefined || waiting === undefined) return;
    const { resolve, reject } = waiting;
    waiting = undefined;
    chunks = [];
    size = 0;
    if (whole.status === 200 || whole.status === 204) resolve(whole.body);
    else reject(new Error(`status ${whole.status}: ${whole.body.toString().slice(0, 300)}`));
  });
  return {
    send(bytes) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(bytes);
      });
    },
    close: () => socket.destroy(),
  };
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** The answer in these chunks, or undefined while it is not whole. */
function parse(chunks: Buffer[], size: number): Answer | undefined {
  if (chunks.length > 1 && !isWorthJoining(chunks, size)) return undefined;
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  chunks.splice(0, chunks.length, bytes);
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const status = Number(bytes.toString('latin1', 9, 12));
  const head = bytes.toString('latin1', 0, headEnd).toLowerCase();
  const body = bytes.subarray(headEnd + 4);
  if (status === 204) return { status, body: Buffer.alloc(0) };
  const length = /content-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return body.length < Number(length) ? undefined : { status, body };
  if (!head.includes('transfer-encoding: chunked')) return { status, body };
  return body.subarray(-5).equals(lastChunk) ? { status, body: unchunk(body) } : undefined;
}

const lastChunk = Buffer.from('0\r\n\r\n');

/** Joining at every chunk would copy a large answer again and again; its end is enough to look at. */
function isWorthJoining(chunks: readonly Buffer[], size: number): boolean {
  return (
    size < 65536 ||
    chunks.at(-1)!.subarray(-2).equals(lastChunk.subarray(-2)) ||
    chunks[0]!.indexOf('Content-Length') >= 0
  );
}

function unchunk(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (!(length > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + length));
    at = lineEnd + 2 + length + 2;
  }
}

export interface LoadResult {
  readonly seconds: number;
  readonly requests: number;
  /** Milliseconds of each request. */
  readonly latencies: Float64Array;
}

/** Sends all requests over `connections` sockets, each taking the next one as soon as it is answered. */
export async function load(
  port: number,
  requests: readonly Buffer[],
  connections: number,
): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const latencies = new Float64Array(requests.length);
  let next = 0;
  const start = performance.now();
  await Promise.all(
    sockets.map(async (socket) => {
      for (let index = next++; index < requests.length; index = next++) {
        const sent = performance.now();
        await socket.send(requests[index]!);
        latencies[index] = performance.now() - sent;
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const socket of sockets) socket.close();
  return { seconds, requests: requests.length, latencies };
}
