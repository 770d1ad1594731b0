import type { FoundRestarts } from './find-restarts.ts';
import { type FindGroup, rowGroups } from './row-groups.ts';
import type { SeenTimes } from './watch-times.ts';

/** What becomes of the rows behind a restart: streams of their own, times behind those before, or as they stand. */
export type Restarts = 'streams' | 'append' | 'replace';

/** A row's run, from 0, and what its time moves by, ns. */
export interface PlacedRow {
  readonly run: number;
  readonly shift: bigint;
}

/** Places rows by the restarts before them: called for each row of the file, in its order. */
export type PlaceRow = (cells: readonly unknown[], table: number) => PlacedRow;

const first: PlacedRow = { run: 0, shift: 0n };

export function runPlacer(seen: SeenTimes, choice: Restarts | undefined): PlaceRow {
  const { restarts, options } = seen;
  if (restarts.length === 0 || choice === undefined || choice === 'replace') return () => first;
  const { streams: columns = [] } = options;
  const findStream: FindGroup = rowGroups(columns);
  const shifts = choice === 'append' ? shiftsOf(seen) : undefined;
  const places: PlacedRow[] = [];
  const runs: number[] = [];
  let row = -1;
  let next = 0;
  return (cells, table) => {
    row++;
    const stream = columns.length > 0 ? findStream(cells) : table;
    if (restarts[next]?.row === row) {
      next++;
      const run = (runs[stream] ?? 0) + 1;
      runs[stream] = run;
      places[stream] = shifts === undefined ? { run, shift: 0n } : { run: 0, shift: shifts[stream]![run]! };
    }
    return places[stream] ?? first;
  };
}

/** How many streams a file becomes. */
export function streamCount({ streams }: SeenTimes, choice: Restarts | undefined): number {
  return choice === 'streams' ? Math.max(1, ...streams.map(({ runs }) => runs.length)) : 1;
}

/** The stream of a run, from 0, where each is a stream of its own. */
export function streamOfRun(stream: string, run: number): string {
  return run === 0 ? stream : `${stream}-${run + 1}`;
}

/**
 * Returns by stream and run what times move by, ns: each run begins a usual step behind the one before. Tables of one
 * file move together.
 */
export function shiftsOf({ streams, options }: Pick<SeenTimes, 'streams' | 'options'>): bigint[][] {
  const isTogether = (options.streams ?? []).length === 0;
  if (isTogether) {
    const shifts = shiftsTogether(streams);
    return streams.map(() => shifts);
  }
  return streams.map((stream) => shiftsTogether([stream]));
}

function shiftsTogether(streams: readonly FoundRestarts[]): bigint[] {
  const filled = streams.filter(({ runs }) => runs.length > 0);
  const step = filled.reduce((most, one) => (one.step > most ? one.step : most), 0n);
  const shifts: bigint[] = [];
  let end: bigint | undefined;
  for (let run = 0; filled.some(({ runs }) => run < runs.length); run++) {
    const now = filled.flatMap(({ runs }) => runs[run] ?? []);
    const from = now.reduce((least, one) => (one.from < least ? one.from : least), now[0]!.from);
    const to = now.reduce((most, one) => (one.to > most ? one.to : most), now[0]!.to);
    const shift = end === undefined ? 0n : end + step - from;
    shifts.push(shift);
    end = to + shift;
  }
  return shifts;
}
