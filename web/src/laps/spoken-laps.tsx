import type { Bounds } from '../lines/bounds.ts';
import { isWaiting, valueText } from '../lines/reading.ts';
import { unitOf } from '../plots/axes.ts';
import { cursorPlace, keyPlace } from './across.ts';
import { deltaOf, deltaText } from './delta.ts';
import { load } from './overlay-drawn.ts';
import type { LapLine, OverlayLoad } from './overlay-load.ts';
import { lapName } from './overlay-plot.tsx';
import { reachOf, readLap } from './read-lap.ts';

/** What laps lose and their values at the cursor, for who moves it by keys and does not see the plots. */
export function SpokenLaps({ bounds }: { bounds: Bounds }) {
  const [place, { value }] = [cursorPlace.value, load.value];
  const isByKeys = place !== undefined && place === keyPlace.value;
  return (
    <output class="unseen" aria-label="Values at the cursor">
      {isByKeys && value !== undefined && textAt(place, value, reachOf(bounds))}
    </output>
  );
}

function textAt(place: number, { laps, names }: OverlayLoad, reach: number): string {
  const [reference, ...others] = laps;
  const lost = others.flatMap((lap) => {
    const seconds = deltaOf(lap.course, reference!.course)?.(place);
    const isExact = lap.course.isExact && reference!.course.isExact;
    return seconds === undefined ? [] : [`Δt ${lapName(lap)}: ${deltaText(seconds, isExact)}`];
  });
  const lines = names.numbers.flatMap((parameter, channel) =>
    laps.map((lap): LapLine => ({ lap, parameter, points: lap.points[channel]! })),
  );
  const readings = lines.map((line) => readLap(line, place, reach));
  // It is said once, when all rows are read.
  if (readings.some((reading) => reading && isWaiting(reading))) return '';
  const values = lines.map(({ lap, parameter }, i) => {
    const reading = readings[i];
    const value = reading === undefined ? 'no value' : `${valueText(reading)} ${unitOf(parameter)}`;
    return `${parameter} ${lapName(lap)}: ${value.trim()}`;
  });
  return [...lost, ...values].join(', ');
}
