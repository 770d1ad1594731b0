import { computed } from '@preact/signals';
import { followedRange } from '../lines/followed.ts';
import type { RowsWish } from '../lines/rows-wish.ts';
import { restedRange } from '../plots/range.ts';
import { chosenCursors, isLive, mode, streams, view } from '../state/view.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { statisticsOf } from './statistics.ts';

/** What is measured: from A to B, or what is seen where not both are set. */
export const measured = computed<TimeRange | undefined>(() => {
  const { a, b } = chosenCursors.value;
  if (a === undefined || b === undefined) return restedRange.value;
  return a < b ? { from: a, to: b } : { from: b, to: a };
});

const isSeen = computed(() => view.value.panel === 'measure' && mode.value === 'time');

/** The rows of a run that are measured. */
interface MeasuredRun extends RowsWish {
  readonly stream: StreamRef;
}

export const statistics = statisticsOf<MeasuredRun>(() => {
  const { a, b } = chosenCursors.value;
  const isMoving = isLive.value && (a === undefined || b === undefined);
  const range = isMoving ? followedRange() : measured.value;
  if (!isSeen.value || range === undefined) return [];
  return streams.value.map((stream) => ({
    stream,
    rows: { topic: stream.topic, streamIds: [stream.streamId] },
    range,
  }));
});
