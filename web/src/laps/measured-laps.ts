import { computed } from '@preact/signals';
import type { Bounds } from '../lines/bounds.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { chosenPlaces } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { restedAcross } from './across.ts';
import type { Lap } from './course-load.ts';
import { laps } from './overlay-drawn.ts';

/** The rows of a lap that are measured. */
export interface MeasuredLap extends RowsWish {
  readonly lap: Lap;
}

/** From A to B, or what is seen where not both are set. A lap that does not pass both, or is not seen, is left out. */
export const measuredLaps = computed<readonly MeasuredLap[]>(() => {
  const { a, b } = chosenPlaces.value;
  const seen = restedAcross.value;
  return (laps.value.value ?? []).flatMap((lap) => {
    const range = a === undefined || b === undefined ? rangeSeen(lap, seen) : rangeBetween(lap, a, b);
    return range === undefined ? [] : [{ rows: lap.rows, range, lap }];
  });
});

/** Why nothing of a lap is measured; undefined where something is, or nothing of it is seen. */
export function whyNotMeasured({ course }: Lap): string | undefined {
  const { a, b } = chosenPlaces.value;
  const hasBoth = a !== undefined && b !== undefined;
  if (!course.isOneWay)
    return hasBoth || restedAcross.value !== undefined
      ? 'It goes back and forth, or has too few rows: when it is there is not known.'
      : undefined;
  if (!hasBoth) return undefined;
  const missing = [['A', a] as const, ['B', b] as const].filter(([, place]) => !course.isReached(place));
  if (missing.length === 0) return undefined;
  return `It does not pass ${missing.map(([name]) => name).join(' and ')}, or has no rows there.`;
}

function rangeBetween(lap: Lap, a: number, b: number): TimeRange | undefined {
  const { course } = lap;
  if (!course.isReached(a) || !course.isReached(b)) return undefined;
  return compared(lap, course.insideOf([Math.min(a, b), Math.max(a, b)]));
}

function rangeSeen(lap: Lap, seen: Bounds | undefined): TimeRange | undefined {
  return seen === undefined ? lap.range : compared(lap, lap.course.insideOf(seen));
}

/** What is compared of a lap within a range; undefined: nothing. */
function compared({ range }: Lap, within: TimeRange | undefined): TimeRange | undefined {
  if (within === undefined) return undefined;
  const from = within.from > range.from ? within.from : range.from;
  const to = within.to < range.to ? within.to : range.to;
  return from > to ? undefined : { from, to };
}
