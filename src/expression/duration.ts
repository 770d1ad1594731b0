const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
};

/** The longest window: rows that are read beside those that are asked for cost time. */
export const maxDuration = 366n * units['d']!;

/** A time like `2s`, `0.5s` or `100ms` in whole nanoseconds, at least 1; undefined where it is none. */
export function durationOf(text: string): bigint | undefined {
  const [, whole, fraction = '', unit] =
    /^\s*([0-9]{1,18})(?:\.([0-9]{1,15}))?\s*([a-zµμ]+)\s*$/.exec(text) ?? [];
  const length = unit === undefined ? undefined : units[unit];
  if (whole === undefined || length === undefined) return undefined;
  const scale = 10n ** BigInt(fraction.length);
  const nanoseconds = (BigInt(whole + fraction) * length) / scale;
  return nanoseconds >= 1n && nanoseconds <= maxDuration ? nanoseconds : undefined;
}
