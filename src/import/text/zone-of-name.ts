import { zoneOffset } from './zones.ts';

const offsetForm = /((?:UTC|GMT)\s?[-+\u2212]\d{1,2}(?::?\d\d)?)(?!\d)/i;
const bracketForm = /[([]\s?([-+\u2212]\d\d:?\d\d|[A-Z]{3,4}|[A-Z][a-z]+(?:\/[A-Za-z\d_+-]+){1,2})\s?[)\]]/;
/** Zones that are no other word. */
const lastForm = /\s(CES?T|MES?Z|EES?T|[ECMP][SD]T|JST|KST|AE[SD]T|NZ[SD]T)$/;

/**
 * The zone, other than UTC, that the name of a column of times has: `UTC+2`, `GMT-05:30`, `Time CEST`; in brackets also `+02:00` and
 * `Europe/Berlin`.
 */
export function zoneInName(name: string): string | undefined {
  const zone = found(name)?.[1]?.replace(' ', '');
  if (zone === undefined) return undefined;
  const offset = zoneOffset(zone, undefined, 0n);
  return typeof offset === 'bigint' && (offset !== 0n || zone.includes('/')) ? zone : undefined;
}

function found(name: string): RegExpExecArray | null {
  return offsetForm.exec(name) ?? bracketForm.exec(name) ?? lastForm.exec(name);
}

/** The name with UTC in place of its zone, for words that tell what it is. */
export function withoutZone(name: string): string {
  return zoneInName(name) === undefined ? name : name.replace(found(name)![1]!, 'utc');
}

/** The zone in the name or the unit of a column of times or days. */
export function zoneOfColumns(
  columns: readonly { readonly role: string; readonly header: string; readonly unit: string }[],
): string | undefined {
  const times = columns.filter(({ role }) => role === 'time' || role === 'day');
  return times.flatMap(({ header, unit }) => zoneInName(header) ?? zoneInName(`[${unit}]`) ?? [])[0];
}
