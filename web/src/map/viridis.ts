/** Viridis by S. van der Walt and N. Smith (2015): even in lightness, and told apart however one sees colours. */
const stops = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [109, 205, 89],
  [180, 222, 44],
  [253, 231, 37],
] as const;

/** The colour of a share of the way from the least value (0) to the largest (1). */
export function viridis(share: number): string {
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const stop = Math.min(stops.length - 2, Math.floor(at));
  const [from, to] = [stops[stop]!, stops[stop + 1]!];
  const parts = from.map((part, i) => Math.round(part + (to[i]! - part) * (at - stop)));
  return `rgb(${parts.join(' ')})`;
}
