/** Nanoseconds of the units that timestamps of the line protocol may have; `auto`: each shows by its size. */
export const lineUnits = {
  ns: 1n,
  us: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  auto: 'auto',
} as const;

export type LineUnit = keyof typeof lineUnits;

/**
 * The unit that a timestamp's size shows, as InfluxDB 3 reads `auto` (`guess_precision` of its write room): seconds below
 * 5·10⁹, milliseconds below 5·10¹², microseconds below 5·10¹⁵, else nanoseconds.
 */
export function unitBySize(timestamp: bigint): bigint {
  const size = timestamp < 0n ? -timestamp : timestamp;
  if (size < 5_000_000_000n) return lineUnits.s;
  if (size < 5_000_000_000_000n) return lineUnits.ms;
  return size < 5_000_000_000_000_000n ? lineUnits.us : lineUnits.ns;
}
