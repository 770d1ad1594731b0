import type { Client } from '../../../src/client/client.ts';
import type { Bounds } from '../look/bounds.ts';
import { loadPoints } from '../look/point-load.ts';
import { noPoints, type Points } from '../look/points.ts';
import type { TimeRange } from '../state/view-text.ts';
import type { Lap } from './course-load.ts';

/** What is drawn of a lap: of each parameter its points, along the axis that all are laid over. */
export interface OverlayLoad {
  readonly parameters: readonly string[];
  readonly laps: readonly (Lap & { readonly points: readonly Points[] })[];
}

/** Loads what plots of so many pixels show of laps within bounds of the axis; undefined bounds: all. */
export async function loadOverlay(
  client: Client,
  laps: readonly Lap[],
  parameters: readonly string[],
  bounds: Bounds | undefined,
  width: number,
  signal: AbortSignal,
): Promise<OverlayLoad> {
  const loads = laps.map(async (lap) => {
    const range = rangeWithin(lap, bounds);
    if (range === undefined) return { ...lap, points: parameters.map(() => noPoints) };
    const { rows, range: within, course } = lap;
    const wish = { rows, parameters, range, within, width, place: course.placeAt };
    return { ...lap, points: await loadPoints(client, wish, signal) };
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
