import type uPlot from 'uplot';

/** A cursor that stays, or where a sector ends. */
export interface Flag {
  readonly name: string;
  /** Where it stands across; beyond all that is seen, there is no line. */
  readonly place: number;
  /** Of a sector, where it begins: its name stands in the middle of what is seen of it. */
  readonly begin?: number;
}

/** Those that are set. */
export function flagsOf(a: number | undefined, b: number | undefined): Flag[] {
  return [
    ...(a === undefined ? [] : [{ name: 'A' as const, place: a }]),
    ...(b === undefined ? [] : [{ name: 'B' as const, place: b }]),
  ];
}

/** Draws a line with its name at each place that is seen, and the names of sectors between their lines. */
export function placeFlags(chart: uPlot, flags: readonly Flag[]): void {
  const { over } = chart;
  const { min, max } = chart.scales['x']!;
  for (const flag of over.querySelectorAll('.flag')) flag.remove();
  const put = (kind: string, text: string, place: number) => {
    const flag = document.createElement('i');
    flag.className = `flag ${kind}`.trim();
    flag.textContent = text;
    flag.style.left = `${chart.valToPos(place, 'x')}px`;
    over.append(flag);
  };
  const [low, high] = [min!, max!];
  for (const { name, place, begin } of flags) {
    if (place >= low && place <= high)
      put(begin === undefined ? '' : 'sector', begin === undefined ? name : '', place);
    if (begin !== undefined && begin < high && place > low)
      put('sector-name', name, (Math.max(begin, low) + Math.min(place, high)) / 2);
  }
}
