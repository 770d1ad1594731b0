import type { TimeRange } from '../state/view-text.ts';
import { floorDivide } from './time-text.ts';
import { zoneShift } from './zone.ts';

/** Steps that clocks count in, ns. */
const steps: readonly bigint[] = [
  ...[1n, 2n, 5n].flatMap((digit) => Array.from({ length: 9 }, (_, power) => digit * 10n ** BigInt(power))),
  ...[1n, 2n, 5n, 10n, 15n, 30n, 60n, 120n, 300n, 600n, 900n, 1800n].map(
    (seconds) => seconds * 1_000_000_000n,
  ),
  ...[1n, 2n, 3n, 6n, 12n, 24n, 48n, 168n, 336n, 720n, 2160n, 8760n, 17_520n, 43_800n, 87_600n].map(
    (hours) => hours * 3_600_000_000_000n,
  ),
].sort((a, b) => (a < b ? -1 : 1));

/** At most `count` times within a range, or two at least where that is fewer, at a round distance and at round times of the zone's clock. */
export function roundTimes({ from, to }: TimeRange, count: number): bigint[] {
  const usual = steps.findIndex((length) => (to - from) / length < BigInt(count));
  if (usual < 0) return timesAt({ from, to }, (to - from) / BigInt(count) + 1n);
  for (let i = usual; i > 0; i--) {
    const times = timesAt({ from, to }, steps[i]!);
    if (times.length >= 2) return times;
  }
  return timesAt({ from, to }, steps[0]!);
}

function timesAt({ from, to }: TimeRange, step: bigint): bigint[] {
  const times: bigint[] = [];
  const shift = shiftAt(from);
  let time = floorDivide(from + shift, step) * step - shift;
  for (; time <= to; time = nextOn(step, time)) if (time >= from) times.push(time);
  return times;
}

/** One step on. Behind a change of the clock, it is at a round time of the clock again. */
function nextOn(step: bigint, time: bigint): bigint {
  const next = time + step;
  const shift = shiftAt(next);
  return floorDivide(next + shift + step / 2n, step) * step - shift;
}

function shiftAt(time: bigint): bigint {
  return BigInt(zoneShift(Number(time / 1_000_000n))) * 1_000_000n;
}
