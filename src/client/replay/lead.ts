/** How long before it is due a row is sent, so that readers have it when it is due. */
export interface Lead {
  /** Milliseconds. */
  readonly ms: number;
  /** A write took so long until it was acknowledged, ms. */
  took(ms: number): void;
}

/** So many writes tell what the next one will take. */
const remembered = 31;
/** A service that takes longer is late for other reasons than the way to it; rows should not come before their time. */
const longestMs = 5;

/** The median of what the last writes took; 0 before the first one. */
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
      ms = Math.min(longestMs, sorted[sorted.length >> 1]!);
    },
  };
}
