import { type KeptRow, type MemoryLeft, type RowFacts, type RowKey, RowMemory } from './row-memory.ts';

/** A row that was found, and how to set what is known of it. */
export interface FoundRow {
  readonly row: RowFacts | KeptRow;
  set(row: RowFacts | KeptRow): void;
}

/** The fewest rows of a memory that is worth its while. */
const fewestRows = 1024;

/**
 * The rows of a group that later ones can still meet: times never go back by more than `back`, so that rows from longer ago
 * are forgotten.
 */
export class RowWindow {
  private readonly left: MemoryLeft;
  private readonly back: bigint;
  private newer: RowMemory;
  private older: RowMemory | undefined;
  private begin: bigint | undefined;

  constructor(left: MemoryLeft, back: bigint) {
    this.left = left;
    this.back = back;
    this.newer = new RowMemory(left);
  }

  /** Tells that a row of this time has come. */
  move(time: bigint): void {
    this.begin ??= time;
    if (time - this.begin <= this.back || this.newer.size() < fewestRows) return;
    this.older?.end();
    this.older = this.newer;
    this.newer = new RowMemory(this.left);
    this.begin = time;
  }

  find(key: RowKey): FoundRow | undefined {
    return findIn(this.newer, key) ?? (this.older && findIn(this.older, key));
  }

  /** Takes up a row whose key is not there. Whether there was room. */
  add(key: RowKey, row: RowFacts | KeptRow): boolean {
    if (!this.newer.hasRoom()) return false;
    this.newer.add(key, row);
    return true;
  }
}

function findIn(memory: RowMemory, key: RowKey): FoundRow | undefined {
  const at = memory.find(key);
  return at < 0 ? undefined : { row: memory.get(at), set: (row) => memory.set(at, row) };
}
