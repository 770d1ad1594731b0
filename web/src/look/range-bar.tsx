import { show } from '../state/view.ts';
import type { TimeRange } from '../state/view-text.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { pan, seenRange, showRange, zoom } from './range.ts';
import { durationText, parseTime, timeText } from './time-text.ts';

/** What the plots show, as text that can be edited, and buttons for what mouse and keys do. */
export function RangeBar() {
  const shown = seenRange.value;
  if (shown === undefined) return null;
  const { from, to } = shown;
  const middle = from + (to - from) / 2n;
  const edit = (change: (time: bigint) => TimeRange) => (text: string) => {
    const time = parseTime(text);
    const next = time === undefined ? undefined : change(time);
    if (next === undefined) return 'A time like 2026-05-31 12:30:00.5, or nanoseconds';
    if (next.from > next.to) return 'The end is before the beginning';
    showRange(next, 'push');
    return undefined;
  };
  return (
    <div class="range-bar" role="toolbar" aria-label="Range of time">
      <button type="button" onClick={() => show({ range: undefined })}>
        All
      </button>
      <button type="button" aria-label="Earlier" onClick={() => pan(-0.5)}>
        ←
      </button>
      <button type="button" aria-label="Later" onClick={() => pan(0.5)}>
        →
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => zoom(middle, 0.5)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => zoom(middle, 2)}>
        −
      </button>
      <DraftField
        class="time"
        label="From (UTC)"
        isBare
        value={timeText(from)}
        onCommit={edit((time) => ({ from: time, to }))}
      />
      <DraftField
        class="time"
        label="To (UTC)"
        isBare
        value={timeText(to)}
        onCommit={edit((time) => ({ from, to: time }))}
      />
      <span class="soft">{durationText(to - from)}</span>
    </div>
  );
}
