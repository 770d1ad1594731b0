/** From which share of a run to which one, from 0 to 1. */
export type Shares = readonly [begin: number, end: number];

/**
 * What a drag on the strip of a run does to the window on it. A hand that was put to an edge of the window moves that edge,
 * one within moves the window, which stops at the ends of the run as wide as it was; elsewhere it draws another window.
 * @param at where the hand was put, as a share
 * @param edge how far from an edge it still means it
 */
export function draggedShares([begin, end]: Shares, at: number, edge: number): (now: number) => Shares {
  const isWhole = begin <= 0 && end >= 1;
  if (Math.abs(at - begin) < edge) return (now) => between(now, end);
  if (Math.abs(at - end) < edge) return (now) => between(begin, now);
  if (at <= begin || at >= end || isWhole) return (now) => between(at, now);
  return (now) => {
    // A window that reaches beyond the run may come back.
    const by = Math.min(Math.max(0, 1 - end), Math.max(Math.min(0, -begin), now - at));
    return [begin + by, end + by];
  };
}

/** In order, within the run. */
function between(one: number, other: number): Shares {
  const [a, b] = [one, other].map((share) => Math.min(1, Math.max(0, share)));
  return a! < b! ? [a!, b!] : [b!, a!];
}
