/**
 * Numbers in few bytes, each beginning with a byte of its own:
 *
 *   0 to 249   that number
 *   250        a whole number in two bytes, little-endian
 *   251        one in four bytes
 *   252        a double in eight bytes: all others, -0 among them
 */
const firstOfShort = 250;
const short = 250;
const long = 251;
const double = 252;

/** @param most bytes; undefined where the numbers take more */
export function packNumbers(numbers: readonly number[], most: number): Buffer | undefined {
  const bytes = Buffer.alloc(most + 9);
  let at = 0;
  for (const value of numbers) {
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** 32 || Object.is(value, -0)) {
      bytes[at] = double;
      at = bytes.writeDoubleLE(value, at + 1);
    } else if (value < firstOfShort) at = bytes.writeUInt8(value, at);
    else if (value < 2 ** 16) {
      bytes[at] = short;
      at = bytes.writeUInt16LE(value, at + 1);
    } else {
      bytes[at] = long;
      at = bytes.writeUInt32LE(value, at + 1);
    }
    if (at > most) return undefined;
  }
  return bytes.subarray(0, at);
}

/** Reads packed numbers one after the other. Each throws a RangeError where the bytes are at their end, or say nothing. */
export interface PackedNumbers {
  next(): number;
  /** So many things as the next number says. */
  list<Item>(read: () => Item): Item[];
  isAtEnd(): boolean;
}

export function packedNumbers(bytes: Buffer): PackedNumbers {
  let at = 0;

  function next(): number {
    const first = bytes.readUInt8(at);
    const begin = at + 1;
    switch (first) {
      case short:
        at = begin + 2;
        return bytes.readUInt16LE(begin);
      case long:
        at = begin + 4;
        return bytes.readUInt32LE(begin);
      case double:
        at = begin + 8;
        return bytes.readDoubleLE(begin);
      default:
        if (first > double) throw new RangeError(`no number begins with ${first}`);
        at = begin;
        return first;
    }
  }

  return {
    next,
    list(read) {
      const length = next();
      // Each thing takes a byte at least.
      if (!Number.isInteger(length) || length < 0 || length > bytes.length - at)
        throw new RangeError(`there are not ${length} more`);
      return Array.from({ length }, read);
    },
    isAtEnd: () => at === bytes.length,
  };
}
