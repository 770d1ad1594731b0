import { randomInt } from 'node:crypto';
import type { WireReader } from '../../protobuf/wire-reader.ts';

/** Bytes and what is remembered of them, together. */
const maxBytes = 64 * 1024 * 1024;

/** Of an entry, besides its bytes and its value. */
const entryBytes = 64;

/** Entries that are looked at for one hash: beyond them nothing is found or kept. */
const mostLooked = 64;

const firstEntries = 256;

/** Secret, so that nobody can choose bytes that all meet in one place. */
const seed = randomInt(2 ** 32) | 0;

/** A hash of the bytes in `[from, to)`. */
export type HashOf = (view: DataView, from: number, to: number) => number;

/** Bytes that are looked for, and their hash. */
class Key {
  view: DataView = new DataView(new ArrayBuffer(0));
  from = 0;
  to = 0;
  hash = 0;
}

/**
 * What was read of earlier messages, by the bytes of it: whoever writes series writes the same ones again and again, and to
 * read their labels takes longer than their samples do. Bytes are found by their hash, and compared; mostly they come in the
 * order in which they came before, and then there is no hash. A value must follow from the bytes alone.
 *
 * When half of the memory is taken, what was not asked for since the last time is forgotten.
 */
export class KnownBytes<Value> {
  readonly #most: number;
  readonly #hashOf: HashOf;
  readonly #key = new Key();
  #young: Generation<Value>;
  #old: Generation<Value>;

  constructor(most = maxBytes, hashOf: HashOf = hashOfBytes) {
    this.#most = most;
    this.#hashOf = hashOf;
    this.#young = new Generation();
    this.#old = new Generation();
  }

  /** What is known of the bytes in `[from, to)`. */
  find({ view }: WireReader, from: number, to: number): Value | undefined {
    const key = this.#key;
    key.view = view;
    key.from = from;
    key.to = to;
    const next = this.#young.findNext(key);
    if (next !== undefined) return next;
    key.hash = this.#hashOf(view, from, to);
    const found = this.#young.find(key);
    if (found !== undefined) return found;
    const place = this.#old.placeOf(key);
    if (place < 0) return undefined;
    const value = this.#old.values[place]!;
    this.#add(key, value, this.#old.sizes[place]!);
    return value;
  }

  /** Keeps a value that is not known: of bytes that were just looked for. */
  add({ view }: WireReader, from: number, to: number, value: Value, size: number): void {
    const key = this.#key;
    key.view = view;
    key.from = from;
    key.to = to;
    key.hash = this.#hashOf(view, from, to);
    this.#add(key, value, size);
  }

  #add(key: Key, value: Value, size: number): void {
    const bytes = key.to - key.from + size + entryBytes;
    if (this.#young.bytes + bytes > this.#most / 2) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    if (bytes <= this.#most / 2) this.#young.add(key, value, size, bytes);
  }
}

/** Entries in the order in which they came. */
class Generation<Value> {
  /** Of all entries. */
  bytes = 0;
  readonly values: Value[] = [];
  /** What each value takes. */
  readonly sizes: number[] = [];
  /** Of each entry where its bytes begin, in words, how many it has, and their hash. */
  #starts = new Uint32Array(firstEntries);
  #lengths = new Uint32Array(firstEntries);
  #hashes = new Int32Array(firstEntries);
  /** The bytes, four in each; those of an entry begin a word. */
  #words = new Int32Array(16 * firstEntries);
  #used = 0;
  /** Each 0, or one more than an entry; a power of two of them, and half are 0 at least. */
  #slots = new Uint32Array(2 * firstEntries);
  /** The entry that comes next where they come as before. */
  #next = 0;

  findNext(key: Key): Value | undefined {
    const entry = this.#next < this.values.length ? this.#next : 0;
    if (!this.#isAt(entry, key)) return undefined;
    this.#next = entry + 1;
    return this.values[entry];
  }

  find(key: Key): Value | undefined {
    const entry = this.placeOf(key);
    if (entry < 0) return undefined;
    this.#next = entry + 1;
    return this.values[entry];
  }

  /** The entry of bytes, -1 where there is none. */
  placeOf(key: Key): number {
    const mask = this.#slots.length - 1;
    for (let slot = key.hash & mask, looked = 0; looked < mostLooked; slot = (slot + 1) & mask, looked++) {
      const entry = this.#slots[slot]! - 1;
      if (entry < 0) return -1;
      if (this.#hashes[entry] === key.hash && this.#isAt(entry, key)) return entry;
    }
    return -1;
  }

  /** @param bytes of it all */
  add({ view, from, to, hash }: Key, value: Value, size: number, bytes: number): void {
    const entry = this.values.length;
    if (entry === this.#starts.length) this.#grow();
    const slot = freeSlot(this.#slots, hash);
    if (slot < 0) return;
    const length = to - from;
    const whole = length >> 2;
    while (this.#used + whole + 1 > this.#words.length) this.#words = doubled(this.#words, Int32Array);
    let word = this.#used;
    this.#starts[entry] = word;
    for (let i = 0; i < whole; i++) this.#words[word++] = view.getInt32(from + 4 * i, true);
    if ((length & 3) !== 0) this.#words[word++] = tailOf(view, to - (length & 3), to);
    this.#used = word;
    this.#lengths[entry] = length;
    this.#hashes[entry] = hash;
    this.#slots[slot] = entry + 1;
    this.values.push(value);
    this.sizes.push(size);
    this.bytes += bytes;
    this.#next = entry + 1;
  }

  /** Whether the bytes are those of an entry. */
  #isAt(entry: number, { view, from, to }: Key): boolean {
    const length = to - from;
    if (this.#lengths[entry] !== length) return false;
    const words = this.#words;
    let word = this.#starts[entry]!;
    for (let at = from, end = word + (length >> 2); word < end; at += 4)
      if (words[word++] !== view.getInt32(at, true)) return false;
    return (length & 3) === 0 || words[word] === tailOf(view, to - (length & 3), to);
  }

  #grow(): void {
    this.#starts = doubled(this.#starts, Uint32Array);
    this.#lengths = doubled(this.#lengths, Uint32Array);
    this.#hashes = doubled(this.#hashes, Int32Array);
    const slots = new Uint32Array(2 * this.#starts.length);
    for (let entry = 0; entry < this.values.length; entry++) {
      const slot = freeSlot(slots, this.#hashes[entry]!);
      if (slot >= 0) slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}

/** The place for one more entry of a hash; -1 where so many are in the way that it would not be found. */
function freeSlot(slots: Uint32Array, hash: number): number {
  const mask = slots.length - 1;
  let slot = hash & mask;
  for (let looked = 0; looked < mostLooked; looked++, slot = (slot + 1) & mask)
    if (slots[slot] === 0) return slot;
  return -1;
}

function doubled<Words extends Uint32Array | Int32Array>(
  words: Words,
  type: new (length: number) => Words,
): Words {
  const larger = new type(2 * words.length);
  larger.set(words);
  return larger;
}

/** Up to three bytes, the first one lowest. */
function tailOf(view: DataView, from: number, to: number): number {
  let tail = 0;
  for (let at = to - 1; at >= from; at--) tail = (tail << 8) | view.getUint8(at);
  return tail;
}

function hashOfBytes(view: DataView, from: number, to: number): number {
  const rest = (to - from) & 3;
  let hash = seed ^ (to - from);
  for (let at = from; at < to - rest; at += 4) hash = mixed(hash, view.getInt32(at, true));
  if (rest > 0) hash = mixed(hash, tailOf(view, to - rest, to));
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}
