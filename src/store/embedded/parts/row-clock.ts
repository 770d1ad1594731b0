import { firstRowFrom } from '../rows/row-group.ts';
import type { OffsetRange } from '../rows/windows.ts';
import type { EncodedGroup } from './encoded-group.ts';

/** The clocks that are known behind one. */
const mostNext = 8;
/** The rows of all clocks that are known. */
const mostRows = 1 << 20;

/**
 * The times of row groups that follow one another. Streams are often written at the same times: regular clocks are known again, and
 * their offsets made once.
 */
export class RowClock {
  /** The rows of the last group that are inside its range. */
  readonly from: number;
  readonly to: number;
  /** All rows inside together, and where they end, counted from the first row of the first group. */
  readonly count: number;
  readonly end: number;
  readonly #before: RowClock | undefined;
  readonly #own: Float64Array;
  #offsets: Float64Array | undefined;
  /** What the last group is known by. */
  readonly #step: number | undefined;
  readonly #first: number;
  readonly #rows: number;
  readonly #inside: OffsetRange;
  readonly #known: { rows: number };
  #next: RowClock[] = [];

  private constructor(before: RowClock | undefined, view: EncodedGroup | undefined, inside: OffsetRange) {
    const all = view?.offsets() ?? noOffsets;
    this.from = firstRowFrom(all, inside.first);
    this.to = firstRowFrom(all, inside.last + 1);
    this.count = (before?.count ?? 0) + this.to - this.from;
    this.end = before === undefined || before.count === 0 ? this.to : before.end + this.to;
    this.#before = before;
    this.#own = this.to - this.from === all.length ? all : all.subarray(this.from, this.to);
    this.#step = view?.step;
    this.#first = view?.handle.minOffset ?? 0;
    this.#rows = all.length;
    this.#inside = inside;
    this.#known = before === undefined ? { rows: 0 } : before.#known;
  }

  /** The clock of no rows. */
  static begin(): RowClock {
    return new RowClock(undefined, undefined, { first: 0, last: 0 });
  }

  /** Whether the last group is inside its range up to its end. */
  get isWhole(): boolean {
    return this.to === this.#rows;
  }

  /** The clock with one more group behind the others. */
  with(view: EncodedGroup, inside: OffsetRange): RowClock {
    for (const next of this.#next) if (next.#isOf(view, inside)) return next;
    const next = new RowClock(this, view, inside);
    if (view.step === undefined) return next;
    if (this.#known.rows > mostRows) this.#forget();
    if (this.#next.length === mostNext) this.#next.shift();
    this.#next.push(next);
    this.#known.rows += next.count;
    return next;
  }

  /** Of all rows: the same array whenever the clock is asked. */
  offsets(): Float64Array {
    this.#offsets ??= this.#joined();
    return this.#offsets;
  }

  #isOf({ step, handle }: EncodedGroup, { first, last }: OffsetRange): boolean {
    return (
      step === this.#step &&
      handle.minOffset === this.#first &&
      handle.rows === this.#rows &&
      first === this.#inside.first &&
      last === this.#inside.last
    );
  }

  #forget(): void {
    let clock: RowClock = this;
    while (clock.#before !== undefined) clock = clock.#before;
    clock.#next = [];
    clock.#known.rows = 0;
  }

  #joined(): Float64Array {
    if (this.count === this.#own.length) return this.#own;
    const offsets = new Float64Array(this.count);
    for (let clock: RowClock | undefined = this; clock !== undefined; clock = clock.#before)
      offsets.set(clock.#own, clock.count - clock.#own.length);
    return offsets;
  }
}

const noOffsets = new Float64Array(0);
