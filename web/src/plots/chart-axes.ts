import type uPlot from 'uplot';
import type { Bounds } from '../lines/bounds.ts';
import type { Line } from '../lines/points.ts';
import { shortText } from '../lines/reading.ts';
import { leftSize, rightSize } from './axes.ts';
import { hasWholeSteps, leastPixels, stepsOf } from './axis-steps.ts';
import { endsOf, logPlaces, logPlacesWith } from './log-places.ts';
import { scaleOf } from './scale-of.ts';
import type { Ticks } from './ticks.ts';
import { valueTexts } from './value-texts.ts';

const font = '11px system-ui, sans-serif';
/** From a scale to its numbers, and how wide their letters are at most. */
const tickSize = 4;
const tickGap = 4;
const letterWidth = 7;
const widths: Readonly<Record<string, number>> = { ',': 3.5, '.': 3.5, '-': 4.5, '…': 11 };

/** What axes are drawn of. */
interface AxesOf {
  readonly ticks: Ticks;
  readonly bounds: Bounds;
  readonly lines: readonly { readonly unit: string; readonly points: Line; readonly isLog?: boolean }[];
}

/** The axes of a chart: across, which says nothing itself, and up on both sides. */
export function chartAxes(
  units: readonly string[],
  { ink, grid }: { readonly ink: string; readonly grid: string },
  latest: () => AxesOf,
): uPlot.Axis[] {
  const axis = {
    stroke: ink,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font,
  };
  return [
    {
      ...axis,
      // What it says stands below all plots, once.
      values: (_, places) => places.map(() => null),
      splits: (self) => latest().ticks.splits(self.width),
      size: 0,
      ticks: { show: false },
    },
    ...units.map((unit, i) => ({
      ...axis,
      scale: scaleOf(unit),
      ...(isLogIn(latest(), unit) && {
        splits: (_self: uPlot, _axis: number, low: number, high: number) => logPlaces([low, high]),
      }),
      space: leastPixels,
      incrs: (_self: uPlot, _axis: number, low: number, high: number, pixels: number) =>
        stepsOf(hasWholeSteps(latest().lines, unit), [low, high], pixels),
      // Its own words round to three digits, whatever the step.
      values: (_self: uPlot, places: number[], _axis: number, _space: number, step: number) =>
        textsOf(
          hasValues(latest(), unit) ? places : places.map(() => null),
          step,
          isLogIn(latest(), unit),
        ).map((text) => fitting(text, (i === 0 ? leftSize : rightSize) - tickSize - tickGap)),
      filter: placesWith(numberRoom, unit, latest),
      side: i === 0 ? (3 as const) : (1 as const),
      size: i === 0 ? leftSize : rightSize,
      ticks: { stroke: grid, width: 1, size: tickSize, filter: placesWith(lineRoom, unit, latest) },
      gap: tickGap,
      grid: {
        show: i === 0,
        stroke: grid,
        width: 1,
        filter: placesWith(lineRoom, unit, latest),
      },
    })),
  ];
}

/** Pixels from one line of a logarithmic axis to the next, and from one number. */
const lineRoom = 6;
const numberRoom = 18;
/** Pixels from one number to the next on an even one; where they are closer the first and the last is told. */
const closeRoom = 12;

/** Which places of an axis have lines, or numbers, where these need so much room. */
function placesWith(room: number, unit: string, latest: () => AxesOf) {
  return (chart: uPlot, places: number[]): (number | null)[] => {
    const { min, max } = chart.scales[scaleOf(unit)] ?? {};
    if (min == null || max == null) return places;
    const height = chart.bbox.height / devicePixelRatio;
    if (isLogIn(latest(), unit))
      return logPlacesWith(room, places, height / (Math.log10(max) - Math.log10(min)));
    const apart = ((places[1]! - places[0]!) * height) / (max - min);
    return apart < Math.min(room, closeRoom) ? endsOf(places) : places;
  };
}

function isLogIn({ lines }: AxesOf, unit: string): boolean {
  return lines.some((line) => line.unit === unit && line.isLog);
}

/** Without a value, and a line that leads through, an axis would say what nobody wrote. */
function hasValues({ lines, bounds: [low, high] }: AxesOf, unit: string): boolean {
  return lines.some(({ unit: own, points: { x, gaps } }) => {
    if (own !== unit) return false;
    const next = x.findIndex((place) => place >= low);
    return next >= 0 && (x[next]! <= high || (next > 0 && gaps[next] === 0));
  });
}

/** A text that is too long stands in two lines; where it is longer still, its end is told, which differs from place to place. */
function fitting(text: string, pixels: number): string {
  const [whole = '', fraction = ''] = text.split('.');
  const isPlain = fraction !== '' && !text.includes('e');
  if (widthOf(text) > pixels && isPlain && widthOf(whole) <= pixels && widthOf(`.${fraction}`) <= pixels)
    return `${whole}\n.${fraction}`;
  let told = text;
  for (let from = 1; widthOf(told) > pixels; from++) told = `…${text.slice(from)}`;
  return told;
}

function widthOf(text: string): number {
  return [...text].reduce((sum, letter) => sum + (widths[letter] ?? letterWidth), 0);
}

/** On a logarithmic axis each place says itself; where they are close, uPlot leaves some out. */
function textsOf(places: readonly (number | null)[], step: number, isLog: boolean): string[] {
  if (!isLog) return valueTexts(places, step);
  return places.map((place) => (place === null ? '' : shortText(place)));
}
