/** Numbers of rows, across and up; all are finite. */
interface Rows {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** The straight line y = slope · x + offset that fits rows best, by least squares. */
export interface Fit {
  readonly slope: number;
  readonly offset: number;
  /** The share of the spread of y that the line tells, 0 to 1 (R²); 1 where y has no spread. */
  readonly told: number;
}

/** Undefined where x has no spread. */
export function fitOf({ x, y }: Rows): Fit | undefined {
  const rows = x.length;
  if (rows < 2) return undefined;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value / rows, 0);
  const [mx, my] = [mean(x), mean(y)];
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < rows; i++) {
    const [dx, dy] = [x[i]! - mx, y[i]! - my];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  if (!(xx > 0)) return undefined;
  const slope = xy / xx;
  return { slope, offset: my - slope * mx, told: yy > 0 ? Math.min(1, (xy * xy) / (xx * yy)) : 1 };
}

/** The corners of the smallest convex shape around rows, against the clock (A. M. Andrew's monotone chain, 1979). */
export function hullOf({ x, y }: Rows): (readonly [number, number])[] {
  const points = x
    .map((own, i) => [own, y[i]!] as const)
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])
    .filter(([a, b], i, all) => i === 0 || a !== all[i - 1]![0] || b !== all[i - 1]![1]);
  const half = (ordered: readonly (readonly [number, number])[]) => {
    const chain: (readonly [number, number])[] = [];
    for (const point of ordered) {
      while (chain.length > 1 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  const corners = [...half(points), ...half(points.toReversed())];
  return corners.length > 0 || points.length === 0 ? corners : [points[0]!];
}

/** The area inside of corners, in the product of both units. */
export function areaOf(corners: readonly (readonly [number, number])[]): number {
  let twice = 0;
  for (const [i, [x, y]] of corners.entries()) {
    const [nextX, nextY] = corners[(i + 1) % corners.length]!;
    twice += x * nextY - nextX * y;
  }
  return Math.abs(twice) / 2;
}

/** More than 0 where the way from a over b to c turns left. */
function turn(
  [ax, ay]: readonly [number, number],
  [bx, by]: readonly [number, number],
  [cx, cy]: readonly [number, number],
): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}
