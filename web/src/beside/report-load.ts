import type { Client, ParameterDataQuery } from '../../../src/client/client.ts';
import { type ByLap, type LapAnswer, loadByLap } from '../laps/by-lap.ts';
import { quotedName } from '../lines/expression.ts';
import { allTime } from '../lines/time-text.ts';
import type { StreamRef } from '../state/view-text.ts';

export const measures = ['least', 'largest', 'mean'] as const;
export type Measure = (typeof measures)[number];

/** What the service says of the rows of a lap, or of a run. */
export interface ReportRow {
  readonly stream: StreamRef;
  /** What it is called; undefined of a whole run, null of rows that are in no lap. */
  readonly lap: string | null | undefined;
  readonly values: ReadonlyMap<string, ChannelValues>;
}

/** Of a channel; undefined where it has no number there. */
export type ChannelValues = Readonly<Record<Measure, number | undefined>>;

const aggregations = { least: 'Min', largest: 'Max', mean: 'Mean' } as const;
/** A query has so many columns at most. */
const channelsOfQuery = 80;
const wholeRun: ByLap = { ranges: [{ name: null, range: allTime }] };

/** Rows in front of the first lap are in none. */
function withOthers(by: ByLap): ByLap {
  const first = 'ranges' in by ? by.ranges[0]?.range.from : undefined;
  if (first === undefined || 'tag' in by) return by;
  return { ranges: [{ name: null, range: { from: allTime.from, to: first - 1n } }, ...by.ranges] };
}

export interface ReportedChannels {
  /** Those that begin at 0 in each lap. */
  readonly counting: readonly string[];
  readonly others: readonly string[];
}

/** One row for each lap of a stream in order of time, or one for all of it. */
export async function loadReport(
  client: Client,
  stream: StreamRef,
  by: ByLap | undefined,
  { counting, others }: ReportedChannels,
  signal: AbortSignal,
): Promise<ReportRow[]> {
  const found = new Map<ReportRow['lap'], { first: bigint; values: Map<string, ChannelValues> }>();
  for (const { names, load } of [...askedBy(loadByLap, others), ...askedBy(loadFromStarts, counting)]) {
    const numericParameters = names.flatMap((parameterName) =>
      measures.map((own) => ({ parameterName, aggregationType: aggregations[own] })),
    );
    const answers = await load(client, stream, by ? withOthers(by) : wholeRun, { numericParameters }, signal);
    for (const { lap: own, first, numberOf } of answers) {
      const lap = by === undefined ? undefined : own;
      const known = found.get(lap) ?? { first, values: new Map<string, ChannelValues>() };
      found.set(lap, { ...known, first: first < known.first ? first : known.first });
      for (const name of names) {
        const of = (own: Measure) => numberOf(`${aggregations[own].toLowerCase()}(${name})`);
        known.values.set(name, { least: of('least'), largest: of('largest'), mean: of('mean') });
      }
    }
  }
  return [...found]
    .sort(([, a], [, b]) => (a.first < b.first ? -1 : 1))
    .map(([lap, { values }]) => ({ stream, lap, values }));
}

/** Channels in groups that one query has room for, and how they are read. */
function askedBy(load: typeof loadByLap, channels: readonly string[]) {
  return Array.from({ length: Math.ceil(channels.length / channelsOfQuery) }, (_, i) => ({
    names: channels.slice(i * channelsOfQuery, (i + 1) * channelsOfQuery),
    load,
  }));
}

/**
 * Aggregates by laps of what begins at 0 where the rows that are asked for begin, as integrals do: in each lap anew. Rows in no lap
 * have no numbers: they begin nowhere.
 */
async function loadFromStarts(
  client: Pick<Client, 'query'>,
  stream: StreamRef,
  by: ByLap,
  columns: Pick<ParameterDataQuery, 'numericParameters'>,
  signal: AbortSignal,
): Promise<LapAnswer[]> {
  if ('ranges' in by) return loadByLap(client, stream, by, columns, signal);
  const tag = by.tag.replaceAll("'", "''");
  const calculatedParameters = columns.numericParameters?.map(({ parameterName: name, ...rest }) => ({
    ...rest,
    name,
    expression: `over(${quotedName(name)}, '${tag}')`,
  }));
  const found = await loadByLap(
    client,
    stream,
    by,
    { calculatedParameters: calculatedParameters ?? [] },
    signal,
  );
  return found.map((own) => (own.lap === null ? { ...own, numberOf: () => undefined } : own));
}
