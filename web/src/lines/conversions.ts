import { computed, signal } from '@preact/signals';
import type { Client, ParameterData, ParameterDataQuery } from '../../../src/client/client.ts';
import { byTopic, type TopicStreams } from '../state/by-topic.ts';
import type { StreamRef } from '../state/refs.ts';
import { isCalculated } from './calculated.ts';
import { exactText, numberText, type Reading } from './reading.ts';
import type { Conversion } from './units.ts';

/** How channels of a stream are shown in other units than they were written in, by their names. */
export type Conversions = ReadonlyMap<string, Conversion>;

/** Those of each stream, by `streamKey`: the same channel may be written in different units. Undefined while it is not known. */
export const conversions = signal<Known | undefined>(undefined);

const none: Conversions = new Map();

/** What names a stream in a map. */
export function streamKey({ topic, streamId }: StreamRef): string {
  return JSON.stringify([topic.toLowerCase(), streamId]);
}

type Known = ReadonlyMap<string, Conversions>;
type Streams = Pick<ParameterDataQuery, 'topic' | 'streamIds'>;

/** Those of streams of one topic that have the same. */
export function conversionsOf(
  { topic = '', streamIds: [streamId = ''] = [] }: Streams,
  known: Known | undefined = conversions.value,
): Conversions {
  return known?.get(streamKey({ topic, streamId })) ?? none;
}

const converting = computed(
  () => new Set([...(conversions.value?.values() ?? [])].flatMap((own) => [...own.keys()])),
);

/** Whether a channel was converted, in one of the open runs. */
export function isConverted(parameter: string): boolean {
  return converting.value.has(parameter);
}

/** Streams by their topics, and by how their channels are converted: what one query can ask. */
export function byUnits(streams: readonly StreamRef[]): TopicStreams[] {
  const known = conversions.value;
  const groups = new Map<string, StreamRef[]>();
  for (const stream of streams) {
    const key = JSON.stringify([...(known?.get(streamKey(stream)) ?? [])]);
    groups.set(key, [...(groups.get(key) ?? []), stream]);
  }
  return [...groups.values()].flatMap(byTopic);
}

export function inUnit({ factor, offset }: Pick<Conversion, 'factor' | 'offset'>, value: number): number {
  return value * factor + offset;
}

/** Whether values of a channel were converted or calculated: they have more digits than mean anything. */
function isWorkedOut(parameter: string): boolean {
  return isConverted(parameter) || isCalculated(parameter);
}

/** A value as it was written with every digit, or as it was worked out with those that mean something. */
export function shownText(parameter: string, value: number): string {
  return isWorkedOut(parameter) ? numberText(value) : exactText(value);
}

/** The reading of a channel, which says so where it was worked out. */
export function roundedReading(parameter: string, reading: Reading | undefined): Reading | undefined {
  return reading && isWorkedOut(parameter) ? { ...reading, isRounded: true } : reading;
}

/** Reads rows in the units in which they are shown. */
export function inUnits(service: Client, known: Known): Client {
  return {
    ...service,
    query: async (query, options) =>
      converted(await service.query(query, options), conversionsOf(query, known)),
    page: async (query, options) => {
      const { data, nextCursor } = await service.page(query, options);
      return { data: converted(data, conversionsOf(query, known)), nextCursor };
    },
    async *pages(query, rows, options) {
      for await (const data of service.pages(query, rows, options))
        yield converted(data, conversionsOf(query, known));
    },
  };
}

const aggregate = /^(\w+)\((.*)\)$/s;
/** Counts have no unit. */
const without: ReadonlySet<string> = new Set(['count']);
/** How far values are apart: where 0 is does not matter. */
const distances: ReadonlySet<string> = new Set(['stddev']);

/** Rows, or what the service says of them, in other units. */
export function converted<Data extends Pick<ParameterData, 'numericValues'>>(
  data: Data,
  known: Conversions,
): Data {
  if (known.size === 0) return data;
  const columns = Object.entries(data.numericValues).map(([name, column]) => {
    const own = conversionOfColumn(name, known);
    if (own === undefined) return [name, column] as const;
    return [name, column.map((value) => (value === null ? null : inUnit(own, value)))] as const;
  });
  return { ...data, numericValues: Object.fromEntries(columns) };
}

function conversionOfColumn(
  name: string,
  known: Conversions,
): Pick<Conversion, 'factor' | 'offset'> | undefined {
  const plain = known.get(name);
  if (plain !== undefined) return plain;
  const [, aggregation = '', parameter = ''] = aggregate.exec(name) ?? [];
  const own = without.has(aggregation) ? undefined : known.get(parameter);
  return own && distances.has(aggregation) ? { factor: own.factor, offset: 0 } : own;
}
