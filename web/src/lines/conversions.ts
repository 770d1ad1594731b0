import { signal } from '@preact/signals';
import type { Client, ParameterData } from '../../../src/client/client.ts';
import { exactText, numberText, type Reading } from './reading.ts';
import type { Conversion } from './units.ts';

/** How channels are shown in other units than they were written in, by their names; undefined while it is not known. */
export const conversions = signal<ReadonlyMap<string, Conversion> | undefined>(undefined);

export function conversionOf(parameter: string): Conversion | undefined {
  return conversions.value?.get(parameter);
}

export function inUnit({ factor, offset }: Pick<Conversion, 'factor' | 'offset'>, value: number): number {
  return value * factor + offset;
}

/** A value as it was written with every digit; one that was converted has more than mean anything. */
export function shownText(parameter: string, value: number): string {
  return conversionOf(parameter) === undefined ? exactText(value) : numberText(value);
}

/** The reading of a channel, which says so where it was converted. */
export function roundedReading(parameter: string, reading: Reading | undefined): Reading | undefined {
  return reading && conversionOf(parameter) ? { ...reading, isRounded: true } : reading;
}

/** Reads rows in the units in which they are shown. */
export function inUnits(service: Client, known: ReadonlyMap<string, Conversion>): Client {
  return {
    ...service,
    query: async (query, options) => converted(await service.query(query, options), known),
    page: async (query, options) => {
      const { data, nextCursor } = await service.page(query, options);
      return { data: converted(data, known), nextCursor };
    },
    async *pages(query, rows, options) {
      for await (const data of service.pages(query, rows, options)) yield converted(data, known);
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
  known: ReadonlyMap<string, Conversion>,
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
  known: ReadonlyMap<string, Conversion>,
): Pick<Conversion, 'factor' | 'offset'> | undefined {
  const plain = known.get(name);
  if (plain !== undefined) return plain;
  const [, aggregation = '', parameter = ''] = aggregate.exec(name) ?? [];
  const own = without.has(aggregation) ? undefined : known.get(parameter);
  return own && distances.has(aggregation) ? { factor: own.factor, offset: 0 } : own;
}
