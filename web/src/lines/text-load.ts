import type { ParameterData, ParameterDataQuery, RequestedParameter } from '../../../src/client/client.ts';
import { loadPoints, type PointSource, type PointWish } from './point-load.ts';
import type { Points } from './points.ts';
import { createTexts, type Texts } from './texts.ts';

/** What is drawn of a parameter that has text: its points hold places in the list of texts. */
export interface TextPoints {
  readonly points: Points;
  readonly texts: readonly string[];
}

/**
 * Loads what a plot shows of parameters that have text, in their order: rows where they are few, or else the first and the
 * last text per pixel.
 */
export async function loadTexts(
  client: PointSource,
  wish: PointWish,
  signal: AbortSignal,
): Promise<TextPoints[]> {
  const tables = new Map(wish.parameters.map((name) => [name, createTexts()]));
  const points = await loadPoints(textsAsNumbers(client, tables), wish, signal);
  return wish.parameters.map((name, i) => ({ points: points[i]!, texts: tables.get(name)!.list }));
}

/** Asks for text where numbers are asked for; the answer has the places of the texts in the tables. */
function textsAsNumbers(client: PointSource, tables: ReadonlyMap<string, Texts>): PointSource {
  return {
    async page(query, options) {
      const { data, nextCursor } = await client.page({ ...inText(query), limit: query.limit }, options);
      return { data: asNumbers(data, tables), nextCursor };
    },
    query: async (query, options) => asNumbers(await client.query(inText(query), options), tables),
  };
}

/** Text has a first and a last value, and no least and largest. */
const aggregations = { Min: 'First', Max: 'Last' } as const;

function inText({ numericParameters = [], ...rest }: ParameterDataQuery): ParameterDataQuery {
  const stringParameters = numericParameters.map((requested): RequestedParameter => {
    const { aggregationType, parameterName } = requested;
    if (aggregationType !== 'Min' && aggregationType !== 'Max') return requested;
    return { parameterName, aggregationType: aggregations[aggregationType] };
  });
  return { ...rest, stringParameters };
}

function asNumbers(data: ParameterData, tables: ReadonlyMap<string, Texts>): ParameterData {
  const columns = [...tables].flatMap(([name, texts]) =>
    [
      [name, name],
      [`first(${name})`, `min(${name})`],
      [`last(${name})`, `max(${name})`],
    ].flatMap(([from, to]) =>
      Object.hasOwn(data.stringValues, from!)
        ? [[to!, texts.placesOf(data.stringValues[from!]!)] as const]
        : [],
    ),
  );
  return { ...data, numericValues: { ...data.numericValues, ...Object.fromEntries(columns) } };
}
