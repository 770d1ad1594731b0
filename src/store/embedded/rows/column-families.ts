import { type ClockSketch, compareHashes, unitedHashes } from './clock-sketch.ts';

/**
 * Columns of a stream that stand in the same row groups, so that their times are stored once. Parameters ascend; each
 * parameter of the stream is in one family.
 */
export type ColumnFamily = readonly number[];

/** Columns that are always together, and when they have values. */
export interface ColumnClass {
  readonly parameters: readonly number[];
  readonly clock: ClockSketch;
  /** Whether all its rows are at equal steps, so that times of their own cost nothing. */
  readonly isRegular: boolean;
}

/** Splits the parameters of some sets into classes: those of a class are in the same sets, all of them. */
export function splitIntoClasses(sets: Iterable<readonly number[]>): number[][] {
  const classOf = new Map<number, number>();
  let next = 0;
  let before: readonly number[] | undefined;
  for (const set of sets) {
    if (before !== undefined && isEqual(before, set)) continue;
    before = set;
    if (set.length === 1) {
      classOf.set(set[0]!, next++);
      continue;
    }
    /** What a class becomes as far as it is in this set. */
    const moved = new Map<number | undefined, number>();
    for (const parameter of set) {
      const from = classOf.get(parameter);
      let to = moved.get(from);
      if (to === undefined) {
        to = next++;
        moved.set(from, to);
      }
      classOf.set(parameter, to);
    }
  }
  const classes = new Map<number, number[]>();
  for (const parameter of [...classOf.keys()].sort((a, b) => a - b)) {
    const number = classOf.get(parameter)!;
    const found = classes.get(number);
    if (found === undefined) classes.set(number, [parameter]);
    else found.push(parameter);
  }
  return [...classes.values()];
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((parameter, i) => parameter === b[i]));
}

/** A family that may grow. */
interface Open {
  parameters: number[];
  hashes: Int32Array;
}

/**
 * Families by hashes of theirs: mostly one, without a list of its own, where clocks have no times in common.
 */
type ByHash = Map<number, Open | Open[]>;

/** The most families that are remembered for a time that they have in common. */
const maxPerHash = 8;

/**
 * Puts classes together whose clocks are alike, where that costs less than clocks of their own. A class with the most
 * rows begins; each other one joins the family with which it has most in common, or begins one.
 */
export function joinClasses(classes: readonly ColumnClass[]): ColumnFamily[] {
  if (classes.length === 1) return [classes[0]!.parameters];
  const families: Open[] = [];
  const byHash: ByHash = new Map();
  const remember = (family: Open) => {
    for (const hash of family.hashes) {
      const found = byHash.get(hash);
      if (found === undefined) byHash.set(hash, family);
      else if (!Array.isArray(found)) {
        if (found !== family) byHash.set(hash, [found, family]);
      } else if (found.length < maxPerHash && !found.includes(family)) found.push(family);
    }
  };
  for (const joining of [...classes].sort((a, b) => b.clock.rows() - a.clock.rows())) {
    const hashes = joining.clock.hashes();
    const family = nearest(byHash, hashes);
    if (family !== undefined && isCheaperTogether(family, joining)) {
      const isNew = hashes.some((hash, i) => family.hashes[i] !== hash);
      family.parameters.push(...joining.parameters);
      if (!isNew) continue;
      family.hashes = unitedHashes(family.hashes, hashes);
      remember(family);
    } else {
      const begun = { parameters: [...joining.parameters], hashes: hashes.slice() };
      families.push(begun);
      remember(begun);
    }
  }
  return families.map(({ parameters }) => parameters.sort((a, b) => a - b)).sort((a, b) => a[0]! - b[0]!);
}

/** The family that has most of the hashes. */
function nearest(byHash: ByHash, hashes: Int32Array): Open | undefined {
  const counts = new Map<Open, number>();
  let best: Open | undefined;
  const count = (family: Open): void => {
    const common = (counts.get(family) ?? 0) + 1;
    counts.set(family, common);
    if (best === undefined || common > counts.get(best)!) best = family;
  };
  for (const hash of hashes) {
    const found = byHash.get(hash);
    if (found === undefined) continue;
    if (Array.isArray(found)) for (const family of found) count(family);
    else count(found);
  }
  return best;
}

/**
 * What a time costs in bits that is stored once more; of a regular clock it is nothing but the row group's overhead. And
 * what a run of rows with or without a value takes.
 */
const bitsOfTime = 16;
const bitsOfRegularTime = 1;
const bitsOfRun = 16;

/** Whether the presence of columns in rows that they don't have takes less than times that are stored twice. */
function isCheaperTogether(family: Open, { parameters, clock, isRegular }: ColumnClass): boolean {
  const { both, onlyA, onlyB } = compareHashes(family.hashes, clock.hashes());
  const presence =
    family.parameters.length * presenceBits(both + onlyA, onlyB) +
    parameters.length * presenceBits(both + onlyB, onlyA);
  return presence <= (isRegular ? bitsOfRegularTime : bitsOfTime) * both;
}

/** Bits that say which rows have a value and which have none: a bitmap, or runs where that is shorter. */
function presenceBits(rows: number, others: number): number {
  return Math.min(rows + others, bitsOfRun * others, bitsOfRun * rows);
}
