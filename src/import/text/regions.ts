/** Offsets of a region from UTC (ms), of which a local time (ms, as if it were UTC) may have one, two or none. */
export function offsetsOf(region: string, local: number): number[] | undefined {
  const clock = clockOfRegion(region);
  if (clock === undefined) return undefined;
  const day = Math.floor(local / dayMs);
  if (clock.day !== day) {
    // No zone is further than a day from UTC.
    const ends = [(day - 1) * dayMs, (day + 2) * dayMs].map((time) => offsetAt(clock.format, time));
    clock.day = day;
    clock.offsets = [...new Set(ends)];
  }
  if (clock.offsets.length === 1) return clock.offsets;
  return clock.offsets.filter((offset) => offsetAt(clock.format, local - offset) === offset);
}

const dayMs = 86_400_000;

interface RegionClock {
  readonly format: Intl.DateTimeFormat;
  /** The day looked at last, and the offsets round it. */
  day: number;
  offsets: number[];
}

const clocks = new Map<string, RegionClock | undefined>();
const mostClocks = 1000;

function clockOfRegion(region: string): RegionClock | undefined {
  if (clocks.has(region)) return clocks.get(region);
  if (clocks.size >= mostClocks) clocks.clear();
  const clock = newClock(region);
  clocks.set(region, clock);
  return clock;
}

const fields = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
const ofDay = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;

/** Undefined for a region that is not known. */
function newClock(timeZone: string): RegionClock | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', { ...fields, ...ofDay, hourCycle: 'h23', timeZone });
    return { format, day: Number.NaN, offsets: [] };
  } catch {
    return undefined;
  }
}

function offsetAt(format: Intl.DateTimeFormat, time: number): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type)!;
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(time / 1000) * 1000;
}
