import { computed, signal } from '@preact/signals';
import { cursorPlace, keyPlace } from '../laps/across.ts';
import { laps } from '../laps/overlay-drawn.ts';
import { lapTimeAt } from '../laps/read-lap.ts';
import { cursorTime, moveCursor } from '../plots/cursor.ts';
import { seenRange, showRange } from '../plots/range.ts';
import { extentOf, openStreams } from '../runs/open-streams.ts';
import { isStream } from '../state/same-stream.ts';
import { chosenCursors, chosenPlaces, isLive, mode, show, streams, view } from '../state/view.ts';

/** The file that is played. It stays in this tab. */
export const film = signal<{ readonly url: string; readonly name: string } | undefined>(undefined);

export function openFilm(file: File): void {
  if (film.peek() !== undefined) URL.revokeObjectURL(film.peek()!.url);
  film.value = { url: URL.createObjectURL(file), name: file.name };
}

/** The first run that is open, with which a film begins of which nobody said when it does. */
const run = computed(() => {
  const [own] = streams.value;
  return own && openStreams.value.value?.find((open) => isStream(open, own));
});

/** When it begins, ns; undefined while that is not known. */
export const begin = computed(() => view.value.video ?? run.value?.dataStart);

/** When the cursor of the plots is, ns; over distance, when the first lap was there. */
const timeAtCursor = computed(() => timeAt(cursorTime.value, cursorPlace.value));

/** When A is. */
const timeAtA = computed(() => timeAt(chosenCursors.value.a, chosenPlaces.value.a));

function timeAt(time: bigint | undefined, place: number | undefined): bigint | undefined {
  if (mode.value !== 'overlay') return time;
  const [first] = laps.value.value ?? [];
  return first === undefined || place === undefined ? undefined : lapTimeAt(first, place);
}

/** Where in the film the cursor is, seconds; it may be before its begin. Undefined without a cursor. */
export const filmAtCursor = computed(() => secondsOf(timeAtCursor.value));

/** Whether A is set, so that a frame can be put there. */
export const hasA = computed(() => timeAtA.value !== undefined);

function secondsOf(time: bigint | undefined): number | undefined {
  return time === undefined || begin.value === undefined ? undefined : Number(time - begin.value) / 1e9;
}

/** Moves the cursor of the plots to where the film is; plots that do not show it go there. */
export function cursorToFilm(seconds: number): void {
  const first = begin.peek();
  if (first === undefined) return;
  const time = first + nanoseconds(seconds);
  if (mode.peek() === 'overlay') {
    const place = laps.peek().value?.[0]?.course.placeAt(time);
    cursorPlace.value = place;
    keyPlace.value = place;
    return;
  }
  moveCursor(time);
  const seen = seenRange.peek();
  if (seen === undefined || isLive.peek() || (time >= seen.from && time <= seen.to)) return;
  const all = extentOf(openStreams.peek().value ?? []);
  if (all === undefined || time < all.from || time > all.to) return;
  const width = seen.to - seen.from;
  showRange({ from: time - width / 10n, to: time + width - width / 10n });
}

/** Says when the film begins. */
export function beginAt(time: bigint): void {
  show({ video: BigInt.asIntN(64, time) });
}

/** Puts what the film shows at some seconds to the cursor A. */
export function filmToA(seconds: number): void {
  const a = timeAtA.peek();
  if (a !== undefined) beginAt(a - nanoseconds(seconds));
}

/** Seconds of a film, ns. */
export function nanoseconds(seconds: number): bigint {
  return BigInt(Math.round(seconds * 1e9));
}
