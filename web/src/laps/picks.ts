import { computed, signal } from '@preact/signals';
import { distanceChannel } from '../channels/known-channels.ts';
import { isStream } from '../state/same-stream.ts';
import { picks, show, view } from '../state/view.ts';
import type { LapRef, View } from '../state/view-text.ts';
import { lapList, lapTime } from './lap-list.ts';
import type { LapRow } from './lap-rows.ts';
import { isLapSourceComing, lapSource } from './lap-source.ts';

/** What the page has ticked itself. */
const ticked = signal<readonly LapRef[]>([]);

/** Whether the page has ticked what is ticked: the first tick by hand takes its place. */
export const isTickedByPage = computed(
  () => picks.value.length > 0 && JSON.stringify(picks.value) === JSON.stringify(ticked.value),
);

export function isTicked(lap: Pick<LapRow, 'stream' | 'value'>): boolean {
  return picks.value.some((pick) => pick.value === lap.value && isStream(pick.stream, lap.stream));
}

/** Ticks a lap or takes it out; two lie over each other by distance, or by time where there is none. */
export function toggleLap({ stream, value }: LapRow): void {
  const others = isTickedByPage.value ? [] : othersThan({ stream, value });
  const isTaken = !isTickedByPage.value && others.length < picks.value.length;
  const now = isTaken ? others : [...others, { stream, value }];
  const { mode, alignBy } = view.value;
  const isCompared = now.length > 1;
  show({
    picks: now,
    lapsBy: lapSource.value,
    overlayValues: [],
    ...(isCompared && {
      mode: 'overlay',
      alignBy: mode === 'overlay' ? alignBy : (distanceChannel.value?.id ?? ''),
      ...(mode !== 'overlay' && { range: undefined, across: undefined }),
    }),
    ...(now.length === 0 && mode === 'overlay' && { mode: 'time' }),
  });
}

function othersThan({ stream, value }: LapRef): LapRef[] {
  return picks.value.filter((pick) => pick.value !== value || !isStream(pick.stream, stream));
}

/** Whether the others that are ticked are compared with it. */
export function isReference({ stream, value }: LapRow): boolean {
  const [first] = picks.value;
  return first !== undefined && first.value === value && isStream(first.stream, stream);
}

/** Makes a ticked lap the reference. */
export function makeReference({ stream, value }: LapRow): void {
  show({ picks: [{ stream, value }, ...othersThan({ stream, value })] });
}

/** Whether the best laps are to be ticked as soon as it is known which laps there are. */
export const isBestAsked = signal(false);

/** Whether it is known which laps there are, or that nobody can tell. */
export function areLapsKnown(): boolean {
  return !isLapSourceComing.value && !lapList.value.busy;
}

/** Goes to laps over each other: as they were left, or the best ones. */
export function compare(): void {
  show(comparison());
  isBestAsked.value = !areLapsKnown();
}

/** The view of laps over distance: as it was left, or with the two best laps; live, the best one and the one that is driven. */
export function comparison(): Partial<View> {
  const { lapsBy, alignBy, overlayValues, streams } = view.value;
  const isLeft = lapsBy !== undefined || alignBy !== '';
  const isChosen = picks.value.length > 0 || overlayValues.length > 0 || lapsBy?.kind === 'none';
  const source = lapSource.value.kind === 'none' ? undefined : lapSource.value;
  if (isChosen || (source === undefined && (isLeft || streams.length > 1))) return { mode: 'overlay' };
  return {
    mode: 'overlay',
    range: undefined,
    across: undefined,
    lapsBy: source,
    alignBy: isLeft ? alignBy : (distanceChannel.value?.id ?? ''),
    picks: tickBest(),
  };
}

/** The two best laps of the open runs, which the page ticks; live the best one, to which the one that is driven comes. */
export function tickBest(): LapRef[] {
  const whole = (lapList.value.value ?? []).filter(({ isWhole }) => isWhole);
  const best = whole
    .sort((a, b) => Number(lapTime(a) - lapTime(b)))
    .slice(0, view.peek().live ? 1 : 2)
    .map(({ stream, value }) => ({ stream, value }));
  ticked.value = best;
  return best;
}

/** Zooms to a lap, over time. */
export function showLap({ start, end }: LapRow): void {
  show({ mode: 'time', range: { from: start, to: end }, live: false });
}
