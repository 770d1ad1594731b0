import { latestStart } from './logged-file.ts';

/** What is known of the times of a file that does not say when it begins. */
export interface TimesWithoutStart {
  /** The latest, ns after the start. */
  readonly last: bigint;
  /** Whether they are clocks, so that the start is a midnight. */
  readonly isOfDay: boolean;
}

const day = 86_400_000_000_000n;
/** How far (ns) the clocks of a logger and of the computer that wrote the file may differ. */
const clocksDiffer = 3_600_000_000_000n;

/**
 * The start by which the last row of a file is at the last change of the file, for a logger writes to the end. Of clocks it is a
 * midnight: that by which the last row comes before the change, by the clock of whoever asks. Undefined where a service cannot
 * keep it.
 * @param changed of the file, ms since the Unix epoch
 * @param zoneShift of the zone of whoever asks, ms ahead of UTC
 */
export function proposeStart(
  { last, isOfDay }: TimesWithoutStart,
  changed: number,
  zoneShift: number,
): bigint | undefined {
  const most = isOfDay ? nsOf(changed + zoneShift) + clocksDiffer - last : nsOf(changed) - last;
  const start = isOfDay ? most - (((most % day) + day) % day) : most;
  return start > latestStart || start < -latestStart ? undefined : start;
}

function nsOf(ms: number): bigint {
  return BigInt(Math.round(ms)) * 1_000_000n;
}
