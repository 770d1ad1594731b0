import { lookIn } from '../lines/colours.ts';
import { inUnit } from '../lines/conversions.ts';
import { areAlike, type Conversion, conversionTo, unitsLike } from '../lines/units.ts';
import type { View } from '../state/view-text.ts';
import { hasNumbers, type ParameterEntry } from './parameter-entry.ts';
import { isLatitude, isLongitude } from './position-names.ts';

type Units = Pick<View, 'looks' | 'units'>;

/** What a channel is written in as a whole: its first unit where all convert into it, or else all of them. */
export function ownUnitOf(units: readonly string[]): string {
  const [first = '', ...others] = new Set(units.filter((unit) => unit !== ''));
  return others.every((unit) => areAlike(first, unit)) ? first : [first, ...others].join(', ');
}

/**
 * How the values of a channel become those that are shown, from the unit in which they were written: its own choice counts
 * before that for all. Degrees of a position stay: the map knows them.
 */
export function conversionFor(
  entry: ParameterEntry,
  { looks, units }: Units,
  written = entry.ownUnit,
): Conversion | undefined {
  if (!hasNumbers(entry) || isLongitude(entry) || isLatitude(entry)) return undefined;
  const others = unitsLike(entry.ownUnit);
  const wanted = lookIn(looks, entry.id).unit ?? units.find((unit) => others.includes(unit)) ?? '';
  const shown = areAlike(wanted, entry.ownUnit) ? wanted : entry.ownUnit;
  return conversionTo(shown, written === '' ? entry.ownUnit : written);
}

/** A channel in the unit in which it is shown, its limits too. */
export function asShown(entry: ParameterEntry, chosen: Units): ParameterEntry {
  const own = conversionFor(entry, chosen);
  if (own === undefined) return entry;
  const limit = (value: number | undefined) => (value === undefined ? undefined : inUnit(own, value));
  return { ...entry, unit: own.unit, minimum: limit(entry.minimum), maximum: limit(entry.maximum) };
}
