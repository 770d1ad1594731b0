import type { Client, Page, ParameterData, ParameterDataQuery } from '../../../src/client/client.ts';

/** Where a page begins in the rows of each query: a cursor, `start`, or `end` where it has no more rows. */
export type Places = readonly ({ readonly cursor: string } | 'start' | 'end')[];

/** Rows of several queries with the same columns, and where the next page begins; undefined after the last. */
export interface RowsPage {
  readonly data: ParameterData;
  readonly next: Places | undefined;
}

/** A row: of which query, and which one of its page. */
interface Taken {
  readonly query: number;
  readonly row: number;
}

export function firstPlaces(queries: readonly unknown[]): Places {
  return queries.map(() => 'start');
}

/** The first `limit` rows of all queries together, in the order that the queries have; of equal times the first query's first. */
export async function loadRows(
  service: Pick<Client, 'page'>,
  queries: readonly ParameterDataQuery[],
  places: Places,
  limit: number,
  signal: AbortSignal,
): Promise<RowsPage> {
  const read = async (query: number, most: number): Promise<Page> => {
    const place = places[query]!;
    if (place === 'end') return { data: noRows, nextCursor: undefined };
    const from = typeof place === 'object' && place;
    return service.page({ ...queries[query]!, ...from, limit: most }, { signal });
  };
  const pages = await Promise.all(queries.map((_, query) => read(query, limit)));
  const taken = firstRows(pages, queries[0]?.order === 'Desc', limit);
  const next = pages.map(async ({ data, nextCursor }, query): Promise<Places[number]> => {
    const count = taken.filter((own) => own.query === query).length;
    if (count === 0 && data.timestamps.length > 0) return places[query]!;
    // A cursor stands after all rows of a page: after some of them it is asked for.
    const cursor = count === data.timestamps.length ? nextCursor : (await read(query, count)).nextCursor;
    return cursor === undefined ? 'end' : { cursor };
  });
  const begin = await Promise.all(next);
  const isLast = begin.every((place) => place === 'end');
  return {
    data: rowsOf(
      pages.map(({ data }) => data),
      taken,
    ),
    next: isLast ? undefined : begin,
  };
}

const noRows: ParameterData = {
  timestamps: [],
  numericValues: {},
  stringValues: {},
  binaryValues: {},
  tagValues: {},
};

/** Each page is in order of time. */
function firstRows(pages: readonly Page[], isDescending: boolean, limit: number): Taken[] {
  const all = pages.flatMap(({ data }, query) => data.timestamps.map((time, row) => ({ query, row, time })));
  // Sorting keeps the order of equals.
  all.sort((a, b) => (a.time === b.time ? 0 : a.time < b.time !== isDescending ? -1 : 1));
  return all.slice(0, limit);
}

function rowsOf(pages: readonly ParameterData[], taken: readonly Taken[]): ParameterData {
  const columns = <Value>(
    of: (data: ParameterData) => Readonly<Record<string, readonly (Value | null)[]>>,
  ): Record<string, (Value | null)[]> => {
    const names = [...new Set(pages.flatMap((data) => Object.keys(of(data))))];
    const column = (name: string) => taken.map(({ query, row }) => of(pages[query]!)[name]?.[row] ?? null);
    return Object.fromEntries(names.map((name) => [name, column(name)]));
  };
  return {
    timestamps: taken.map(({ query, row }) => pages[query]!.timestamps[row]!),
    numericValues: columns((data) => data.numericValues),
    stringValues: columns((data) => data.stringValues),
    binaryValues: columns((data) => data.binaryValues),
    tagValues: columns((data) => data.tagValues),
  };
}
