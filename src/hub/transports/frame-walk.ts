/**
 * Walks over the frames of a WebSocket (RFC 6455, section 5.2) beside the library that reads them, to know what it
 * holds: the library tells of messages, not of their parts.
 */
export interface FrameWalk {
  /** Memory of the parts of a message that is not whole, about; 0 between messages. Frames of control count nothing. */
  readonly unfinished: number;
  push(chunk: Buffer): void;
}

/** What a part of a message that is not whole takes besides its bytes. */
const partBytes = 256;

export function createFrameWalk(): FrameWalk {
  const head = Buffer.alloc(14);
  let read = 0;
  let length = 2;
  /** Bytes of the frame's payload that are to come. */
  let left = 0;
  let isControl = false;
  let isLast = false;

  const endFrame = (): void => {
    if (!isControl && isLast) walk.unfinished = 0;
  };

  const beginFrame = (): void => {
    const short = head[1]! & 0x7f;
    if (short < 126) left = short;
    else left = short === 126 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    isControl = (head[0]! & 0x08) !== 0;
    isLast = (head[0]! & 0x80) !== 0;
    if (!isControl) walk.unfinished += partBytes;
    read = 0;
    length = 2;
    if (left === 0) endFrame();
  };

  const walk = {
    unfinished: 0,

    push(chunk: Buffer) {
      for (let at = 0; at < chunk.length; ) {
        if (left === 0) {
          head[read++] = chunk[at++]!;
          if (read === 2) length = lengthOf(head[1]!);
          if (read === length) beginFrame();
          continue;
        }
        const more = Math.min(left, chunk.length - at);
        at += more;
        left -= more;
        if (!isControl) walk.unfinished += more;
        if (left === 0) endFrame();
      }
      if (walk.unfinished > 0) walk.unfinished += partBytes;
    },
  };
  return walk;
}

/** Bytes of a frame's head, by the second of them. */
function lengthOf(second: number): number {
  const short = second & 0x7f;
  const extended = short < 126 ? 0 : short === 126 ? 2 : 8;
  return 2 + extended + ((second & 0x80) === 0 ? 0 : 4);
}
