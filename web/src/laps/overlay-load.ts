import type { Client } from '../../../src/client/client.ts';
import type { Bounds } from '../lines/bounds.ts';
import { loadPoints } from '../lines/point-load.ts';
import { noPoints, type Points } from '../lines/points.ts';
import { loadTexts, type TextPoints } from '../lines/text-load.ts';
import type { TraceNames } from '../lines/traces.ts';
import type { TimeRange } from '../state/view-text.ts';
import type { Lap } from './course-load.ts';

/** What is drawn of a lap: of each parameter its points, along the axis that all are laid over. */
export interface OverlayLoad {
  readonly names: TraceNames;
  readonly laps: readonly DrawnLap[];
}

export interface DrawnLap extends Lap {
  /** Of each parameter that has numbers. */
  readonly points: readonly Points[];
  /** Of each that has text. */
  readonly texts: readonly TextPoints[];
}

/** One channel of a lap. */
export interface LapLine {
  readonly lap: Lap;
  readonly parameter: string;
  readonly points: Points;
  /** What its values are places in, where it has text. */
  readonly texts?: readonly string[];
}

/** What was drawn of laps that are there still. */
const drawnOf = new WeakMap<Lap, { readonly key: string } & Pick<DrawnLap, 'points' | 'texts'>>();

/** Loads what plots of so many pixels show of laps within bounds of the axis; undefined bounds: all. */
export async function loadOverlay(
  client: Client,
  laps: readonly Lap[],
  names: TraceNames,
  bounds: Bounds | undefined,
  width: number,
  signal: AbortSignal,
): Promise<OverlayLoad> {
  const key = JSON.stringify([names, bounds, width]);
  const loads = laps.map(async (lap): Promise<DrawnLap> => {
    const drawn = drawnOf.get(lap);
    if (drawn?.key === key) return { ...lap, points: drawn.points, texts: drawn.texts };
    const range = rangeWithin(lap, bounds);
    if (range === undefined) {
      const texts = names.texts.map(() => ({ points: noPoints, texts: [] }));
      return { ...lap, points: names.numbers.map(() => noPoints), texts };
    }
    const { rows, range: within, course } = lap;
    const wish = { rows, range, within, width, place: course.placeAt };
    const [points, texts] = await Promise.all([
      loadPoints(client, { ...wish, parameters: names.numbers }, signal),
      loadTexts(client, { ...wish, parameters: names.texts }, signal),
    ]);
    drawnOf.set(lap, { key, points, texts });
    return { ...lap, points, texts };
  });
  return { names, laps: await Promise.all(loads) };
}

/** All that is drawn of a lap. */
export function pointsOf({ points, texts }: DrawnLap): Points[] {
  return [...points, ...texts.map((own) => own.points)];
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
