import type { RowPlace } from './find-restarts.ts';
import { UsualStep } from './usual-step.ts';

/** An hour that stands twice, as where local clocks go back in autumn. */
export interface HourTwice extends RowPlace {
  /** Of the first row in the second hour, and of the row before. */
  readonly time: bigint;
  readonly before: bigint;
  /** So many rows are in the second hour, and in others like it. */
  readonly rows: number;
}

const hour = 3_600_000_000_000n;
/** An hour less the step between rows that are half an hour apart. */
const shortest = hour / 2n;
/** The step (ns) between rows where nothing tells it yet. */
const usualStep = 30_000_000_000n;

/** Finds where the times of a stream go back by an hour, less a step or two. */
export class HourFinder {
  private to: bigint | undefined;
  private found: HourTwice | undefined;
  private rows = 0;
  private repeatedTo: bigint | undefined;
  private readonly steps = new UsualStep();

  /** Whether the row stands where the hour begins again, or in what follows. */
  see(time: bigint, place: RowPlace): boolean {
    const { to } = this;
    if (to === undefined || time > to) {
      if (to !== undefined) this.steps.see(time - to);
      this.to = time;
    } else if (time < to && this.isHourBack(to - time)) {
      this.found ??= { ...place, time, before: to, rows: 0 };
      this.repeatedTo = to;
      this.to = time;
    }
    if (this.repeatedTo === undefined) return false;
    if (time > this.repeatedTo) {
      this.repeatedTo = undefined;
      return false;
    }
    this.rows++;
    return true;
  }

  end(): HourTwice | undefined {
    return this.found === undefined ? undefined : { ...this.found, rows: this.rows };
  }

  private isHourBack(distance: bigint): boolean {
    if (distance > hour || distance < shortest) return false;
    const step = this.steps.get();
    return distance >= hour - 2n * (step > 0n ? step : usualStep);
  }
}
