import { entryOf } from '../domain/entry-of.ts';
import { type Column, isPresent, Kind, type Rows } from '../domain/parameter-data.ts';
import { sortInSteps } from '../query/groups/paced-sort.ts';
import type { Steps } from '../turns/steps.ts';
import { excerpt } from '../wire/base/name.ts';
import type { MemoryShare } from '../wire/json/json-memory.ts';
import type { StreamRows } from '../wire/rows/parameter-data.ts';

/** Whether each row is later than the one before: then none has the time of another. */
function areAscending({ count, offsets }: Rows): boolean {
  for (let row = 1; row < count; row++) if (offsets[row]! <= offsets[row - 1]!) return false;
  return true;
}

const rowsOfStep = 8192;
/** Of a row in the order of times. */
const orderBytes = 16;

/** Looks for values that others replace in what was decoded; undefined where no time can be there twice. */
export function* replacedSteps(
  streams: readonly StreamRows[],
  share: MemoryShare | undefined,
): Steps<ReplacedRows | undefined> {
  let replaced: ReplacedRows | undefined;
  for (const { rows } of streams)
    for (const one of rows) {
      if (areAscending(one)) continue;
      replaced ??= new ReplacedRows();
      yield* replaced.look(one, share);
    }
  return replaced;
}

/** Counts values of a payload that a later row of the same time and tags replaces, where that has another one. */
class ReplacedRows {
  count = 0;
  #first = '';

  /** What is to be told; undefined where there are none. */
  get text(): string | undefined {
    if (this.count === 0) return undefined;
    const those = this.count === 1 ? 'A value was' : `${this.count} values were`;
    return `${those} replaced, for a later row of the request has the same time and tags: the first is ${this.#first}.`;
  }

  *look(rows: Rows, share: MemoryShare | undefined): Steps<void> {
    const { count } = this;
    if (yield* this.#walk(rows)) return;
    this.count = count;
    share?.take(rows.count * orderBytes);
    const { offsets, tagIndex } = rows;
    const order = yield* sortInSteps(rows.count, (a, b) =>
      tagIndex === undefined || tagIndex[a] === tagIndex[b]
        ? offsets[a]! - offsets[b]!
        : tagIndex[a]! - tagIndex[b]!,
    );
    yield* this.#walk(rows, order);
  }

  /** False where the times of a set of tags go back, so that not all was found. */
  *#walk(rows: Rows, order?: Uint32Array): Steps<boolean> {
    const { count, offsets, tagSets, tagIndex } = rows;
    const lastOf = new Int32Array(tagSets.length).fill(-1);
    /** Of tags whose last time repeats: for each column the last row that has a value. */
    const repeated = new Map<number, Int32Array>();
    for (let at = 0; at < count; at++) {
      if (at % rowsOfStep === rowsOfStep - 1) yield;
      const row = order === undefined ? at : order[at]!;
      const tags = tagIndex === undefined ? 0 : tagIndex[row]!;
      const before = lastOf[tags]!;
      lastOf[tags] = row;
      if (before < 0) continue;
      const step = offsets[row]! - offsets[before]!;
      if (step < 0) return false;
      if (step > 0) repeated.delete(tags);
      else
        this.#meet(
          rows,
          row,
          entryOf(repeated, tags, () => valuesOf(rows, before)),
        );
    }
    return true;
  }

  #meet({ base, offsets, columns }: Rows, row: number, last: Int32Array): void {
    for (const [i, column] of columns.entries()) {
      if (!isPresent(column.present, row)) continue;
      const before = last[i]!;
      last[i] = row;
      if (before < 0 || areSame(column, before, row) || this.count++ > 0) continue;
      this.#first = `${excerpt(column.name)} at ${base + BigInt(offsets[row]!)}`;
    }
  }
}

function valuesOf({ columns }: Rows, row: number): Int32Array {
  return Int32Array.from(columns, ({ present }) => (isPresent(present, row) ? row : -1));
}

function areSame(column: Column, a: number, b: number): boolean {
  if (column.kind === Kind.Numeric) return Object.is(column.values[a], column.values[b]);
  const bytesOf = (row: number) =>
    column.bytes.subarray(row === 0 ? 0 : column.ends[row - 1], column.ends[row]);
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}
