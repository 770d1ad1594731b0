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

/** Round numbers within bounds, about so many, and two at least; none where doubles do not tell them apart. */
export function roundNumbers([low, high]: Bounds, count: number, isWhole = false): number[] {
  const most = Math.max(1, count);
  const rough = high / most - low / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const usual = digits.findLastIndex((digit) => digit * power >= rough);
  let found: number[] = [];
  for (const digit of digits.slice(Math.max(0, usual))) {
    const step = isWhole ? Math.max(1, digit * power) : digit * power;
    const own = multiples(step, [low, high]);
    if (own.length > found.length) found = own;
    if (found.length >= 2) break;
  }
  return found;
}

/** Of a power of ten, from large steps to small ones. */
const digits = [10, 5, 2, 1, 0.5, 0.2, 0.1];

function multiples(step: number, [low, high]: Bounds): number[] {
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
