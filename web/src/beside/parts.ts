import { computed } from '@preact/signals';
import { lapBeat } from '../laps/lap-beat.ts';
import { measuredLaps } from '../laps/measured-laps.ts';
import { laps } from '../laps/overlay-drawn.ts';
import { lapName } from '../laps/overlay-plot.tsx';
import { followed } from '../lines/followed.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { measured } from '../measure/range-statistics.ts';
import { streamName } from '../runs/stream-name.ts';
import { chosenCursors, chosenPlaces, isLive, mode, streams } from '../state/view.ts';
import { type Resting, resting } from '../ui/resting.ts';

/** Each line of a panel. */
export interface Part extends RowsWish {
  readonly label: string;
  /** Which of the lines it is. */
  readonly index: number;
}

/** Whether lines are told from A to B: of laps, those that pass both; where none does, all. */
const isBetween = computed(() => {
  const isOfLaps = mode.value === 'overlay';
  const { a, b } = isOfLaps ? chosenPlaces.value : chosenCursors.value;
  return a !== undefined && b !== undefined && (!isOfLaps || measuredLaps.value.length > 0);
});

/** Each lap where laps are compared; else each run: from A to B, the whole lap, or as far as is seen. */
const parts = computed<readonly Part[]>(() => {
  if (mode.value === 'overlay') {
    const own = isBetween.value
      ? measuredLaps.value
      : (laps.value.value ?? []).map((lap) => ({ lap, rows: lap.rows, range: lap.range }));
    return own.map(({ lap, rows, range }) => ({ rows, range, label: lapName(lap), index: lap.index }));
  }
  const range = isLive.value && !isBetween.value ? followed.value?.range : measured.value;
  if (range === undefined) return [];
  return streams.value.map((stream, index) => ({
    rows: { topic: stream.topic, streamIds: [stream.streamId] },
    range,
    label: streamName(stream),
    index,
  }));
});

/** The lines of a panel. While live data is followed they change with every row: then they are those of now. */
export function partsNow(): readonly Part[] {
  streams.value;
  isBetween.value;
  return isLive.value ? parts.peek() : parts.value;
}

export function partsText(): string {
  if (isBetween.value) return 'from A to B';
  return mode.value === 'overlay' ? 'of all rows of each lap' : 'of all that is seen';
}

const pause = { ms: 1500, times: 3 };

/** A beat for what reads all rows that are seen. */
export const restingBeat = (): Resting => resting(lapBeat, pause);
