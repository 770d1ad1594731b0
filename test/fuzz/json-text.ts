import type { Random } from './random.ts';

/** Writes JSON of all forms to memory that is used again for each document. */
export interface JsonText {
  make(random: Random): Buffer;
}

/** Room for a document, with a piece to spare behind `full`. */
const size = 64 * 1024;
const full = size - 1024;
const deepest = 6;

export function createJsonText(): JsonText {
  const bytes = Buffer.alloc(size);
  let at = 0;
  let random: Random;

  const write = (text: string): void => {
    at += bytes.write(text, at, 'latin1');
  };
  const space = (): void => {
    if (random.once(12)) write(random.pick(spaces));
  };
  const value = (depth: number): void => {
    space();
    const kinds = depth >= deepest || at > full ? 6 : 9;
    // Most documents are objects or arrays.
    switch (depth === 0 && random.below(8) > 0 ? 6 + random.below(3) : random.below(kinds)) {
      case 0:
        write(random.pick(words));
        break;
      case 1:
      case 2:
        text();
        break;
      case 3:
      case 4:
      case 5:
        number();
        break;
      case 6:
        members('[', ']', depth);
        break;
      default:
        members('{', '}', depth);
    }
    space();
  };
  const members = (opening: string, closing: string, depth: number): void => {
    write(opening);
    space();
    const count = random.below(random.once(8) ? 12 : 4);
    for (let i = 0; i < count && at < full; i++) {
      if (i > 0) write(',');
      if (opening === '{') {
        space();
        if (random.once(3)) text();
        else write(random.pick(names));
        space();
        write(':');
      }
      value(depth + 1);
    }
    write(closing);
  };
  const digits = (most: number): void => {
    for (let count = 1 + random.below(most); count > 0; count--) bytes[at++] = 0x30 + random.below(10);
  };
  const number = (): void => {
    if (random.once(10)) {
      write(random.pick(numbers));
      return;
    }
    if (random.once(3)) write('-');
    if (random.once(5)) write('0');
    else {
      bytes[at++] = 0x31 + random.below(9);
      if (random.once(2)) digits(random.once(6) ? 25 : 8);
    }
    if (random.once(2)) {
      write('.');
      digits(random.once(6) ? 25 : 6);
    }
    if (random.once(6)) {
      write(random.pick(exponents));
      digits(random.once(6) ? 4 : 2);
    }
  };
  const text = (): void => {
    write('"');
    for (let count = random.below(random.once(10) ? 40 : 6); count > 0; count--) character();
    write('"');
  };
  const character = (): void => {
    switch (random.below(12)) {
      case 0:
        write(random.pick(escapes));
        break;
      case 1:
        write(`\\u${hex(random.below(0x10000))}`);
        break;
      case 2: {
        const high = 0xd800 + random.below(0x400);
        write(`\\u${hex(high)}\\u${hex(0xdc00 + random.below(0x400))}`);
        break;
      }
      case 3:
        at += bytes.write(random.pick(characters), at);
        break;
      default:
        bytes[at++] = plain.charCodeAt(random.below(plain.length));
    }
  };

  return {
    make(given) {
      random = given;
      at = 0;
      if (random.once(200)) at += bytes.write('\ufeff', at);
      if (random.once(300)) nest();
      else value(0);
      return bytes.subarray(0, at);
    },
  };

  /** Around the deepest level that is taken. */
  function nest(): void {
    const levels = 60 + random.below(8);
    const isObject = random.once(2);
    write((isObject ? '{"a":' : '[').repeat(levels));
    value(deepest);
    write((isObject ? '}' : ']').repeat(levels));
  }
}

function hex(unit: number): string {
  return unit.toString(16).padStart(4, '0');
}

const spaces = [' ', '\n', '\r\n', '\t', '  ', '\n  '];
const words = ['true', 'false', 'null'];
const names = ['"a"', '"b"', '""', '"timestamps"', '"__proto__"', '"0"', '"constructor"', '"\\u0061"'];
const exponents = ['e', 'E', 'e+', 'e-', 'E-'];
const escapes = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t'];
const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;[]{}_-/\x7f';
const characters = [
  'é',
  'ß',
  '\u0080',
  '\u07ff',
  '\u0800',
  '東',
  '\u2028',
  '\ufeff',
  '\uffff',
  '😀',
  '\u{10ffff}',
];

/** Where doubles, and readers of them, have their edges. */
const numbers = [
  '0',
  '-0',
  '-0.0',
  '0e5',
  '-0e-999',
  '0e999',
  '1e400',
  '-1e309',
  '999999999',
  '1000000000',
  '2147483648',
  '0.123456789',
  '123456789.123456789',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '90071992547409.93',
  '0.9007199254740993',
  '999999999999999999',
  '9223372036854775807',
  '9223372036854775808',
  '1e22',
  '1e23',
  '9e22',
  '8.5e-23',
  '123456789012345678e-22',
  '4.9e-324',
  '2.4703282292062327e-324',
  '2.4703282292062328e-324',
  '2.2250738585072011e-308',
  '1.7976931348623157e308',
  '1.7976931348623159e308',
  '0.1000000000000000055511151231257827021181583404541015625',
];
