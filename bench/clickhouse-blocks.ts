import { randomUUID } from 'node:crypto';
import { Kind, type Rows } from '../src/domain/parameter-data.ts';
import { noTags } from '../src/domain/tags.ts';
import type { NativeBlock } from '../src/store/clickhouse/insert/native-block.ts';
import { type SeriesValues, seriesOf } from '../src/store/clickhouse/insert/series-values.ts';
import { windowBlock } from '../src/store/clickhouse/insert/window-block.ts';
import { windowLevels } from '../src/store/clickhouse/insert/window-levels.ts';
import { insertSettings } from '../src/store/clickhouse/server/insert-settings.ts';
import { versionClock } from '../src/store/clickhouse/server/version-clock.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { type Payload, parameterName } from './data.ts';

/** Values that a node gathers for an insert by default. */
export const usualRows = 400_000;

export interface BlockOptions {
  readonly rowsPerInsert?: number;
  readonly topic?: string;
}

/**
 * The inserts of the same rows that a node would make of the payloads: Native blocks of so many values each.
 */
export function* insertRequests(
  server: ClickHouseServer,
  database: string,
  payloads: Iterable<Payload>,
  { rowsPerInsert = usualRows, topic = 'bench' }: BlockOptions = {},
): Generator<Buffer> {
  const clock = versionClock({ nowMs: Date.now, isShared: true });
  const levels = windowLevels();
  let series: SeriesValues[] = [];
  let count = 0;
  for (const payload of payloads) {
    const owner = { workspace: 'default', topic, stream: payload.stream, retention: 0n };
    for (const one of seriesOf(owner, rowsOf(payload), clock)) {
      series.push(one);
      count += one.count;
    }
    if (count < rowsPerInsert) continue;
    yield insertRequest(server, database, windowBlock(series, levels));
    series = [];
    count = 0;
  }
  if (series.length > 0) yield insertRequest(server, database, windowBlock(series, levels));
}

function insertRequest(server: ClickHouseServer, database: string, { columns, pieces }: NativeBlock): Buffer {
  const text = `INSERT INTO windows (${columns.join(', ')}) FORMAT Native`;
  const settings = insertSettings({}, 'windows', randomUUID());
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
