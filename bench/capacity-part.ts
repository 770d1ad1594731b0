import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Kind } from '../src/domain/parameter-data.ts';
import { noTags } from '../src/domain/tags.ts';
import { filePool } from '../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../src/store/embedded/parts/part-cache.ts';
import { type Part, partReaders } from '../src/store/embedded/parts/part-readers.ts';
import { createPartWriter } from '../src/store/embedded/parts/part-writer.ts';

/** What parts cost beside their rows. */
export interface PartCost {
  /** Of a file with one row. */
  readonly diskBytes: number;
  /** Memory of one that is open, and of its index with one row group. */
  readonly openBytes: number;
  readonly indexBytes: number;
}

/** Opens the parts of one row that it writes, and looks at this process's memory after collections. */
export async function measurePart(count: number): Promise<PartCost> {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-capacity-'));
  try {
    const bytes = partOfOneRow();
    const path = join(folder, 'one.part');
    await writeFile(path, bytes);
    const cache = partCache(1 << 30);
    const readers = partReaders(cache, filePool(16));
    const parts = Array.from({ length: count }, (_, number) => partAt(number, path, bytes.length));
    await readers.open(parts[0]!);
    const before = await memoryInUse();
    for (const part of parts) await readers.open(part);
    const open = await memoryInUse();
    const blocks = cache.bytes;
    for (const part of parts) await (await readers.open(part)).groupsOf(1, 0, 1);
    const indexed = (await memoryInUse()) - (cache.bytes - blocks);
    const cost = {
      diskBytes: statSync(path).blocks * 512,
      openBytes: (open - before) / count,
      indexBytes: (indexed - open) / count,
    };
    for (const part of parts) await readers.close(part);
    return cost;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function partOfOneRow(): Buffer {
  const pieces: Buffer[] = [];
  const writer = createPartWriter(
    { write: (bytes) => pieces.push(Buffer.from(bytes)) },
    { window: 0, firstLsn: 1, lastLsn: 1 },
  );
  const column = { parameter: 1, kind: Kind.Numeric, values: Float64Array.of(1), present: undefined };
  writer.add({
    stream: 1,
    count: 1,
    offsets: Float64Array.of(1),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [column],
  });
  writer.finish();
  return Buffer.concat(pieces);
}

function partAt(number: number, path: string, bytes: number): Part {
  const record = {
    number,
    window: 0,
    firstLsn: 1,
    lastLsn: 1,
    rows: 1,
    samples: 1,
    bytes,
    minOffset: 1,
    maxOffset: 1,
    level: 0,
  };
  return { record, path };
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

async function memoryInUse(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collect();
    await sleep(20);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
