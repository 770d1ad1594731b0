/**
 * The time in which the service could take rows: only that counts as silence of a stream. It could not while it was down, while
 * its process was paused (or had no turn for so long), and while its store took no writes.
 */
export interface Listening {
  /** Looks at the clock and the store. To be called every `tickMs`. */
  tick(): void;
  /** Told once: what is known of the time before this start; undefined where nothing is. */
  began(before: Listened | undefined): void;
  /** Whether rows could be taken up to the last tick. */
  isListening(): boolean;
  /** What the next start is to know. */
  listened(): Listened;
  /** How long (ms) rows could not be taken since this start. */
  lostMs(): number;
  /**
   * How much longer (ms) a stream whose last row came at `heardAt` (ms) has been silent than it may be; undefined where it has not.
   * After a time in which no rows were taken clients have a while to come back: as long as that time was, a minute at most.
   */
  overdue(heardAt: number, noDataForMs: number): number | undefined;
}

/** When rows could be taken. */
export interface Listened {
  /** The last time (ms). */
  readonly until: number;
  /** Times before it at which they could not. */
  readonly gaps: readonly Gap[];
}

/** From when (ms) to when. */
export type Gap = readonly [from: number, to: number];

/** How often to call `tick`. */
export const tickMs = 1000;

/** The distance of ticks from which on they tell that the process had no turn, or that its clock was set. */
const lateMs = 1.5 * tickMs;

/** How long clients have to come back. */
const patienceMs = 60_000;

/** The most gaps that are remembered. */
const mostGaps = 100;

/**
 * @param now milliseconds since the Unix epoch
 * @param takesRows whether the store takes writes
 */
export function listeningTime(now: () => number, takesRows: () => boolean): Listening {
  /** In order, apart from each other. Until more is known, all before the start is one. */
  let gaps: Gap[] = [[0, now()]];
  let last = now();
  let isListening = false;
  let lostMs = 0;
  let isStart = true;

  function add(from: number, to: number): void {
    lostMs += to - from;
    const [first, end] = gaps.at(-1)!;
    if (end === from) {
      gaps.splice(-1, 1, [first, to]);
      return;
    }
    isStart = false;
    gaps = atMost([...gaps, [from, to]]);
  }

  /** Up to the last tick: what was since then may be a pause. */
  function silence(heardAt: number): number {
    let counted = last - heardAt;
    for (let i = gaps.length - 1; i >= 0 && gaps[i]![1] > heardAt; i--)
      counted -= gaps[i]![1] - Math.max(gaps[i]![0], heardAt);
    return counted;
  }

  return {
    tick() {
      const time = now();
      // The clock was set back.
      if (time < last) gaps = gaps.map(([from, to]) => [Math.min(from, time), Math.min(to, time)]);
      isListening = takesRows() && time - last <= lateMs;
      if (time > last && !isListening) add(last, time);
      last = time;
    },

    began(before) {
      const [[, start], ...later] = gaps as [Gap, ...Gap[]];
      const until = before?.until ?? start;
      gaps = atMost([...apart(before?.gaps ?? [], until), [until, start], ...later]);
    },

    isListening: () => isListening,
    listened: () => ({ until: last, gaps }),
    lostMs: () => lostMs,

    overdue(heardAt, noDataForMs) {
      const over = silence(heardAt) - noDataForMs;
      if (over < 0) return undefined;
      const [from, to] = gaps.at(-1)!;
      const patience = Math.min(noDataForMs, patienceMs, isStart ? patienceMs : to - from);
      return last - to < patience ? undefined : over;
    },
  };
}

/** Those before `until`, of several lists, in order and apart from each other. */
function apart(all: readonly Gap[], until: number): Gap[] {
  const found: Gap[] = [];
  for (const [from, to] of all.toSorted(([a], [b]) => a - b)) {
    const end = Math.min(to, until);
    const before = found.at(-1);
    if (before !== undefined && from <= before[1]) found.splice(-1, 1, [before[0], Math.max(before[1], end)]);
    else if (from < end) found.push([from, end]);
  }
  return found;
}

/**
 * Two become one where that tells least wrong: with the time between them, or the earlier one is moved to the later one. Either way
 * no silence becomes longer.
 */
function atMost(gaps: readonly Gap[]): Gap[] {
  const kept = [...gaps];
  while (kept.length > mostGaps) {
    let [at, least] = [0, Number.POSITIVE_INFINITY];
    for (let i = 0; i + 1 < kept.length; i++) {
      const error = Math.min(lengthOf(kept[i]!), kept[i + 1]![0] - kept[i]![1]);
      if (error < least) [at, least] = [i, error];
    }
    const [first, second] = kept.slice(at) as [Gap, Gap];
    const moved = second[0] - lengthOf(first);
    kept.splice(at, 2, [lengthOf(first) === least ? moved : first[0], second[1]]);
  }
  return kept;
}

function lengthOf([from, to]: Gap): number {
  return to - from;
}
