import { fault } from '../base/fault.ts';
import { excerpt } from '../base/name.ts';
import { type Read, text } from './fields.ts';

/** A date, `T`, a time of day, whose seconds may have decimals, and `Z` or an offset; UTC where that is left out. */
const form = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?:(:\d{2})(?:\.(\d{1,9}))?)?(Z|[-+]\d{2}:\d{2})?)?$/i;

/** A moment as ISO 8601 text; comes in milliseconds since the Unix epoch, what is finer is cut off. */
export const isoTime: Read<number> = (value, path) => {
  const given = text(value, path);
  const [, day = '', minute = '00:00', second = ':00', fraction = '', zone = 'Z'] = form.exec(given) ?? [];
  const millis = Date.parse(
    `${day}T${minute}${second}.${fraction.slice(0, 3).padEnd(3, '0')}${zone.toUpperCase()}`,
  );
  if (!Number.isNaN(millis) && isDay(day)) return millis;
  throw fault('invalid_value', path, `must be a time like 2024-05-31T12:30:00Z, not ${excerpt(given)}`);
};

/** Whether the calendar has a day, `2024-02-29`: Date.parse lets 30 February pass, as 1 March. */
export function isDay(day: string): boolean {
  const millis = Date.parse(day);
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(day);
}
