import { followed } from '../live/follow.ts';
import { show } from '../state/view.ts';
import { pan, range, showRange, zoom } from './range.ts';
import { durationText, parseTime, timeText } from './time-text.ts';

/** What the plots show, as text that can be edited, and buttons for what mouse and keys do. */
export function RangeBar() {
  const shown = followed.value?.range ?? range.value;
  if (shown === undefined) return null;
  const { from, to } = shown;
  const middle = from + (to - from) / 2n;
  const edit = (change: (time: bigint) => { from: bigint; to: bigint }) => (event: Event) => {
    const field = event.currentTarget as HTMLInputElement;
    const time = parseTime(field.value);
    const next = time === undefined ? undefined : change(time);
    field.setCustomValidity(next === undefined || next.from > next.to ? 'A time in the order from, to' : '');
    if (field.reportValidity() && next !== undefined) showRange(next, 'push');
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
      <input
        class="time"
        type="text"
        aria-label="From (UTC)"
        value={timeText(from)}
        onChange={edit((time) => ({ from: time, to }))}
      />
      <input
        class="time"
        type="text"
        aria-label="To (UTC)"
        value={timeText(to)}
        onChange={edit((time) => ({ from, to: time }))}
      />
      <span class="soft">{durationText(to - from)}</span>
    </div>
  );
}
