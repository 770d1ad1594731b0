import { computed } from '@preact/signals';
import { laps } from '../laps/overlay-drawn.ts';
import { lapName } from '../laps/overlay-plot.tsx';
import { followed } from '../lines/followed.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { beat } from '../live/news.ts';
import { measured } from '../measure/range-statistics.ts';
import { streamName } from '../runs/stream-name.ts';
import { chosenCursors, isLive, mode, streams } from '../state/view.ts';
import { type Resting, resting } from '../ui/resting.ts';

/** Each line of a panel. */
export interface Part extends RowsWish {
  readonly label: string;
  /** Which of the lines it is. */
  readonly index: number;
}

const hasBoth = computed(() => chosenCursors.value.a !== undefined && chosenCursors.value.b !== undefined);

/** Each lap where laps are compared; else each run, from A to B or as far as is seen. */
const parts = computed<readonly Part[]>(() => {
  if (mode.value === 'overlay')
    return (laps.value.value ?? []).map((lap) => ({ ...lap, label: lapName(lap) }));
  const range = isLive.value && !hasBoth.value ? followed.value?.range : measured.value;
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
  hasBoth.value;
  return isLive.value ? parts.peek() : parts.value;
}

export function partsText(): string {
  if (mode.value === 'overlay') return 'of all rows of each lap';
  return hasBoth.value ? 'from A to B' : 'of all that is seen';
}

const pause = { ms: 1500, times: 3 };

/** A beat for what reads all rows that are seen. */
export const restingBeat = (): Resting => resting(beat, pause);
