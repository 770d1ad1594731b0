import { randomInt } from 'node:crypto';

/**
 * The streams of a topic by their ids, in the order in which they came. The ids themselves stand in the table of
 * streams, so that a stream costs 20 bytes here: a Map of a million ids takes a second of processor to fill.
 */
export interface StreamIds {
  get(id: string): number | undefined;
  /** The table of streams has that id under that number already. */
  set(id: string, number: number): void;
  /** Sets the number of an id, unless it has a higher one. */
  setNewer(id: string, number: number): void;
  delete(id: string): void;
  /** Numbers. Nothing is to be set meanwhile. */
  values(): Iterable<number>;
  clear(): void;
}

/** Secret, so that nobody can choose ids that all meet in one place. */
const seed = randomInt(2 ** 32);
const minSlots = 16;

/** @param idOf the id of a stream's number */
export function streamIds(idOf: (number: number) => string): StreamIds {
  /** Streams in the order in which they came, 0 where one has gone; and the hashes of their ids. */
  let numbers = new Uint32Array(minSlots / 2);
  let hashes = new Uint32Array(minSlots / 2);
  let used = 0;
  let count = 0;
  /** Each 0, or one more than a place in `numbers`; a power of two of them, and half are 0 at least. */
  let slots = new Uint32Array(minSlots);

  /** The slot of an id, or the one where it would stand. */
  function find(id: string, hash: number): number {
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = slots[slot]! - 1;
      if (place < 0) return slot;
      if (hashes[place] === hash && numbers[place] !== 0 && idOf(numbers[place]!) === id) return slot;
    }
  }

  /** Makes room, in half as much again or more, without the places of those that have gone. */
  function rebuild(): void {
    let length = minSlots;
    while (length < 4 * (count + 1)) length *= 2;
    const [oldNumbers, oldHashes, oldUsed] = [numbers, hashes, used];
    numbers = new Uint32Array(length / 2);
    hashes = new Uint32Array(length / 2);
    slots = new Uint32Array(length);
    used = 0;
    for (let place = 0; place < oldUsed; place++) {
      if (oldNumbers[place] !== 0) append(freeSlot(oldHashes[place]!), oldNumbers[place]!, oldHashes[place]!);
    }
  }

  function freeSlot(hash: number): number {
    const mask = slots.length - 1;
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }

  function append(slot: number, number: number, hash: number): void {
    numbers[used] = number;
    hashes[used] = hash;
    slots[slot] = ++used;
  }

  function put(id: string, number: number, isNewer: boolean): void {
    const hash = hashOf(id);
    let slot = find(id, hash);
    const place = slots[slot]! - 1;
    if (place >= 0) {
      if (!isNewer || number > numbers[place]!) numbers[place] = number;
      return;
    }
    if (used === numbers.length) {
      rebuild();
      slot = freeSlot(hash);
    }
    append(slot, number, hash);
    count++;
  }

  return {
    get(id) {
      const place = slots[find(id, hashOf(id))]! - 1;
      return place < 0 ? undefined : numbers[place];
    },
    set: (id, number) => put(id, number, false),
    setNewer: (id, number) => put(id, number, true),
    delete(id) {
      const place = slots[find(id, hashOf(id))]! - 1;
      if (place < 0) return;
      // Its slot stays taken until the next rebuild: what follows it is found past it.
      numbers[place] = 0;
      count--;
    },
    *values() {
      const [walked, end] = [numbers, used];
      for (let place = 0; place < end; place++) if (walked[place] !== 0) yield walked[place]!;
    },
    clear() {
      numbers.fill(0);
      count = 0;
      rebuild();
    },
  };
}

function hashOf(id: string): number {
  let hash = seed;
  for (let i = 0; i < id.length; i++) {
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
