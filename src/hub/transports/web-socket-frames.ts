import { type JoinedFrame, joinFrame, type MadeMessage } from '../connection/outgoing-message.ts';
import type { OutgoingQueue } from '../connection/outgoing-queue.ts';

/** The size up to which short messages that wait leave as one frame: each frame costs the same, whatever is in it. */
const joinedBytes = 16 * 1024;

/** Whose frames are binary, or text. It is asked only where a frame is made. */
interface Binary {
  readonly isBinary: boolean;
}

/**
 * Takes the messages of the next frame of a WebSocket (RFC 6455, section 5.2) from a queue: those that wait, as long as
 * they are short, or one. What comes back is to be told to the queue when the socket has sent it. A short one has its
 * `frame`; a long one has none, and is to be sent after its `headOf`.
 */
export function takeFrame(queue: OutgoingQueue, protocol: Binary, isAlone: boolean): MadeMessage | undefined {
  const first = queue.take();
  if (first === undefined) return undefined;
  const room = joinedBytes - first.bytes.length;
  if (room < 0) return first;
  const second = isAlone ? undefined : queue.take(room);
  if (second !== undefined) return takeJoined(queue, protocol, first, second);
  if (first.frame === undefined) {
    const { length } = first.bytes;
    const frame = frameOf([first], length, protocol.isBinary);
    first.frame = frame;
    // In memory once.
    first.bytes = frame.subarray(frame.length - length);
  }
  return first;
}

function takeJoined(
  queue: OutgoingQueue,
  protocol: Binary,
  first: MadeMessage,
  second: MadeMessage,
): MadeMessage {
  const messages = [first, second];
  let length = first.bytes.length + second.bytes.length;
  for (;;) {
    const next = queue.take(joinedBytes - length);
    if (next === undefined) break;
    messages.push(next);
    length += next.bytes.length;
  }
  const frame =
    first.joined !== undefined && hasAll(first.joined, messages)
      ? first.joined.frame
      : joinFrame(messages, frameOf(messages, length, protocol.isBinary));
  queue.replaceLast(messages, frame);
  return frame;
}

function hasAll({ orders }: JoinedFrame, wanted: readonly MadeMessage[]): boolean {
  return orders.length === wanted.length && wanted.every(({ order }, i) => order === orders[i]);
}

function frameOf(messages: readonly MadeMessage[], length: number, binary: boolean): Buffer {
  const headBytes = headBytesOf(length);
  const frame = Buffer.allocUnsafe(headBytes + length);
  writeHead(frame, length, binary);
  let at = headBytes;
  for (const { bytes } of messages) {
    frame.set(bytes, at);
    at += bytes.length;
  }
  return frame;
}

/** Returns the head of the frame of a message. */
export function headOf(length: number, binary: boolean): Buffer {
  const head = Buffer.allocUnsafe(headBytesOf(length));
  writeHead(head, length, binary);
  return head;
}

const lastFragment = 0x80;
const textFrame = 1;
const binaryFrame = 2;

function headBytesOf(length: number): number {
  if (length < 126) return 2;
  return length < 65_536 ? 4 : 10;
}

/** The head of a frame of the server: not masked, and the only one of its message. */
function writeHead(to: Buffer, length: number, binary: boolean): void {
  to[0] = lastFragment | (binary ? binaryFrame : textFrame);
  if (length < 126) to[1] = length;
  else if (length < 65_536) {
    to[1] = 126;
    to.writeUInt16BE(length, 2);
  } else {
    to[1] = 127;
    to.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
    to.writeUInt32BE(length >>> 0, 6);
  }
}
