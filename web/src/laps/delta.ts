import type { Bounds } from '../lines/bounds.ts';
import type { Line } from '../lines/points.ts';
import type { Course } from './course.ts';

/** How much later a lap is at a place than another one, in seconds. Both count from the first place that they share. */
export type Delta = (place: number) => number | undefined;

/** Undefined where one of them covers no way, such as laps over speed. */
export function deltaOf(course: Course, reference: Course): Delta | undefined {
  const { secondsAt } = course;
  const { secondsAt: referenceAt } = reference;
  if (secondsAt === undefined || referenceAt === undefined) return undefined;
  const begin = Math.max(course.begin, reference.begin);
  const between = (place: number) => {
    const [own, other] = [secondsAt(place), referenceAt(place)];
    return own === undefined || other === undefined ? undefined : own - other;
  };
  const atBegin = between(begin);
  if (atBegin === undefined) return undefined;
  return (place) => {
    const now = between(place);
    return now === undefined ? undefined : now - atBegin;
  };
}

/** A delta at every pixel. */
export function deltaLine(delta: Delta, [low, high]: Bounds, pixels: number): Line {
  const x = Float64Array.from({ length: pixels + 1 }, (_, i) => low + ((high - low) * i) / pixels);
  const values = x.map((place) => delta(place) ?? Number.NaN);
  return { x, low: values, high: values, gaps: new Uint8Array(x.length) };
}

/** `+0.123 s`; `≈` before it where rows were put together to tell it. */
export function deltaText(seconds: number, isExact: boolean): string {
  const text = `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(3)} s`;
  return isExact ? text : `≈ ${text}`;
}
