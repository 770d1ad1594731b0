import type { Pace } from '../../../src/turns/pace.ts';

/** Long beside what a turn costs, short beside a frame. */
const sliceMs = 12;

/** How the reading of a file goes on: what these throw ends it. */
export interface Reading {
  /** Is told how far it is. */
  readonly onBytes: (bytes: number) => void;
  readonly pace: Pace;
}

/** Lets the page draw and take what is typed, after each slice of work. `isOver` may throw, which ends the work. */
export function createPace(isOver: () => void): Pace {
  let end = performance.now() + sliceMs;
  return () => {
    if (performance.now() < end) return undefined;
    return new Promise<void>((resolve) => setTimeout(resolve)).then(() => {
      isOver();
      end = performance.now() + sliceMs;
    });
  };
}
