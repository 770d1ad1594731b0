const second = 1_000_000_000n;

/** `1 days 02:03:04.5` (pandas), `-1 day, 23:59:59` (Python), `1.02:03:04.5` (.NET): whole days, with a clock that is added. */
const withDays = /^([-+]?)(\d{1,6})(?:\s?d(?:ays?)?,?\s*|\.)\+?(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,40}))?$/i;
const daysAlone = /^([-+]?)(\d{1,6})\s?days?$/i;
/** ISO 8601: `P0DT0H0M0.1S`, `PT1.5S`. */
const isoForm =
  /^([-+]?)P(?=\d|T\d)(?:(\d{1,6})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})(?:[.,](\d{1,40}))?S)?)?$/;
/** `1h2m3.5s` and `100ms` (Go), `1d 2h 3m 4s 500ms` (polars), `12.5 s`. */
const partsForm = /^([-+]?)(?:\d{1,15}(?:\.\d{1,40})?\s?(?:d|h|min|ms|[µμu]s|ns|m|s|sec)\s?){1,7}$/;
const onePart = /(\d{1,15})(?:\.(\d{1,40}))?\s?(d|h|min|ms|[µμu]s|ns|m|s|sec)/g;
const longest = 64;

const parts: Readonly<Record<string, bigint>> = {
  ...{ d: 86_400n * second, h: 3600n * second, m: 60n * second, min: 60n * second, s: second, sec: second },
  ...{ ms: 1_000_000n, us: 1000n, µs: 1000n, μs: 1000n, ns: 1n },
};

/** A time that passed, as libraries write it, ns; undefined for other text. */
export function durationOf(given: string): bigint | undefined {
  if (given.length > longest) return undefined;
  const text = given.trim().replace('\u2212', '-');
  const days = withDays.exec(text) ?? daysAlone.exec(text);
  if (days !== null) {
    const [, sign, day, hours = '0', minutes = '0', seconds = '0', fraction] = days;
    if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
    const whole = BigInt(day!) * parts['d']!;
    const clock = BigInt(hours) * parts['h']! + BigInt(minutes) * parts['m']! + BigInt(seconds) * second;
    const rest = clock + fractionOf(fraction, second);
    // The sign is that of the days, except in .NET.
    if (sign !== '-') return whole + rest;
    return /^-\d+\./.test(text) ? -whole - rest : rest - whole;
  }
  const iso = isoForm.exec(text);
  if (iso !== null) {
    const [, sign, day = '0', hours = '0', minutes = '0', seconds = '0', fraction] = iso;
    const passed =
      BigInt(day) * parts['d']! +
      BigInt(hours) * parts['h']! +
      BigInt(minutes) * parts['m']! +
      BigInt(seconds) * second +
      fractionOf(fraction, second);
    return sign === '-' ? -passed : passed;
  }
  if (!partsForm.test(text)) return undefined;
  let passed = 0n;
  for (const [, whole, fraction, unit] of text.matchAll(onePart))
    passed += BigInt(whole!) * parts[unit!]! + fractionOf(fraction, parts[unit!]!);
  return text.startsWith('-') ? -passed : passed;
}

/** Reads what stands behind the point of a unit of so many nanoseconds; what is finer than one is rounded. */
export function fractionOf(digits: string | undefined, unit: bigint): bigint {
  if (digits === undefined || digits === '') return 0n;
  const divisor = 10n ** BigInt(digits.length);
  return (2n * BigInt(digits) * unit + divisor) / (2n * divisor);
}
