/** What is wrong with compressed bytes. */
export class Lz4Fault extends Error {}

const frameMark = 0x184d2204;
const mostSkipped = 0xf;

/**
 * The bytes of an LZ4 frame ("LZ4 Frame Format Description"), which are known to be `size`. Checksums are passed over: a chunk has
 * one of its own. Throws an Lz4Fault.
 */
export function decompressLz4(input: Uint8Array, size: number): Uint8Array {
  const output = lz4Output(input, size);
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  let at = 0;
  let written = 0;
  const need = (bytes: number): void => {
    if (at + bytes > input.length) throw new Lz4Fault('the compressed bytes end too early');
  };
  while (at < input.length) {
    need(4);
    const mark = view.getUint32(at, true);
    at += 4;
    if (mark >= 0x184d2a50 && mark <= 0x184d2a50 + mostSkipped) {
      need(4);
      at += 4 + view.getUint32(at, true);
      continue;
    }
    if (mark !== frameMark) throw new Lz4Fault('this is no LZ4 frame');
    need(3);
    const flags = view.getUint8(at);
    if (flags >> 6 !== 1) throw new Lz4Fault('the version of the LZ4 frame is not known');
    at += 2 + (flags & 0x08 ? 8 : 0) + (flags & 0x01 ? 4 : 0) + 1;
    for (;;) {
      need(4);
      const word = view.getUint32(at, true);
      at += 4;
      if (word === 0) break;
      const length = word & 0x7fffffff;
      need(length);
      const block = input.subarray(at, at + length);
      if (word >>> 31 === 1) {
        if (written + length > size) throw new Lz4Fault(`there are more than ${size} bytes`);
        output.set(block, written);
        written += length;
      } else written = addLz4Block(block, output, written);
      at += length + (flags & 0x10 ? 4 : 0);
    }
    if (flags & 0x04) at += 4;
  }
  if (written !== size) throw new Lz4Fault(`there are ${written} bytes of ${size}`);
  return output;
}

export function isLz4Frame(input: Uint8Array): boolean {
  return input.length >= 4 && new DataView(input.buffer, input.byteOffset).getUint32(0, true) === frameMark;
}

/** Room for what is decompressed: no byte of a block stands for more than 255. Throws an Lz4Fault. */
export function lz4Output(input: Uint8Array, size: number): Uint8Array {
  if (size > input.length * 255)
    throw new Lz4Fault(`${input.length} bytes cannot stand for as many as ${size}`);
  return new Uint8Array(size);
}

/** The bytes of a block without a frame, which are known to be `size`. Throws an Lz4Fault. */
export function decompressLz4Block(input: Uint8Array, size: number): Uint8Array {
  const output = lz4Output(input, size);
  const written = addLz4Block(input, output, 0);
  if (written !== size) throw new Lz4Fault(`there are ${written} bytes of ${size}`);
  return output;
}

/**
 * A block: literals, then a match in what was written, again and again. Gives the place behind what it wrote. Throws an
 * Lz4Fault.
 */
export function addLz4Block(input: Uint8Array, output: Uint8Array, from: number): number {
  let at = 0;
  let to = from;
  const lengthFrom = (start: number): number => {
    let length = start;
    if (start !== 15) return length;
    for (;;) {
      if (at >= input.length) throw new Lz4Fault('a length has no end');
      const more = input[at++]!;
      length += more;
      if (more !== 255) return length;
    }
  };
  while (at < input.length) {
    const token = input[at++]!;
    const literals = lengthFrom(token >> 4);
    if (at + literals > input.length || to + literals > output.length)
      throw new Lz4Fault('literals go beyond the end');
    output.set(input.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at === input.length) return to;
    if (at + 2 > input.length) throw new Lz4Fault('a match has no offset');
    const back = input[at]! | (input[at + 1]! << 8);
    at += 2;
    const length = lengthFrom(token & 15) + 4;
    if (back === 0 || back > to || to + length > output.length)
      throw new Lz4Fault('a match goes beyond the end');
    // A match may overlap itself.
    for (let end = to + length; to < end; to++) output[to] = output[to - back]!;
  }
  return to;
}
