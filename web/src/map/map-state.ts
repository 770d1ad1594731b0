import { computed } from '@preact/signals';
import { mapChannels } from '../channels/known-channels.ts';
import { openParameters } from '../channels/parameters.ts';
import { isLatitude, isLongitude } from '../channels/position-names.ts';
import { cursorPlace, keyPlace } from '../laps/across.ts';
import { mayGrow } from '../laps/driven-laps.ts';
import { seenAcross } from '../laps/overlay-drawn.ts';
import { lapName } from '../laps/overlay-plot.tsx';
import { type Look, lookOfLine } from '../lines/colours.ts';
import { placeBefore } from '../lines/nearest.ts';
import { drawnPixels, drawnWidth, unitOf } from '../plots/axes.ts';
import { cursorTime, keyTime, moveCursor, reachPixels } from '../plots/cursor.ts';
import { seenRange } from '../plots/range.ts';
import { plotWidth } from '../plots/width.ts';
import { streamName } from '../runs/stream-name.ts';
import { isLive, mode } from '../state/view.ts';
import { type Ground, globeGround, type Path, plainGround } from './ground.ts';
import { liveLines } from './live-rows.ts';
import { type MapLine, mapLoad } from './map-load.ts';
import type { Names } from './xy-load.ts';

/** A line with the path that is drawn of it. */
export interface DrawnPath extends MapLine, Look {
  readonly label: string;
  readonly path: Path;
}

export interface DrawnMap {
  /** What the plots show. */
  readonly lines: readonly DrawnPath[];
  /** All of the runs, where the plots show a part of them; line by line. */
  readonly whole: readonly DrawnPath[];
  readonly ground: Ground;
  /** What is drawn: while others are on their way, it is not what was chosen. */
  readonly names: Names;
}

export const isOverLaps = computed(() => mode.value === 'overlay');

export const drawnMap = computed<DrawnMap | undefined>(() => {
  const { lines: known, whole: all = [] } = mapLoad.value;
  const lines = liveLines.value ?? known;
  if (lines === undefined) return undefined;
  const { x, y, colour } = mapChannels.value;
  const names = lines[0]?.rows.names ?? [x, y, colour];
  // Each of the two loads may still be of other channels.
  const whole = all.filter(({ rows }) => rows.names.every((name, i) => name === names[i]));
  const ground = groundOf([...whole, ...lines], names);
  const drawn = (line: MapLine): DrawnPath => ({
    ...line,
    label: line.lap === undefined ? streamName(line.stream) : lapName(line.lap),
    ...lookOfLine(line.index),
    path: ground.pathOf(line.rows),
  });
  return { lines: lines.map(drawn), whole: whole.map(drawn), ground, names };
});

/** The ground of degrees where the channels are called so, or else of one unit for both. */
function groundOf(lines: readonly MapLine[], [x, y]: Names): Ground {
  const entry = (id: string) => openParameters.value.value?.find((own) => own.id === id);
  const [across, up] = [entry(x), entry(y)];
  const isGlobe = across !== undefined && up !== undefined && isLongitude(across) && isLatitude(up);
  const globe = isGlobe
    ? globeGround(
        unitOf(x),
        lines.map(({ rows }) => rows),
      )
    : undefined;
  return globe ?? plainGround(unitOf(x) === unitOf(y) ? unitOf(x) : '');
}

/** Where a time is along a line, in its seconds. */
export function alongOf({ rows }: MapLine, time: bigint): number {
  return Number(time - (rows.times[0] ?? 0n)) / 1e9;
}

/** Where the cursor of the plots is along a line; undefined where it is over none. */
export function cursorAlong(line: MapLine): number | undefined {
  if (isOverLaps.value) return cursorPlace.value;
  return cursorTime.value === undefined ? undefined : alongOf(line, cursorTime.value);
}

/** Moves the cursor of the plots to a row. */
export function pointAt({ rows, along }: MapLine, row: number): void {
  if (!isOverLaps.peek()) {
    moveCursor(rows.times[row]!);
    return;
  }
  const place = along[row]!;
  if (Number.isNaN(place)) return;
  cursorPlace.value = place;
  keyPlace.value = place;
}

/** Takes it away. */
export function pointNowhere(): void {
  cursorTime.value = undefined;
  keyTime.value = undefined;
  cursorPlace.value = undefined;
  keyPlace.value = undefined;
}

/** A row of a line that is marked. */
export interface MarkedRow {
  readonly line: DrawnPath;
  readonly row: number;
  /** Whether it is among those that the plots show. */
  readonly isSeen: boolean;
}

/** How far from a row the plots still mean it, on their axis. */
const reachAlong = computed(() => {
  const bounds = seenAcross.value;
  if (isOverLaps.value)
    return bounds === undefined
      ? 0
      : ((bounds[1] - bounds[0]) / drawnPixels(plotWidth.value, 0)) * reachPixels;
  const seen = seenRange.value;
  return seen === undefined ? 0 : (Number(seen.to - seen.from) / 1e9 / drawnWidth.value) * reachPixels;
});

/** Of each line the row at the cursor of the plots; live and without a cursor, the newest one of what is being driven. */
export const marked = computed<readonly (MarkedRow | undefined)[]>(() => {
  const { lines = [], whole = [] } = drawnMap.value ?? {};
  return lines.map((line, i) => {
    const at = cursorAlong(line);
    if (at === undefined) return newestOf(line);
    const row = rowAt(line, at, reachAlong.value);
    if (row !== undefined) return { line, row, isSeen: true };
    const below = whole[i];
    const inWhole = below && rowAt(below, cursorAlong(below)!, reachAlong.value);
    return inWhole === undefined ? undefined : { line: below!, row: inWhole, isSeen: false };
  });
});

function newestOf(line: DrawnPath): MarkedRow | undefined {
  const row = line.rows.times.length - 1;
  const goesOn = isLive.value && (line.lap === undefined || mayGrow.value(line.lap));
  return goesOn && row >= 0 ? { line, row, isSeen: true } : undefined;
}

/** The row at a place along a line, or the last one before it; undefined in a gap and beyond its ends. */
export function rowAt(
  { along, rows }: Pick<MapLine, 'along' | 'rows'>,
  at: number,
  reach: number,
): number | undefined {
  return placeBefore(along, rows.gaps, at, reach);
}
