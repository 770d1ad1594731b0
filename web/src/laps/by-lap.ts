import type { Client, ParameterDataQuery } from '../../../src/client/client.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';

/** How rows of a run are told apart: by the values of a tag, or by stretches of time, of which none may have a name. */
export type ByLap = { readonly tag: string } | { readonly ranges: readonly Stretch[] };

interface Stretch {
  readonly name: string | null;
  readonly range: TimeRange;
  /** Where these are not all rows of that time. */
  readonly rows?: Pick<ParameterDataQuery, 'tagFilters'>;
}

/** What the service says of the rows of a lap. */
export interface LapAnswer {
  /** Null of rows that are in no lap. */
  readonly lap: string | null;
  /** Of a tag the time of the first row, of a stretch its begin. */
  readonly first: bigint;
  /** Of a column such as `max(Speed)`; undefined where it has no number. */
  readonly numberOf: (column: string) => number | undefined;
}

/** Aggregates of each lap of a run, in order of time: one query by a tag, one for each stretch of time. */
export async function loadByLap(
  client: Pick<Client, 'query'>,
  { topic, streamId }: StreamRef,
  by: ByLap,
  columns: Pick<ParameterDataQuery, 'numericParameters' | 'calculatedParameters'>,
  signal: AbortSignal,
): Promise<LapAnswer[]> {
  const query = { topic, streamIds: [streamId], ...columns };
  if ('ranges' in by) {
    const loads = by.ranges.map(async ({ name, range, rows }): Promise<LapAnswer[]> => {
      const { timestamps, numericValues } = await client.query({ ...query, ...range, ...rows }, { signal });
      const numberOf = (column: string) => numericValues[column]?.[0] ?? undefined;
      return timestamps.length === 0 ? [] : [{ lap: name, first: range.from, numberOf }];
    });
    return (await Promise.all(loads)).flat();
  }
  const { timestamps, tagValues, numericValues } = await client.query(
    { ...query, groupBy: [by.tag] },
    { signal },
  );
  return timestamps
    .map((first, row) => ({
      lap: tagValues[by.tag]?.[row] ?? null,
      first,
      numberOf: (column: string) => numericValues[column]?.[row] ?? undefined,
    }))
    .sort((a, b) => (a.first < b.first ? -1 : 1));
}
