import type { TagPair } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import { MessageFault, Wire, type WireReader } from '../../protobuf/wire-reader.ts';
import { WireTexts } from '../../protobuf/wire-texts.ts';
import type { MemoryShare } from '../json/json-memory.ts';

/**
 * The most letters of labels in one request: texts of symbols stand in it once, and a few bytes ask for each of them
 * again.
 */
const maxLetters = 64 * 1024 * 1024;
/** The letters that labels may have beyond what was taken of the reservation: few are not worth counting. */
const uncounted = 64 * 1024;

/** The texts of a request of remote write. */
export class RemoteTexts extends WireTexts {
  readonly #reader: WireReader;
  readonly #share: MemoryShare | undefined;
  /** Where the symbols of version 2 stand, in pairs of start and end, and those of them that were read. */
  readonly #places: number[] = [];
  readonly #symbols: string[] = [];
  #letters = 0;
  #taken = 0;

  constructor(reader: WireReader, share: MemoryShare | undefined) {
    super(reader);
    this.#reader = reader;
    this.#share = share;
  }

  addSymbol(from: number, to: number): void {
    this.#share?.take(symbolBytes);
    this.#places.push(from, to);
  }

  /** Throws a MessageFault where there is none of this number. */
  symbol(number: number): string {
    const known = this.#symbols[number];
    if (known !== undefined) return known;
    const from = this.#places[2 * number];
    const to = this.#places[2 * number + 1];
    if (from === undefined || to === undefined) throw new MessageFault(`there is no symbol ${number}`);
    const text = this.at(from, to);
    this.#symbols[number] = text;
    return text;
  }

  /** The labels of version 1 whose fields stand at these places: of the field, its start and its end. */
  labels(fields: readonly number[]): TagPair[] {
    const pairs: TagPair[] = [];
    const reader = this.#reader;
    for (let i = 1; i < fields.length; i += 3) {
      const end = fields[i + 1]!;
      let name = '';
      let value = '';
      for (let at = fields[i]!; at < end; ) {
        at = reader.next(at, end);
        if (reader.wire !== Wire.Bytes) continue;
        if (reader.number === 1) name = this.at(reader.from, reader.to);
        else if (reader.number === 2) value = this.at(reader.from, reader.to);
      }
      pairs.push([name, value]);
    }
    return pairs;
  }

  /** The labels of version 2, whose numbers of symbols stand in fields at these places. */
  symbolLabels(fields: readonly number[]): TagPair[] {
    const pairs: TagPair[] = [];
    const reader = this.#reader;
    let name: string | undefined;
    for (let i = 1; i < fields.length; i += 3) {
      for (let at = fields[i]!, end = fields[i + 1]!; at < end; ) {
        at = reader.varint(at, end);
        const text = this.symbol(reader.high === 0 ? reader.low : Number.POSITIVE_INFINITY);
        this.#count(text.length);
        if (name === undefined) name = text;
        else {
          pairs.push([name, text]);
          name = undefined;
        }
      }
    }
    if (name !== undefined) throw new MessageFault('a label has a name and no value');
    return pairs;
  }

  #count(letters: number): void {
    this.#letters += letters + labelLetters;
    if (this.#letters > maxLetters) {
      throw new PitwallError('body_too_large', {
        detail: `the labels of a request may have ${maxLetters} letters at most, those of its symbols each time they are named`,
      });
    }
    if (this.#letters - this.#taken < uncounted) return;
    this.#share?.take(this.#letters - this.#taken);
    this.#taken = this.#letters;
  }
}

/** Of a symbol, its places and its text, and of a label without its letters, as the engine has them. */
const symbolBytes = 64;
const labelLetters = 32;
