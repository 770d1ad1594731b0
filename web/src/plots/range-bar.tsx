import { durationText, parseTime, shortTimeText, timeText } from '../lines/time-text.ts';
import { clockWords, zone } from '../lines/zone.ts';
import { show } from '../state/view.ts';
import type { TimeRange, Zone } from '../state/view-text.ts';
import { DraftField } from '../ui/draft-field.tsx';
import { isRested } from '../ui/rested.ts';
import { otherAxis, seenRange, showAll, showRange, zoom } from './range.ts';

/** What the plots show, as text that can be edited, and buttons for what mouse and keys do. */
export function RangeBar() {
  const shown = seenRange.value;
  if (shown === undefined) return null;
  const { from, to } = shown;
  const axis = otherAxis.value ?? {
    all: showAll,
    zoom: (factor: number) => zoom(from + (to - from) / 2n, factor),
  };
  const edit = (change: (time: bigint) => TimeRange) => (text: string) => {
    const time = parseTime(text);
    if (typeof time === 'string') return time;
    const next = change(time);
    if (next.from > next.to) return 'The end is before the beginning';
    showRange(next, 'push');
    return undefined;
  };
  const field = (label: string, time: bigint, change: (time: bigint) => TimeRange) => (
    <DraftField
      class="time"
      label={`${label} (${clockWords()})`}
      isBare
      title={timeText(time)}
      value={shortTimeText(time)}
      whole={timeText(time)}
      onCommit={edit(change)}
    />
  );
  return (
    <div class="range-bar" role="toolbar" aria-label="Range of time">
      <button type="button" onClick={axis.all}>
        All
      </button>
      <button type="button" aria-label="Zoom in" onClick={() => axis.zoom(0.5)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => axis.zoom(2)}>
        −
      </button>
      {field('From', from, (time) => ({ from: time, to }))}
      {field('To', to, (time) => ({ from, to: time }))}
      <select
        aria-label="Zone"
        class={zone.value}
        title={`${durationText(to - from)} are seen`}
        value={zone.value}
        onChange={(event) => show({ zone: event.currentTarget.value as Zone }, 'replace')}
      >
        <option value="utc">UTC</option>
        <option value="local">{zoneText(isRested.value || zone.value === 'local')}</option>
      </select>
    </div>
  );
}

/** To ask for it takes longer than to draw several plots: where it is not seen, it waits for these. */
let zoneOfBrowser: string | undefined;

function zoneText(isNamed: boolean): string {
  if (isNamed) zoneOfBrowser ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zoneOfBrowser === undefined ? 'local' : `local (${zoneOfBrowser})`;
}
