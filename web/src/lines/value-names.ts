import { signal } from '@preact/signals';
import { exactText, type Reading } from './reading.ts';

type Names = ReadonlyMap<number, string>;

/** What numbers are called, channel by channel. */
export const valueNames = signal<ReadonlyMap<string, Names>>(new Map());

/** The name of a number; undefined where it has none. */
export function valueName(parameter: string, value: number): string | undefined {
  return valueNames.value.get(parameter)?.get(value);
}

/** `PIT (0)`; undefined where the number has no name. */
export function namedText(parameter: string, value: number): string | undefined {
  const name = valueName(parameter, value);
  return name === undefined ? undefined : `${name} (${exactText(value)})`;
}

/** A reading of numbers with their names, where they have some. */
export function withNames(parameter: string, reading: Reading): Reading {
  if (!valueNames.value.has(parameter)) return reading;
  const { low, high, band } = reading;
  const [least, largest] = [namedText(parameter, low), namedText(parameter, high)];
  const own = { ...reading, ...(band !== undefined && { band: withNames(parameter, band) }) };
  if (least === undefined && largest === undefined) return own;
  const [from, to] = [least ?? exactText(low), largest ?? exactText(high)];
  return { ...own, text: low === high ? from : `${from} … ${to}` };
}
