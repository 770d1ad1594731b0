/** From where to where on an axis of numbers. */
export type Bounds = readonly [low: number, high: number];

/** How far along bounds a value lies: 0 is the first one, 1 the second one. It may be farther between them than a double can tell. */
export function shareOf(value: number, [low, high]: Bounds): number {
  const part = Number.isFinite(high - low) ? 1 : 2;
  return (value / part - low / part) / (high / part - low / part);
}

/** Bounds with shares of what is between them more on both sides, as far as doubles go. */
export function widened([low, high]: Bounds, below: number, above = below): [number, number] {
  const isTold = Number.isFinite(high - low);
  const room = (share: number) => (isTold ? (high - low) * share : high * share - low * share);
  return [Math.max(low - room(below), -Number.MAX_VALUE), Math.min(high + room(above), Number.MAX_VALUE)];
}
