import { computed, effect, signal } from '@preact/signals';
import type { Client } from '../../../src/client/client.ts';
import { distanceChannel } from '../channels/known-channels.ts';
import { plotted } from '../channels/plotted.ts';
import type { Bounds } from '../lines/bounds.ts';
import { reader } from '../lines/reader.ts';
import { allTime } from '../lines/time-text.ts';
import { beat } from '../live/news.ts';
import { drawnPixels } from '../plots/axes.ts';
import { otherAxis, restedRange } from '../plots/range.ts';
import { restedWidth } from '../plots/width.ts';
import { shiftKey } from '../state/shifts.ts';
import { isLive, mode, shifts } from '../state/view.ts';
import type { LapRef } from '../state/view-text.ts';
import { later, loaded } from '../ui/loading.ts';
import { across, allAcross, restedAcross, zoomAcross } from './across.ts';
import { type Lap, loadLaps } from './course-load.ts';
import { mayGrow } from './driven-laps.ts';
import { lapLength, lapList, lapOf } from './lap-list.ts';
import { lapWays, wayChannel, wayOf } from './lap-ways.ts';
import { loadOverlay, type OverlayLoad, pointsOf } from './overlay-load.ts';
import { areLapsComing, comparedLaps, overlay, selectLap } from './overlay-state.ts';

/** When laps crossed the line, where they are compared along the way from it. */
const lineOf = computed(() => {
  const known = lapList.value.value ?? [];
  const { source, alignBy } = overlay.value;
  const isAlongWay = source.kind !== 'none' && alignBy === distanceChannel.value?.id;
  return ({ stream, value }: LapRef) => {
    const lap = isAlongWay ? lapOf(known, stream, value) : undefined;
    const length = lap?.isExact ? lapLength(known, lap) : undefined;
    return lap && length !== undefined ? { start: lap.start, end: lap.end, length } : undefined;
  };
});

/** Whether it is not known yet where the places of laps begin. */
const areWaysComing = computed(() => {
  const { source, alignBy } = overlay.value;
  const known = lapList.value.value;
  if (source.kind === 'none' || alignBy !== wayChannel.value || known === undefined) return false;
  const { value } = lapWays.value;
  return value?.channel !== alignBy || value.laps !== known;
});

/** Whether places of what is compared are told from the start of each lap. */
export const isFromStart = computed(() => {
  const { value } = lapWays.value;
  const { source, alignBy } = overlay.value;
  const isKnown = source.kind !== 'none' && alignBy !== '' && value?.channel === alignBy;
  return isKnown && comparedLaps.value.some((lap) => wayOf(value, lap)?.isFromStart);
});

/** Where live data is followed: grows when there are new rows, and what was read before is drawn. */
const overlayBeat = signal(0);
/** Laps that nothing is added to any more, while live data is followed. */
const kept = new Map<string, Lap>();
/** What read them: another one has other channels of the view, or other expressions. */
let keptOf: Client | undefined;

/** What is compared, each with its way along the axis. */
export const laps = loaded<Lap[]>(() => {
  const service = reader.value;
  const { alignBy } = overlay.value;
  const compared = comparedLaps.value;
  const range = restedRange.value;
  const { numbers = [], texts = [] } = plotted.value ?? {};
  const isSeen = mode.value === 'overlay' && compared.length > 0 && numbers.length + texts.length > 0;
  // Live, the laps that are seen stay while the list is read again.
  const isWaiting =
    areLapsComing.value || (alignBy !== '' && lapList.value.busy && !(isLive.value && lapList.value.value));
  const canGrow = mayGrow.value;
  const moved = shifts.value;
  if (!isLive.value || service !== keptOf) kept.clear();
  keptOf = service;
  if (service === undefined || range === undefined || !isSeen || isWaiting) return undefined;
  if (areWaysComing.value) return lapWays.value.error === undefined ? later : undefined;
  const isByLap = overlay.value.source.kind !== 'none' && lapWays.value.value?.channel === alignBy;
  const ways = isByLap ? lapWays.value.value : undefined;
  const whole = isLive.value ? { ...range, to: allTime.to } : range;
  const wish = {
    laps: compared,
    select: selectLap.value,
    parameters: numbers,
    texts,
    alignBy,
    shiftOf: (lap: LapRef) => moved[shiftKey(lap)] ?? 0,
    originOf: (lap: LapRef) => wayOf(ways, lap)?.origin ?? 0,
    range: whole,
    lineOf: lineOf.value,
    canGrow,
    kept,
  };
  return (signal) => loadLaps(service, wish, signal);
}, overlayBeat);

const foundLaps = computed(() => laps.value.value);

/** What is drawn of them. */
export const load = loaded<OverlayLoad>(() => {
  const service = reader.value;
  const found = foundLaps.value;
  const names = plotted.value;
  const bounds = restedAcross.value;
  const pixels = drawnPixels(restedWidth.value, 0);
  if (service === undefined || found === undefined || names === undefined) return undefined;
  return (signal) => loadOverlay(service, found, names, bounds, pixels, signal);
});

effect(() => {
  const now = beat.value;
  if (isLive.value && mode.value === 'overlay' && !laps.value.busy && !load.value.busy)
    overlayBeat.value = now;
});

/** What is seen of the axis: what was zoomed to, or all that was loaded; undefined where nothing is. */
export const seenAcross = computed<Bounds | undefined>(
  () => across.value ?? (load.value.value && boundsOf(load.value.value)),
);

effect(() => {
  const seen = mode.value === 'overlay' ? seenAcross.value : undefined;
  otherAxis.value = seen && { all: allAcross, zoom: (factor) => zoomAcross(seen, factor) };
});

/** All that was loaded; undefined where nothing is. */
function boundsOf({ laps }: OverlayLoad): Bounds | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { x } of laps.flatMap(pointsOf)) {
    for (const place of x) {
      if (place < low) low = place;
      if (place > high) high = place;
    }
  }
  if (low > high) return undefined;
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}
