import type { Bounds } from './bounds.ts';
import type { Ticks } from './chart.tsx';
import { numberText } from './reading.ts';

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

/** Round numbers within bounds, about so many. */
export function roundNumbers([low, high]: Bounds, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10);
  const found: number[] = [];
  for (let tick = Math.ceil(low / step); tick * step <= high; tick++)
    found.push(Number((tick * step).toPrecision(12)));
  return found;
}
