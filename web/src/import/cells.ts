/** How a column says the time: ISO 8601, or a number since a start in one of these units. */
export type TimeForm = 'iso' | 's' | 'ms' | 'us' | 'ns';

export const timeForms: readonly (readonly [TimeForm, string])[] = [
  ['iso', 'date and time (ISO 8601)'],
  ['s', 'seconds'],
  ['ms', 'milliseconds'],
  ['us', 'microseconds'],
  ['ns', 'nanoseconds'],
];

const digitsBelow: Readonly<Record<Exclude<TimeForm, 'iso'>, number>> = { s: 9, ms: 6, us: 3, ns: 0 };

const isoForm = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?\s?(Z|[-+]\d\d:?\d\d)?)?$/i;

const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

/**
 * A time in nanoseconds since the Unix epoch; `epoch` is added to numbers. Undefined where the text is no such time or is
 * out of the range of 64 bits. Times without a zone are UTC; what is finer than a nanosecond is rounded.
 */
export function timeOfCell(text: string, form: TimeForm, epoch: bigint): bigint | undefined {
  const time = form === 'iso' ? isoTime(text.trim()) : numberTime(text.trim(), digitsBelow[form]);
  if (time === undefined) return undefined;
  const absolute = form === 'iso' ? time : time + epoch;
  return absolute < least || absolute > most ? undefined : absolute;
}

function isoTime(text: string): bigint | undefined {
  const match = isoForm.exec(text);
  if (match === null) return undefined;
  const [, day, minute = '00:00', second = ':00', fraction = '', zone = 'Z'] = match;
  const withColon = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone.toUpperCase();
  const millis = Date.parse(`${day}T${minute}${second}${withColon}`);
  // Dates such as 30 February are read as another day.
  const isDay =
    !Number.isNaN(Date.parse(`${day}T00:00Z`)) && new Date(`${day}T00:00Z`).toISOString().startsWith(day!);
  if (Number.isNaN(millis) || !isDay) return undefined;
  return BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** An exact decimal times a power of ten. */
function numberTime(text: string, power: number): bigint | undefined {
  const match = /^([-+]?)(\d{1,30})(?:\.(\d{0,40}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole, fraction = ''] = match;
  const digits = BigInt(whole! + fraction.slice(0, power).padEnd(power, '0'));
  const rounded = digits + ((fraction[power] ?? '0') >= '5' ? 1n : 0n);
  return sign === '-' ? -rounded : rounded;
}

const numberForm = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

/**
 * A number that a double holds; undefined for other text, and for a whole number whose digits a double would change (a
 * long serial number, say).
 */
export function numberOfCell(text: string): number | undefined {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return Number(text);
  if (!numberForm.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  return /^[-+]?\d{16,}$/.test(text) && BigInt(text.replace('+', '')) !== BigInt(value) ? undefined : value;
}
