import { type BlockOptions, insertRequests } from './clickhouse-blocks.ts';
import { diskOf, mergeAll } from './clickhouse-disk.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { payloads, type Shape, samplesOf, type Workload } from './data.ts';
import { load } from './driver.ts';
import { printTable, show } from './figures.ts';
import { median } from './random.ts';

const tables = ['samples', 'windows'] as const;

interface Load extends Required<Pick<BlockOptions, 'rowsPerInsert'>> {
  readonly title: string;
  readonly workload: Workload;
}

function loadsOf(scale: number): Load[] {
  const large = (shape: Shape): Workload => ({
    shape,
    streams: Math.max(2, Math.round(500 * scale)),
    payloadsPerStream: 10,
    rowsPerPayload: 200,
    parameters: 10,
  });
  const few = { streams: 50, payloadsPerStream: Math.round(400 * scale), rowsPerPayload: 1, parameters: 10 };
  return [
    { title: 'decimals, 200 rows a request', workload: large('decimals'), rowsPerInsert: 100_000 },
    { title: 'integers, 200 rows a request', workload: large('integers'), rowsPerInsert: 100_000 },
    { title: 'decimals, a row a request', workload: { shape: 'decimals', ...few }, rowsPerInsert: 500 },
  ];
}

/**
 * The same rows as rows of `samples` and as windows, inserted directly, in turn: seconds of processor time for a million
 * samples of whoever makes the blocks, of ClickHouse while it inserts (and merges beside that), and of one merge of all
 * parts; bytes a sample before and behind it.
 */
export async function benchWindows(
  server: ClickHouseServer,
  { scale, rounds }: { readonly scale: number; readonly rounds: number },
): Promise<void> {
  for (const { title, workload, rowsPerInsert } of loadsOf(scale)) {
    const samples = samplesOf(workload);
    console.log(
      `\n${samples.toLocaleString('en-US')} samples, ${title}; seconds of processor for a million samples`,
    );
    const rows = [['table', 'blocks', 'inserts', 'merge of all', 'bytes before', 'bytes merged', 'rows']];
    const found = new Map<string, number[][]>(tables.map((table) => [table, []]));
    for (let round = 0; round < rounds; round++) {
      for (const table of round % 2 === 0 ? tables : tables.toReversed()) {
        const database = `windows_${round}_${table}`;
        await server.makeTables(database, 'cached');
        const made = process.cpuUsage();
        const all = payloads(workload);
        const requests = [
          ...insertRequests(server, database, all, { rowsPerInsert, saysDistinct: true, table }),
        ];
        const { user, system } = process.cpuUsage(made);
        const before = server.cpuSeconds();
        await load(server.port, requests, 1);
        await server.untilMerged(database);
        const inserted = server.cpuSeconds() - before;
        const atRest = await bytesOf(server, database, table);
        const merged = await mergeAll(server, database, table);
        const after = await bytesOf(server, database, table);
        if (after.samples !== samples) throw new Error(`${after.samples} samples are there, not ${samples}`);
        const millions = samples / 1e6;
        found
          .get(table)!
          .push([
            (user + system) / 1e6 / millions,
            inserted / millions,
            merged / millions,
            atRest.bytes / samples,
            after.bytes / samples,
            after.rows,
          ]);
        await server.drop(database);
      }
    }
    for (const [table, runs] of found) {
      rows.push([table, ...runs[0]!.map((_, i) => show(median(runs.map((run) => run[i]!))))]);
    }
    printTable(rows);
  }
}

async function bytesOf(server: ClickHouseServer, database: string, table: (typeof tables)[number]) {
  const count = table === 'samples' ? 'count()' : 'sum(length(times))';
  const [row] = await server.rows(database, `SELECT count(), ${count} FROM ${table}`);
  const [rows, samples] = row!.map(Number);
  const { bytes } = await diskOf(server, database, table);
  return { rows: rows!, samples: samples!, bytes: bytes * rows! };
}
