import { effect, signal } from '@preact/signals';
import { mapChannels, seenMapChannels } from '../channels/known-channels.ts';
import { followed } from '../lines/followed.ts';
import { gapsOf } from '../lines/gaps.ts';
import type { LiveRows, TraceLoad } from '../lines/traces.ts';
import { isStream } from '../state/same-stream.ts';
import { isLive, mode, streams } from '../state/view.ts';
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
      const rows = { names: [x, y, colour] as const, ...joinedRows(load, rowsOf(x), rowsOf(y), shades) };
      return { stream, index: i, rows, along: secondsOf(rows.times) };
    });
  };
  const timer = setTimeout(draw, Math.max(0, drawnAt + drawMs - Date.now()));
  return () => clearTimeout(timer);
});

/** Rows that have x and y, of each while the first one where they are many. */
function joinedRows(
  { origin, range }: TraceLoad,
  xs: LiveRows | undefined,
  ys: LiveRows | undefined,
  shades: LiveRows | undefined,
): Omit<XyRows, 'names'> {
  const [x, y, shade] = [xs, ys, shades].map((own) => own?.rows() ?? noRows);
  const columns = { times: [] as number[], x: [] as number[], y: [] as number[], shade: [] as number[] };
  let [inY, inShade, bucket, of] = [0, 0, Number.NEGATIVE_INFINITY, 0];
  const isMany = x!.times.length > mostRows;
  const length = Math.ceil(Number(range.to - range.from) / mostRows);
  for (const [i, time] of x!.times.entries()) {
    while (inY < y!.times.length && y!.times[inY]! < time) inY++;
    while (inShade < shade!.times.length && shade!.times[inShade]! < time) inShade++;
    if (y!.times[inY] !== time) continue;
    of++;
    // Buckets are aligned to the origin, so that the same rows are drawn while the range moves on.
    const own = Math.floor(time / length);
    if (isMany && own === bucket) continue;
    bucket = own;
    columns.times.push(time);
    columns.x.push(x!.values[i]!);
    columns.y.push(y!.values[inY]!);
    columns.shade.push(shade!.times[inShade] === time ? shade!.values[inShade]! : Number.NaN);
  }
  return {
    times: columns.times.map((time) => origin + BigInt(time)),
    x: columns.x,
    y: columns.y,
    ...(shades !== undefined && { shade: columns.shade }),
    gaps: gapsOf(columns.times),
    ...(isMany && { of, thinned: BigInt(length) }),
  };
}

const noRows = { times: new Float64Array(), values: new Float64Array() };
