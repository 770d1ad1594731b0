import { computed } from '@preact/signals';
import type { Bounds } from '../lines/bounds.ts';
import { roundedReading } from '../lines/conversions.ts';
import { exactReading } from '../lines/exact-row.ts';
import { type AskedRow, askedRow, exactRows, rowKey } from '../lines/exact-rows.ts';
import { type Reading, readingAt } from '../lines/reading.ts';
import { stateAt } from '../lines/states.ts';
import { withNames } from '../lines/value-names.ts';
import { drawnPixels } from '../plots/axes.ts';
import { reachPixels } from '../plots/cursor.ts';
import { plotWidth } from '../plots/width.ts';
import { chosenPlaces, isLive, mode, states } from '../state/view.ts';
import { restedPlace } from './across.ts';
import { lineThere } from './away.ts';
import type { Lap } from './course-load.ts';
import { load, seenAcross } from './overlay-drawn.ts';
import type { LapLine } from './overlay-load.ts';

/** How far from a row one still means it, in units of the axis. */
export function reachOf([low, high]: Bounds): number {
  return ((high - low) / drawnPixels(plotWidth.value, 0)) * reachPixels;
}

/** Where a point is several rows at the cursor, or at A or B, the one that holds there is read. */
const asked = computed<readonly AskedRow[]>(() => {
  const { value } = load.value;
  const bounds = seenAcross.value;
  if (value === undefined || bounds === undefined || isLive.value || mode.value !== 'overlay') return [];
  const { a, b } = chosenPlaces.value;
  const places = new Set([restedPlace.value, a, b]);
  const { numbers, texts } = value.names;
  const lines = value.laps.flatMap((lap): LapLine[] => [
    ...numbers.map((parameter, i) => ({ lap, parameter, points: lap.points[i]! })),
    ...texts.map((parameter, i) => ({ lap, parameter, ...lap.texts[i]! })),
  ]);
  return [...places].flatMap((place) =>
    place === undefined
      ? []
      : lines.flatMap((own) => {
          const line = lineThere(own, place);
          const wish = wishOf(line, place);
          const near = wish && nearLap(line, place, reachOf(bounds));
          return (wish && askedRow({ ...wish, begin: line.lap.range.from }, line.points, near)) ?? [];
        }),
  );
});
const rows = exactRows(asked);

/** What a channel of a lap says at a place: a line its row there, or the last one before; states the one that holds. */
export function readLap(own: LapLine, place: number, reach: number): Reading | undefined {
  const line = lineThere(own, place);
  const reading = rowOrPoint(line, place, reach);
  return reading && line.texts === undefined ? withNames(line.parameter, reading) : reading;
}

function rowOrPoint(line: LapLine, place: number, reach: number): Reading | undefined {
  const reading = nearLap(line, place, reach);
  if (reading?.near === undefined) return reading;
  const { near: _, ...band } = reading;
  const wish = isLive.value ? undefined : wishOf(line, place);
  const row = wish ? rows.rowOf(rowKey(wish)) : null;
  if (row === undefined) return reading;
  return row === null ? band : exactReading(reading, row, line.lap.course.placeAt(row.time));
}

function nearLap(line: LapLine, place: number, reach: number): Reading | undefined {
  const { lap, parameter, points, texts } = line;
  if (texts === undefined && !states.value.includes(parameter))
    return roundedReading(parameter, readingAt(points, place, reach));
  return stateAt({ points, ...(texts && { texts }), place: lap.course.placeAt }, place, reach);
}

/** When a lap was at a place, ns; undefined where that is not known. */
export function lapTimeAt({ course }: Pick<Lap, 'course'>, place: number): bigint | undefined {
  return course.isReached(place) ? course.insideOf([place, place])?.from : undefined;
}

function wishOf({ lap, parameter, texts }: LapLine, place: number) {
  const at = lapTimeAt(lap, place);
  return at === undefined ? undefined : { rows: lap.rows, parameter, isText: texts !== undefined, at };
}
