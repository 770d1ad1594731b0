import { freshMemory, type ScratchMemory } from './scratch-memory.ts';

/** Bytes that come in chunks of any size, read by length. Throws where they end too early. */
export interface ByteReader {
  /** Waits until there is a byte or the end: whether there is none. */
  isAtEnd(): Promise<boolean>;
  /** The next bytes in the reader's memory, where numbers stand at addresses that typed arrays take. */
  bytes(length: number): Promise<Uint8Array<ArrayBuffer>>;
  varuint(): Promise<number>;
  text(): Promise<string>;
  /** So many strings with their lengths before them, one after another in one array. */
  strings(count: number): Promise<Strings>;
}

export interface Strings {
  readonly bytes: Uint8Array;
  /** Per string its end in `bytes`; it begins at the end of the one before. */
  readonly ends: Uint32Array;
}

export function readBytes(
  chunks: AsyncIterator<Uint8Array>,
  memory: Pick<ScratchMemory, 'take'> = freshMemory,
): ByteReader {
  let held: Buffer = Buffer.alloc(0);
  let at = 0;

  /** Lets go of the held chunk, which is read, for the next one; false at the end. */
  async function advance(): Promise<boolean> {
    const next = await chunks.next();
    if (next.done === true) return false;
    held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
    at = 0;
    return true;
  }

  /** Copies each byte once, wherever chunks end. */
  async function fill(target: Uint8Array, from: number, to: number): Promise<void> {
    for (let filled = from; ; ) {
      const end = Math.min(held.length, at + to - filled);
      filled += held.copy(target, filled, at, end);
      at = end;
      if (filled === to) return;
      if (!(await advance())) throw new Error(`the answer ends ${to - filled} bytes too early`);
    }
  }

  async function bytes(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const taken = memory.take(length);
    await fill(taken, 0, length);
    return taken;
  }

  async function varuint(): Promise<number> {
    for (let value = 0, factor = 1; ; factor *= 128) {
      while (at === held.length) {
        if (!(await advance())) throw new Error('the answer ends too early');
      }
      const byte = held[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  return {
    async isAtEnd() {
      while (at === held.length) if (!(await advance())) return true;
      return false;
    },
    bytes,
    varuint,
    async text() {
      const length = await varuint();
      if (held.length - at < length) {
        const whole = Buffer.allocUnsafe(length);
        await fill(whole, 0, length);
        return whole.toString();
      }
      at += length;
      return held.toString('utf8', at - length, at);
    },
    async strings(count) {
      const ends = new Uint32Array(count);
      let all = Buffer.allocUnsafe(64 + 16 * count);
      let filled = 0;
      for (let i = 0; i < count; i++) {
        // Most are short: their length is one byte.
        const short = at < held.length && held[at]! < 128 ? held[at++]! : -1;
        const length = short >= 0 ? short : await varuint();
        if (filled + length > all.length) {
          const wider = Buffer.allocUnsafe(Math.max(2 * all.length, filled + length));
          all.copy(wider, 0, 0, filled);
          all = wider;
        }
        if (held.length - at < length) {
          await fill(all, filled, filled + length);
        } else {
          held.copy(all, filled, at, at + length);
          at += length;
        }
        filled += length;
        ends[i] = filled;
      }
      return { bytes: all.subarray(0, filled), ends };
    },
  };
}
