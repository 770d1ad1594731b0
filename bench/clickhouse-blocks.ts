import { randomUUID } from 'node:crypto';
import { Kind, type Rows } from '../src/domain/parameter-data.ts';
import { noTags } from '../src/domain/tags.ts';
import { type SampleBlock, sampleBlock } from '../src/store/clickhouse/insert/sample-block.ts';
import { type SeriesValues, seriesOf } from '../src/store/clickhouse/insert/series-values.ts';
import { windowBlock } from '../src/store/clickhouse/insert/window-block.ts';
import { windowLevels } from '../src/store/clickhouse/insert/window-levels.ts';
import { insertSettings } from '../src/store/clickhouse/server/insert-settings.ts';
import { versionClock } from '../src/store/clickhouse/server/version-clock.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { type Payload, parameterName } from './data.ts';

/** What a node gathers for an insert by default. */
export const usualRows = 100_000;

export interface BlockOptions {
  readonly rowsPerInsert?: number;
  readonly topic?: string;
  readonly saysDistinct?: boolean;
  readonly table?: 'samples' | 'windows';
}

/**
 * The inserts of the same rows that a node would make of the payloads: Native blocks of so many rows each. ClickHouse
 * looks for repeated identities in each, as it does by default, unless `saysDistinct`: then it is told, as a node does,
 * that there are none where that is known.
 */
export function* insertRequests(
  server: ClickHouseServer,
  database: string,
  payloads: Iterable<Payload>,
  { rowsPerInsert = usualRows, topic = 'bench', saysDistinct = false, table = 'samples' }: BlockOptions = {},
): Generator<Buffer> {
  const clock = versionClock({ nowMs: Date.now, isShared: true });
  const levels = windowLevels();
  const blockOf = (all: readonly SeriesValues[]) =>
    table === 'windows' ? { ...windowBlock(all, levels), isDistinct: true } : sampleBlock(all);
  let series: SeriesValues[] = [];
  let count = 0;
  for (const payload of payloads) {
    const owner = { workspace: 'default', topic, stream: payload.stream, retention: 0n };
    for (const one of seriesOf(owner, rowsOf(payload), clock)) {
      series.push(one);
      count += one.count;
    }
    if (count < rowsPerInsert) continue;
    yield insertRequest(server, database, table, blockOf(series), saysDistinct);
    series = [];
    count = 0;
  }
  if (series.length > 0) yield insertRequest(server, database, table, blockOf(series), saysDistinct);
}

function insertRequest(
  server: ClickHouseServer,
  database: string,
  table: string,
  { columns, pieces, isDistinct }: SampleBlock,
  saysDistinct: boolean,
): Buffer {
  const text = `INSERT INTO ${table} (${columns.join(', ')}) FORMAT Native`;
  const settings = insertSettings({}, 'samples', randomUUID(), saysDistinct && isDistinct);
  return server.request(database, text, settings, Buffer.concat(pieces));
}

function rowsOf({ startMs, stepMs, values }: Payload): Rows {
  const count = values[0]!.length;
  return {
    count,
    base: BigInt(startMs) * 1_000_000n,
    offsets: Float64Array.from({ length: count }, (_, row) => row * stepMs * 1e6),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: values.map((column, i) => ({
      kind: Kind.Numeric,
      name: parameterName(i),
      values: column,
      present: undefined,
    })),
  };
}
