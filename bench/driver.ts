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
  let head: Head | undefined;
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
    head ??= readHead(chunks);
    if (head === undefined || !isWhole(head, size, chunks) || waiting === undefined) return;
    const body = (chunks.length === 1 ? chunk : Buffer.concat(chunks)).subarray(head.bytes);
    const { resolve, reject } = waiting;
    const { status, length } = head;
    waiting = undefined;
    head = undefined;
    chunks = [];
    size = 0;
    if (status === 200 || status === 204) resolve(length === undefined ? unchunk(body) : body);
    else reject(new Error(`status ${status}: ${body.toString().slice(0, 300)}`));
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

interface Head {
  readonly status: number;
  readonly bytes: number;
  /** Of the body; undefined means that it comes in chunks. */
  readonly length: number | undefined;
}

/** The head of an answer; it comes in one piece with what follows. */
function readHead(chunks: readonly Buffer[]): Head | undefined {
  const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const text = bytes.toString('latin1', 0, end);
  const status = Number(text.slice(9, 12));
  const length = status === 204 ? '0' : /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  return { status, bytes: end + 4, length: length === undefined ? undefined : Number(length) };
}

const lastChunk = Buffer.from('0\r\n\r\n');

function isWhole(head: Head, size: number, chunks: readonly Buffer[]): boolean {
  if (head.length !== undefined) return size >= head.bytes + head.length;
  const latest = chunks.at(-1)!;
  // The end may come in two pieces.
  const end = latest.length < lastChunk.length ? Buffer.concat(chunks.slice(-lastChunk.length)) : latest;
  return end.subarray(-lastChunk.length).equals(lastChunk);
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
