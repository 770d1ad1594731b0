import type { TagSet } from '../domain/tags.ts';

/** Samples of one series that stand one after the other, in one window. */
export interface Run {
  name: string;
  readonly window: number;
  readonly from: number;
  to: number;
}

/** Series that have the same times, and the tags they all have. */
export interface SameTimes {
  readonly tags: TagSet;
  readonly names: string[];
  readonly runs: Run[];
}

/** Rows that have the same columns. */
export type Block = SameTimes[];

/** What runs are placed by: the times of all samples, and the most columns of rows that share their times. */
export interface Placing {
  readonly blocks: Map<string, Block>;
  readonly offsets: Float64Array;
  readonly maxParameters: number;
}

/** Puts the series of one set of tags to the blocks that have their columns. */
export function placeRuns(
  tags: TagSet,
  runs: readonly Run[],
  { blocks, offsets, maxParameters }: Placing,
): void {
  const within = { offsets, maxParameters };
  const [first] = runs;
  if (runs.length === 1) {
    addTo(blocks, `0 ${first!.window}`, { tags, names: [first!.name], runs: [first!] });
    return;
  }
  const rounds = new Map<string, number>();
  const open = new Map<string, SameTimes>();
  const placed: [prefix: string, SameTimes][] = [];
  let last: SameTimes | undefined;
  let lastRound = 0;
  for (const run of runs) {
    const { from, to, window } = run;
    const name = window === first!.window ? run.name : `${window} ${run.name}`;
    const round = rounds.get(name) ?? 0;
    rounds.set(name, round + 1);
    let known = last;
    if (last === undefined || round !== lastRound || !fits(run, last, within)) {
      const prefix = `${round} ${window}`;
      const key = `${prefix} ${to - from} ${offsets[from]} ${offsets[to - 1]}`;
      known = open.get(key);
      if (known === undefined || !fits(run, known, within)) {
        known = { tags, names: [], runs: [] };
        open.set(key, known);
        placed.push([prefix, known]);
      }
    }
    known!.names.push(run.name);
    known!.runs.push(run);
    last = known;
    lastRound = round;
  }
  for (const [prefix, sameTimes] of placed) addTo(blocks, prefix, sameTimes);
}

/** Whether a run has the times of others, and these have room for one more. */
function fits(
  { from, to, window }: Run,
  { names, runs }: SameTimes,
  { offsets, maxParameters }: Omit<Placing, 'blocks'>,
): boolean {
  const other = runs[0]!;
  if (names.length >= maxParameters || window !== other.window || to - from !== other.to - other.from)
    return false;
  for (let at = from, its = other.from; at < to; at++, its++) {
    if (offsets[at] !== offsets[its]) return false;
  }
  return true;
}

function addTo(blocks: Map<string, Block>, prefix: string, sameTimes: SameTimes): void {
  const { names } = sameTimes;
  const key = `${prefix}\n${names.length === 1 ? names[0] : names.join('\n')}`;
  const block = blocks.get(key);
  if (block === undefined) blocks.set(key, [sameTimes]);
  else block.push(sameTimes);
}

/** The names of a series that came twice begin with how often it came before: the later rows come last. */
export function byRound([a]: readonly [string, Block], [b]: readonly [string, Block]): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}
