import { isVanished } from '../../domain/vanished-number.ts';
import { MessageFault } from '../../protobuf/wire-reader.ts';
import {
  deepest,
  type MessageDecoder,
  mostElements,
  type Place,
  tooManyElements,
  type ValueVisitor,
  visitText,
} from './place.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Messages that are JSON (RFC 8259): objects by their fields, true and false as 1 and 0. Python writes NaN, Infinity and
 * -Infinity, which are those doubles. Whole numbers keep their digits where a double would round them.
 */
export const decodeJsonMessage: MessageDecoder = (bytes, root, visitor) => {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new MessageFault('it is no JSON: it is not valid UTF-8');
  }
  const reader = new JsonReader(text);
  reader.value(root, visitor, 0);
  reader.end();
  return 0;
};

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const colon = 0x3a;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
/** The most digits of whole numbers that are all doubles. */
const exactDigits = 15;

const words = new Map<number, readonly [word: string, value: number | undefined]>([
  [0x74, ['true', 1]],
  [0x66, ['false', 0]],
  [0x6e, ['null', undefined]],
  [0x4e, ['NaN', Number.NaN]],
  [0x49, ['Infinity', Number.POSITIVE_INFINITY]],
]);

/** Reads a text once from its start to its end. Without a visitor values are only checked. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(place: Place, visitor: ValueVisitor | undefined, depth: number): void {
    if (depth > deepest) throw new MessageFault(`fields are nested more than ${deepest} deep`);
    const letter = this.#next();
    if (letter === openObject) this.#object(place, visitor, depth);
    else if (letter === openArray) this.#array(place, visitor, depth);
    else if (letter === quote) {
      const text = this.#string();
      if (visitor === undefined) return;
      if (!text.isWellFormed()) throw new MessageFault(`the text of ${place.path()} has half a character`);
      visitText(place, text, visitor);
    } else if (letter === minus || (letter >= zero && letter <= 0x39)) this.#number(place, visitor);
    else this.#word(letter, place, visitor);
  }

  end(): void {
    if (this.#next() >= 0) throw this.#unexpected('the end');
  }

  #object(place: Place, visitor: ValueVisitor | undefined, depth: number): void {
    this.#at++;
    if (this.#next() === closeObject) {
      this.#at++;
      return;
    }
    for (;;) {
      if (this.#next() !== quote) throw this.#unexpected('the name of a field');
      const name = this.#string();
      if (this.#next() !== colon) throw this.#unexpected("':'");
      this.#at++;
      this.value(visitor === undefined ? place : place.field(name.toWellFormed()), visitor, depth + 1);
      const letter = this.#next();
      if (letter !== comma && letter !== closeObject) throw this.#unexpected("',' or '}'");
      this.#at++;
      if (letter === closeObject) return;
    }
  }

  /** Whether an array is short shows at its end only: it is walked through before its elements are taken. */
  #array(place: Place, visitor: ValueVisitor | undefined, depth: number): void {
    const from = this.#at;
    const count = this.#elements(place, undefined, depth);
    if (visitor === undefined || count === 0) return;
    if (count > mostElements) {
      visitor.skipped(place, tooManyElements);
      return;
    }
    this.#at = from;
    this.#elements(place, visitor, depth);
  }

  #elements(place: Place, visitor: ValueVisitor | undefined, depth: number): number {
    this.#at++;
    if (this.#next() === closeArray) {
      this.#at++;
      return 0;
    }
    for (let count = 0; ; ) {
      this.value(visitor === undefined ? place : place.element(count), visitor, depth + 1);
      count++;
      const letter = this.#next();
      if (letter !== comma && letter !== closeArray) throw this.#unexpected("',' or ']'");
      this.#at++;
      if (letter === closeArray) return count;
    }
  }

  /** What stands between quotes. */
  #string(): string {
    const text = this.#text;
    const from = this.#at;
    let isPlain = true;
    let at = from + 1;
    for (; ; at++) {
      const letter = text.charCodeAt(at);
      if (letter === quote) break;
      if (letter === backslash) {
        isPlain = false;
        at++;
      } else if (!(letter >= 0x20)) {
        this.#at = at;
        throw this.#unexpected("'\"'");
      }
    }
    this.#at = at + 1;
    if (isPlain) return text.slice(from + 1, at);
    try {
      return JSON.parse(text.slice(from, at + 1)) as string;
    } catch (error) {
      throw new MessageFault(`it is no JSON: ${(error as Error).message}`);
    }
  }

  #number(place: Place, visitor: ValueVisitor | undefined): void {
    const text = this.#text;
    const from = this.#at;
    const isNegative = text.charCodeAt(from) === minus;
    let at = isNegative ? from + 1 : from;
    if (isNegative && text.startsWith('Infinity', at)) {
      this.#at = at + 'Infinity'.length;
      visitor?.number(place, Number.NEGATIVE_INFINITY);
      return;
    }
    const first = at;
    let value = 0;
    for (let digit = text.charCodeAt(at) - zero; digit >= 0 && digit <= 9; ) {
      value = value * 10 + digit;
      digit = text.charCodeAt(++at) - zero;
    }
    const isBare = at === first;
    if (isBare || (at > first + 1 && text.charCodeAt(first) === zero)) {
      this.#at = isBare ? at : first + 1;
      throw this.#unexpected(isBare ? 'a digit' : 'a number without leading zeros');
    }
    const digits = at - first;
    let isWhole = true;
    if (text.charCodeAt(at) === point) {
      isWhole = false;
      at = this.#digits(at + 1);
    }
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      isWhole = false;
      const sign = text.charCodeAt(at + 1);
      at = this.#digits(sign === minus || sign === 0x2b ? at + 2 : at + 1);
    }
    this.#at = at;
    if (visitor === undefined) return;
    if (isWhole && digits <= exactDigits && !place.isWide) visitor.number(place, isNegative ? -value : value);
    else visitNumber(place, text.slice(from, at), isWhole, visitor);
  }

  #digits(from: number): number {
    let at = from;
    for (let letter = this.#text.charCodeAt(at); letter >= zero && letter <= 0x39; )
      letter = this.#text.charCodeAt(++at);
    if (at > from) return at;
    this.#at = at;
    throw this.#unexpected('a digit');
  }

  #word(letter: number, place: Place, visitor: ValueVisitor | undefined): void {
    const found = words.get(letter);
    if (found === undefined) throw this.#unexpected('a value');
    const [word, value] = found;
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected(`'${word}'`);
    this.#at += word.length;
    if (value !== undefined) visitor?.number(place, value);
  }

  /** The next letter that is no white space; NaN at the end. */
  #next(): number {
    const text = this.#text;
    let at = this.#at;
    let letter = text.charCodeAt(at);
    while (letter === 0x20 || letter === 0x0a || letter === 0x0d || letter === 0x09)
      letter = text.charCodeAt(++at);
    this.#at = at;
    return letter;
  }

  #unexpected(expected: string): MessageFault {
    const at = this.#at;
    const found = this.#text.codePointAt(at);
    if (found === undefined) return new MessageFault(`it is no JSON: it ends where ${expected} was expected`);
    const shown = JSON.stringify(String.fromCodePoint(found));
    return new MessageFault(`it is no JSON: ${shown} at letter ${at + 1} where ${expected} was expected`);
  }
}

/** One that is not certainly a small whole number. Throws a MessageFault where it is beyond a double. */
function visitNumber(place: Place, text: string, isWhole: boolean, visitor: ValueVisitor): void {
  const value = Number(text);
  if (!Number.isFinite(value)) {
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    throw new MessageFault(
      `the number ${shown} of ${place.path()} is beyond the range of a 64-bit floating point number`,
    );
  }
  if (place.isWide || (isWhole && BigInt(text) !== BigInt(value))) visitor.digits(place, text);
  else {
    if (isVanished(text, value)) visitor.vanished(place, text);
    visitor.number(place, value);
  }
}
