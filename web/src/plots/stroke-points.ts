import type { Line } from '../lines/points.ts';

/** Pixels of the canvas. */
export interface Scales {
  x(value: number): number;
  y(value: number): number;
  /** Whether a value is drawn until the next one comes. */
  readonly isSteps?: boolean;
}

const dotRadius = 2;
/** Of the ground between smallest and largest. */
const bandAlpha = 0.3;

/** Draws points [begin, end) that are joined, and a band where they are several rows. */
export function drawRun(
  ctx: CanvasRenderingContext2D,
  { x, low, high }: Line,
  begin: number,
  end: number,
  place: Scales,
): void {
  const { isSteps = false } = place;
  strokeValues(ctx, { x, values: low }, begin, end, place);
  let isBand = false;
  for (let i = begin; i < end && !isBand; i++) isBand = high[i] !== low[i];
  if (!isBand) return;
  // A pixel that stands alone has no width: its band is a line.
  if (end - begin === 1) {
    ctx.beginPath();
    ctx.moveTo(place.x(x[begin]!), place.y(low[begin]!));
    ctx.lineTo(place.x(x[begin]!), place.y(high[begin]!));
    ctx.stroke();
    return;
  }
  strokeValues(ctx, { x, values: high }, begin, end, place);
  ctx.beginPath();
  for (let i = begin; i < end; i++) {
    if (isSteps && i > begin) ctx.lineTo(place.x(x[i]!), place.y(low[i - 1]!));
    ctx.lineTo(place.x(x[i]!), place.y(low[i]!));
  }
  for (let i = end - 1; i >= begin; i--) {
    ctx.lineTo(place.x(x[i]!), place.y(high[i]!));
    if (isSteps && i > begin) ctx.lineTo(place.x(x[i]!), place.y(high[i - 1]!));
  }
  ctx.globalAlpha = bandAlpha;
  ctx.fill();
  ctx.globalAlpha = 1;
}

/** A path of thousands of pieces that cross each other is drawn slowly; several paths of so many are not. */
export const pathPoints = 250;

function strokeValues(
  ctx: CanvasRenderingContext2D,
  { x, values }: { readonly x: Float64Array; readonly values: Float64Array },
  begin: number,
  end: number,
  place: Scales,
): void {
  for (let first = begin; first < end; first += pathPoints) {
    ctx.beginPath();
    const last = Math.min(end - 1, first + pathPoints);
    for (let i = first; i <= last; i++) {
      if (place.isSteps && i > first) ctx.lineTo(place.x(x[i]!), place.y(values[i - 1]!));
      ctx.lineTo(place.x(x[i]!), place.y(values[i]!));
    }
    ctx.stroke();
  }
}

export function drawDots(
  ctx: CanvasRenderingContext2D,
  { x, low, high }: Line,
  begin: number,
  end: number,
  place: Scales,
): void {
  const radius = dotRadius * devicePixelRatio;
  for (let i = begin; i < end; i++) {
    for (const value of low[i] === high[i] ? [low[i]!] : [low[i]!, high[i]!]) {
      ctx.beginPath();
      ctx.arc(place.x(x[i]!), place.y(value), radius, 0, 2 * Math.PI);
      ctx.fill();
    }
  }
}
