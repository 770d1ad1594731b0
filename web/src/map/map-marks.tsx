import { chosenCursors, chosenPlaces } from '../state/view.ts';
import type { MapScales } from './map-scales.ts';
import { sectorEnds } from './map-sectors.ts';
import {
  alongOf,
  type DrawnMap,
  type DrawnPath,
  isOverLaps,
  type MarkedRow,
  marked,
  rowAt,
} from './map-state.ts';

/** What lies on the map: a dot for each lap or run at the cursor, the cursors A and B, and the stretch being dragged along. */
export function MapMarks({
  map,
  scales,
  width,
  height,
  brush,
  near,
}: {
  map: DrawnMap;
  scales: MapScales;
  width: number;
  height: number;
  brush: { readonly line: number; readonly from: number; readonly to: number } | undefined;
  near: readonly DrawnPath[];
}) {
  const { xOf, yOf } = scales;
  const place = ({ line: { path }, row }: Pick<MarkedRow, 'line' | 'row'>) => ({
    left: `${xOf(path.x[row]!)}px`,
    top: `${yOf(path.y[row]!)}px`,
  });
  const isPlace = ({ line: { path }, row }: Pick<MarkedRow, 'line' | 'row'>) => !Number.isNaN(path.x[row]!);
  const dragged = brush && near[brush.line];
  return (
    <>
      {brush && dragged && (
        <svg class="brush" width={width} height={height} aria-hidden="true">
          <polyline points={pointsOf(dragged, brush.from, brush.to, scales)} />
        </svg>
      )}
      {sectorEnds(map)
        .filter(isPlace)
        .map((end) => (
          <b key={end.name} class="map-flag sector" style={place(end)}>
            {end.name}
          </b>
        ))}
      {flagsOn(map)
        .filter(isPlace)
        .map((flag, i) => (
          <b key={`${flag.name} ${i}`} class="map-flag" style={place(flag)}>
            {flag.name}
          </b>
        ))}
      {marked.value.map((own, i) =>
        own === undefined || !isPlace(own) ? null : (
          <i
            key={`${own.line.label} ${i}`}
            class={`map-dot ${i === 0 && map.lines.length > 1 ? 'first' : ''}`}
            style={{ background: own.line.colour, ...place(own) }}
          />
        ),
      )}
    </>
  );
}

function pointsOf({ path }: DrawnPath, one: number, other: number, { xOf, yOf }: MapScales): string {
  const [from, to] = one < other ? [one, other] : [other, one];
  const points: string[] = [];
  for (let row = from; row <= to; row++)
    if (!Number.isNaN(path.x[row]!))
      points.push(`${xOf(path.x[row]!).toFixed(1)},${yOf(path.y[row]!).toFixed(1)}`);
  return points.join(' ');
}

/** The rows at the cursors that stay. */
function flagsOn({ lines, whole }: DrawnMap): { name: string; line: DrawnPath; row: number }[] {
  const [times, places] = [chosenCursors.value, chosenPlaces.value];
  return (['a', 'b'] as const).flatMap((key) =>
    (whole.length > 0 ? whole : lines).flatMap((line) => {
      const time = times[key];
      const at = isOverLaps.value ? places[key] : time === undefined ? undefined : alongOf(line, time);
      const row = at === undefined ? undefined : rowAt(line, at, 0);
      return row === undefined ? [] : [{ name: key.toUpperCase(), line, row }];
    }),
  );
}
