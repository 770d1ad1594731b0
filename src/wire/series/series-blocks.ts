import type { TagSet } from '../../domain/tags.ts';
import type { NameList } from './name-lists.ts';

/** The span of the windows in which times are kept as offsets, 46 days: whole nanoseconds of it are doubles. */
export const windowMs = 4_000_000_000;

export const nsOfMs = 1_000_000;

/** Samples of one series that stand one after the other, in one window. */
export interface Run {
  readonly window: number;
  readonly from: number;
  readonly to: number;
}

export interface NamedRun extends Run {
  readonly name: string;
}

/** Series that have the same times, and the tags they all have. */
export interface SameTimes {
  readonly tags: TagSet;
  names: NameList;
  readonly window: number;
  /** How many samples each has. */
  readonly count: number;
  /** Where those of the first one begin. */
  readonly from: number;
  /** The same of each; undefined where they stand one after the other. */
  starts: number[] | undefined;
}

/** Rows that have the same columns. */
export type Block = SameTimes[];

/** What runs are placed by: the times of all samples, and the most columns of rows that share their times. */
export interface Placing {
  readonly none: NameList;
  readonly offsets: Float64Array;
  readonly maxParameters: number;
}

/** The one that a run begins. */
export function begin(
  name: string,
  { window, from, to }: Run,
  tags: TagSet,
  { none }: Pick<Placing, 'none'>,
): SameTimes {
  return { tags, names: none.with(name)!, window, count: to - from, from, starts: undefined };
}

/** Puts one more run to others, where it has their times and another name, and there is room. */
export function join(
  same: SameTimes,
  name: string,
  { window, from, to }: Run,
  { offsets, maxParameters }: Omit<Placing, 'none'>,
): boolean {
  const { count, names } = same;
  if (window !== same.window || to - from !== count || names.length >= maxParameters) return false;
  for (let at = from, its = same.from; at < to; at++, its++) if (offsets[at] !== offsets[its]) return false;
  const longer = names.with(name);
  if (longer === undefined) return false;
  if (same.starts !== undefined) same.starts.push(from);
  else if (from !== same.from + names.length * count) {
    same.starts = Array.from({ length: names.length }, (_, i) => same.from + i * count);
    same.starts.push(from);
  }
  same.names = longer;
  return true;
}

/** The runs of what is joined. */
export function runsOf({ names, window, count, from, starts }: SameTimes): NamedRun[] {
  return names.names.map((name, i) => {
    const start = starts?.[i] ?? from + i * count;
    return { name, window, from: start, to: start + count };
  });
}

/**
 * Joins the runs of one set of tags that have the same times. Of a series that comes twice the later one has a later round:
 * rows of later rounds come last.
 */
export function joinRuns(
  tags: TagSet,
  runs: readonly NamedRun[],
  placing: Placing,
): (readonly [round: number, SameTimes])[] {
  const { offsets } = placing;
  const rounds = new Map<string, number>();
  const open = new Map<string, SameTimes>();
  const joined: (readonly [number, SameTimes])[] = [];
  for (const run of runs) {
    const { name, window, from, to } = run;
    const named = `${window} ${name}`;
    const round = rounds.get(named) ?? 0;
    rounds.set(named, round + 1);
    const key = `${round} ${window} ${to - from} ${offsets[from]} ${offsets[to - 1]}`;
    const known = open.get(key);
    if (known !== undefined && join(known, name, run, placing)) continue;
    const same = begin(name, run, tags, placing);
    open.set(key, same);
    joined.push([round, same]);
  }
  return joined;
}
