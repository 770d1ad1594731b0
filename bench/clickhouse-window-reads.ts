import { insertRequests } from './clickhouse-blocks.ts';
import { mergeAll } from './clickhouse-disk.ts';
import { askDirectly, type RecordedQuestion, recordKind } from './clickhouse-questions.ts';
import { withRecorder } from './clickhouse-recorder.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { load } from './driver.ts';
import { printTable, show } from './figures.ts';
import { makeQueryData, type QueryData, queryPayloads } from './query-data.ts';
import { type QueryKind, queryKinds } from './query-kinds.ts';

const tables = ['samples', 'windows'] as const;
type Table = (typeof tables)[number];

export interface WindowReadOptions {
  readonly streams: number;
  /** Times that each kind is measured. */
  readonly rounds: number;
  /** Only this kind; all where undefined. */
  readonly kind: string | undefined;
}

/** A kind is asked for so long, and so many times at least. */
const roundMs = 1500;
const fewest = 2;

/**
 * The same rows in `samples` and in `windows`, in ten parts that nothing merges, and in one: milliseconds of ClickHouse's
 * processor for the statements that a node makes of each kind of question, least of the rounds. The node's answers are checked.
 */
export async function benchWindowReads(
  server: ClickHouseServer,
  { streams, rounds, kind }: WindowReadOptions,
): Promise<void> {
  const data = makeQueryData(streams);
  const kinds = queryKinds.filter(({ name }) => kind === undefined || kind === name);
  const found = new Map(kinds.map(({ name }) => [name, [] as string[]]));
  const titles = ['kind'];
  for (const table of tables) {
    const database = `reads_${table}`;
    const parts = await fillTable(server, database, table, data);
    const pools = await record(server, database, data, kinds);
    for (const title of [`${parts} parts`, 'merged']) {
      titles.push(`${table}, ${title}`);
      for (const [name, pool] of pools) {
        found.get(name)!.push(show(await leastOf(rounds, () => processorMs(server, pool))));
      }
      if (title === 'merged') continue;
      await server.command(database, `SYSTEM START MERGES ${table}`);
      await mergeAll(server, database, table);
    }
    await server.drop(database);
  }
  const samples = streams * data.parameters * data.rows;
  console.log(`\n${samples.toLocaleString('en-US')} samples; ms of ClickHouse's processor for a question`);
  printTable([titles, ...[...found].map(([name, figures]) => [name, ...figures])]);
}

/** @returns how many parts the table has, of which each holds a tenth of the time */
export async function fillTable(
  server: ClickHouseServer,
  database: string,
  table: Table,
  data: QueryData,
): Promise<number> {
  await server.makeTables(database, 'cached');
  await server.command(database, `SYSTEM STOP MERGES ${table}`);
  const values = data.streams * data.parameters;
  const rowsPerInsert = values * 200;
  const requests = insertRequests(server, database, queryPayloads(data), {
    rowsPerInsert,
    saysDistinct: true,
    table,
  });
  for (const request of requests) await load(server.port, [request], 1);
  const [row] = await server.rows(
    database,
    `SELECT sum(rows), count() FROM system.parts WHERE database = '${database}' AND table = '${table}' AND active`,
  );
  return Number(row![1]);
}

/** What a node asks for each kind, by its name. */
export async function record(
  server: ClickHouseServer,
  database: string,
  data: QueryData,
  kinds: readonly QueryKind[],
): Promise<Map<string, RecordedQuestion[]>> {
  return withRecorder(server, database, async (recorder, node) => {
    const pools = new Map<string, RecordedQuestion[]>();
    for (const kind of kinds) {
      const pool = await recordKind(kind, data, recorder, node);
      for (const question of pool) question.check(await node.send(question.request));
      pools.set(kind.name, pool);
    }
    return pools;
  });
}

export async function processorMs(
  server: ClickHouseServer,
  pool: readonly RecordedQuestion[],
): Promise<number> {
  const asker = await askDirectly(server.port);
  await asker.ask(pool[0]!);
  const before = server.cpuSeconds();
  const start = performance.now();
  let asked = 0;
  while (asked < fewest || performance.now() - start < roundMs) await asker.ask(pool[asked++ % pool.length]!);
  asker.close();
  return ((server.cpuSeconds() - before) * 1000) / asked;
}

async function leastOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await measure());
  return least;
}
