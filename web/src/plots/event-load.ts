import { signal } from '@preact/signals';
import type { Client, EventDataQuery } from '../../../src/client/client.ts';
import { bucketFor } from '../lines/point-load.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import type { EventMark } from './marks.ts';
import { noteId } from './note.ts';

/** More marks than this are no help to the eye. */
const mostEvents = 400;

/** Names of tags that events of the page had: what a tag is likely to be called here. */
export const seenTags = signal<readonly string[]>([]);

const levelColours: Readonly<Record<string, string>> = {
  Warning: '#a06a00',
  Error: '#cf4242',
  Critical: '#cf4242',
};

/**
 * The events of a range in order of time. They are counted first: where there are more than marks help, a mark stands for
 * all of one kind that fall on a few pixels.
 */
export async function loadEvents(
  service: Client,
  streams: readonly StreamRef[],
  { from, to }: TimeRange,
  width: number,
  signal: AbortSignal,
): Promise<EventMark[]> {
  const topics = new Set(streams.map(({ topic }) => topic));
  const place: EventDataQuery = {
    streamIds: streams.map(({ streamId }) => streamId),
    ...(topics.size === 1 && { topic: streams[0]!.topic }),
    from,
    to,
  };
  const interval = bucketFor({ from, to }, width / 4);
  const aggregation = { aggregationType: 'Count' as const, interval };
  const [counts, definitions] = await Promise.all([
    service.eventData({ ...place, aggregation }, { signal }),
    service.events({ streamIds: [...place.streamIds!] }, { signal }),
  ]);
  // Notes have a load of their own.
  const { [noteId]: _, ...others } = counts;
  const total = Object.values(others)
    .flat()
    .reduce((sum, { value }) => sum + Number(value), 0);
  const isFew = total <= mostEvents;
  const eventIds = Object.keys(others);
  const rows =
    total === 0 ? {} : isFew ? await service.eventData({ ...place, eventIds }, { signal }) : others;
  const levels = new Map(definitions.map(({ id, level }) => [id, level]));
  const names = new Map(definitions.map(({ id, name }) => [id, name]));
  const tags = new Set([
    ...seenTags.peek(),
    ...Object.values(rows).flatMap(([row]) => Object.keys(row?.tags ?? {})),
  ]);
  if (tags.size > seenTags.peek().length) seenTags.value = [...tags];
  return Object.entries(rows)
    .flatMap(([id, events]) =>
      events.map(({ timestamp, value }) => ({
        time: isFew || timestamp > from ? timestamp : from,
        label: labelOf(names.get(id) || id, value, isFew),
        colour: levelColours[levels.get(id) ?? ''] ?? '#7a8595',
      })),
    )
    .sort((a, b) => (a.time < b.time ? -1 : 1))
    .slice(0, mostEvents * 2);
}

/** @param value what it says; where one mark stands for several, how many they are */
function labelOf(name: string, value: string | number, isOne: boolean): string {
  if (!isOne) return `${name} × ${value}`;
  return value === '' ? name : `${name}: ${value}`;
}
