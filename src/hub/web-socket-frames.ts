import { type JoinedFrame, type MadeMessage, outgoingMessage } from './outgoing-message.ts';
import type { OutgoingQueue } from './outgoing-queue.ts';

/** Short messages that wait leave as one frame up to this size: each frame costs the same, whatever is in it. */
const joinedBytes = 16 * 1024;

/** What a socket is to be given: one frame of a WebSocket (RFC 6455, section 5.2), whole. */
export interface TakenFrame {
  /** In front of the bytes of `message`; undefined where they begin with it. */
  readonly head: Buffer | undefined;
  /** To be told to the queue when the socket has sent it. */
  readonly message: MadeMessage;
}

/** Takes the messages of the next frame from a queue: those that wait, as long as they are short, or one. */
export function takeFrame(queue: OutgoingQueue, binary: boolean, isAlone: boolean): TakenFrame | undefined {
  const first = queue.take();
  if (first === undefined) return undefined;
  let room = joinedBytes - first.bytes.length;
  if (room < 0) return { head: headOf(first.bytes.length, binary), message: first };
  const messages = [first];
  if (!isAlone) {
    for (let next = queue.take(room); next !== undefined; next = queue.take(room)) {
      messages.push(next);
      room -= next.bytes.length;
    }
  }
  if (first.joined === undefined || !hasAll(first.joined, messages)) {
    const bytes = messages.map((message) => message.bytes);
    const frame = Buffer.concat([headOf(joinedBytes - room, binary), ...bytes]);
    first.joined = { messages, frame: outgoingMessage(frame, first.order) };
  }
  const { frame } = first.joined;
  queue.replaceLast(messages, frame);
  return { head: undefined, message: frame };
}

function hasAll({ messages }: JoinedFrame, wanted: readonly MadeMessage[]): boolean {
  return messages.length === wanted.length && messages.every((message, i) => message === wanted[i]);
}

const lastFragment = 0x80;
const textFrame = 1;
const binaryFrame = 2;

/** The head of a frame of the server: not masked, and the only one of its message. */
function headOf(length: number, binary: boolean): Buffer {
  const first = lastFragment | (binary ? binaryFrame : textFrame);
  if (length < 126) return Buffer.from([first, length]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  if (length < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeUIntBE(length, 4, 6);
  }
  return head;
}
