import { noTags } from '../../../domain/tags.ts';
import { frameRows, type NumberValues } from '../../../query/runs/rows-to-aggregate.ts';
import type { RunSums, Runs } from '../../../query/runs/runs.ts';
import type { FrameValues, StoredColumn, StoredRows } from '../../../query/states/stored-rows.ts';
import type { Pace } from '../../../turns/pace.ts';
import { frameTableBytes } from '../codecs/frame-table.ts';
import { frameSize } from '../codecs/integer-frames.ts';
import { type PartIndex, runStart } from '../parts/part-index.ts';
import { offsetsIn } from '../parts/part-record.ts';
import { spanBytesOf } from '../parts/span-file.ts';
import { readSummedColumn, type SummedColumn } from '../parts/summed-column.ts';
import { windowStart } from '../rows/windows.ts';
import { readable } from '../walk/indexed-parts.ts';
import type { PartOfWindow } from './small-groups.ts';

/** A wanted column of a part. */
export interface ColumnOfPart {
  readonly summed: SummedColumn;
  /** By column set of the part: 1 where it has the column. */
  readonly inSet: Uint8Array;
}

/**
 * The rows of one row group after another whose columns are at hand, in the form in which aggregations take them. Nothing is
 * made for a group. What it gives is valid until the next one is opened. Tags must not matter.
 */
export class SummedRows implements StoredRows {
  count = 0;
  base = 0n;
  first = 0;
  last = 0;
  from = 0;
  to = 0;
  readonly hidden = [];
  step = 0;
  group = 0;
  readonly columns: (StoredColumn | undefined)[];
  #part: PartOfWindow | undefined;
  #ofPart: readonly (ColumnOfPart | undefined)[] = [];
  #columns: readonly (SummedRowsColumn | undefined)[] = [];
  #offsets = new Float64Array(0);

  /** @param columns how many parameters the plan has */
  constructor(columns: number) {
    this.columns = new Array<undefined>(columns).fill(undefined);
  }

  /** What is opened from now on is of this part; its columns are aligned with the plan's parameters. */
  begin(part: PartOfWindow, columns: readonly (ColumnOfPart | undefined)[]): void {
    this.#part = part;
    this.#ofPart = columns;
    this.#columns = columns.map((column) => column && new SummedRowsColumn(this, column.summed));
    this.base = windowStart(part.window);
    this.from = part.inside.first;
    this.to = part.inside.last;
  }

  /** Opens a group of a column set. */
  open(set: number, group: number): void {
    const { rows, minOffsets, maxOffsets } = this.#part!.indexed.kept.index.groups;
    this.group = group;
    this.count = rows[group]!;
    this.first = minOffsets[group]!;
    this.last = maxOffsets[group]!;
    for (let i = 0; i < this.#ofPart.length; i++) {
      const column = this.#ofPart[i];
      const isThere = column !== undefined && column.inSet[set] !== 0;
      this.columns[i] = isThere ? this.#columns[i] : undefined;
      if (isThere) this.step = column.summed.steps[group]!;
    }
  }

  // Called without this object, too.
  readonly offsetOf = (row: number): number => this.first + row * this.step;

