import { useComputed } from '@preact/signals';
import { cursorTime } from './cursor.ts';
import { marks } from './mark-load.ts';
import type { EventMark } from './marks.ts';
import { range, showRange } from './range.ts';
import { timeText } from './time-text.ts';
import { plotWidth } from './width.ts';

/** So far from a mark the pointer still means it. */
const reachPixels = 5n;

/** What the marks under the pointer say. */
export function EventReading() {
  const near = useComputed(() => {
    const time = cursorTime.value;
    const shown = range.value;
    if (time === undefined || shown === undefined) return [];
    const reach = ((shown.to - shown.from) * reachPixels) / BigInt(plotWidth.value);
    const events = marks.value.value?.events ?? [];
    return events.filter((event) => event.time >= time - reach && event.time <= time + reach).slice(0, 4);
  });
  if (near.value.length === 0) return null;
  return (
    <ul class="event-reading">
      {near.value.map((event) => (
        <li key={`${event.time} ${event.label}`}>
          <EventText event={event} />
        </li>
      ))}
    </ul>
  );
}

/** Every event of the range as text; choosing one brings it to the middle. */
export function EventList() {
  const events = marks.value.value?.events ?? [];
  if (events.length === 0) return null;
  return (
    <details class="events">
      <summary>
        {events.length} {events.length === 1 ? 'event' : 'events'}
      </summary>
      <ol>
        {events.map((event) => (
          <li key={`${event.time} ${event.label}`}>
            <button type="button" class="quiet" onClick={() => bringToMiddle(event.time)}>
              <EventText event={event} />
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

function EventText({ event: { time, label, colour } }: { event: EventMark }) {
  return (
    <>
      <span class="swatch" style={{ background: colour }} /> <span class="soft">{timeText(time)}</span>{' '}
      {label}
    </>
  );
}

function bringToMiddle(time: bigint): void {
  const shown = range.value;
  if (shown === undefined) return;
  const half = (shown.to - shown.from) / 2n;
  showRange({ from: time - half, to: time + half });
}
