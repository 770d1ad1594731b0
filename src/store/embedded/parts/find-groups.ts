import type { GroupHandle } from '../codecs/row-group-directory.ts';
import { lowerBound } from './column-sets.ts';
import { groupAt, type PartIndex, type Runs, runParameters, runStart } from './part-index.ts';

/**
 * The runs of a stream in a window: from the first to the last, exclusively. In a part of one window the runs of a
 * stream are those.
 */
export function runsOf(
  { runs }: PartIndex,
  stream: number,
  window: number,
): { readonly from: number; readonly to: number } {
  const { streams, windows } = runs;
  let from = lowerBound(streams, stream);
  if (windows !== undefined) from = lowerBound(windows, window, from, lowerBound(streams, stream + 1, from));
  else if (window !== runs.window) return { from, to: from };
  let to = from;
  while (to < runs.count && streams[to] === stream && (windows?.[to] ?? window) === window) to++;
  return { from, to };
}

/**
 * The groups of a stream that reach into [from, to] (offsets in the window, both inclusive), run by run, in order of time
 * in each; only runs with columns of `wanted` parameters, where given.
 *
 * @param window by default the first one of the part, which mostly has no other
 */
export function groupsOf(
  index: PartIndex,
  stream: number,
  from: number,
  to: number,
  wanted?: ReadonlySet<number>,
  window = index.runs.window,
): GroupHandle[] {
  const found: GroupHandle[] = [];
  const { minOffsets, maxOffsets } = index.groups;
  for (const run of wantedRuns(index, stream, window, wanted)) {
    const end = index.runs.ends[run]!;
    let i = lowerBound(maxOffsets, from, runStart(index.runs, run), end);
    for (; i < end && minOffsets[i]! <= to; i++) found.push(groupAt(index, run, i));
  }
  return found;
}

/** The runs of a stream in a window that may have columns of `wanted` parameters. */
export function wantedRuns(
  index: PartIndex,
  stream: number,
  window: number,
  wanted: ReadonlySet<number> | undefined,
): number[] {
  const { runs } = index;
  const { from, to } = runsOf(index, stream, window);
  if (wanted === undefined) return Array.from({ length: to - from }, (_, i) => from + i);
  if (to - from <= wanted.size) {
    const found: number[] = [];
    for (let run = from; run < to; run++) {
      if (hasAny(runParameters(runs, run), wanted)) found.push(run);
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

function hasAny(parameters: Uint32Array, wanted: ReadonlySet<number>): boolean {
  for (let i = 0; i < parameters.length; i++) if (wanted.has(parameters[i]!)) return true;
  return false;
}

/** Of the runs of one stream and window the one that has one of the sets. */
function runWithSet(runs: Runs, from: number, to: number, sets: Uint32Array): number | undefined {
  const at = (place: number) => runs.bySet?.[place] ?? place;
  for (const set of sets) {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (runs.sets[at(middle)]! < set) low = middle + 1;
      else high = middle;
    }
    if (low < to && runs.sets[at(low)] === set) return at(low);
  }
  return undefined;
}

function runWithParameter(runs: Runs, from: number, to: number, parameter: number): number | undefined {
  for (let run = from; run < to; run++) if (runParameters(runs, run).includes(parameter)) return run;
  return undefined;
}
