import { effect, signal } from '@preact/signals';
import type { Bounds } from '../lines/bounds.ts';
import { handRestMs } from '../plots/cursor.ts';
import type { Gestures } from '../plots/gestures.ts';
import { type KeyActions, nextPlace } from '../plots/keys.ts';
import { showAll, zoomRestMs } from '../plots/range.ts';
import { stable } from '../state/stable.ts';
import { chosenPlaces, show, view } from '../state/view.ts';
import { settled } from '../ui/settled.ts';
import { isAlongWay, isMarking, toggleMark } from './sector-marks.ts';

/** What is seen of the axis that laps are laid over; undefined: all. */
export const across = stable(() => view.value.across);
/** The same, when the hand that zooms has rested. */
export const restedAcross = settled(across, zoomRestMs);

/** Where the pointer is on it; undefined where it is over no plot. */
export const cursorPlace = signal<number | undefined>(undefined);
/** The same where the hand rests. */
export const restedPlace = settled(cursorPlace, handRestMs);
/** Where keys have put it. */
export const keyPlace = signal<number | undefined>(undefined);

let last: number | undefined;
effect(() => {
  last = cursorPlace.value ?? last;
});

/** Where keys begin, as over time. */
function keysBegin([low, high]: Bounds): number {
  const isSeen = (place: number | undefined) => place !== undefined && place >= low && place <= high;
  return cursorPlace.peek() ?? [chosenPlaces.peek().a, last].find(isSeen) ?? (low + high) / 2;
}

/** Shows all of the axis, and where that is seen already, of all the time. */
export function allAcross(): void {
  if (across.peek() === undefined) showAll();
  else show({ across: undefined });
}

/** Less of the axis than this share of its numbers cannot be told apart. */
const narrowest = 1e-9;

function zoomed([low, high]: Bounds, around: number, factor: number): void {
  const [from, to] = [around - (around - low) * factor, around + (high - around) * factor];
  if (to - from > narrowest * Math.max(1, Math.abs(around))) show({ across: [from, to] }, 'replace');
}

/** Zooms around the middle of what is seen. */
export function zoomAcross(seen: Bounds, factor: number): void {
  zoomed(seen, (seen[0] + seen[1]) / 2, factor);
}

/** Shows as much as before, about a place. */
export function bringPlaceToMiddle([low, high]: Bounds, place: number): void {
  const half = (high - low) / 2;
  show({ across: [place - half, place + half] });
}

function moveTo(place: number): void {
  cursorPlace.value = place;
  keyPlace.value = place;
}

/** Moves the cursor to a place, which is brought to the middle where it is not seen. */
export function goToPlace(place: number): void {
  moveTo(place);
  const seen = across.peek();
  if (seen !== undefined && (place < seen[0] || place > seen[1])) bringPlaceToMiddle(seen, place);
}

function panned([low, high]: Bounds, share: number): void {
  const by = (high - low) * share;
  show({ across: [low + by, high + by] }, 'replace');
}

/** Sets one of the cursors that stay, as `setCursor` does over time. */
function setPlace(place: number, isOther: boolean | undefined): void {
  const { a, b } = chosenPlaces.peek();
  if (isOther === undefined && b !== undefined) show({ placeA: place, placeB: undefined }, 'replace');
  else show(isOther === false || a === undefined ? { placeA: place } : { placeB: place }, 'replace');
}

export function clearPlaces(): void {
  show({ placeA: undefined, placeB: undefined }, 'replace');
}

/** What hands do while so much is seen. */
export function acrossGestures(seen: Bounds): Gestures {
  return {
    select: (from, to) => show({ across: [from, to] }),
    zoom: (around, factor) => zoomed(seen, around, factor),
    pan: (share) => panned(seen, share),
    all: allAcross,
    pick: (place, isOther) => {
      if (isMarking.peek() && isAlongWay()) toggleMark(place);
      else setPlace(place, isOther);
    },
  };
}

/** What keys do while so much is seen; `x` are the places of rows, `note` makes a note at one. */
export function acrossKeys(
  seen: Bounds,
  x: Float64Array,
  note: (place: number | undefined) => void,
): KeyActions {
  return {
    step: (direction) => {
      const next = nextPlace(x, keysBegin(seen), direction);
      if (next < 0) return;
      moveTo(x[next]!);
    },
    zoom: (factor) => zoomAcross(seen, factor),
    pan: (share) => panned(seen, share),
    all: allAcross,
    set: (isOther) => {
      if (cursorPlace.value !== undefined) setPlace(cursorPlace.value, isOther);
    },
    clear: clearPlaces,
    note: () => note(cursorPlace.value ?? chosenPlaces.peek().a),
    sector: () => {
      const place = cursorPlace.value ?? chosenPlaces.peek().a;
      if (place !== undefined && isAlongWay()) toggleMark(place);
    },
  };
}
