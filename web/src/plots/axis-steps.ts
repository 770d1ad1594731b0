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

function stepsOf(digits: readonly number[], least: number): number[] {
  const powers = Array.from({ length: most - least }, (_, i) => least + i);
  return powers.flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)));
}
