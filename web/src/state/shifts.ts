import type { LapRef } from './refs.ts';
import { joined, number, split } from './text-parts.ts';

/** By how many seconds laps, or whole runs, are moved to later times where they are compared by time. */
export type Shifts = Readonly<Record<string, number>>;

/** What a lap is called among them. */
export function shiftKey({ stream, value }: LapRef): string {
  return joined([stream.topic, stream.streamId, value], '/');
}

/** Names and seconds in turn. */
export function shiftsText(shifts: Shifts): string {
  return joined(
    Object.entries(shifts).flatMap(([key, seconds]) => [key, String(seconds)]),
    ',',
  );
}

/** Farther apart than this nothing is compared. */
const farthest = 1e9;

export function shiftsOf(text: string): Shifts {
  const parts = split(text, ',');
  return Object.fromEntries(
    parts.flatMap((key, i) => {
      const seconds = i % 2 === 0 ? number(parts[i + 1] ?? null) : undefined;
      return seconds === undefined || Math.abs(seconds) > farthest ? [] : [[key, seconds] as const];
    }),
  );
}
