import type { Client } from '../../../src/client/client.ts';
import type { NewParameterData, ParameterInfo } from '../../../src/client/models.ts';
import type { Place } from './item.ts';

/** So many are asked for in one request. */
const together = 500;

const asked = {
  Numeric: 'numericParameters',
  String: 'stringParameters',
  Binary: 'binaryParameters',
} as const;

/** How many values rows have. */
export function valuesOf({
  numericValues = {},
  stringValues = {},
  binaryValues = {},
}: NewParameterData): number {
  let count = 0;
  for (const columns of [numericValues, stringValues, binaryValues])
    for (const column of Object.values(columns)) for (const value of column) if (value !== null) count++;
  return count;
}

/** How many values a stream has, of all its parameters. */
export async function countValues(service: Client, { topic, streamId }: Place): Promise<number> {
  const place = { topic, streamIds: [streamId] };
  const written = (await service.parameters(place)).filter(({ expression }) => expression === undefined);
  let sum = 0;
  for (const [type, key] of Object.entries(asked)) {
    const names = written.flatMap((one: ParameterInfo) => (one.type === type ? [one.parameterId] : []));
    for (let i = 0; i < names.length; i += together) {
      const counts = names
        .slice(i, i + together)
        .map((parameterName) => ({ parameterName, aggregationType: 'Count' as const }));
      const { numericValues } = await service.query({ ...place, [key]: counts });
      for (const [count] of Object.values(numericValues)) sum += count ?? 0;
    }
  }
  return sum;
}
