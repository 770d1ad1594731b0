import { lookIn } from '../lines/colours.ts';
import { conversionOf, inUnit } from '../lines/conversions.ts';
import { type Conversion, conversionTo, unitsLike } from '../lines/units.ts';
import type { View } from '../state/view-text.ts';
import { hasNumbers, type ParameterEntry } from './parameter-entry.ts';
import { isLatitude, isLongitude } from './position-names.ts';

/** A channel in the unit in which it is shown, its limits too. */
export function inShownUnit(entry: ParameterEntry): ParameterEntry {
  const own = hasNumbers(entry) ? conversionOf(entry.id) : undefined;
  if (own === undefined) return entry;
  const limit = (value: number | undefined) => (value === undefined ? undefined : inUnit(own, value));
  return { ...entry, unit: own.unit, minimum: limit(entry.minimum), maximum: limit(entry.maximum) };
}

/** How a channel is shown in another unit: its own choice counts before that for all. Degrees of a position stay: the map knows them. */
export function conversionFor(
  entry: ParameterEntry,
  looks: View['looks'],
  units: View['units'],
): Conversion | undefined {
  if (isLongitude(entry) || isLatitude(entry)) return undefined;
  const own = lookIn(looks, entry.id).unit;
  if (own !== undefined) return conversionTo(own, entry.ownUnit);
  const others = unitsLike(entry.ownUnit);
  const chosen = units.find((unit) => others.includes(unit));
  return chosen === undefined ? undefined : conversionTo(chosen, entry.ownUnit);
}

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
  const of = (name: string, { looks, units }: Pick<View, 'looks' | 'units'>) => {
    const entry = known.find((own) => own.id === name && hasNumbers(own));
    return (entry && conversionFor(entry, looks, units)) ?? asWritten;
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
