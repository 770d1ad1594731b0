import type { MetCell } from './met-values.ts';

/** Rows that are remembered, over all of a file: some 30 bytes each. */
const mostRows = 1 << 22;
/** Cells of rows that are kept as they are, over all of a file. */
const mostCells = 1 << 20;

/** What is left of both. */
export class MemoryLeft {
  rows = mostRows;
  cells = mostCells;
}

/** A row as it is stored: the cells of all rows that met, and their places in the file. */
export interface KeptRow {
  readonly cells: readonly MetCell[];
  /** By cell, where rows have met. */
  readonly places: number | readonly number[];
}

/** What is known of a row whose cells are not kept. */
export interface RowFacts {
  readonly place: number;
  readonly set: number;
  readonly hash: number;
}

/** Two words of the time of a row, and of its tags where its group does not tell them. */
export interface RowKey {
  readonly one: number;
  readonly other: number;
}

const words = 5;

/** The rows of one group by their times: compact, and the first of a file with their cells. */
export class RowMemory {
  private facts = new Uint32Array(words * 16);
  private slots = new Uint32Array(32);
  private readonly kept: (KeptRow | undefined)[] = [];
  private readonly left: MemoryLeft;
  private count = 0;
  private keptCells = 0;

  constructor(left: MemoryLeft) {
    this.left = left;
  }

  /** Its number; -1 where there is none. */
  find({ one, other }: RowKey): number {
    const mask = this.slots.length - 1;
    for (let slot = one & mask; this.slots[slot] !== 0; slot = (slot + 1) & mask) {
      const at = this.slots[slot]! - 1;
      if (this.facts[at * words] === one && this.facts[at * words + 1] === other) return at;
    }
    return -1;
  }

  /** Whether there is room for one more. */
  hasRoom(): boolean {
    return this.left.rows > 0;
  }

  size(): number {
    return this.count;
  }

  /** Takes up a row that is not there; there must be room. */
  add(key: RowKey, row: RowFacts | KeptRow): void {
    if ((this.count + 1) * words > this.facts.length) this.grow();
    const at = this.count++;
    this.left.rows--;
    this.facts[at * words] = key.one;
    this.facts[at * words + 1] = key.other;
    this.place(at);
    this.set(at, row);
  }

  get(at: number): RowFacts | KeptRow {
    const [, , place, set, hash] = this.facts.subarray(at * words, (at + 1) * words);
    return this.kept[at] ?? { place: place!, set: set!, hash: hash! };
  }

  set(at: number, row: RowFacts | KeptRow): void {
    if ('cells' in row) {
      if (this.kept[at] === undefined) {
        this.left.cells -= row.cells.length;
        this.keptCells += row.cells.length;
      }
      this.kept[at] = row;
      return;
    }
    this.facts[at * words + 2] = row.place;
    this.facts[at * words + 3] = row.set;
    this.facts[at * words + 4] = row.hash;
  }

  /** Gives back what it took of the room; it is not used again. */
  end(): void {
    this.left.rows += this.count;
    this.left.cells += this.keptCells;
  }

  private place(at: number): void {
    const mask = this.slots.length - 1;
    let slot = this.facts[at * words]! & mask;
    while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
    this.slots[slot] = at + 1;
  }

  private grow(): void {
    const facts = new Uint32Array(this.facts.length * 2);
    facts.set(this.facts);
    this.facts = facts;
    this.slots = new Uint32Array(this.slots.length * 2);
    for (let at = 0; at < this.count; at++) this.place(at);
  }
}

/** The words are mixed: times that follow each other stand apart. */
export function keyOf(time: bigint, identity: string): RowKey {
  let tags = 0;
  for (let i = 0; i < identity.length; i++) tags = Math.imul(tags ^ identity.charCodeAt(i), 0x01000193);
  const low = Number(BigInt.asIntN(32, time));
  const high = Number(BigInt.asIntN(32, time >> 32n));
  const one = mix(low ^ mix(high ^ tags));
  return { one, other: mix(high ^ Math.imul(low, 0x9e3779b1) ^ (tags + 0x7f4a7c15)) };
}

function mix(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
