import { insertRequests } from './clickhouse-blocks.ts';
import type { ClickHouseServer } from './clickhouse-server.ts';
import { type Payload, payloads } from './data.ts';
import { openConnection } from './driver.ts';
import { printTable, show } from './figures.ts';
import { median } from './random.ts';

const parameters = 10;
const durabilities = ['synced', 'cached'] as const;

/**
 * One insert at a time, of so many rows, into tables that sync and into tables that do not, in turn. Nothing is
 * merged meanwhile, so the processor time is that of the inserts alone.
 */
export async function benchSingleInserts(
  server: ClickHouseServer,
  { sizes, runs }: { readonly sizes: readonly number[]; readonly runs: number },
): Promise<void> {
  const rows = [['rows of one insert', 'synced, ms', 'cached, ms', 'samples/s of a core of ClickHouse']];
  for (const durability of durabilities) await server.makeTables(durability, durability);
  await server.command('default', 'SYSTEM STOP MERGES');
  const connection = await openConnection(server.port);
  for (const size of sizes) {
    const times: Record<(typeof durabilities)[number], number[]> = { synced: [], cached: [] };
    let cpu = 0;
    // The first warms up.
    for (let run = -1; run < runs; run++) {
      for (const durability of run % 2 === 0 ? durabilities : durabilities.toReversed()) {
        const [bytes] = insertRequests(server, durability, payloadsOf(size, run), { rowsPerInsert: size });
        const before = server.cpuSeconds();
        const start = performance.now();
        await connection.send(bytes!);
        if (run < 0) continue;
        times[durability].push(performance.now() - start);
        cpu += server.cpuSeconds() - before;
      }
    }
    const samples = size * runs * durabilities.length;
    const perCore = size < 100_000 ? '' : show(samples / cpu);
    rows.push([String(size), show(median(times.synced)), show(median(times.cached)), perCore]);
  }
  connection.close();
  for (const durability of durabilities) {
    const [found] = await server.rows(durability, 'SELECT sum(count) FROM windows');
    const expected = sizes.reduce((sum, size) => sum + size * (runs + 1), 0);
    if (Number(found![0]) !== expected) throw new Error(`${found![0]} rows are there, not ${expected}`);
  }
  await server.command('default', 'SYSTEM START MERGES');
  for (const durability of durabilities) await server.drop(durability);
  printTable(rows);
}

/** A hundred streams, or fewer, whose rows follow those of the run before. */
function payloadsOf(size: number, run: number): Iterable<Payload> {
  const width = Math.min(parameters, size);
  const streams = Math.min(100, Math.ceil(size / width / 10));
  const rowsPerPayload = size / width / streams;
  const shift = (run + 1) * rowsPerPayload * 1000;
  const all = payloads({
    shape: 'decimals',
    streams,
    payloadsPerStream: 1,
    rowsPerPayload,
    parameters: width,
  });
  // Each size has times of its own, so that no row is one of another's.
  const apart = Math.round(Math.log10(size)) * 100_000_000;
  return Array.from(all, (payload) => ({ ...payload, startMs: payload.startMs + shift + apart }));
}
