import type { CountChange, Counted } from './count-changes.ts';

/** A lap as a channel counts it: the rows of a run from one time on, up to the first row of the next one. */
export interface LapRange {
  /** What is counted; a number that comes again has its turn behind it: `1 (2)`. */
  readonly name: string;
  readonly from: bigint;
  /** Exclusive; undefined of the last one. */
  readonly to: bigint | undefined;
  /** The last row of the channel before it; undefined of the first one. */
  readonly before: bigint | undefined;
  /** Why it did not begin at the line, or end there, where the count says so. */
  readonly whyNotBegun: string | undefined;
  readonly whyNotEnded: string | undefined;
}

/** Laps in order of time: without gaps, each from a change of the count to the next. */
export function lapRangesOf(changes: readonly CountChange[]): LapRange[] {
  const turns = new Map<number, number>();
  return changes.map((change, i) => {
    const turn = (turns.get(change.count) ?? 0) + 1;
    turns.set(change.count, turn);
    const [last, next] = [changes[i - 1], changes[i + 1]];
    return {
      name: turn === 1 ? String(change.count) : `${change.count} (${turn})`,
      from: change.time,
      to: next?.time,
      before: change.before,
      whyNotBegun: last && whyNoLine(last.count, change.count, 'begins'),
      whyNotEnded: next && whyNoLine(change.count, next.count, 'ends'),
    };
  });
}

/** Where the count does not go up by one, no line was crossed, or nobody knows where. */
function whyNoLine(from: number, to: number, verb: string): string | undefined {
  if (to === from + 1) return undefined;
  return `Not whole: the count goes from ${from} to ${to} where it ${verb}.`;
}

/** After such a number at most a count begins anew. */
const highestRestart = 1;

/** Why a channel is not taken by itself for one that counts laps; undefined where it is. */
export function whyNoCount(counted: Counted | undefined): string | undefined {
  if (counted === undefined) return 'its value changes too often';
  const { changes, fraction } = counted;
  if (fraction !== undefined) return `it has values that are not whole numbers (${fraction})`;
  const falls = changes.flatMap(({ count }, i) => {
    const before = changes[i - 1]?.count;
    return before !== undefined && count < before ? [{ before, count }] : [];
  });
  const backwards = falls.find(({ count }) => count > highestRestart);
  if (backwards !== undefined) return `it counts back from ${backwards.before} to ${backwards.count}`;
  const most = Math.max(...changes.map(({ count }) => count));
  if (falls.length > 0 && most < 2) return 'it goes to and fro between two values';
  if (changes.length < 2 && !(most > 0)) return 'it does not count';
  return undefined;
}
