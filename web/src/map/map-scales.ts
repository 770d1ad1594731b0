import type { Bounds } from '../lines/bounds.ts';
import type { Path } from './ground.ts';
import { extremesOf, reach } from './xy-scales.ts';

/** Where a path is drawn, in pixels: as large as fits, with one scale for both directions, and north above. */
export interface MapScales {
  xOf(value: number): number;
  yOf(value: number): number;
  /** Pixels of one unit of a path. */
  readonly pixels: number;
}

/** Pixels around what is drawn. */
const padding = 18;

export function mapScales(paths: readonly Path[], width: number, height: number): MapScales {
  const [west, east] = reach(paths.flatMap(({ x }) => extremesOf(x)));
  const [south, north] = reach(paths.flatMap(({ y }) => extremesOf(y)));
  const pixels = Math.min((width - 2 * padding) / (east - west), (height - 2 * padding) / (north - south));
  const [middle, centre] = [(west + east) / 2, (south + north) / 2];
  return {
    xOf: (value) => width / 2 + (value - middle) * pixels,
    yOf: (value) => height / 2 - (value - centre) * pixels,
    pixels,
  };
}

/** How high a drawing is that just fits a width, within bounds. */
export function fittingHeight(paths: readonly Path[], width: number, [least, most]: Bounds): number {
  const [west, east] = reach(paths.flatMap(({ x }) => extremesOf(x)));
  const [south, north] = reach(paths.flatMap(({ y }) => extremesOf(y)));
  const height = ((north - south) / (east - west)) * (width - 2 * padding) + 2 * padding;
  return Math.round(Math.min(most, Math.max(least, height)));
}

/** So many pixels from a row one still means it. */
const meantPixels = 24;
/** Rows that are nearer than this to each other are of one place: then the one that comes next along the way is meant. */
const samePixels = 5;

export interface NearRow {
  readonly line: number;
  readonly row: number;
}

/**
 * The row that is drawn nearest to a pixel. Where laps lie over each other it is the one that is nearest along the way to
 * `from`, so that the cursor does not jump from lap to lap; `line` says which line alone is meant, where one is.
 */
export function nearestRow(
  lines: readonly { readonly path: Path; readonly along: Float64Array }[],
  { xOf, yOf }: MapScales,
  left: number,
  top: number,
  from: (line: number) => number | undefined,
  only?: number,
): NearRow | undefined {
  const near: { line: number; row: number; pixels: number }[] = [];
  let least = meantPixels;
  for (const [line, { path }] of lines.entries()) {
    if (only !== undefined && only !== line) continue;
    for (let row = 0; row < path.x.length; row++) {
      const pixels = Math.hypot(xOf(path.x[row]!) - left, yOf(path.y[row]!) - top);
      if (!(pixels <= least + samePixels) || pixels > meantPixels) continue;
      least = Math.min(least, pixels);
      near.push({ line, row, pixels });
    }
  }
  const wayOf = ({ line, row, pixels }: (typeof near)[number]) => {
    const begin = from(line);
    return begin === undefined ? pixels * 1e9 : Math.abs(lines[line]!.along[row]! - begin);
  };
  return near
    .filter(({ pixels }) => pixels <= least + samePixels)
    .reduce<(typeof near)[number] | undefined>(
      (best, own) => (best === undefined || wayOf(own) < wayOf(best) ? own : best),
      undefined,
    );
}

/** A round length that a bar of about so many pixels can tell: `200 m`. */
export function scaleBar(
  pixels: number,
  metres: number,
  most: number,
): { readonly pixels: number; readonly text: string } {
  const longest = (most / pixels) * metres;
  const power = 10 ** Math.floor(Math.log10(longest));
  const length = power * ([5, 2, 1].find((digit) => digit * power <= longest) ?? 1);
  const text = length >= 1000 ? `${length / 1000} km` : length >= 1 ? `${length} m` : `${length * 100} cm`;
  return { pixels: (length / metres) * pixels, text };
}
