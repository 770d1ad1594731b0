import type { Client } from '../../../src/client/client.ts';
import type { StreamRef } from '../state/view-text.ts';

export const measures = ['least', 'largest', 'mean'] as const;
export type Measure = (typeof measures)[number];

/** What the service says of the rows of a lap, or of a run. */
export interface ReportRow {
  readonly stream: StreamRef;
  /** The value of the tag that counts laps; undefined of a whole run, null of rows that are in no lap. */
  readonly lap: string | null | undefined;
  readonly values: ReadonlyMap<string, ChannelValues>;
}

/** Of a channel; undefined where it has no number there. */
export type ChannelValues = Readonly<Record<Measure, number | undefined>>;

const aggregations = { least: 'Min', largest: 'Max', mean: 'Mean' } as const;
/** A query has so many columns at most. */
const channelsOfQuery = 80;

/** One row for each lap of a stream in order of time, or one for all of it where `tag` is empty. */
export async function loadReport(
  client: Client,
  stream: StreamRef,
  tag: string,
  channels: readonly string[],
  signal: AbortSignal,
): Promise<ReportRow[]> {
  const found = new Map<ReportRow['lap'], { first: bigint; values: Map<string, ChannelValues> }>();
  for (let from = 0; from < channels.length; from += channelsOfQuery) {
    const names = channels.slice(from, from + channelsOfQuery);
    const { timestamps, tagValues, numericValues } = await client.query(
      {
        topic: stream.topic,
        streamIds: [stream.streamId],
        numericParameters: names.flatMap((parameterName) =>
          measures.map((own) => ({ parameterName, aggregationType: aggregations[own] })),
        ),
        ...(tag !== '' && { groupBy: [tag] }),
      },
      { signal },
    );
    for (const [i, first] of timestamps.entries()) {
      const lap = tag === '' ? undefined : (tagValues[tag]?.[i] ?? null);
      const known = found.get(lap) ?? { first, values: new Map<string, ChannelValues>() };
      found.set(lap, { ...known, first: first < known.first ? first : known.first });
      for (const name of names) {
        const numberOf = (own: Measure) =>
          numericValues[`${aggregations[own].toLowerCase()}(${name})`]?.[i] ?? undefined;
        known.values.set(name, {
          least: numberOf('least'),
          largest: numberOf('largest'),
          mean: numberOf('mean'),
        });
      }
    }
  }
  return [...found]
    .sort(([, a], [, b]) => (a.first < b.first ? -1 : 1))
    .map(([lap, { values }]) => ({ stream, lap, values }));
}
