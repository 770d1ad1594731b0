import { effect, signal } from '@preact/signals';
import { mapChannels, seenMapChannels } from '../channels/known-channels.ts';
import { followed } from '../lines/followed.ts';
import { gapsOf } from '../lines/gaps.ts';
import type { LiveRows, TraceLoad } from '../lines/traces.ts';
import { isStream } from '../state/same-stream.ts';
import { isLive, mode, streams } from '../state/view.ts';
import { joinRows } from './joined-rows.ts';
import { type MapLine, secondsOf } from './map-load.ts';
import type { XyRows } from './xy-load.ts';

/** More rows than this are thinned: they are drawn anew as they come. */
const mostRows = 5000;
/** So often at most, ms. */
const drawMs = 200;

/** What the map shows while plots over time follow live data; undefined while they do not. */
export const liveLines = signal<readonly MapLine[] | undefined>(undefined);

let drawnAt = 0;

effect(() => {
  const load = followed.value;
  const { x, y, colour } = mapChannels.value;
  const isSeen = isLive.value && mode.value !== 'overlay' && seenMapChannels.value.length > 0;
  if (!isSeen || load === undefined) {
    liveLines.value = undefined;
    return undefined;
  }
  const draw = () => {
    drawnAt = Date.now();
    liveLines.value = streams.peek().map((stream, i) => {
      const rowsOf = (parameter: string) =>
        load.traces.find((trace) => trace.parameter === parameter && isStream(trace.stream, stream))?.live;
      const shades = colour === '' ? undefined : rowsOf(colour);
      const rows = { names: [x, y, colour] as const, ...liveRows(load, rowsOf(x), rowsOf(y), shades) };
      return { stream, index: i, rows, along: secondsOf(rows.times) };
    });
  };
  const timer = setTimeout(draw, Math.max(0, drawnAt + drawMs - Date.now()));
  return () => clearTimeout(timer);
});

/** Rows as XY has them, of each while the first one where they are many. */
function liveRows(
  { origin, range }: TraceLoad,
  x: LiveRows | undefined,
  y: LiveRows | undefined,
  shades: LiveRows | undefined,
): Omit<XyRows, 'names'> {
  const { held, ...all } = joinRows(x?.rows() ?? noRows, y?.rows() ?? noRows, shades?.rows());
  const isMany = all.times.length > mostRows;
  const length = Math.ceil(Number(range.to - range.from) / mostRows);
  // Buckets are aligned to the origin, so that the same rows are drawn while the range moves on.
  const bucket = (row: number) => Math.floor(all.times[row]! / length);
  const isDrawn = (_: number, row: number) => !isMany || row === 0 || bucket(row) !== bucket(row - 1);
  const times = all.times.filter(isDrawn);
  return {
    times: times.map((time) => origin + BigInt(time)),
    x: all.x.filter(isDrawn),
    y: all.y.filter(isDrawn),
    ...(shades !== undefined && { shade: all.shade.filter(isDrawn) }),
    gaps: gapsOf(times),
    held,
    ...(isMany && { of: all.times.length, thinned: BigInt(length) }),
  };
}

const noRows = { times: new Float64Array(), values: new Float64Array() };
