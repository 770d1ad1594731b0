import { inUnit } from '../lines/conversions.ts';
import type { View } from '../state/view-text.ts';
import { hasNumbers, type ParameterEntry } from './parameter-entry.ts';
import { conversionFor } from './shown-units.ts';

const asWritten = { factor: 1, offset: 0 };
/** Digits of a bound that was converted. */
const digits = 12;

/** Other looks and units, with what is kept in the units of before: bounds of axes, and places on the axis of laps. */
export function inOtherUnits(
  shown: View,
  known: readonly ParameterEntry[],
  change: Partial<Pick<View, 'looks' | 'units'>>,
): Partial<View> {
  const next = { ...shown, ...change };
  const of = (name: string, chosen: Pick<View, 'looks' | 'units'>) => {
    const entry = known.find((own) => own.id === name && hasNumbers(own));
    return (entry && conversionFor(entry, chosen)) ?? asWritten;
  };
  const moved = (name: string) => {
    const [old, now] = [of(name, shown), of(name, next)];
    if (old.factor === now.factor && old.offset === now.offset) return undefined;
    return (value: number) => Number(inUnit(now, (value - old.offset) / old.factor).toPrecision(digits));
  };
  const scales = Object.entries(shown.scales).map(([name, [low, high]]) => {
    const move = moved(name);
    return [name, move === undefined ? ([low, high] as const) : ([move(low), move(high)] as const)] as const;
  });
  const isMovedAxis = shown.alignBy !== '' && moved(shown.alignBy) !== undefined;
  return {
    ...change,
    scales: Object.fromEntries(scales),
    ...(isMovedAxis && { across: undefined, placeA: undefined, placeB: undefined }),
  };
}
