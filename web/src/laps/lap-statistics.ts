import { computed } from '@preact/signals';
import { histogramsOf } from '../measure/histograms.ts';
import { statisticsOf } from '../measure/statistics.ts';
import { chosenPlaces, isLive, mode, view } from '../state/view.ts';
import { restedAcross } from './across.ts';
import { lapBeat } from './lap-beat.ts';
import { type MeasuredLap, measuredLaps } from './measured-laps.ts';
import { lapKey } from './overlay-plot.tsx';

const isSeen = computed(() => view.value.panel === 'measure' && mode.value === 'overlay');

/** Which laps are measured: live, their rows change all the time. */
const which = computed(() => measuredLaps.value.map(({ lap }) => lapKey(lap)).join('\n'));

/** What the service says of the rows of each lap. */
export const statistics = statisticsOf<MeasuredLap>(() => {
  if (!isSeen.value) return [];
  if (!isLive.value) return measuredLaps.value;
  which.value;
  chosenPlaces.value;
  restedAcross.value;
  return measuredLaps.peek();
}, lapBeat);

export const histograms = histogramsOf(statistics);
