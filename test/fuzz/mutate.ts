import type { Random } from './random.ts';

/**
 * A copy that is changed as accidents and attackers change bytes: in a few places, each in one of the ways below.
 *
 * @param words what has a meaning to the reader: brackets, names, numbers at the edge of what it takes
 * @param others inputs to take pieces of
 */
export function mutate(
  input: Buffer,
  random: Random,
  words: readonly Buffer[],
  others: readonly Buffer[],
): Buffer {
  let bytes: Buffer = Buffer.from(input);
  for (let changes = 1 + random.below(random.once(4) ? 8 : 2); changes > 0; changes--) {
    bytes = changeOnce(bytes, random, words, others);
  }
  return bytes;
}

function changeOnce(
  bytes: Buffer,
  random: Random,
  words: readonly Buffer[],
  others: readonly Buffer[],
): Buffer {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.below(random.once(3) ? 40 : 4));
  switch (random.below(9)) {
    case 0:
      if (at < bytes.length) bytes[at] = bytes[at]! ^ (1 << random.below(8));
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = random.below(256);
      return bytes;
    case 2:
      return put(bytes, at, end, nothing);
    case 3:
      return put(bytes, at, at, Buffer.from([random.below(256)]));
    case 4:
      return put(bytes, at, at, random.pick(words));
    case 5:
      return put(bytes, at, end, random.pick(words));
    case 6:
      return put(bytes, end, end, bytes.subarray(at, end));
    case 7: {
      const other = random.pick(others);
      const from = random.below(other.length + 1);
      return put(bytes, at, end, other.subarray(from, from + 1 + random.below(40)));
    }
    default:
      return Buffer.from(bytes.subarray(0, at));
  }
}

const nothing = Buffer.alloc(0);

/** `piece` in the place of `bytes[from, to)`. */
function put(bytes: Buffer, from: number, to: number, piece: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, from), piece, bytes.subarray(to)]);
}
