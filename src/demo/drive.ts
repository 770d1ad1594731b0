import { channels } from './channels.ts';
import { type Car, lapSpeeds, racingCar } from './lap.ts';
import type { Track } from './track.ts';

/** One moment of a drive. */
export interface Sample {
  /** Seconds since the start. */
  readonly seconds: number;
  /** From 1. */
  readonly lap: number;
  /** One number per channel. */
  readonly values: readonly number[];
  /** What happened since the sample before. */
  readonly events: readonly DriveEvent[];
}

export interface DriveEvent {
  readonly id: 'LapCompleted' | 'BrakeLockUp' | 'HighWaterTemp';
  readonly value: string;
}

const gearTops = [16, 25, 34, 44, 55, 67, 80, 97];
const fuelPerLap = 1.9;

/**
 * A car that drives laps for ever, sampled at a fixed rate: speed from the limits of the car, everything else from the
 * speed, temperatures as slow sums of what heats and cools. The same random numbers give the same drive.
 */
export function* drive(
  track: Track,
  hertz: number,
  random: () => number,
  car: Car = racingCar,
): Generator<Sample> {
  const step = 1 / hertz;
  const temperatures = { water: 84, oil: 88, tyres: [72, 74, 68, 69] };
  let seconds = 0;
  let lap = 1;
  let lapStart = 0;
  let distance = 0;
  let fuel = 42 + 8 * random();
  let speeds = lapSpeeds(track, car, easeOf(lap, random));
  let before = speedAt(track, speeds, 0);
  let isHot = false;
  let events: DriveEvent[] = [];
  for (;;) {
    const wanted = speedAt(track, speeds, distance);
    // A new lap has other speeds, which are reached, not jumped to.
    const speed = Math.min(before + 13 * step, Math.max(before - 66 * step, wanted));
    const along = (speed - before) / step;
    const bend = at(track, track.curvature, distance);
    const across = bend * speed * speed;
    const gear = 1 + gearTops.findIndex((top) => speed < top * 0.97);
    const rpm = 12_000 * (speed / gearTops[gear - 1]!) + 60 * (random() - 0.5);
    const push = along + (car.drag * speed * speed) / car.mass;
    const throttle = push > 0 ? Math.min(100, (100 * push * speed * car.mass) / car.power) : 0;
    const brake = push < -1 ? Math.min(120, -2.6 * push) : 0;
    if (brake > 112 && random() < 0.01)
      events.push({ id: 'BrakeLockUp', value: `${Math.round(speed * 3.6)} km/h` });
    warm(temperatures, { speed, across, brake, throttle, step });
    if (temperatures.water > (isHot ? 101 : 103) !== isHot) {
      isHot = !isHot;
      if (isHot) events.push({ id: 'HighWaterTemp', value: `${temperatures.water.toFixed(1)} °C` });
    }
    fuel = Math.max(1, fuel - (fuelPerLap * speed * step) / track.length);
    const tenth = (value: number) => Math.round(value * 10) / 10;
    const values = [
      tenth(speed * 3.6 * (1 + 0.001 * (random() - 0.5))),
      Math.round(rpm),
      gear,
      Math.round(throttle),
      tenth(brake),
      tenth((Math.atan(3.4 * bend) * 180 * 11) / Math.PI + random() - 0.5),
      Math.round((100 * across) / 9.81) / 100,
      Math.round((100 * along) / 9.81) / 100,
      tenth(distance),
      tenth(at(track, track.x, distance)),
      tenth(at(track, track.y, distance)),
      tenth(temperatures.water),
      tenth(temperatures.oil),
      Math.round(fuel * 100) / 100,
      ...temperatures.tyres.map(tenth),
    ];
    if (values.length !== channels.length) throw new Error('a sample has one value per channel');
    yield { seconds, lap, values, events };
    events = [];
    before = speed;
    seconds += step;
    distance += speed * step;
    if (distance < track.length) continue;
    distance -= track.length;
    const crossed = seconds - distance / speed;
    const value = lapTime(crossed - lapStart);
    lapStart = crossed;
    lap++;
    speeds = lapSpeeds(track, car, easeOf(lap, random));
    // Told with the first sample of the new lap.
    events = [{ id: 'LapCompleted', value }];
  }
}

/** Out of the pits one goes slowly; then every lap is a little different, and the tyres fade. */
function easeOf(lap: number, random: () => number): number {
  return (lap === 1 ? 0.72 : 1 - 0.004 * lap) + 0.02 * (random() - 0.5);
}

interface Heat {
  readonly speed: number;
  readonly across: number;
  readonly brake: number;
  readonly throttle: number;
  readonly step: number;
}

function warm(
  temperatures: { water: number; oil: number; tyres: number[] },
  { speed, across, brake, throttle, step }: Heat,
): void {
  temperatures.water += step * (0.011 * throttle - 0.0037 * Math.sqrt(speed) * (temperatures.water - 78));
  temperatures.oil += step * 0.05 * (temperatures.water + 12 - temperatures.oil);
  temperatures.tyres = temperatures.tyres.map((tread, wheel) => {
    const isLeft = wheel % 2 === 0;
    const isFront = wheel < 2;
    // In a left-hand bend the right-hand wheels carry the car.
    const load = Math.max(0, isLeft ? -across : across);
    const work = 0.11 * load + (isFront ? 0.03 * brake : 0.008 * throttle);
    return tread + step * (work - 0.035 * (tread - 45));
  });
}

function speedAt(track: Track, speeds: Float64Array, distance: number): number {
  return at(track, speeds, distance);
}

/** The value between two points of the track. */
function at({ step }: Track, values: Float64Array, distance: number): number {
  const place = distance / step;
  const point = Math.floor(place) % values.length;
  const next = (point + 1) % values.length;
  const share = place - Math.floor(place);
  return values[point]! * (1 - share) + values[next]! * share;
}

function lapTime(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - 60 * minutes).toFixed(3).padStart(6, '0')}`;
}
