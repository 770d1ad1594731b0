import type { ClickHouseServer } from './clickhouse-server.ts';

/** What a table of a database takes. Bytes are on the disk, by value unless said otherwise. */
export interface Disk {
  readonly bytes: number;
  readonly parts: number;
  /** How often a sample was rewritten by merges at the most: the levels of parts, weighed by their rows. */
  readonly rewrites: number;
  /** Bytes of memory of the primary index for each mark, 64 windows of a part. */
  readonly indexBytesPerMark: number;
  /** By column and projection, bytes a sample, compressed. Columns of small parts share a file and have no size. */
  readonly pieces: readonly (readonly [name: string, bytes: number])[];
}

export async function diskOf(server: ClickHouseServer, database: string): Promise<Disk> {
  const those = `database = '${database}' AND table = 'windows' AND active`;
  const [found] = await server.rows(
    database,
    `SELECT sum(bytes_on_disk), count(), sum(rows * level) / sum(rows),
       sum(primary_key_bytes_in_memory) / sum(marks), (SELECT sum(count) FROM windows)
     FROM system.parts WHERE ${those}`,
  );
  const [bytes, parts, rewrites, indexBytesPerMark, values] = found!.map(Number);
  const pieces = await server.rows(
    database,
    `SELECT column, sum(column_data_compressed_bytes) AS bytes FROM system.parts_columns WHERE ${those} GROUP BY column
     UNION ALL
     SELECT concat('projection ', name), sum(bytes_on_disk) FROM system.projection_parts WHERE ${those} GROUP BY name`,
  );
  return {
    bytes: bytes! / values!,
    parts: parts!,
    rewrites: rewrites!,
    indexBytesPerMark: indexBytesPerMark!,
    pieces: pieces
      .map(([name, size]) => [String(name), Number(size) / values!] as const)
      .filter(([, size]) => size > 0)
      .sort((a, b) => b[1] - a[1]),
  };
}

/** Merges all parts of a partition to one; the seconds of processor time that ClickHouse took for it. */
export async function mergeAll(server: ClickHouseServer, database: string): Promise<number> {
  await server.untilMerged(database);
  const before = server.cpuSeconds();
  await server.command(database, 'OPTIMIZE TABLE windows FINAL');
  return server.cpuSeconds() - before;
}
