import { isAlongWay, toggleMark, toggleMarkAt } from '../laps/sector-marks.ts';
import { splitLaps } from '../laps/sectors.ts';
import { nearestPlace } from '../lines/nearest.ts';
import { isStream } from '../state/same-stream.ts';
import { alongOf, type DrawnMap, type DrawnPath, isOverLaps } from './map-state.ts';

/** Where a sector ends on the map: a row of a line. */
export interface SectorEnd {
  readonly name: string;
  readonly line: DrawnPath;
  readonly row: number;
}

/** Ends of sectors, on the first line with a lap of which they are known. The last one is the line. */
export function sectorEnds({ lines, whole }: DrawnMap): SectorEnd[] {
  const split = splitLaps.value.value ?? [];
  for (const line of whole.length > 0 ? whole : lines) {
    const own = split.find(
      ({ lap, ends }) =>
        isStream(lap.stream, line.stream) &&
        (line.lap === undefined ? ends.every((end) => end !== undefined) : line.lap.value === lap.value),
    );
    if (own === undefined) continue;
    const seconds = line.rows.times.length === 0 ? new Float64Array() : secondsOf(line);
    return own.ends.slice(0, -1).flatMap((end, i) => {
      if (end === undefined) return [];
      const time = own.lap.start + BigInt(Math.round(end * 1e9));
      const row = nearestPlace(seconds, line.rows.gaps, alongOf(line, time), reachSeconds);
      return row === undefined ? [] : [{ name: `S${i + 1}`, line, row }];
    });
  }
  return [];
}

/** A row farther away than this is not where the sector ends. */
const reachSeconds = 1;

function secondsOf(line: DrawnPath): Float64Array {
  if (!isOverLaps.peek()) return line.along;
  return Float64Array.from(line.rows.times, (time) => alongOf(line, time));
}

/** Ends a sector where a row is, or takes the end away. */
export function markRow(line: DrawnPath, row: number): void {
  const place = line.along[row];
  if (isOverLaps.peek() && isAlongWay() && place !== undefined && Number.isFinite(place)) toggleMark(place);
  else toggleMarkAt(line.stream, line.rows.times[row]!);
}
