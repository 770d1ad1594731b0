import { computed } from '@preact/signals';
import { cursorPlace, restedPlace } from '../laps/across.ts';
import { lapTimeAt } from '../laps/read-lap.ts';
import type { ExactRow } from '../lines/exact-row.ts';
import { type AskedRow, exactRows, rowKey } from '../lines/exact-rows.ts';
import { cursorTime, restedCursor } from '../plots/cursor.ts';
import { isLive } from '../state/view.ts';
import type { MapLine } from './map-load.ts';
import { isOverLaps, type MarkedRow, marked } from './map-state.ts';

/** Where not every row is drawn, the one that holds at the cursor is read. */
const asked = computed<readonly AskedRow[]>(() =>
  marked.value.flatMap((own) => {
    const at = own && timeOf(own.line, restedCursor.value, restedPlace.value);
    if (own === undefined || at === undefined || isLive.value) return [];
    const { rows, lap } = own.line;
    if (rows.bucket === undefined) return [];
    const first = rows.gaps[own.row] === 1 ? own.row : Math.max(0, own.row - 1);
    const near = { from: rows.times[first]!, to: rows.times[own.row]! + rows.bucket - 1n };
    const begin = lap?.range.from ?? rows.times[0]!;
    return namesOf(own.line).map((name) => {
      const wish = wishOf(own.line, name, at);
      return { ...wish, isText: false, near, begin, of: rows, key: rowKey(wish) };
    });
  }),
);
const found = exactRows(asked);

/** The row of a channel that holds at the cursor, where the map draws others; undefined while it is not read. */
export function mapRow({ line }: MarkedRow, name: string): ExactRow | undefined {
  const at = timeOf(line, cursorTime.value, cursorPlace.value);
  if (at === undefined || line.rows.bucket === undefined) return undefined;
  return found.rowOf(rowKey(wishOf(line, name, at))) ?? undefined;
}

function timeOf({ lap }: MapLine, time: bigint | undefined, place: number | undefined): bigint | undefined {
  if (!isOverLaps.value) return time;
  return place === undefined || lap === undefined ? undefined : lapTimeAt(lap, place);
}

function namesOf({ rows }: MapLine): string[] {
  return [...new Set(rows.names)].filter((name) => name !== '');
}

function wishOf({ stream, lap }: MapLine, parameter: string, at: bigint) {
  const rows = lap?.rows ?? { topic: stream.topic, streamIds: [stream.streamId] };
  return { rows, parameter, at };
}
