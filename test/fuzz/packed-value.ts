import type { Random } from './random.ts';

const deepest = 5;
const names = ['a', 'b', '', 'binaryValues', 'BinaryValues', 'timestamps', '__proto_', 'constructor'];

/** A value in MessagePack, in any of the forms that the format has for it, short and long. */
export function packedValue(random: Random, depth = 0): Buffer {
  const kind = random.below(depth >= deepest ? 7 : 10);
  switch (kind) {
    case 0:
      return Buffer.from([random.pick([0xc0, 0xc2, 0xc3, random.below(0x80), 0xe0 + random.below(0x20)])]);
    case 1:
    case 2: {
      const format = 0xcc + random.below(8);
      return Buffer.concat([Buffer.from([format]), bytesOf(random, 1 << ((format - 0xcc) & 3))]);
    }
    case 3:
      return float(random);
    case 4:
      return text(random);
    case 5:
      return sized(random, bytesOf(random, random.below(20)), [0xc4, 0xc5, 0xc6]);
    case 6:
      return random.once(10) ? extension(random) : text(random);
    case 7:
    case 8:
      return map(random, depth);
    default:
      return packedList(
        random,
        Array.from({ length: random.below(5) }, () => packedValue(random, depth + 1)),
      );
  }
}

export function packedList(random: Random, elements: readonly Buffer[]): Buffer {
  return Buffer.concat([header(random, elements.length, 0x90, [0xdc, 0xdd]), ...elements]);
}

export function packedText(random: Random, value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 32 && !random.once(5)) return Buffer.concat([Buffer.from([0xa0 | bytes.length]), bytes]);
  return sized(random, bytes, [0xd9, 0xda, 0xdb]);
}

function map(random: Random, depth: number): Buffer {
  const count = random.below(4);
  const parts = Array.from({ length: count }, () => {
    const name = random.once(40) ? packedValue(random, deepest) : packedText(random, random.pick(names));
    return Buffer.concat([name, packedValue(random, depth + 1)]);
  });
  return Buffer.concat([header(random, count, 0x80, [0xde, 0xdf]), ...parts]);
}

function text(random: Random): Buffer {
  if (random.once(20)) return sized(random, bytesOf(random, random.below(8)), [0xd9, 0xda, 0xdb]);
  const length = random.below(random.once(8) ? 60 : 8);
  return packedText(random, Array.from({ length }, () => random.pick(characters)).join(''));
}

const characters = [
  'a',
  'Z',
  '0',
  ' ',
  '"',
  '\\',
  '/',
  '\n',
  '\u0000',
  '\u001f',
  '\u007f',
  'é',
  '東',
  '\u2028',
  '😀',
];

function float(random: Random): Buffer {
  if (random.once(3)) return Buffer.concat([Buffer.from([0xca]), bytesOf(random, 4)]);
  const bytes = Buffer.alloc(9, 0xcb);
  bytes.writeDoubleBE(random.once(3) ? random.pick(doubles) : random.below(1e9) / 1000, 1);
  return random.once(3) ? Buffer.concat([bytes.subarray(0, 1), bytesOf(random, 8)]) : bytes;
}

const doubles = [
  0,
  -0,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  5e-324,
  1e21,
  2 ** 53,
  2 ** 63,
];

function extension(random: Random): Buffer {
  const form = random.below(5);
  return Buffer.concat([Buffer.from([0xd4 + form]), bytesOf(random, 1 + (1 << form))]);
}

function sized(random: Random, bytes: Buffer, formats: readonly [number, number, number]): Buffer {
  const width = random.below(3);
  const head = Buffer.alloc(1 + (1 << width), formats[width]);
  head.writeUIntBE(bytes.length, 1, 1 << width);
  return Buffer.concat([head, bytes]);
}

function header(random: Random, count: number, short: number, formats: readonly [number, number]): Buffer {
  if (!random.once(5)) return Buffer.from([short | count]);
  const width = random.below(2);
  const head = Buffer.alloc(3 + width * 2, formats[width]);
  head.writeUIntBE(count, 1, 2 + width * 2);
  return head;
}

function bytesOf(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}
