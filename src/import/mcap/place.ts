import type { ValueNames } from '../../domain/definition.ts';
import { MessageFault } from '../../protobuf/wire-reader.ts';
import { plainName } from '../channel-names.ts';

/** The most fields and elements that a file may have in all, over all topics. */
const mostPlaces = 40_000;

/** How many places a file may still have. */
export interface PlaceRoom {
  left: number;
}

export function placeRoom(): PlaceRoom {
  return { left: mostPlaces };
}

/**
 * A place in the messages of a topic: the message itself, a field, an element of an array, or a key of a map. Each is made
 * once, when the first message has it, so that a value needs no path to be put together.
 */
export class Place {
  readonly parent: Place | undefined;
  readonly name: string | number;
  /** Where the topic has the channel of its numbers, and the one of its texts; -1 where it has none. */
  numberAt = -1;
  textAt = -1;
  hasNumber = false;
  hasText = false;
  /** Whether a number of it is beyond what a double holds exactly, so that all of them become text. */
  isWide = false;
  /** Whether its value of the message at hand is kept in `seen`. */
  isWatched = false;
  seen: number | string | undefined = undefined;
  /** What its numbers are called. */
  valueNames: ValueNames | undefined = undefined;
  /** In how many messages it had a value that was left out, and why the first one was. */
  leftOut = 0;
  why = '';
  readonly #room: PlaceRoom;
  readonly #fields = new Map<string, Place>();
  readonly #elements: Place[] = [];

  /** Throws a MessageFault where there are too many. */
  constructor(room: PlaceRoom, parent?: Place, name: string | number = '') {
    if (room.left === 0) throw new MessageFault(`the messages have more than ${mostPlaces} fields`);
    room.left--;
    this.#room = room;
    this.parent = parent;
    this.name = name;
  }

  field(name: string): Place {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const made = new Place(this.#room, this, name);
    this.#fields.set(name, made);
    return made;
  }

  element(index: number): Place {
    let known = this.#elements[index];
    if (known === undefined) {
      known = new Place(this.#room, this, index);
      this.#elements[index] = known;
    }
    return known;
  }

  /** Whether a name on the way to it is another one here: without control characters, or spaces round it. */
  isRenamed(): boolean {
    const { name, parent } = this;
    return parent?.isRenamed() === true || (typeof name === 'string' && plainName(name) !== name);
  }

  /** As people read it, such as `pos.y[1]`; empty for the message itself. */
  path(): string {
    if (this.parent === undefined) return '';
    const before = this.parent.path();
    if (typeof this.name === 'number') return `${before}[${this.name}]`;
    return this.parent.parent === undefined ? plainName(this.name) : `${before}.${plainName(this.name)}`;
  }
}

/** Takes the values of a message, one after the other, each at its place. */
export interface ValueVisitor {
  number(place: Place, value: number): void;
  /** A number as its digits: one that a double does not hold exactly, or any at a place that is wide. */
  digits(place: Place, text: string): void;
  text(place: Place, text: string): void;
  /** A value that is too long, or of a kind that is not read. */
  skipped(place: Place, why: string): void;
  /** A text with bytes that are no UTF-8, which are replaced. */
  replaced(place: Place): void;
  /** A number that is given as 0, for it is nearer to 0 than any double. */
  vanished(place: Place, digits: string): void;
}

/** Reads messages of one schema; gives how many bytes stand behind what the schema says. Throws a MessageFault. */
export type MessageDecoder = (bytes: Uint8Array, root: Place, visitor: ValueVisitor) => number;

/** The most elements of an array that become values of their own; longer arrays, such as pictures, are left out. */
export const mostElements = 16;
export const deepest = 32;
/** The most letters of a text that is kept. */
const longestText = 4096;

export const tooManyElements = `an array of more than ${mostElements} elements`;

export function visitText(place: Place, text: string, visitor: ValueVisitor): void {
  if (text.length > longestText) visitor.skipped(place, `a text of more than ${longestText} letters`);
  else visitor.text(place, text);
}

/** A number, or a whole one that may be beyond 53 bits: its digits where a double would round it. */
export function visitInteger(place: Place, value: number | bigint, visitor: ValueVisitor): void {
  if (typeof value === 'number') visitor.number(place, value);
  else if (BigInt(Number(value)) === value) visitor.number(place, Number(value));
  else visitor.digits(place, String(value));
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** A text of a schema that does not check it; bytes that are no UTF-8 become U+FFFD, and the visitor is told. */
export function visitUtf8(place: Place, bytes: Uint8Array, visitor: ValueVisitor): void {
  let text: string;
  try {
    text = strict.decode(bytes);
  } catch {
    text = lenient.decode(bytes);
    visitor.replaced(place);
  }
  visitText(place, text, visitor);
}
