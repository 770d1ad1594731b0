import type { Bounds } from '../lines/bounds.ts';
import { readingAt, valueText } from '../lines/reading.ts';
import { unitOf } from '../plots/axes.ts';
import { cursorPlace, keyPlace } from './across.ts';
import { deltaOf, deltaText } from './delta.ts';
import { load } from './overlay-drawn.ts';
import type { OverlayLoad } from './overlay-load.ts';
import { lapName } from './overlay-plot.tsx';
import { reachOf } from './use-readings.ts';

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
  const values = names.numbers.flatMap((parameter, channel) =>
    laps.map((lap) => {
      const reading = readingAt(lap.points[channel]!, place, reach);
      const value = reading === undefined ? 'no value' : `${valueText(reading)} ${unitOf(parameter)}`;
      return `${parameter} ${lapName(lap)}: ${value.trim()}`;
    }),
  );
  return [...lost, ...values].join(', ');
}
