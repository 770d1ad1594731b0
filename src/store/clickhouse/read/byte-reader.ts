/** Bytes that come in chunks of any size, read by length. Throws where they end too early. */
export interface ByteReader {
  /** Waits until `length` bytes are there; undefined where they are. */
  need(length: number): Promise<void> | undefined;
  /** Waits until there is a byte or the end: whether there is none. */
  isAtEnd(): Promise<boolean>;
  /** The next bytes, all of which have to be there; a view that holds the chunk. */
  take(length: number): Uint8Array;
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

export function readBytes(chunks: AsyncIterator<Uint8Array>): ByteReader {
  let held: Buffer = Buffer.alloc(0);
  let at = 0;

  async function fetch(length: number): Promise<void> {
    const pieces = [held.subarray(at)];
    let bytes = pieces[0]!.length;
    while (bytes < length) {
      const next = await chunks.next();
      if (next.done === true) throw new Error(`the answer ends ${length - bytes} bytes too early`);
      pieces.push(Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length));
      bytes += next.value.length;
    }
    held = pieces.length === 2 && pieces[0]!.length === 0 ? pieces[1]! : Buffer.concat(pieces, bytes);
    at = 0;
  }

  const need = (length: number) => (held.length - at >= length ? undefined : fetch(length));

  async function varuint(): Promise<number> {
    for (let value = 0, factor = 1; ; factor *= 128) {
      if (at === held.length) await fetch(1);
      const byte = held[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  return {
    need,
    async isAtEnd() {
      while (at === held.length) {
        const next = await chunks.next();
        if (next.done === true) return true;
        held = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.length);
        at = 0;
      }
      return false;
    },
    take(length) {
      at += length;
      return held.subarray(at - length, at);
    },
    varuint,
    async text() {
      const length = await varuint();
      await need(length);
      at += length;
      return held.toString('utf8', at - length, at);
    },
    async strings(count) {
      const ends = new Uint32Array(count);
      let bytes = Buffer.allocUnsafe(64 + 16 * count);
      let filled = 0;
      for (let i = 0; i < count; i++) {
        // Most are short: their length is one byte.
        const short = at < held.length && held[at]! < 128 ? held[at++]! : -1;
        const length = short >= 0 ? short : await varuint();
        if (held.length - at < length) await fetch(length);
        if (filled + length > bytes.length) {
          const wider = Buffer.allocUnsafe(Math.max(2 * bytes.length, filled + length));
          bytes.copy(wider, 0, 0, filled);
          bytes = wider;
        }
        held.copy(bytes, filled, at, at + length);
        at += length;
        filled += length;
        ends[i] = filled;
      }
      return { bytes: bytes.subarray(0, filled), ends };
    },
  };
}
