/** What is wrong with compressed bytes. */
export class SnappyFault extends Error {}

/** No byte stands for more: a copy of 64 bytes takes three. */
const mostOfByte = 64;
/** Fewer bytes are copied one by one faster than all at once. */
const longCopy = 32;

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
  const number = (bytes: number): number => {
    const from = at;
    at += bytes;
    if (at > input.length) throw new SnappyFault('the compressed bytes end too early');
    return numberAt(input, from, bytes);
  };
  while (at < input.length) {
    const tag = input[at++]!;
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const length = (short < 60 ? short : number(short - 59)) + 1;
      if (at + length > input.length || written + length > size)
        throw new SnappyFault('literals go beyond the end');
      if (length > longCopy) output.set(input.subarray(at, at + length), written);
      else for (let i = 0; i < length; i++) output[written + i] = input[at + i]!;
      at += length;
      written += length;
      continue;
    }
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? (tag >> 5) * 256 + number(1) : number(kind === 2 ? 2 : 4);
    if (back === 0 || back > written || written + length > size)
      throw new SnappyFault('a copy goes beyond the end');
    for (let i = 0; i < length; i++) output[written + i] = output[written - back + i]!;
    written += length;
  }
  if (written !== size) throw new SnappyFault(`there are ${written} bytes of ${size}`);
  return output;
}

/** Of one to four bytes, the lowest first. */
function numberAt(input: Uint8Array, at: number, bytes: number): number {
  let value = input[at]!;
  if (bytes > 1) value += input[at + 1]! << 8;
  if (bytes > 2) value += input[at + 2]! << 16;
  if (bytes > 3) value += input[at + 3]! * 2 ** 24;
  return value;
}
