import { PerformanceObserver } from 'node:perf_hooks';

/**
 * Tells of turns of the event loop that kept everything else waiting, and of what they were spent on. Whoever has a
 * larger piece of work on this thread names it with `during`; a clock that ticks late finds what was named meanwhile.
 * Pieces are named where one may be large. Small requests name none: looking at the clock would cost them.
 */

/** Names pieces of work, and adds up how long they had the thread. */
export interface WorkClock {
  /** Does a piece of work, which must not wait for anything: what it awaits is not its own. */
  during<Result>(work: string, piece: () => Result): Result;
  /** For work that knows how long it had the thread, in milliseconds. */
  took(work: string, ms: number): void;
  /** Milliseconds by work since the last call. What was named within a larger piece counts for itself only. */
  take(): ReadonlyMap<string, number>;
}

/** @param now milliseconds, from any origin */
export function createWorkClock(now: () => number = () => performance.now()): WorkClock {
  let spent = new Map<string, number>();
  let current: string | undefined;
  let since = 0;

  const add = (work: string, ms: number): void => {
    spent.set(work, (spent.get(work) ?? 0) + ms);
  };
  const turnTo = (work: string | undefined): string | undefined => {
    const time = now();
    const before = current;
    if (before !== undefined) add(before, time - since);
    current = work;
    since = time;
    return before;
  };

  return {
    during(work, piece) {
      const before = turnTo(work);
      try {
        return piece();
      } finally {
        turnTo(before);
      }
    },
    took: add,
    take() {
      if (spent.size === 0) return nothing;
      const taken = spent;
      spent = new Map();
      return taken;
    },
  };
}

const nothing: ReadonlyMap<string, number> = new Map();

/** Of this thread. */
const workClock = createWorkClock();

/** Does a piece of work, and names it for the case that it takes long; see `WorkClock`. */
export const { during, took } = workClock;

/** The size from which on a body or record is named: smaller ones are done in well below a millisecond. */
const namedBytes = 16 * 1024;

/** `during` for work on so many bytes; it is not named where they are few. */
export function duringBytes<Result>(bytes: number, work: string, piece: () => Result): Result {
  return bytes < namedBytes ? piece() : during(work, piece);
}

/** A turn of the event loop that was too long. */
export interface LongTurn {
  /** How long it took, in milliseconds; up to one tick less. */
  readonly ms: number;
  /** What most of it was: the name of a piece of work, `gc` or `other`. */
  readonly work: string;
  /** Milliseconds of what is known of it. */
  readonly parts: Readonly<Record<string, number>>;
}

/** A span of time in which the collector of garbage had the thread, in milliseconds of `performance.now`. */
export interface GcPause {
  readonly startTime: number;
  readonly duration: number;
}

export interface TurnWatch {
  /**
   * To be called every `tickMs`, or later where the loop had nothing to do for so many milliseconds; late calls are what it
   * looks for. Gives how many milliseconds the loop took.
   */
  tick(idleMs?: number): number;
  /** Pauses are told after they were: `tick` waits for them until its next call. */
  paused(pauses: readonly GcPause[]): void;
}

/** The time from which on a turn is long. */
const longMs = 50;
export const tickMs = 10;

/** Tells `onLong` of each turn that took `longMs` and a tick; of those that took less than `longMs`, of none. */
export function createTurnWatch(
  onLong: (turn: LongTurn) => void,
  now: () => number = () => performance.now(),
  clock: Pick<WorkClock, 'take'> = workClock,
): TurnWatch {
  let last = now();
  let pauses: GcPause[] = [];
  let found: { from: number; to: number; spent: ReadonlyMap<string, number> } | undefined;

  const tell = ({ from, to, spent }: NonNullable<typeof found>): void => {
    const gc = pauses.reduce((sum, { startTime, duration }) => {
      return sum + Math.max(0, Math.min(to, startTime + duration) - Math.max(from, startTime));
    }, 0);
    const known = new Map(spent);
    if (gc > 0) known.set('gc', gc);
    const parts = [...known].filter(([, ms]) => ms >= 1).sort((a, b) => b[1] - a[1]);
    const other = parts.reduce((left, [, ms]) => left - ms, to - from);
    const [work, most] = parts[0] ?? ['other', other];
    onLong({
      ms: Math.round(to - from),
      work: most >= other ? work : 'other',
      parts: Object.fromEntries(parts.map(([name, ms]) => [name, Math.round(ms)])),
    });
  };

  return {
    tick(idleMs = 0) {
      const time = now();
      const from = last + idleMs;
      last = time;
      const spent = clock.take();
      if (found !== undefined) tell(found);
      if (pauses.length > 0) pauses = pauses.filter(({ startTime, duration }) => startTime + duration > from);
      found = time - from >= longMs + tickMs ? { from, to: time, spent } : undefined;
      return time - from;
    },
    paused(more) {
      pauses.push(...more);
    },
  };
}

/**
 * Watches the event loop of this thread; gives what ends that. `onTick` gets how long each tick took to come, which is
 * `tickMs` where nothing else had the thread. The watch wakes nobody: a loop that has nothing to do is looked at
 * when it has woken for something else, by an immediate that does not keep it from sleeping.
 */
export function watchTurns(
  onLong: (turn: LongTurn) => void,
  onTick: (ms: number) => void = () => undefined,
): () => void {
  const watch = createTurnWatch(onLong);
  const observer = new PerformanceObserver((list) => watch.paused(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  let idleBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate;

  const awaitWaking = (): void => {
    idleBefore = performance.nodeTiming.idleTime;
    immediate = setImmediate(wake).unref();
  };
  const wake = (): void => {
    const idleMs = performance.nodeTiming.idleTime - idleBefore;
    onTick(Math.max(tickMs, watch.tick(idleMs)));
    // With turns that follow one another it would be called after each of them.
    if (idleMs >= tickMs) awaitWaking();
    else timer = setTimeout(lookAgain, tickMs).unref();
  };
  const lookAgain = (): void => {
    onTick(watch.tick());
    awaitWaking();
  };

  awaitWaking();
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
    observer.disconnect();
  };
}

/** The shortest time between two lines in the log. */
const pauseMs = 60_000;

/**
 * Bounds what is told of long turns: the first at once, then at most one a minute, the longest since. `times` is how
 * many there were since the one that was told before.
 */
export function longestTurns(
  tell: (turn: LongTurn, times: number) => void,
  now: () => number = () => performance.now(),
): (turn: LongTurn) => void {
  let told = Number.NEGATIVE_INFINITY;
  let longest: LongTurn | undefined;
  let times = 0;
  return (turn) => {
    times++;
    if (longest === undefined || turn.ms > longest.ms) longest = turn;
    const time = now();
    if (time - told < pauseMs) return;
    told = time;
    tell(longest, times);
    longest = undefined;
    times = 0;
  };
}
