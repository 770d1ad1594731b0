import { ChannelSets } from './channel-sets.ts';
import { type CellForm, hashOf, isNone, isSame, type MetCell } from './met-values.ts';
import { type KeptRow, keyOf, MemoryLeft, type RowFacts, type RowKey } from './row-memory.ts';
import { RowWindow } from './row-window.ts';
import type { GroupTimes } from './watch-times.ts';

/** What becomes of a row whose time and tags an earlier one of its stream has, with values of the same channels. */
export type SameTime = 'replace' | 'keep';

/** A row of a file: by its line, or by its number in its table. */
interface MetAt {
  readonly place: number;
  readonly table: number;
}

/** The first row that replaced a value by another. */
export interface FirstMet extends MetAt {
  readonly channel: string;
  readonly time: bigint;
  readonly value: MetCell;
  /** Of the row before; its value is unknown where it was long ago. */
  readonly before: { readonly place: number; readonly value: MetCell | undefined };
}

/** What rows met. Those that met are not counted as stored, unless they are kept. */
export interface Meetings {
  /** Rows that replaced a value by another. */
  readonly replaced: number;
  /** Rows that changed nothing. */
  readonly repeated: number;
  /** Rows that have values of other channels only, or these besides the same values. */
  readonly joined: number;
  /** By channel, how many values were replaced by others, as far as that is known: of rows long ago it may not be. */
  readonly channels: ReadonlyMap<string, number>;
  readonly first: FirstMet | undefined;
  /** Rows that went on by nanoseconds, and the most of these. */
  readonly moved: number;
  readonly farthest: bigint;
  /** Whether not all rows could be remembered, so that more may have met. */
  readonly isAtLeast: boolean;
}

/** Thrown where rows are to be kept, and there are too many to know which times are free. */
export class TooManyRows extends Error {
  constructor() {
    super(
      'there are too many rows whose times come back to keep all of them; --same-time replace imports the file',
    );
    this.name = 'TooManyRows';
  }
}

/**
 * How far back (ns) rows are kept beyond what the times go back: nobody writes so many at one time that keeping them
 * takes longer.
 */
const room = 1_000_000_000n;

interface Group {
  readonly run: number;
  /** Undefined where no rows can meet. */
  readonly window: RowWindow | undefined;
  /** Where the next row of a time can be free. */
  readonly free: Map<bigint, bigint>;
}

/** Counts what rows meet, from the first to the last, group by group. It remembers rows only where times do not go forward. */
export class MetRows {
  private replaced = 0;
  private repeated = 0;
  private joined = 0;
  private moved = 0;
  private farthest = 0n;
  private isAtLeast = false;
  private first: FirstMet | undefined;
  private readonly channels = new Map<string, number>();
  private readonly groups: (Group | undefined)[] = [];
  private readonly left: MemoryLeft;
  private readonly sets: ChannelSets;
  private readonly form: CellForm;
  private readonly names: readonly string[];
  private readonly sameTime: SameTime;

  /** @param names of the channels, aligned with those of the form */
  constructor(form: CellForm, names: readonly string[], sameTime: SameTime, left = new MemoryLeft()) {
    this.form = form;
    this.names = names;
    this.sameTime = sameTime;
    this.left = left;
    this.sets = new ChannelSets(form);
  }

  /** Takes up a row that has a value; gives the time at which it is stored. Throws TooManyRows. */
  add(
    time: bigint,
    cells: readonly MetCell[],
    at: MetAt & { readonly group: number; readonly run: number },
    times: GroupTimes,
    identity: string,
  ): bigint {
    let group = this.groups[at.group];
    if (group?.run !== at.run) {
      group = this.groupOf(times, at.run);
      this.groups[at.group] = group;
    }
    const { window, free } = group;
    if (window === undefined) return time;
    window.move(time);
    const key = keyOf(time, identity);
    const found = window.find(key);
    if (found === undefined) {
      this.remember(window, key, cells, at.place);
      return time;
    }
    if (this.sameTime === 'replace' || !this.overlaps(found.row, cells)) {
      found.set(this.meet(found.row, cells, time, at));
      return time;
    }
    let other = free.get(time) ?? time + 1n;
    while (window.find(keyOf(other, identity)) !== undefined) other++;
    if (free.size > 1000) free.clear();
    free.set(time, other + 1n);
    this.moved++;
    if (other - time > this.farthest) this.farthest = other - time;
    this.remember(window, keyOf(other, identity), cells, at.place);
    return other;
  }

