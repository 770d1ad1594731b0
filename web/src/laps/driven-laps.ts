import { computed } from '@preact/signals';
import { openStreams } from '../runs/open-streams.ts';
import { isStream } from '../state/same-stream.ts';
import { stable } from '../state/stable.ts';
import { isLive, streams } from '../state/view.ts';
import type { LapRef, StreamRef } from '../state/view-text.ts';
import { lapList } from './lap-list.ts';

/** While live data is followed: the last lap of each run, which goes on. */
export const drivenLaps = stable<readonly LapRef[]>(() => {
  const laps = isLive.value ? (lapList.value.value ?? []) : [];
  return streams.value.filter(isDriven).flatMap((stream) => {
    const last = laps.findLast((lap) => isStream(lap.stream, stream));
    return last === undefined ? [] : [{ stream, value: last.value }];
  });
});

/** Whether rows of a run may still come. */
function isDriven(stream: StreamRef): boolean {
  const known = openStreams.value.value?.find((open) => isStream(open, stream));
  return known === undefined || known.status === 'Open' || known.status === 'Interrupted';
}

/** Whether rows of a lap, or of a whole run (its value is empty), may still come. */
export const mayGrow = computed(() => {
  const driven = drivenLaps.value;
  const live = isLive.value;
  return ({ stream, value }: LapRef): boolean =>
    live && (value === '' || driven.some((lap) => lap.value === value && isStream(lap.stream, stream)));
});
