import { UsualStep } from './usual-step.ts';

/** A row, by how many came before it, and by its line or number in the file. */
export interface RowPlace {
  readonly row: number;
  readonly place: number;
  /** Of a logger's file with several. */
  readonly table: number;
}

/** A row at which times begin anew. */
export interface Restart extends RowPlace {
  readonly time: bigint;
  /** The latest time of the rows before. */
  readonly before: bigint;
  /** Whether the row is the first one with its tags: then it cannot meet a row before. */
  readonly hasNewTags: boolean;
}

/** Rows between two restarts. */
export interface Run {
  readonly from: bigint;
  readonly to: bigint;
}

/** What came of the times of a stream. */
export interface FoundRestarts {
  readonly restarts: readonly Restart[];
  /** One more than restarts; none where there are no rows. */
  readonly runs: readonly Run[];
  /** The longest step back that is no restart, ns. */
  readonly longestBack: bigint;
  readonly step: bigint;
}

/** The most candidates that are kept of one stream. */
const mostCandidates = 100_000;

/**
 * Finds where the times of a stream begin anew. A step back is a restart where
 * - it ends before the run's first tenth is over, or before its first time, and
 * - the run has two times at least, not counting a single one that is far ahead, and
 * - the next row does not go on where times were before, and
 * - it is longer than all steps back that end elsewhere: those are disorder.
 */
export class RestartFinder {
  private from: bigint | undefined;
  private to = 0n;
  /** The latest time before the latest. */
  private below: bigint | undefined;
  private readonly found: (Restart & { readonly run: Run; readonly distance: bigint })[] = [];
  /** The last one found, while its row is the last one. */
  private isFresh = false;
  /** The longest step back that says of others that they are none of a restart. */
  private disorder = 0n;
  private longestBack = 0n;
  private readonly steps = new UsualStep();

  /** @param canRestart whether the times of rows with the same tags go back too, or there were none */
  see(time: bigint, place: RowPlace, canRestart: boolean, hasNewTags: boolean): void {
    if (this.from !== undefined && time > this.to) {
      if (this.isFresh && time > this.found.at(-1)!.before) this.takeBack();
      else this.steps.see(time - this.to);
      this.isFresh = false;
      this.below = this.to;
      this.to = time;
    } else if (this.from === undefined) {
      this.from = time;
      this.to = time;
    } else if (time < this.to) this.back(time, place, canRestart, hasNewTags);
    else this.isFresh = false;
  }

  /** What was found, with the restarts that more than disorder explains. */
  end(): FoundRestarts {
    const runs: Run[] = [];
    const restarts: Restart[] = [];
    let { longestBack } = this;
    let open: Run | undefined;
    const join = (run: Run): void => {
      open = open === undefined ? run : { from: least(open.from, run.from), to: greatest(open.to, run.to) };
    };
    for (const { run, distance, ...restart } of this.found) {
      join(run);
      if (distance <= this.disorder) {
        longestBack = greatest(longestBack, distance);
        continue;
      }
      restarts.push(restart);
      runs.push(open!);
      open = undefined;
    }
    if (this.from !== undefined) join({ from: this.from, to: this.to });
    return { restarts, runs: open === undefined ? [] : [...runs, open], longestBack, step: this.steps.get() };
  }

  private back(time: bigint, place: RowPlace, canRestart: boolean, hasNewTags: boolean): void {
    const from = this.from!;
    const distance = this.to - time;
    const isNearBegin = (time - from) * 10n <= this.to - from;
    this.isFresh = false;
    if (canRestart && isNearBegin && this.below !== undefined && time <= this.below && this.hasRoom()) {
      const run = { from, to: this.to };
      this.found.push({ ...place, time, before: this.to, hasNewTags, run, distance });
      this.isFresh = true;
      this.startAt(time);
      return;
    }
    this.longestBack = greatest(this.longestBack, distance);
    if (canRestart && this.below === undefined) this.startAt(time);
    else if (canRestart && isNearBegin && time > this.below!) this.to = time;
    else {
      this.disorder = greatest(this.disorder, distance);
      this.from = least(from, time);
    }
  }

  private hasRoom(): boolean {
    return this.found.length < mostCandidates;
  }

  private startAt(time: bigint): void {
    this.from = time;
    this.to = time;
    this.below = undefined;
  }

  /** The last one was a row that stands late, no restart. */
  private takeBack(): void {
    const { run, distance, time } = this.found.pop()!;
    this.disorder = greatest(this.disorder, distance);
    this.longestBack = greatest(this.longestBack, distance);
    this.from = least(run.from, time);
    this.to = run.to;
    this.isFresh = false;
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function greatest(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
