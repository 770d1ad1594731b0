import type { Bounds } from '../lines/bounds.ts';
import { roundNumbers } from './number-ticks.ts';

/** What a power of ten has between it and the next one, if there is room. */
const within = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1]] as const;
/** About so many round numbers, where a range has no two digits of a power of ten. */
const fewPlaces = 3;

/** Where a logarithmic axis may have lines: all digits of all powers of ten, or else round numbers. uPlot's own count from its least value. */
export function logPlaces([low, high]: Bounds): number[] {
  const powers = Math.floor(Math.log10(high)) - Math.floor(Math.log10(low)) + 1;
  if (!(low > 0) || !Number.isFinite(powers)) return [];
  const all = Array.from({ length: powers }, (_, i) => Math.floor(Math.log10(low)) + i).flatMap((power) =>
    within[0].map((digit) => Number(`${digit}e${power}`)),
  );
  const seen = all.filter((place) => place >= low && place <= high);
  return seen.length >= 2 ? seen : roundNumbers([low, high], fewPlaces);
}

/** Which of these places are told, null for the others, where each needs so much room: two at least, where there are two. */
export function logPlacesWith(
  room: number,
  places: readonly number[],
  pixelsOfPower: number,
): (number | null)[] {
  if (!places.every((place) => isOneOf(within[0], place))) return [...places];
  const digits = within.find((own) => leastStep(own) * pixelsOfPower >= room) ?? [];
  const every = Math.ceil(room / pixelsOfPower);
  const told = places.filter(
    (place) => isOneOf(digits, place) || (isOneOf([1], place) && powerOf(place) % every === 0),
  );
  if (told.length < 2) return endsOf(places);
  return places.map((place) => (told.includes(place) ? place : null));
}

/** The first and the last of them; null for all others. */
export function endsOf(places: readonly number[]): (number | null)[] {
  return places.map((place) => (place === places[0] || place === places.at(-1) ? place : null));
}

function powerOf(place: number): number {
  return Math.floor(Math.log10(place) + 1e-9);
}

/** Whether a place is such a digit and nothing behind it. */
function isOneOf(digits: readonly number[], place: number): boolean {
  const digit = place / 10 ** powerOf(place);
  return digits.some((own) => Math.abs(digit - own) < 1e-6);
}

/** From the closest of two digits to the other, by their logarithms. */
function leastStep(digits: readonly number[]): number {
  return Math.min(...digits.map((digit, i) => Math.log10((digits[i + 1] ?? 10) / digit)));
}
