import type { ReplayTimes } from './replay-options.ts';

/** When what stands at a time of the source is due, and which time it gets. Times of one pass never go back. */
export interface Schedule {
  /** Begins a pass: what stands at this time, ns, is due now. */
  begin(time: bigint): void;
  /** The moment at which this time, ns, is due, on the clock of the schedule, ms. */
  due(time: bigint): number;
  /** Where this time is due already: it is due now, and everything after it as much later. */
  resume(time: bigint): void;
  /** The time that is written for this time, both ns. Equal times stay equal, different ones different and in order. */
  written(time: bigint): bigint;
}

export interface ScheduleClock {
  /** Goes on evenly, ms. */
  now(): number;
  /** Since the Unix epoch, ms. */
  wall(): number;
}

/** The parts of one that a speed is counted in: exact for every speed that people type. */
const speedUnit = 1_000_000;

export function createSchedule(speed: number, times: ReplayTimes, clock: ScheduleClock): Schedule {
  const numerator = BigInt(Math.round(speed * speedUnit));
  const denominator = BigInt(speedUnit);
  let first = 0n;
  let startMs = 0;
  let startNs = 0n;
  let last: { readonly time: bigint | undefined; readonly written: bigint } | undefined;

  const sinceStart = (time: bigint): bigint => ((time - first) * denominator) / numerator;
  const due = (time: bigint): number => startMs + Number(sinceStart(time)) / 1e6;

  return {
    begin(time) {
      first = time;
      startMs = clock.now();
      startNs = BigInt(Math.round(clock.wall() * 1000)) * 1000n;
      if (last !== undefined) last = { time: undefined, written: last.written };
    },
    due,
    resume(time) {
      const late = clock.now() - due(time);
      if (late <= 0) return;
      startMs += late;
      startNs += BigInt(Math.round(late * 1e6));
    },
    written(time) {
      if (times === 'original') return time;
      if (last !== undefined && last.time === time) return last.written;
      const planned = startNs + sinceStart(time);
      // At a speed above 1 times come closer to each other, and two rows of one time would be one row.
      const written = last !== undefined && planned <= last.written ? last.written + 1n : planned;
      last = { time, written };
      return written;
    },
  };
}
