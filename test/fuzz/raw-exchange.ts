import { once } from 'node:events';
import { connect } from 'node:net';

/** An answer as it stood on the wire. */
export interface RawAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** All answers of a connection, and whether its client had to give up waiting for the end. */
export interface Exchange {
  readonly answers: readonly RawAnswer[];
  readonly hangs: boolean;
}

/** Long enough for any answer of a handler that waits for nothing. */
const patienceMs = 5000;

/**
 * Sends `first` in one write, and `second` when an answer has begun; reads until the connection ends. So `second`, which
 * asks for the end, is answered where the connection stays open behind the first answer.
 */
export async function exchange(port: number, first: Buffer, second: string): Promise<Exchange> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  let hangs = false;
  const patience = setTimeout(() => {
    hangs = true;
    socket.destroy();
  }, patienceMs);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    if (chunks.push(chunk) === 1) socket.write(second);
  });
  const closed = once(socket, 'close');
  socket.write(first);
  await closed;
  clearTimeout(patience);
  return { answers: answersIn(Buffer.concat(chunks).toString('latin1')), hangs };
}

function answersIn(text: string): RawAnswer[] {
  const found: RawAnswer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) throw new Error(`an answer without an end: ${JSON.stringify(text.slice(at, at + 200))}`);
    const [first, ...lines] = text.slice(at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first!)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const [, name, value] = /^([^:]+): (.*)$/.exec(line)!;
        return [name!.toLowerCase(), value!];
      }),
    );
    const isChunked = headers['transfer-encoding'] === 'chunked';
    const { body, behind } = isChunked
      ? chunkedBody(text, end + 4)
      : wholeBody(text, end + 4, Number(headers['content-length'] ?? 0));
    found.push({ status, headers, body });
    at = behind;
  }
  return found;
}

function wholeBody(text: string, at: number, length: number): { body: string; behind: number } {
  if (text.length < at + length) throw new Error(`an answer has ${text.length - at} of ${length} bytes`);
  return { body: text.slice(at, at + length), behind: at + length };
}

function chunkedBody(text: string, start: number): { body: string; behind: number } {
  let body = '';
  for (let at = start; ; ) {
    const end = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, end), 16);
    if (!(size >= 0)) throw new Error('an answer with a broken chunk');
    if (size === 0) return { body, behind: end + 4 };
    body += text.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
}
