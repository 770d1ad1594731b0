import type { Line } from './points.ts';

/** Between which values a channel should stay: its definition says it. */
export interface Limits {
  readonly least: number | undefined;
  readonly largest: number | undefined;
}

export function isOutside({ least, largest }: Limits, low: number, high: number): boolean {
  return (least !== undefined && low < least) || (largest !== undefined && high > largest);
}

/** The points [begin, end) of a line that are outside of limits, in runs [from, to); one that runs along a limit is not outside. */
export function outsideRuns(
  { low, high }: Pick<Line, 'low' | 'high'>,
  limits: Limits,
  begin: number,
  end: number,
): (readonly [from: number, to: number])[] {
  const runs: (readonly [number, number])[] = [];
  for (let from = begin; from < end; from++) {
    if (!isOutside(limits, low[from]!, high[from]!)) continue;
    let to = from + 1;
    while (to < end && isOutside(limits, low[to]!, high[to]!)) to++;
    runs.push([from, to]);
    from = to;
  }
  return runs;
}
