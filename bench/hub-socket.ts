import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/**
 * A lean client of the hub over one raw WebSocket, JSON: the official client costs more than what is measured. Frames
 * are made, masked as a client must, before the clock starts. What comes is not parsed, only told apart.
 */
export interface HubSocket {
  /** Sends a frame of `invocation`. */
  send(frame: Buffer): void;
  /** Stops reading. */
  stall(): void;
  close(): void;
}

export interface HubSocketEvents {
  /** The call with this number was answered without an error. */
  readonly onCompletion?: (id: number) => void;
  /** A call by the server. */
  readonly onEvent?: (message: Buffer) => void;
  /** Anything else than what was expected: an error of a call, the end of the connection. */
  readonly onError: (error: Error) => void;
}

const separator = '\u001e';

/** The frame of a call whose arguments are JSON. */
export function invocation(id: number, target: string, args: readonly string[]): Buffer {
  return frame(
    `{"type":1,"invocationId":"${id}","target":"${target}","arguments":[${args.join(',')}]}${separator}`,
  );
}

/** One text frame with a random mask (RFC 6455, section 5.2). */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  if (length < 126) {
    head[1] = 0x80 | length;
  } else if (length < 65_536) {
    head[1] = 0x80 | 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 0x80 | 127;
    head.writeUInt32BE(length, 6);
  }
  const mask = randomBytes(4);
  for (let i = 0; i < length; i++) payload[i]! ^= mask[i & 3]!;
  return Buffer.concat([head, mask, payload]);
}

export async function openHubSocket(
  port: number,
  token: string,
  events: HubSocketEvents,
): Promise<HubSocket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
  });
  socket.write(
    `GET /hub HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  const head = await nextChunk(socket);
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`the upgrade was refused: ${head}`);
  socket.write(frame(`{"protocol":"json","version":1}${separator}`));
  const accepted = await nextChunk(socket);
  if (!accepted.endsWith(`{}${separator}`)) throw new Error(`the handshake was refused: ${accepted}`);
  readFrames(socket, (payload) => {
    // A frame has whole messages, one or more. What they lead to leaves together.
    socket.cork();
    for (let at = 0; at < payload.length; ) {
      const end = payload.indexOf(0x1e, at);
      tell(payload.subarray(at, end), events);
      at = end + 1;
    }
    socket.uncork();
  });
  socket.on('error', events.onError);
  let isOurs = false;
  socket.on('close', () => {
    if (!isOurs) events.onError(new Error('the server closed the connection'));
  });
  return {
    send: (bytes) => socket.write(bytes),
    stall: () => socket.pause(),
    close() {
      isOurs = true;
      socket.destroy();
    },
  };
}

function nextChunk(socket: Socket): Promise<string> {
  return new Promise((resolve) => socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1'))));
}

const completion = Buffer.from('{"type":3,"invocationId":"');
const event = Buffer.from('{"type":1,');
const ping = '{"type":6}';

function tell(message: Buffer, { onCompletion, onEvent, onError }: HubSocketEvents): void {
  if (startsWith(message, event)) {
    onEvent?.(message);
  } else if (startsWith(message, completion)) {
    const end = message.indexOf(0x22, completion.length);
    // A completion without result or error ends here.
    if (message.length === end + 2)
      onCompletion?.(Number(message.toString('latin1', completion.length, end)));
    else onError(new Error(message.toString()));
  } else if (!message.toString().startsWith(ping)) {
    onError(new Error(message.toString()));
  }
}

function startsWith(message: Buffer, prefix: Buffer): boolean {
  return message.length >= prefix.length && message.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

/** The first byte of a frame that closes (RFC 6455, section 5.5.1). */
const closeFrame = 0x88;

/** The payloads of the server's frames, which are never masked or fragmented. */
function readFrames(socket: Socket, onFrame: (payload: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  let wanted = 0;
  let parts: Buffer[] = [];
  let size = 0;
  socket.on('data', (chunk: Buffer) => {
    parts.push(chunk);
    size += chunk.length;
    if (size < wanted) return;
    rest = parts.length === 1 ? chunk : Buffer.concat(parts, size);
    let at = 0;
    for (;;) {
      const found = frameAt(rest, at);
      if (found === undefined || found.end > rest.length) {
        wanted = found === undefined ? 0 : found.end - at;
        break;
      }
      // A frame that closes has a code and no messages; the end of the socket follows.
      if (rest[at] !== closeFrame) onFrame(rest.subarray(found.start, found.end));
      at = found.end;
    }
    rest = rest.subarray(at);
    parts = rest.length === 0 ? [] : [rest];
    size = rest.length;
  });
}

function frameAt(bytes: Buffer, at: number): { start: number; end: number } | undefined {
  if (bytes.length - at < 10) {
    // The shortest message has more than eight bytes, so a head of two is whole here or comes again.
    if (bytes.length - at < 2 || bytes[at + 1]! > bytes.length - at - 2) return undefined;
  }
  const length = bytes[at + 1]!;
  if (length < 126) return { start: at + 2, end: at + 2 + length };
  if (length === 126) return { start: at + 4, end: at + 4 + bytes.readUInt16BE(at + 2) };
  return { start: at + 10, end: at + 10 + Number(bytes.readBigUInt64BE(at + 2)) };
}