  result(): Meetings {
    const { replaced, repeated, joined, channels, first, moved, farthest, isAtLeast } = this;
    return { replaced, repeated, joined, channels, first, moved, farthest, isAtLeast };
  }

  private groupOf({ hasTies, back }: GroupTimes, run: number): Group {
    const canMeet = hasTies || back > 0n;
    const far = this.sameTime === 'keep' ? back + room : back;
    return { run, window: canMeet ? new RowWindow(this.left, far) : undefined, free: new Map() };
  }

  private remember(window: RowWindow, key: RowKey, cells: readonly MetCell[], place: number): void {
    if (window.add(key, this.rowOf(cells, place))) return;
    if (this.sameTime === 'keep') throw new TooManyRows();
    this.isAtLeast = true;
  }

  private rowOf(cells: readonly MetCell[], place: number): RowFacts | KeptRow {
    if (this.left.cells >= cells.length) return { cells, places: place };
    const set = this.sets.of(cells);
    if (set !== undefined) return { place, set, hash: hashOf(cells, this.form) };
    return { cells, places: place };
  }

  private hasBefore(row: RowFacts | KeptRow, i: number): boolean {
    return 'cells' in row ? !isNone(row.cells[this.form.channels[i]!], this.form) : this.sets.has(row.set, i);
  }

  private overlaps(row: RowFacts | KeptRow, cells: readonly MetCell[]): boolean {
    return this.form.channels.some((at, i) => !isNone(cells[at], this.form) && this.hasBefore(row, i));
  }

  /** Counts what a row does to the one before; gives what is stored then. */
  private meet(
    row: RowFacts | KeptRow,
    cells: readonly MetCell[],
    time: bigint,
    at: MetAt,
  ): RowFacts | KeptRow {
    const { channels } = this.form;
    const both: number[] = [];
    let isJoined = false;
    for (let i = 0; i < channels.length; i++) {
      if (isNone(cells[channels[i]!], this.form)) continue;
      if (this.hasBefore(row, i)) both.push(i);
      else isJoined = true;
    }
    const isReplaced =
      'cells' in row
        ? this.countReplaced(row, both, cells, time, at)
        : both.length > 0 && row.hash !== hashOf(cells, this.form);
    // Of several channels a hash does not tell which have other values.
    if (isReplaced && !('cells' in row) && both.length === 1)
      this.countChannel(row, both[0]!, cells, time, at);
    if (isReplaced) this.replaced++;
    else if (isJoined) this.joined++;
    else this.repeated++;
    return this.merged(row, cells, at.place);
  }

  /** Whether a row has other values than the one before, of which channels. */
  private countReplaced(
    row: KeptRow,
    both: readonly number[],
    cells: readonly MetCell[],
    time: bigint,
    at: MetAt,
  ): boolean {
    let isReplaced = false;
    for (const i of both) {
      const column = this.form.channels[i]!;
      if (isSame(row.cells[column]!, cells[column]!, this.form)) continue;
      isReplaced = true;
      this.countChannel(row, i, cells, time, at);
    }
    return isReplaced;
  }

  private countChannel(
    row: RowFacts | KeptRow,
    i: number,
    cells: readonly MetCell[],
    time: bigint,
    { place, table }: MetAt,
  ): void {
    const column = this.form.channels[i]!;
    const channel = this.names[i]!;
    this.channels.set(channel, (this.channels.get(channel) ?? 0) + 1);
    this.first ??= { channel, time, place, table, value: cells[column]!, before: beforeOf(row, column) };
  }

  private merged(row: RowFacts | KeptRow, cells: readonly MetCell[], place: number): RowFacts | KeptRow {
    if ('cells' in row) {
      const isWhole = row.cells.every((cell, at) => isNone(cell, this.form) || !isNone(cells[at], this.form));
      if (isWhole) return { cells, places: place };
      const isNew = (at: number) => !isNone(cells[at], this.form);
      return {
        cells: row.cells.map((cell, at) => (isNew(at) ? cells[at]! : cell)),
        places: row.cells.map((_, at) => (isNew(at) ? place : placeOf(row, at))),
      };
    }
    const set = this.sets.of(cells);
    const union = set === undefined ? undefined : this.sets.union(row.set, set);
    return { place, set: union ?? row.set, hash: hashOf(cells, this.form) };
  }
}

function placeOf({ places }: KeptRow, at: number): number {
  return typeof places === 'number' ? places : places[at]!;
}

function beforeOf(row: RowFacts | KeptRow, at: number): FirstMet['before'] {
  if (!('cells' in row)) return { place: row.place, value: undefined };
  return { place: placeOf(row, at), value: row.cells[at]! };
}
