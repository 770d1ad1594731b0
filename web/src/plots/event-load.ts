import type { Client } from '../../../src/client/client.ts';
import { bucketFor } from '../lines/point-load.ts';
import { byTopic } from '../state/by-topic.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { eventText, isOver } from './event-text.ts';
import type { EventMark } from './marks.ts';
import { noteId } from './note-id.ts';

/** More marks than this are no help to the eye. */
const mostEvents = 400;
/** As many marks that stand for several are drawn, and some more where buckets are cut by the range. */
const mostMarks = 800;

const plainColour = '#7a8595';
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
  const interval = bucketFor({ from, to }, width / 4);
  const aggregation = { aggregationType: 'Count' as const, interval };
  const counted = await Promise.all(
    byTopic(streams).map(async (place) => {
      const rows = { ...place, from, to };
      const [counts, definitions] = await Promise.all([
        service.eventData({ ...rows, aggregation }, { signal }),
        service.events(place, { signal }),
      ]);
      // Notes have a load of their own.
      const { [noteId]: _, ...others } = counts;
      return { rows, counts: others, definitions };
    }),
  );
  const total = counted
    .flatMap(({ counts }) => Object.values(counts).flat())
    .reduce((sum, { value }) => sum + Number(value), 0);
  const isFew = total <= mostEvents;
  const marked = counted.flatMap(({ counts }) => Object.values(counts).flat()).length;
  const kinds = counted.reduce((sum, { counts }) => sum + Object.keys(counts).length, 0);
  // Of many kinds: fewer marks of each, over all of the range.
  const fewer =
    marked > mostMarks ? { ...aggregation, interval: bucketFor({ from, to }, mostMarks / kinds) } : undefined;
  const marks = await Promise.all(
    counted.map(async ({ rows, counts, definitions }) => {
      const eventIds = Object.keys(counts);
      const asked = { ...rows, eventIds, ...(!isFew && fewer && { aggregation: fewer }) };
      const isAsked = eventIds.length > 0 && (isFew || fewer !== undefined);
      const found = isAsked ? await service.eventData(asked, { signal }) : counts;
      const known = new Map(definitions.map((own) => [own.id, own]));
      return Object.entries(found).flatMap(([id, events]) =>
        events.map(({ timestamp, value, tags = {} }) => ({
          time: isFew || timestamp > from ? timestamp : from,
          count: isFew ? 1 : Number(value),
          label: labelOf(
            known.get(id)?.name || id,
            isFew ? eventText(id, String(value), tags) : `× ${value}`,
          ),
          colour: isOver(id, tags) ? plainColour : (levelColours[known.get(id)?.level ?? ''] ?? plainColour),
        })),
      );
    }),
  );
  return marks.flat().sort((a, b) => (a.time < b.time ? -1 : 1));
}

/** @param said what it says, or how many a mark stands for */
function labelOf(name: string, said: string): string {
  if (said === '') return name;
  return said.startsWith('×') ? `${name} ${said}` : `${name}: ${said}`;
}
