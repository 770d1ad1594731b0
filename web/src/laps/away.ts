import { plotted } from '../channels/plotted.ts';
import type { Bounds } from '../lines/bounds.ts';
import { reader } from '../lines/reader.ts';
import { drawnPixels } from '../plots/axes.ts';
import { restedWidth } from '../plots/width.ts';
import { stable } from '../state/stable.ts';
import { chosenPlaces, isLive, mode } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { afterwards } from '../ui/turns.ts';
import { restedAcross } from './across.ts';
import { laps } from './overlay-drawn.ts';
import { type LapLine, loadOverlay, type OverlayLoad } from './overlay-load.ts';

/** A and B where they are not in what is seen of the axis. */
const places = stable(() => {
  const seen = restedAcross.value;
  const { a, b } = chosenPlaces.value;
  if (seen === undefined || isLive.value || mode.value !== 'overlay') return [];
  return [a, b].filter((place) => place !== undefined && !isWithin(place, seen)) as number[];
});

/** What the plots would show around them. */
const load = loaded<ReadonlyMap<number, OverlayLoad>>(() => {
  const service = reader.value;
  const seen = restedAcross.value;
  const wanted = places.value;
  if (service === undefined || seen === undefined || wanted.length === 0) return undefined;
  const compared = laps.value.value;
  const names = plotted.value;
  const pixels = drawnPixels(restedWidth.value, 0);
  if (compared === undefined || names === undefined) return undefined;
  const half = (seen[1] - seen[0]) / 2;
  const loadAt = async (place: number, signal: AbortSignal) => {
    const bounds: Bounds = [place - half, place + half];
    return [place, await loadOverlay(service, compared, names, bounds, pixels, signal)] as const;
  };
  return afterwards(
    async (signal) => new Map(await Promise.all(wanted.map((place) => loadAt(place, signal)))),
  );
});

/** A line as it is at a place: at A and B, also where that is not seen, as far as it has come. */
export function lineThere(line: LapLine, place: number): LapLine {
  const seen = restedAcross.value;
  if (seen === undefined || isWithin(place, seen)) return line;
  const there = load.value.value?.get(place);
  const lap = there?.laps.find(({ course }) => course === line.lap.course);
  if (there === undefined || lap === undefined) return line;
  if (line.texts === undefined) {
    const points = lap.points[there.names.numbers.indexOf(line.parameter)];
    return points === undefined ? line : { ...line, points };
  }
  return { ...line, ...lap.texts[there.names.texts.indexOf(line.parameter)] };
}

function isWithin(place: number, [low, high]: Bounds): boolean {
  return low <= place && place <= high;
}
