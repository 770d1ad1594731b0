/**
 * How long a group of records waits for company before it is written. A sync costs the same for one record as for
 * twenty, in time of the disk and of the processor; but who waits for company that does not come only waits.
 *
 * With n appends under way at a time it is best to let two groups take turns: one is synced while the other fills. So
 * a group goes when it has half of what was under way lately, or after a millisecond. A lone writer, or three, never
 * wait. Measured with 32 connections of 10-row requests: 6 to 12 % more requests a second.
 */
export interface Gathering {
  /** Resolves when a group that has `records` now should be written. */
  wait(records: number): Promise<void>;
  /** The group that waits has `records` now. */
  joined(records: number): void;
  /** A group was synced; so many appends were under way then, its own and those behind it. */
  settled(underWay: number): void;
}

const longestWaitMs = 1;
/** What is remembered of the appends under way fades by this with each group. */
const fading = 0.95;

export function gathering(): Gathering {
  let underWay = 1;
  let enough: (() => void) | undefined;
  const wanted = () => Math.floor(underWay / 2);

  return {
    wait(records) {
      if (records >= wanted()) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = setTimeout(() => enough?.(), longestWaitMs);
        enough = () => {
          clearTimeout(timer);
          enough = undefined;
          resolve();
        };
      });
    },
    joined(records) {
      if (enough !== undefined && records >= wanted()) enough();
    },
    settled(now) {
      underWay = Math.max(now, underWay * fading);
    },
  };
}
