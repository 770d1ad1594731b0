/**
 * A closed track, sampled every few metres: a smooth curve around a centre, so that it has straights, fast bends and
 * a few slow corners, and ends where it begins.
 */
export interface Track {
  /** Metres around. */
  readonly length: number;
  /** Metres from one point to the next. */
  readonly step: number;
  /** Metres east and north of the centre, per point. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** 1/m, positive in left-hand bends, per point. */
  readonly curvature: Float64Array;
}

/** Waves of the radius: how many around, how deep, where they begin. */
const waves: readonly (readonly [count: number, depth: number, phase: number])[] = [
  [2, 0.26, 0.4],
  [3, 0.22, 2.1],
  [5, 0.16, 0.9],
  [8, 0.1, 4.4],
  [13, 0.035, 1.3],
];
const meanRadius = 640;
const points = 1600;

export function makeTrack(): Track {
  const fine = 64_000;
  const xs = new Float64Array(fine + 1);
  const ys = new Float64Array(fine + 1);
  const along = new Float64Array(fine + 1);
  for (let i = 0; i <= fine; i++) {
    const angle = (2 * Math.PI * i) / fine;
    const radius =
      meanRadius *
      (1 + waves.reduce((sum, [count, depth, phase]) => sum + depth * Math.cos(count * angle + phase), 0));
    xs[i] = 1.35 * radius * Math.cos(angle);
    ys[i] = radius * Math.sin(angle);
    if (i > 0) along[i] = along[i - 1]! + Math.hypot(xs[i]! - xs[i - 1]!, ys[i]! - ys[i - 1]!);
  }
  const length = along[fine]!;
  const step = length / points;
  const x = new Float64Array(points);
  const y = new Float64Array(points);
  for (let point = 0, i = 0; point < points; point++) {
    while (along[i + 1]! < point * step) i++;
    x[point] = xs[i]!;
    y[point] = ys[i]!;
  }
  return { length, step, x, y, curvature: curvatureOf(x, y, step) };
}

/** How fast the heading turns, from each point's neighbours two steps away. */
function curvatureOf(x: Float64Array, y: Float64Array, step: number): Float64Array {
  const count = x.length;
  const at = (values: Float64Array, point: number) => values[(point + count) % count]!;
  return x.map((_, point) => {
    const before = Math.atan2(at(y, point) - at(y, point - 2), at(x, point) - at(x, point - 2));
    const after = Math.atan2(at(y, point + 2) - at(y, point), at(x, point + 2) - at(x, point));
    const turn = Math.atan2(Math.sin(after - before), Math.cos(after - before));
    return turn / (2 * step);
  });
}
