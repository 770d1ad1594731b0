import type { Bounds } from '../lines/bounds.ts';
import { numberText } from '../lines/reading.ts';
import type { Ticks } from './ticks.ts';

/** Pixels from one tick to the next, about. */
const tickPixels = 90;

/** Ticks of an axis of numbers. */
export function numberTicks(label: string, bounds: Bounds): Ticks {
  return {
    label,
    splits: (width) => roundNumbers(bounds, width / tickPixels),
    texts: (splits) => splits.map(numberText),
  };
}

/** Less than this share of a number may be less than two doubles are apart. */
const leastStep = 2 ** -51;

/** Whether no value lies between whole numbers: of such a channel, as a gear, nothing else has a tick. */
export function areWhole(values: Iterable<number>): boolean {
  for (const value of values) if (Number.isFinite(value) && !Number.isInteger(value)) return false;
  return true;
}

/** Round numbers within bounds, about so many; none where doubles do not tell them apart. */
export function roundNumbers([low, high]: Bounds, count: number, isWhole = false): number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = power * ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10);
  const step = isWhole ? Math.max(1, round) : round;
  // Of numbers so large a step more may be the same number: there would be no end.
  if (!(step > Math.max(Math.abs(low), Math.abs(high)) * leastStep)) return [];
  const found: number[] = [];
  for (let tick = Math.ceil(low / step); tick * step <= high; tick++) found.push(roundTo(step, tick * step));
  return found;
}

/** A multiple of a step without the last digits, which are off; of large numbers that differ little they are not. */
export function roundTo(step: number, value: number): number {
  const short = Number(value.toPrecision(12));
  return Math.abs(short - value) < step / 1000 ? short : value;
}
