import { during } from './long-turns.ts';
import { neverAborted } from './pace.ts';
import type { Steps } from './steps.ts';

/**
 * Shares the thread between long work of one kind (messages of the hub's connections, bodies to decode) and everything
 * else. In each turn of the event loop all of it together has one slice of a few milliseconds; what is not done waits in a
 * line, the first that came first. So however much one frame or body holds, sockets, timers and requests have their turns.
 */
export interface Slices {
  /** Whether the slice of this turn is used up. The first to ask in a turn begins it. */
  isOver(): boolean;
  /** Has `work` called in a slice of a later turn, after those that wait already. */
  later(work: () => void): void;
  /** Resolves in a slice of a later turn. What goes on then takes its time before the next one that waits is woken. */
  turn(): Promise<void>;
}

/** The time of a slice: long enough that the turns themselves cost little, short beside the time of a write. */
const defaultSliceMs = 4;

/** @param work what it is, where a turn of the event loop takes too long */
export function createSlices(
  work: string,
  sliceMs = defaultSliceMs,
  now: () => number = () => performance.now(),
): Slices {
  let line: (() => void)[] = [];
  /** A slice has begun, and a turn that ends it is to come. */
  let hasBegun = false;
  let end = 0;

  const begin = (): void => {
    hasBegun = true;
    end = now() + sliceMs;
    setImmediate(turn);
  };

  const turn = (): void => {
    hasBegun = false;
    if (line.length === 0) return;
    begin();
    during(work, takeSlice);
  };

  const takeSlice = (): void => {
    const waiting = line;
    line = [];
    let taken = 0;
    // One at least: who waits gets on, however short the slice is.
    do waiting[taken++]!();
    while (taken < waiting.length && now() < end);
    line = [...waiting.slice(taken), ...line];
  };

  const isOver = (): boolean => {
    if (!hasBegun) begin();
    return now() >= end;
  };

  const later = (work: () => void): void => {
    line.push(work);
    if (!hasBegun) begin();
  };

  const asleep: (() => void)[] = [];

  const wake = (): void => {
    asleep.shift()!();
    // A tick that a microtask asks for comes when all of what goes on now has run.
    if (asleep.length > 0) queueMicrotask(() => process.nextTick(wakeNext));
  };

  const wakeNext = (): void => (isOver() ? later(wake) : wake());

  return {
    isOver,
    later,
    turn: () =>
      new Promise((resolve) => {
        asleep.push(resolve);
        if (asleep.length === 1) later(wake);
      }),
  };
}

/**
 * Takes the steps in slices, with turns of everything else between them. Rejects with what a step throws, and with the
 * signal's reason where it has aborted before a slice; then no more steps are taken.
 */
export function takeInSlices<Result>(
  slices: Slices,
  steps: Steps<Result>,
  signal: AbortSignal = neverAborted,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const takeSlice = (): void => {
      try {
        signal.throwIfAborted();
        do {
          const step = steps.next();
          if (step.done === true) {
            resolve(step.value);
            return;
          }
        } while (!slices.isOver());
        slices.later(takeSlice);
      } catch (error) {
        reject(error as Error);
      }
    };
    slices.later(takeSlice);
  });
}
