import type { Track } from './track.ts';

/** What a car can do; SI units. */
export interface Car {
  readonly mass: number;
  /** Watts at the wheels. */
  readonly power: number;
  /** Of the tyres, as a share of the load. */
  readonly grip: number;
  /** Newtons per (m/s)²: of drag, and of downforce. */
  readonly drag: number;
  readonly downforce: number;
}

export const racingCar: Car = { mass: 760, power: 640_000, grip: 1.75, drag: 0.95, downforce: 2.7 };

const gravity = 9.81;
const topSpeed = 95;

/**
 * The speed in m/s at each point of a lap at the limit: what the tyres hold in the bend, no more than the engine reaches
 * from the point before, no more than the brakes can shed before the next.
 *
 * @param ease how much of the limit the driver uses, about 1
 */
export function lapSpeeds(track: Track, car: Car, ease: number): Float64Array {
  const { curvature, step } = track;
  const count = curvature.length;
  const grip = car.grip * ease;
  const speeds = curvature.map((bend) => {
    const needed = Math.abs(bend) - (grip * car.downforce) / car.mass;
    return needed <= 0 ? topSpeed : Math.min(topSpeed, Math.sqrt((grip * gravity) / needed));
  });
  // Twice around, so that the end of the lap knows its beginning.
  for (let i = 0; i < 2 * count; i++) {
    const here = speeds[i % count]!;
    const push =
      Math.min(car.power / Math.max(here, 12), grip * car.mass * gravity * 0.7) - car.drag * here * here;
    reach(speeds, (i + 1) % count, here * here + (2 * step * push) / car.mass);
  }
  for (let i = 2 * count; i > 0; i--) {
    const here = speeds[i % count]!;
    const hold =
      (grip * (car.mass * gravity + car.downforce * here * here) * 0.85 + car.drag * here * here) / car.mass;
    reach(speeds, (i - 1) % count, here * here + 2 * step * hold);
  }
  return speeds;
}

function reach(speeds: Float64Array, point: number, square: number): void {
  const most = Math.sqrt(Math.max(square, 25));
  if (speeds[point]! > most) speeds[point] = most;
}