  readonly offsets = (): Float64Array => {
    if (this.#offsets.length < this.count) this.#offsets = new Float64Array(this.count);
    const [offsets, count, first, step] = [this.#offsets, this.count, this.first, this.step];
    for (let row = 0; row < count; row++) offsets[row] = first + row * step;
    return offsets;
  };

  /** They do not matter. */
  readonly tags = () => untagged;
}

const untagged = { tagSets: [noTags], tagIndex: undefined };

function frameValues(frames: number): FrameValues {
  const array = () => new Float64Array(frames);
  return { min: array(), max: array(), sum: array(), hasExactSums: true };
}

/** A column that every row of the open group has. */
class SummedRowsColumn implements StoredColumn {
  readonly isDense = true;
  readonly isNumeric = true;
  readonly #rows: SummedRows;
  readonly #summed: SummedColumn;
  #values = new Float64Array(0);
  #statistics = frameValues(0);

  constructor(rows: SummedRows, summed: SummedColumn) {
    this.#rows = rows;
    this.#summed = summed;
  }

  statistics(): FrameValues {
    const { group, count } = this.#rows;
    const frames = Math.ceil(count / frameRows);
    if (this.#statistics.sum.length < frames) this.#statistics = frameValues(frames);
    this.#summed.statistics(group, count, this.#statistics);
    return this.#statistics;
  }

  sumRuns(runs: Runs, sums: RunSums): boolean {
    return this.#summed.sumRuns(this.#rows.group, this.#rows.count, runs, sums);
  }

  decode(): NumberValues {
    return this.#unpack(undefined);
  }

  decodeFrames(marks: Uint8Array): NumberValues {
    return this.#unpack(marks);
  }

  #unpack(marks: Uint8Array | undefined): NumberValues {
    const { group, count } = this.#rows;
    if (this.#values.length < count) this.#values = new Float64Array(count);
    this.#summed.unpack(group, count, this.#values, marks);
    return { values: this.#values, present: undefined };
  }
}

/** The columns of each part that a read has, aligned with the plan's parameters. */
export type ColumnsOfParts = readonly (readonly (ColumnOfPart | undefined)[])[];

/**
 * The columns in the form from which sums come fastest: those that are kept, and those that are read now and kept. Undefined
 * where a read has too little of a part for that, or they would not fit into the cache together.
 *
 * @param parameters aligned with the plan's; undefined where nobody wrote it
 * @param streams how many are read
 */
export async function summedColumnsOf(
  parts: readonly PartOfWindow[],
  parameters: readonly (number | undefined)[],
  streams: number,
  pace: Pace,
): Promise<ColumnsOfParts | undefined> {
  const wanted = parameters.filter((number) => number !== undefined);
  let bytes = 0;
  for (const part of parts) {
    const { index } = part.indexed.kept;
    if (!takesMuch(part, streams)) return undefined;
    for (const parameter of wanted) {
      // What is kept already makes no difference: the same question has the same answer.
      const more = await estimate(index, setsWith(index, parameter), pace);
      if (part.indexed.reader.summedColumns?.hasRoom(more) !== true) return undefined;
      bytes += more;
    }
  }
  if (parts.some(({ indexed }) => !indexed.reader.summedColumns!.hasRoom(bytes / mostItems)))
    return undefined;
  const found: (ColumnOfPart | undefined)[][] = [];
  for (const part of parts) {
    const ofPart: (ColumnOfPart | undefined)[] = [];
    for (const parameter of parameters) {
      if (parameter === undefined) ofPart.push(undefined);
      else {
        const summed = await columnOf(part, parameter, pace);
        if (summed === null) return undefined;
        ofPart.push({ summed, inSet: setsWith(part.indexed.kept.index, parameter) });
      }
    }
    found.push(ofPart);
  }
  return found;
}

/** How many times what one column may take all columns of a read take at most. */
const mostItems = 3;
/** The least share of the streams and of the time of a part that a read has to want before columns are kept for it. */
const leastShare = 1 / 4;

function takesMuch({ indexed, window, inside }: PartOfWindow, streams: number): boolean {
  const { runs } = indexed.kept.index;
  if (runs.windows !== undefined) return false;
  const { first, last } = offsetsIn(indexed.part.record, window);
  const common = Math.min(last, inside.last) - Math.max(first, inside.first);
  return streams >= leastShare * runs.count && common >= leastShare * (last - first);
}

/** By column set, whether it has a parameter. */
function setsWith({ runs }: PartIndex, parameter: number): Uint8Array {
  const found = new Uint8Array(runs.columnSets.count);
  for (const set of runs.columnSets.having(parameter)) found[set] = 1;
  return found;
}

/** Runs between two calls of the pace. */
const runsOfTurn = 2048;

/** What a column takes, about: all columns of a group as much as each other. */
async function estimate({ runs, groups, count }: PartIndex, inSet: Uint8Array, pace: Pace): Promise<number> {
  const columns = Uint32Array.from(inSet, (has, set) =>
    has === 0 ? 0 : runs.columnSets.parameters(set).length,
  );
  let bytes = 20 * count;
  for (let run = 0; run < runs.count; run++) {
    const turn = run % runsOfTurn === 0 ? pace() : undefined;
    if (turn !== undefined) await turn;
    const ofRun = columns[runs.sets[run]!]!;
    if (ofRun === 0) continue;
    for (let group = runStart(runs, run); group < runs.ends[run]!; group++)
      bytes += groups.lengths[group]! / ofRun + frameTableBytes * Math.ceil(groups.rows[group]! / frameSize);
  }
  return bytes;
}

/**
 * The column that is kept, or reads it and keeps it; null where it is too large. What is read goes past the cache: beside
 * the row groups of a large part the columns that were read before would go.
 */
async function columnOf(
  { indexed }: PartOfWindow,
  parameter: number,
  pace: Pace,
): Promise<SummedColumn | null> {
  const { part, reader, kept } = indexed;
  const items = reader.summedColumns!;
  const known = items.get(parameter);
  if (known !== undefined) return known;
  const wanted = new Set([parameter]);
  const { view } = reader.inSpans(spanBytesOf(1), false);
  const read = () =>
    readSummedColumn(kept.index, parameter, (handle) => view(handle, wanted), items.hasRoom, pace);
  const summed = await readable(part, read);
  items.put(parameter, summed, summed?.bytes ?? 0);
  return summed;
}

/** A row group whose columns are in the cache (summed-column.ts). */
export interface SummedGroup {
  readonly kind: 'summed';
  /** For one group at a time. */
  readonly rows: SummedRows;
  /** The column set of its run, and its place in the index. */
  readonly set: number;
  readonly group: number;
}

/** Streams all of whose rows are in such groups, none of which overlaps another. */
export interface SummedGroups {
  /** Those of a stream, by its place, in order of time; undefined of any other stream. */
  of(place: number): readonly SummedGroup[] | undefined;
}
