/** What is wrong with compressed bytes. */
export class SnappyFault extends Error {}

/** No byte stands for more: a copy of 64 bytes takes three. */
const mostOfByte = 64;

/**
 * Unpacks a block of Snappy (google/snappy, format_description.txt): a varint of the bytes that it stands for, then elements. The two
 * lowest bits of the first byte of each say what it is: 0 literals, 1 to 3 a copy of what was given before. A copy may overlap
 * what it makes. Throws a SnappyFault.
 * @param size so many bytes it stands for
 */
export function decompressSnappy(input: Uint8Array, size: number): Uint8Array {
  let at = 0;
  while (at < input.length && input[at]! >= 0x80) at++;
  at++;
  if (size > input.length * mostOfByte)
    throw new SnappyFault(`${input.length} bytes cannot stand for as many as ${size}`);
  const output = new Uint8Array(size);
  let written = 0;
  /** A number of so many bytes, the lowest first. */
  const number = (bytes: number): number => {
    let value = 0;
    for (let i = 0; i < bytes; i++) value += (input[at + i] ?? 0) * 2 ** (8 * i);
    at += bytes;
    if (at > input.length) throw new SnappyFault('the compressed bytes end too early');
    return value;
  };
  while (at < input.length) {
    const tag = input[at++]!;
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const length = (short < 60 ? short : number(short - 59)) + 1;
      if (at + length > input.length || written + length > size)
        throw new SnappyFault('literals go beyond the end');
      output.set(input.subarray(at, at + length), written);
      at += length;
      written += length;
      continue;
    }
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? (tag >> 5) * 256 + number(1) : number(kind === 2 ? 2 : 4);
    if (back === 0 || back > written || written + length > size)
      throw new SnappyFault('a copy goes beyond the end');
    for (let i = 0; i < length; i++, written++) output[written] = output[written - back]!;
  }
  if (written !== size) throw new SnappyFault(`there are ${written} bytes of ${size}`);
  return output;
}
