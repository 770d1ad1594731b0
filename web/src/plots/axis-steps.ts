import type { Bounds } from '../lines/bounds.ts';
import type { Line } from '../lines/points.ts';
import { areWhole } from './number-ticks.ts';

/** The largest power of ten that doubles have. */
const most = 308;
/** From one tick to the next, in the order of their size: as uPlot has them, which knows how many digits each has. */
const steps = stepsOf([1, 2, 2.5, 5], -323);
const wholeSteps = stepsOf([1, 2, 5], 0);

/** What is drawn on the axis of a unit. */
export interface LineOfUnit {
  readonly unit: string;
  readonly points: Pick<Line, 'low' | 'high'>;
}

/** The steps that the axis of a unit may have. */
export function stepsFor(lines: readonly LineOfUnit[], unit: string): number[] {
  const own = lines.filter((line) => line.unit === unit);
  const isWhole = own.every(({ points: { low, high } }) => areWhole(low) && areWhole(high));
  return isWhole ? wholeSteps : steps;
}

/** Pixels from one tick to the next, and where there would be one alone. */
const usualPixels = 30;
export const leastPixels = 8;

/** Those of them that leave the ticks room, of which the least gives two ticks or more, where there are so many. */
export function stepsWith(steps: readonly number[], [low, high]: Bounds, pixels: number): number[] {
  const roomOf = (step: number) => (pixels * step) / (high - low);
  const ticksOf = (step: number) => Math.floor(high / step) - Math.ceil(low / step) + 1;
  let first = steps.findIndex((step) => roomOf(step) >= usualPixels);
  while (first > 0 && ticksOf(steps[first]!) < 2 && roomOf(steps[first - 1]!) >= leastPixels) first--;
  return steps.slice(Math.max(0, first));
}

function stepsOf(digits: readonly number[], least: number): number[] {
  const powers = Array.from({ length: most - least }, (_, i) => least + i);
  return powers.flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)));
}
