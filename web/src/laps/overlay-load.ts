import type { Client } from '../../../src/client/client.ts';
import type { Bounds } from '../lines/bounds.ts';
import { loadPoints } from '../lines/point-load.ts';
import { noPoints, type Points } from '../lines/points.ts';
import type { TimeRange } from '../state/view-text.ts';
import type { Lap } from './course-load.ts';

/** What is drawn of a lap: of each parameter its points, along the axis that all are laid over. */
export interface OverlayLoad {
  readonly parameters: readonly string[];
  readonly laps: readonly (Lap & { readonly points: readonly Points[] })[];
}

/** What was drawn of laps that are there still. */
const drawnOf = new WeakMap<Lap, { readonly key: string; readonly points: readonly Points[] }>();

/** Loads what plots of so many pixels show of laps within bounds of the axis; undefined bounds: all. */
export async function loadOverlay(
  client: Client,
  laps: readonly Lap[],
  parameters: readonly string[],
  bounds: Bounds | undefined,
  width: number,
  signal: AbortSignal,
): Promise<OverlayLoad> {
  const key = JSON.stringify([parameters, bounds, width]);
  const loads = laps.map(async (lap) => {
    const drawn = drawnOf.get(lap);
    if (drawn?.key === key) return { ...lap, points: drawn.points };
    const range = rangeWithin(lap, bounds);
    if (range === undefined) return { ...lap, points: parameters.map(() => noPoints) };
    const { rows, range: within, course } = lap;
    const wish = { rows, parameters, range, within, width, place: course.placeAt };
    const points = await loadPoints(client, wish, signal);
    drawnOf.set(lap, { key, points });
    return { ...lap, points };
  });
  return { parameters, laps: await Promise.all(loads) };
}

/** When a lap is within bounds; undefined: never. */
function rangeWithin({ range, course }: Lap, bounds: Bounds | undefined): TimeRange | undefined {
  if (bounds === undefined) return range;
  const span = course.spanOf(bounds);
  if (span === undefined) return undefined;
  const from = span.from > range.from ? span.from : range.from;
  const to = span.to < range.to ? span.to : range.to;
  return from > to ? undefined : { from, to };
}
