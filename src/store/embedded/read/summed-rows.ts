import { noTags } from '../../../domain/tags.ts';
import { frameRows, type NumberValues } from '../../../query/rows-to-aggregate.ts';
import type { RunSums, Runs } from '../../../query/runs.ts';
import type { FrameValues, StoredColumn, StoredRows } from '../../../query/stored-rows.ts';
import type { SummedColumn } from '../parts/summed-column.ts';
import { windowStart } from '../rows/windows.ts';
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
