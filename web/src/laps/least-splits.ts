import type { Client } from '../../../src/client/client.ts';
import { quotedName } from '../lines/expression.ts';
import type { StreamRef, TimeRange } from '../state/view-text.ts';
import { type ByLap, loadByLap } from './by-lap.ts';
import type { LapRow } from './lap-rows.ts';

export interface SplitWish {
  readonly stream: StreamRef;
  /** Laps of the stream in order of time, and how its rows are told apart by them. */
  readonly laps: readonly LapRow[];
  readonly by: ByLap;
}

/** What ends no sector; the service leaves it out of a least value. */
export const nothing = '0 / 0';
/** Seconds of a whole lap. */
export function endOf(lap: LapRow): number | undefined {
  return lap.isWhole ? Number(lap.end - lap.start) / 1e9 : undefined;
}

/** Seconds since the first row of the stream that has a number. */
export function sinceFirst(channel: string): string {
  return `integral(${quotedName(channel)} * 0 + 1)`;
}

/** Of each lap the least value of each expression, which are seconds since its channel's first row, from the begin of the lap. */
export async function loadLeast(
  client: Client,
  { stream, by, laps }: SplitWish,
  channel: string,
  expressions: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, (number | undefined)[]>> {
  const found = new Map<string, (number | undefined)[]>();
  if (expressions.length === 0) return found;
  const calculatedParameters = ['first', ...expressions].map((expression, i) => ({
    name: String(i),
    expression: i === 0 ? sinceFirst(channel) : expression,
    aggregationType: 'Min' as const,
  }));
  const answers = await loadByLap(client, stream, by, { calculatedParameters }, signal);
  const loads = answers.map(async ({ lap: value, first, numberOf }) => {
    const lap = laps.find((own) => own.value === value);
    const atFirst = numberOf('min(0)');
    if (lap === undefined || atFirst === undefined) return;
    // A stretch of time may begin before its first row.
    const range = 'ranges' in by ? by.ranges.find(({ name }) => name === value)?.range : undefined;
    const from = range && (await firstRow(client, stream, range, channel, signal));
    const offset = Number((from ?? first) - lap.start) / 1e9 - atFirst;
    found.set(
      lap.value,
      expressions.map((_, i) => {
        const at = numberOf(`min(${i + 1})`);
        return at === undefined || !lap.isBegun ? undefined : at + offset;
      }),
    );
  });
  await Promise.all(loads);
  return found;
}

async function firstRow(
  client: Client,
  { topic, streamId }: StreamRef,
  range: TimeRange,
  channel: string,
  signal: AbortSignal,
): Promise<bigint | undefined> {
  const numericParameters = [{ parameterName: channel }];
  const query = { topic, streamIds: [streamId], ...range, numericParameters, limit: 1 };
  return (await client.page(query, { signal })).data.timestamps[0];
}
