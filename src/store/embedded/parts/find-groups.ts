import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { lowerBound } from './column-sets.ts';
import { groupAt, type PartIndex, type Runs, runParameters, runStart } from './part-index.ts';

/** The runs of a stream: from the first to the last, exclusively. */
export function runsOf({ runs }: PartIndex, stream: number): { readonly from: number; readonly to: number } {
  const from = lowerBound(runs.streams, stream);
  let to = from;
  while (to < runs.count && runs.streams[to] === stream) to++;
  return { from, to };
}

/**
 * The groups of a stream that reach into [from, to] (offsets, both inclusive), run by run, in order of time in each; only
 * runs with columns of `wanted` parameters, where given and where the part tells.
 */
export function groupsOf(
  index: PartIndex,
  stream: number,
  from: number,
  to: number,
  wanted?: ReadonlySet<number>,
): GroupHandle[] {
  const found: GroupHandle[] = [];
  const { minOffsets, maxOffsets } = index.groups;
  for (const run of wantedRuns(index, stream, wanted)) {
    const end = index.runs.ends[run]!;
    let i = lowerBound(maxOffsets, from, runStart(index.runs, run), end);
    for (; i < end && minOffsets[i]! <= to; i++) found.push(groupAt(index, run, i));
  }
  return found;
}

/** The runs of a stream that may have columns of `wanted` parameters. */
export function wantedRuns(
  index: PartIndex,
  stream: number,
  wanted: ReadonlySet<number> | undefined,
): number[] {
  const { runs } = index;
  const { from, to } = runsOf(index, stream);
  if (wanted === undefined || runs.sets === undefined)
    return Array.from({ length: to - from }, (_, i) => from + i);
  if (to - from <= wanted.size) {
    const found: number[] = [];
    for (let run = from; run < to; run++) {
      if (runParameters(runs, run)!.some((parameter) => wanted.has(parameter))) found.push(run);
    }
    return found;
  }
  const found = new Set<number>();
  for (const parameter of wanted) {
    const sets = runs.columnSets.having(parameter);
    const run =
      sets.length < to - from
        ? runWithSet(runs, from, to, sets)
        : runWithParameter(runs, from, to, parameter);
    if (run !== undefined) found.add(run);
  }
  return [...found];
}

/** Of the runs of one stream the one that has one of the sets. */
function runWithSet(runs: Runs, from: number, to: number, sets: Uint32Array): number | undefined {
  const at = (place: number) => runs.bySet?.[place] ?? place;
  for (const set of sets) {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (runs.sets![at(middle)]! < set) low = middle + 1;
      else high = middle;
    }
    if (low < to && runs.sets![at(low)] === set) return at(low);
  }
  return undefined;
}

function runWithParameter(runs: Runs, from: number, to: number, parameter: number): number | undefined {
  for (let run = from; run < to; run++) if (runParameters(runs, run)!.includes(parameter)) return run;
  return undefined;
}
