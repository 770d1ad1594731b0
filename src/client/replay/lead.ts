/** How long before it is due a row is sent, so that readers have it when it is due. */
export interface Lead {
  /** Milliseconds. */
  readonly ms: number;
  /** From the moment at which a write was to be sent until it was acknowledged, ms. */
  took(ms: number): void;
}

/** The last writes that tell what the next one will take. */
const remembered = 31;
/**
 * The share of them that took no longer. A row that comes a moment early is nearer to its time than one that waited
 * long.
 */
const share = 0.9;
/**
 * The longest lead: a service that takes longer is late for other reasons than the way to it, and rows should not
 * come before their time.
 */
const longestMs = 5;

/** Measures the lead of writes: what nine of ten of the last took at most; 0 before the first one. */
export function createLead(): Lead {
  const last: number[] = [];
  let ms = 0;
  return {
    get ms() {
      return ms;
    },
    took(taken) {
      last.push(taken);
      if (last.length > remembered) last.shift();
      const sorted = [...last].sort((a, b) => a - b);
      ms = Math.min(longestMs, sorted[Math.floor(sorted.length * share)]!);
    },
  };
}
