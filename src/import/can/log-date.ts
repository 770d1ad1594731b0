/** Months by the beginnings of their names, in English and German. */
const months: ReadonlyMap<string, number> = new Map([
  ['jan', 0],
  ['jän', 0],
  ['feb', 1],
  ['mar', 2],
  ['mär', 2],
  ['mrz', 2],
  ['apr', 3],
  ['may', 4],
  ['mai', 4],
  ['jun', 5],
  ['jul', 6],
  ['aug', 7],
  ['sep', 8],
  ['oct', 9],
  ['okt', 9],
  ['nov', 10],
  ['dec', 11],
  ['dez', 11],
]);

const form =
  /^\p{L}+\.?\s+(\p{L}+)\.?\s+(\d{1,2})\s+(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:\s+([ap]m))?\s+(\d{4})\s*$/iu;

/**
 * The date of a log such as `Wed Apr 16 09:21:13.159 am 2014` or `Mit Mär 5 17:03:01 2014`, taken for UTC; ns since the Unix epoch. Undefined for
 * another text.
 */
export function logDate(text: string): bigint | undefined {
  const match = form.exec(text.trim());
  if (match === null) return undefined;
  const [, name, day, hour, minute, second, decimals = '', half, year] = match;
  const month = months.get(name!.slice(0, 3).toLowerCase());
  if (month === undefined) return undefined;
  let hours = Number(hour);
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return undefined;
    hours = (hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  }
  const ms = Date.UTC(Number(year), month, Number(day), hours, Number(minute), Number(second));
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59 || new Date(ms).getUTCDate() !== Number(day))
    return undefined;
  return BigInt(ms) * 1_000_000n + BigInt(decimals.padEnd(9, '0'));
}
