import { computed, signal } from '@preact/signals';
import { followed } from '../lines/followed.ts';
import { allTime } from '../lines/time-text.ts';
import { extentOf, isOfOthers, mayGrow, openStreams, readStreamsAgain } from '../runs/open-streams.ts';
import { stable } from '../state/stable.ts';
import { chosenRange, isLive, mode, show } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { settled } from '../ui/settled.ts';
import { moveCursor } from './cursor.ts';

/** All data of the open streams; undefined while there is none. */
export const extent = computed(() => withWidth(extentOf(openStreams.value.value ?? [])));

/** What is looked at. */
export const range = stable<TimeRange | undefined>(() => withWidth(chosenRange.value) ?? extent.value);

const halfSecond = 500_000_000n;

/** A moment has no width: it is seen in the middle of a second. */
function withWidth(range: TimeRange | undefined): TimeRange | undefined {
  if (range === undefined || range.from !== range.to) return range;
  return withinTime({ from: range.from - halfSecond, to: range.to + halfSecond });
}

/** A range within the bounds of time. */
export function withinTime({ from, to }: TimeRange): TimeRange {
  return { from: from < allTime.from ? allTime.from : from, to: to > allTime.to ? allTime.to : to };
}

/** Where a hand has moved to last: it may move on. */
let movedTo: TimeRange | undefined;

/** A hand that zooms or pans goes on within this time, also where each of its steps has a frame, ms. */
export const zoomRestMs = 120;

/** The same, when the hand that zooms has rested: what is asked of the service. */
export const restedRange = settled(range, zoomRestMs, (value) => value === movedTo);

/** Whether it is still that of the runs that were open before. */
export const isRangeOfOthers = computed(() => chosenRange.value === undefined && isOfOthers.value);

/** The same, or while plots follow what is written, what they show of it. */
export const seenRange = computed(
  () => (mode.value === 'time' ? followed.value?.range : undefined) ?? range.value,
);

/** Shows a range, which is kept in the bounds of time and at least `narrowest` wide. */
export function showRange({ from, to }: TimeRange, step: 'push' | 'replace' = 'replace'): void {
  const range = withinTime({ from, to: to - from < narrowest ? from + narrowest : to });
  if (step === 'replace') movedTo = range;
  show({ range, live: false }, step);
}

/** Shows all data, also what was written since the runs were opened. */
export function showAll(): void {
  show({ range: undefined });
  if (mayGrow.peek() && !isLive.peek()) readStreamsAgain();
}

const narrowest = 100n;

/** What the buttons of the range do to an axis. */
export interface AxisActions {
  /** Shows everything. */
  readonly all: () => void;
  /** Zooms around the middle; a factor below 1 zooms in. */
  readonly zoom: (factor: number) => void;
}

/** What they do where the axis that is seen is not of time. */
export const otherAxis = signal<AxisActions | undefined>(undefined);

/** Zooms around a time that stays where it is; `factor` below 1 zooms in. */
export function zoom(around: bigint, factor: number): void {
  const now = seenRange.value;
  if (now === undefined) return;
  const scale = BigInt(Math.round(factor * 1e6));
  const part = (length: bigint) => (length * scale) / 1_000_000n;
  showRange({ from: around - part(around - now.from), to: around + part(now.to - around) });
}

/** Moves by a share of what is shown. */
export function pan(share: number): void {
  const now = seenRange.value;
  if (now === undefined) return;
  const by = ((now.to - now.from) * BigInt(Math.round(share * 1e6))) / 1_000_000n;
  showRange({ from: now.from + by, to: now.to + by });
}

/** Shows as much as before, with a time in the middle. */
export function bringToMiddle(time: bigint): void {
  const shown = seenRange.value;
  if (shown === undefined) return;
  const half = (shown.to - shown.from) / 2n;
  showRange({ from: time - half, to: time + half });
}

/** Moves the cursor to a time, which is brought to the middle where it is not seen. */
export function goTo(time: bigint): void {
  moveCursor(time);
  const seen = seenRange.value;
  if (seen !== undefined && (time < seen.from || time > seen.to)) bringToMiddle(time);
}
