import type { Bounds } from '../lines/bounds.ts';
import type { Line } from '../lines/points.ts';
import { areWhole } from './number-ticks.ts';

/** From one tick to the next: uPlot knows how many digits each of these has, times a power of ten. */
const usual = { digits: [1, 2, 2.5, 5], leastPower: -323 } as const;
const whole = { digits: [1, 2, 5], leastPower: 0 } as const;
/** The largest power of ten of which all steps are doubles. */
const mostPower = 307;
/** Powers of ten that an axis has to choose from: where doubles do not tell small steps apart, it takes a larger one. */
const powers = 20;

/** What is drawn on the axis of a unit. */
export interface LineOfUnit {
  readonly unit: string;
  readonly points: Pick<Line, 'low' | 'high'>;
}

/** Whether the axis of a unit has whole steps alone. */
export function hasWholeSteps(lines: readonly LineOfUnit[], unit: string): boolean {
  const own = lines.filter((line) => line.unit === unit);
  return own.every(({ points: { low, high } }) => areWhole(low) && areWhole(high));
}

/** Pixels from one tick to the next, and where there would be one alone. */
const usualPixels = 30;
export const leastPixels = 8;

/**
 * Steps of an axis in the order of their size, from the least that leaves its ticks room on, of which the least gives two
 * ticks or more, where there are so many.
 */
export function stepsOf(isWhole: boolean, [low, high]: Bounds, pixels: number): number[] {
  const { digits, leastPower } = isWhole ? whole : usual;
  const roomOf = (step: number) => pixels * (step / (high - low));
  const ticksOf = (step: number) => Math.floor(high / step) - Math.ceil(low / step) + 1;
  // The step before the first one may be smaller.
  const power = Math.floor(Math.log10(usualPixels / pixels) + Math.log10(high - low)) - 1;
  const begin = Math.max(leastPower, Math.min(mostPower + 1 - powers, power));
  const steps = Array.from({ length: powers }, (_, i) => begin + i).flatMap((own) =>
    digits.map((digit) => Number(`${digit}e${own}`)),
  );
  let first = steps.findIndex((step) => roomOf(step) >= usualPixels);
  while (first > 0 && ticksOf(steps[first]!) < 2 && roomOf(steps[first - 1]!) >= leastPixels) first--;
  return steps.slice(Math.max(0, first));
}
