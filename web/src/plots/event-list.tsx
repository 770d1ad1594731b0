import { useComputed } from '@preact/signals';
import { Swatch } from '../lines/swatch.tsx';
import { timeText } from '../lines/time-text.ts';
import { isShared } from '../session.ts';
import { Problem } from '../ui/notice.tsx';
import { isReadOnly, mayWrite, readOnlyText } from '../ui/permission.ts';
import { isTouch } from '../ui/touch.ts';
import { cursorTime } from './cursor.ts';
import { TimeText } from './cursor-time.tsx';
import { marks } from './mark-load.ts';
import type { EventMark } from './marks.ts';
import type { Note } from './note.ts';
import { NoteLine, NoteText, noteKey, notesWithin } from './note-list.tsx';
import { noteLoad, notes } from './note-load.ts';
import { bringToMiddle, seenRange } from './range.ts';
import { plotWidth } from './width.ts';

/** So far from a mark the pointer still means it. */
const reachPixels = 5n;

const nothing: readonly (Note | EventMark)[] = [];

/** What the marks under the pointer say. */
export function EventReading() {
  const near = useComputed(() => {
    const time = cursorTime.value;
    const shown = seenRange.value;
    if (time === undefined || shown === undefined) return nothing;
    const reach = ((shown.to - shown.from) * reachPixels) / BigInt(plotWidth.value);
    const around = { from: time - reach, to: time + reach };
    const events = marks.value.value?.events ?? [];
    const found = [
      ...notesWithin(notes.value, around),
      ...events.filter((event) => event.time >= around.from && event.time <= around.to),
    ];
    return found.length === 0 ? nothing : found.slice(0, 4);
  });
  if (near.value.length === 0) return null;
  return (
    <ul class="event-reading">
      {near.value.map((item, i) => (
        <li key={`${itemKey(item)} ${i}`}>
          {'text' in item ? <NoteText note={item} /> : <EventText event={item} />}
        </li>
      ))}
    </ul>
  );
}

/** Every event and every note of the range as text; choosing one brings it to the middle. */
export function EventList() {
  const shown = seenRange.value;
  const own = shown === undefined ? [] : notesWithin(notes.value, shown);
  const events = marks.value.value?.events ?? [];
  const items = [...own, ...events].sort((a, b) => (a.time < b.time ? -1 : 1));
  const count = events.reduce((sum, event) => sum + event.count, own.length);
  const isCrowded = (noteLoad.value.value?.crowded ?? []).length > 0;
  return (
    <section class="events" aria-label="Events" aria-busy={marks.value.busy}>
      {[marks.value, noteLoad.value].map(
        ({ error, retry }, i) => error !== undefined && <Problem key={i} error={error} onRetry={retry} />,
      )}
      <p class="soft">{marks.value.value === undefined ? 'Loading…' : countText(count, items.length)}</p>
      {isCrowded && <p class="soft">There are too many notes to show: zoom in to see them.</p>}
      <p class="soft hint">
        {mayWrite.value &&
          (isTouch
            ? 'To write a note, press long on a plot, and use “note” below A.'
            : 'To write a note, press N at the cursor, or use “note” below A.')}
        {isReadOnly.value && !isShared && readOnlyText}
      </p>
      <ol class={`notes ${isOneDay(items) ? 'one-day' : ''}`}>
        {items.map((item, i) => (
          <li key={`${itemKey(item)} ${i}`}>
            {'text' in item ? (
              <NoteLine note={item} />
            ) : (
              <button type="button" class="quiet" onClick={() => bringToMiddle(item.time)}>
                <EventText event={item} />
              </button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function itemKey(item: EventMark | Note): string {
  return 'text' in item ? noteKey(item) : `${item.time} ${item.label}`;
}

/** The date of all of them stands on the axis. */
function isOneDay(items: readonly { readonly time: bigint }[]): boolean {
  const days = [items.at(0), items.at(-1)].map((item) => item && timeText(item.time).slice(0, -18));
  return days[0] === days[1];
}

/** @param lines how many lines tell of them: where events are many, a line stands for several */
function countText(count: number, lines: number): string {
  if (count === 0) return 'No events in this range.';
  const all = `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'}`;
  return lines < count ? `${all}; those near each other share a line. Zoom in to see each.` : all;
}

function EventText({ event: { time, label, colour } }: { event: EventMark }) {
  return (
    <>
      <Swatch look={{ colour, dash: [4, 3] }} />{' '}
      <span class="soft">
        <TimeText time={time} />
      </span>{' '}
      <span>{label}</span>
    </>
  );
}
