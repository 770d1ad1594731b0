import type { Rows } from '../../../src/domain/parameter-data.ts';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { noTags } from '../../../src/domain/tags.ts';
import { type ClickHouse, connectClickHouse } from '../../../src/store/clickhouse/server/client.ts';
import { type ClickHouseStoreOptions, openClickHouseStore } from '../../../src/store/clickhouse/store.ts';
import type { Batch, Store } from '../../../src/store/store.ts';

/** A log for tests, which keeps what is said. */
export function keptLog() {
  const lines: string[] = [];
  const keep = (_fields: object, message: string) => void lines.push(message);
  return { lines, log: { info: keep, warn: keep, error: keep } };
}

/** However busy the machine is, an insert gets through. */
const patientMs = 600_000;

export function openStore(url: string, options: Partial<ClickHouseStoreOptions> = {}): Promise<Store> {
  return openClickHouseStore({
    url,
    interruptedAfterMs: 60_000,
    maxPendingBytes: 64 << 20,
    insertMaxRows: 1_000_000,
    insertMaxAgeMs: 0,
    durability: 'cached',
    insertAttemptMs: patientMs,
    insertPatienceMs: patientMs,
    log: keptLog().log,
    ...options,
  });
}

/** The address of the first of several servers by itself. */
function firstServer(url: string): string {
  return url.replace(/,[^/]*/, '');
}

/** The rows of a statement without parameters, on a connection of its own. */
export async function ask(url: string, text: string): Promise<unknown[][]> {
  const clickhouse = connectClickHouse({ url: firstServer(url) });
  try {
    return await clickhouse.rows<unknown[]>({ text, params: {} });
  } finally {
    await clickhouse.close();
  }
}

export async function withClickHouse<Answer>(
  url: string,
  use: (clickhouse: ClickHouse) => Promise<Answer>,
): Promise<Answer> {
  const clickhouse = connectClickHouse({ url: firstServer(url) });
  try {
    return await use(clickhouse);
  } finally {
    await clickhouse.close();
  }
}

/** `values[i]` of `parameter` at `base + i` ns. */
export function numbers(base: bigint, values: readonly number[], parameter = 'p'): Rows {
  return {
    count: values.length,
    base,
    offsets: Float64Array.from(values, (_, i) => i),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [{ kind: Kind.Numeric, name: parameter, values: Float64Array.from(values), present: undefined }],
  };
}

export function rowsOf(streamId: string, ...rows: Rows[]): Batch {
  return { workspace: 'w', changes: [{ type: 'rows', topic: 'Topic', streamId, rows }] };
}
