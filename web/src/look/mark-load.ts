import type { Client } from '../../../src/client/client.ts';
import { client } from '../session.ts';
import { bandsTag, type StreamRef, streams, type TimeRange } from '../state/view.ts';
import { loaded } from '../ui/loading.ts';
import { colourAt } from './colours.ts';
import type { Band, EventMark, Marks } from './marks.ts';
import { range } from './range.ts';

/** Events of the open streams in the range, and the values of a tag as bands. */
export const marks = loaded<Marks>(() => {
  const service = client.value;
  const shown = range.value;
  const open = streams.value;
  const tag = bandsTag.value;
  if (service === undefined || shown === undefined || open.length === 0) return undefined;
  return async (signal) => {
    const [events, tagBands] = await Promise.all([
      loadEvents(service, open, shown, signal),
      tag === '' ? [] : loadBands(service, open[0]!, tag, shown, signal),
    ]);
    return { events, bands: tagBands };
  };
});

/** More marks than this are no help to the eye. */
const mostEvents = 400;

const levelColours: Readonly<Record<string, string>> = {
  Warning: '#b58900',
  Error: '#cf4242',
  Critical: '#cf4242',
};

async function loadEvents(
  service: Client,
  streams: readonly StreamRef[],
  { from, to }: TimeRange,
  signal: AbortSignal,
): Promise<EventMark[]> {
  const streamIds = streams.map(({ streamId }) => streamId);
  const [rows, definitions] = await Promise.all([
    service.eventData({ streamIds, from, to }, { signal }),
    service.events({ streamIds }, { signal }),
  ]);
  const levels = new Map(definitions.map((definition) => [definition.id, definition.level]));
  return Object.entries(rows)
    .flatMap(([id, events]) =>
      events.map(({ timestamp, value }) => ({
        time: timestamp,
        label: value === '' ? id : `${id}: ${value}`,
        colour: levelColours[levels.get(id) ?? ''] ?? '#7a8595',
      })),
    )
    .sort((a, b) => (a.time < b.time ? -1 : 1))
    .slice(0, mostEvents);
}

const mostBands = 200;

/** From the first to the last row of each value: a value that comes back later is one band all the same. */
async function loadBands(
  service: Client,
  { topic, streamId }: StreamRef,
  tag: string,
  { from, to }: TimeRange,
  signal: AbortSignal,
): Promise<Band[]> {
  const [parameter] = await service.parameters(
    { topic, streamIds: [streamId], includeTypes: ['Numeric'] },
    { signal },
  );
  if (parameter === undefined) return [];
  const place = { topic, streamIds: [streamId], from, to };
  const values = await service.tagValues(tag, place, { signal });
  const edges = await Promise.all(
    values.slice(0, mostBands).map(async (value) => {
      const edge = async (order: 'Asc' | 'Desc') => {
        const { data } = await service.page(
          {
            ...place,
            numericParameters: [{ parameterName: parameter.parameterId }],
            tagFilters: [{ tag, value }],
            order,
            limit: 1,
          },
          { signal },
        );
        return data.timestamps[0];
      };
      return { value, first: await edge('Asc'), last: await edge('Desc') };
    }),
  );
  return edges
    .filter(({ first }) => first !== undefined)
    .sort((a, b) => (a.first! < b.first! ? -1 : 1))
    .map(({ value, first, last }, i) => ({
      from: first!,
      to: last!,
      label: `${tag} ${value}`,
      colour: colourAt(i),
    }));
}
