/** Consecutive rows of one slot each: run r is the rows from the end of the one before (0 for the first) to `ends[r]`. */
export interface Runs {
  count: number;
  ends: Uint32Array;
  /** `skipped` where the rows are not wanted. */
  slots: Uint32Array;
}

/** The slot of rows that are not wanted. */
export const skipped = 2 ** 32 - 1;

/** Adds a run that reaches to `end`, or lengthens the last one where it has the same slot. */
export function pushRun(runs: Runs, end: number, slot: number): void {
  const { count } = runs;
  if (count > 0 && runs.slots[count - 1] === slot) {
    runs.ends[count - 1] = end;
    return;
  }
  if (count === runs.ends.length) {
    runs.ends = widened(runs.ends);
    runs.slots = widened(runs.slots);
  }
  runs.ends[count] = end;
  runs.slots[count] = slot;
  runs.count++;
}

/** A copy with twice the room. */
function widened(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(2 * values.length);
  wider.set(values);
  return wider;
}

/**
 * The memory in which an aggregator cuts a block into runs. It belongs to that aggregator from `takeScratch` to
 * `giveBack`, so aggregators that work by turns, or one within another, never write over what the other still reads.
 */
export interface ScratchRuns {
  /** The runs of the block that is being added. */
  readonly runs: Runs;
  /** Of a stored column: runs of whole frames that are known; what lies between is skipped. */
  readonly frames: Runs;
  /** Runs of the rows that the known frames leave over. */
  readonly rest: Runs;
  /** A 1 for each frame that has to be decoded. */
  marks: Uint8Array;
  /** A sum for each of `runs`. */
  sums: RunSums;
}

/** Given back and not taken yet. A small query would spend more on memory of its own than on its rows. */
const free: ScratchRuns[] = [];
/** The most scratch memory for runs that is kept for the next aggregators: more seldom work at the same time. */
const maxFree = 4;

/** Scratch that nobody else has. Who never gives it back leaves it to the garbage collector. */
export function takeScratch(): ScratchRuns {
  return (
    free.pop() ?? {
      runs: emptyRuns(),
      frames: emptyRuns(),
      rest: emptyRuns(),
      marks: new Uint8Array(64),
      sums: emptySums(64),
    }
  );
}

/** Takes scratch memory back. Its owner calls it once, and must not use the scratch afterwards. */
export function giveBack(scratch: ScratchRuns): void {
  if (free.length < maxFree) free.push(scratch);
}

function emptyRuns(): Runs {
  return { count: 0, ends: new Uint32Array(64), slots: new Uint32Array(64) };
}

/** Sums with what rounding took from each. */
export interface RunSums {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

export function emptySums(runs: number): RunSums {
  return { high: new Float64Array(runs), low: new Float64Array(runs) };
}
