import type uPlot from 'uplot';

/** A cursor that stays, or where a sector ends. */
export interface Flag {
  readonly name: string;
  /** Where it stands across. */
  readonly place: number;
  readonly isSector?: boolean;
}

/** Those that are set. */
export function flagsOf(a: number | undefined, b: number | undefined): Flag[] {
  return [
    ...(a === undefined ? [] : [{ name: 'A' as const, place: a }]),
    ...(b === undefined ? [] : [{ name: 'B' as const, place: b }]),
  ];
}

/** Draws a line with its name at each place that is seen. */
export function placeFlags(chart: uPlot, flags: readonly Flag[]): void {
  const { over } = chart;
  const { min, max } = chart.scales['x']!;
  for (const flag of over.querySelectorAll('.flag')) flag.remove();
  for (const { name, place, isSector = false } of flags) {
    if (place < min! || place > max!) continue;
    const flag = document.createElement('i');
    flag.className = isSector ? 'flag sector' : 'flag';
    flag.textContent = name;
    flag.style.left = `${chart.valToPos(place, 'x')}px`;
    over.append(flag);
  }
}
