/**
 * The time in which the service could take rows: only that counts as silence of a stream. It could not while it was down, while
 * its process was paused (or had no turn for so long), and while its store took no writes.
 */
export interface Listening {
  /** Looks at the clock and the store. To be called every `tickMs`. */
  tick(): void;
  /** Told once: until when (ms) rows were taken before this start, as far as it is known. */
  tookRowsUntil(time: number): void;
  /** Whether rows could be taken up to the last tick. */
  isListening(): boolean;
  /**
   * How much longer (ms) a stream whose last row came at `heardAt` (ms) has been silent than it may be; undefined where it has not.
   * After a time in which no rows were taken clients have a while to come back: as long as that time was, a minute at most.
   */
  overdue(heardAt: number, noDataForMs: number): number | undefined;
}

/** How often to call `tick`. */
export const tickMs = 1000;

/** Ticks that are further apart tell that the process had no turn, or that its clock was set. */
const lateMs = 1.5 * tickMs;

/** How long clients have to come back. */
const patienceMs = 60_000;

/** Those before are taken together. */
const mostGaps = 1000;

/** A time (ms) in which no rows were taken. */
interface Gap {
  from: number;
  to: number;
}

/**
 * @param now milliseconds since the Unix epoch
 * @param takesRows whether the store takes writes
 */
export function listeningTime(now: () => number, takesRows: () => boolean): Listening {
  const started = now();
  /** In order; the first ends with the start. */
  let gaps: Gap[] = [{ from: Number.NEGATIVE_INFINITY, to: started }];
  let last = started;
  let isListening = false;

  function add(from: number, to: number): void {
    const before = gaps.at(-1);
    if (before?.to === from) before.to = to;
    else gaps.push({ from, to });
    if (gaps.length > mostGaps) gaps.splice(0, 2, { from: gaps[0]!.from, to: gaps[1]!.to });
  }

  /** Up to the last tick: what was since then may be a pause. */
  function silence(heardAt: number): number {
    let counted = last - heardAt;
    for (let i = gaps.length - 1; i >= 0 && gaps[i]!.to > heardAt; i--)
      counted -= gaps[i]!.to - Math.max(gaps[i]!.from, heardAt);
    return counted;
  }

  return {
    tick() {
      const time = now();
      // The clock was set back.
      if (time < last)
        gaps = gaps.map(({ from, to }) => ({ from: Math.min(from, time), to: Math.min(to, time) }));
      isListening = takesRows() && time - last <= lateMs;
      if (time > last && !isListening) add(last, time);
      last = time;
    },

    tookRowsUntil(time) {
      if (time < gaps[0]!.to) gaps[0]!.from = time;
    },

    isListening: () => isListening,

    overdue(heardAt, noDataForMs) {
      const over = silence(heardAt) - noDataForMs;
      if (over < 0) return undefined;
      const { from, to } = gaps.at(-1)!;
      const patience = Math.min(noDataForMs, patienceMs, gaps.length === 1 ? patienceMs : to - from);
      return last - to < patience ? undefined : over;
    },
  };
}
