import assert from 'node:assert/strict';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import { recordHeaderBytes, recordMagic } from '../../../../src/store/embedded/log/log-record.ts';
import { restoreBackup } from '../../../../src/store/embedded/restore.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../../src/store/embedded/store.ts';
import { verifyStore } from '../../../../src/store/embedded/verify.ts';
import type { Backup, Change } from '../../../../src/store/store.ts';
import { until } from '../../../until.ts';
import { listed } from '../listed.ts';
import { readRows } from '../read-rows.ts';
import { rowsOf } from '../rows.ts';

let root: string;
let directory: string;
let opened: EmbeddedStore[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pitwall-backup-'));
  directory = join(root, 'data');
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  rmSync(root, { recursive: true });
});

/** Slabs of 64 KiB, so that parts come into being all the time. */
async function openStore(dataDir = directory): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore({
    dataDir,
    headBytes: 256 * 1024,
    slabBytes: 64 * 1024,
    interruptedAfterMs: 60_000,
    clock: () => 1_000_000,
    log: { info() {}, warn() {}, error() {} },
  });
  opened.push(store);
  return store;
}

/** Rows of 8 KiB for each of the streams, as one unit. */
async function write(store: EmbeddedStore, time: number, ...streams: string[]): Promise<void> {
  for (let full = store.room(); full !== undefined; full = store.room()) await full;
  const rows = [rowsOf([{ time: BigInt(time), cells: { speed: time, note: 'x'.repeat(8192) } }])];
  const changes = streams.map((streamId): Change => ({ type: 'rows', topic: 'cars', streamId, rows }));
  await store.append({ workspace: 'default', changes });
}

async function timesOf(store: EmbeddedStore, streamId: string): Promise<number[]> {
  const rows = await readRows(store, {
    workspace: 'default',
    streamIds: [streamId],
    topic: undefined,
    from: minTimestamp,
    to: maxTimestamp,
    parameters: [{ kind: Kind.Numeric, name: 'speed' }],
    tagFilters: [],
    order: 'Asc',
    limit: undefined,
    after: undefined,
  });
  return rows.map(({ timestamp, cells }) => {
    assert.equal(cells[0], Number(timestamp));
    return Number(timestamp);
  });
}

const never = new AbortController().signal;

/** All bytes, each chunk taken only after `between`. */
async function take({ chunks }: Backup, between: () => Promise<void> = async () => {}): Promise<Buffer> {
  const taken: Uint8Array[] = [];
  for await (const chunk of chunks) {
    taken.push(chunk);
    await between();
  }
  return Buffer.concat(taken);
}

async function restore(archive: Buffer, name: string): Promise<EmbeddedStore> {
  const folder = join(root, name);
  await restoreBackup(slices(archive), folder);
  for await (const damage of verifyStore(folder)) assert.fail(damage.what);
  return openStore(folder);
}

async function* slices(archive: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < archive.length; at += 10_000) yield archive.subarray(at, at + 10_000);
}

/** As a power cut leaves a group of so many records: the first is not whole, those after it are. */
function tearLastGroup(dataDir: string, records: number): void {
  const [segment] = readdirSync(join(dataDir, 'log')).filter((name) => name.startsWith('segment'));
  const path = join(dataDir, 'log', segment!);
  const bytes = readFileSync(path);
  const begins: number[] = [];
  for (let at = 0; at < bytes.length; at += 8) if (bytes.readUInt32LE(at) === recordMagic) begins.push(at);
  bytes[begins.at(-records)! + recordHeaderBytes + 100]! ^= 1;
  writeFileSync(path, bytes);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('a backup', () => {
  it('has every write acknowledged before it began, and none by halves, while writes go on', async () => {
    const store = await openStore();
    let acknowledged = 0;
    let writing = true;
    const writes = (async () => {
      for (; writing; acknowledged++) await write(store, acknowledged, 'a', 'b');
    })();
    for (let round = 0; round < 3; round++) {
      while (acknowledged < 10 * round) await new Promise((resolve) => setImmediate(resolve));
      const before = acknowledged;
      const backup = await store.backup(never);
      const archive = await take(backup, () => new Promise((resolve) => setImmediate(resolve)));
      assert.equal(archive.length, backup.bytes);
      const restored = await restore(archive, `restored-${round}`);
      const times = await timesOf(restored, 'a');
      assert.ok(times.length >= before, `${times.length} rows of ${before}`);
      assert.deepEqual(times, upTo(times.length));
      assert.deepEqual(await timesOf(restored, 'b'), times);
      const [stream] = listed(restored.catalog.streams('default', { streamIds: ['a'] }, 1_000_000));
      assert.equal(stream?.dataEnd, times.length === 0 ? undefined : BigInt(times.length - 1));
      // What the copy takes from here on stands beside what it got.
      await write(restored, times.length, 'a');
      assert.deepEqual(await timesOf(restored, 'a'), upTo(times.length + 1));
    }
    writing = false;
    await writes;
  });

  it('leaves out what a start cut off the log, and has what was written after that', async () => {
    const store = await openStore();
    await write(store, 0, 'a');
    await Promise.all([write(store, 1, 'a'), write(store, 2, 'a')]);
    const torn = join(root, 'torn');
    for (const name of ['FORMAT', 'catalog', 'log'])
      cpSync(join(directory, name), join(torn, name), { recursive: true });
    tearLastGroup(torn, 2);
    const again = await openStore(torn);
    assert.deepEqual(await timesOf(again, 'a'), [0]);
    for (const time of [5, 6, 7]) await write(again, time, 'a');
    const restored = await restore(await take(await again.backup(never)), 'restored');
    assert.deepEqual(await timesOf(restored, 'a'), [0, 5, 6, 7]);
  });

  it('keeps parts that are merged away until they are read, and not longer', async () => {
    const store = await openStore();
    for (let time = 0; time < 40; time++) await write(store, time, 'a');
    await until(() => store.health().parts >= 5);
    const backup = await store.backup(never);
    const iterator = backup.chunks[Symbol.asyncIterator]();
    const begun = [(await iterator.next()).value!, (await iterator.next()).value!];
    const kept = partsIn(Buffer.concat(begun));
    assert.ok(kept.length >= 5);
    // Two files at most are still being written: more than that were merged away, and wait for the backup.
    const mergedAway = () => partFiles().length - store.health().parts - 2;
    for (let time = 40; mergedAway() < 2 || time < 200; time++) await write(store, time, 'a');
    for (const part of kept) assert.ok(partFiles().includes(part), `${part} is still there`);
    const rest = await take({ ...backup, chunks: { [Symbol.asyncIterator]: () => iterator } });
    const restored = await restore(Buffer.concat([...begun, rest]), 'restored');
    assert.deepEqual(await timesOf(restored, 'a'), upTo(40));
    await store.close();
    opened = opened.filter((other) => other !== store);
    const again = await openStore();
    assert.equal(partFiles().length, again.health().parts);
  });

  it('lets go of everything when the one who asked for it leaves', async () => {
    const store = await openStore();
    for (let time = 0; time < 40; time++) await write(store, time, 'a');
    await until(() => store.health().parts >= 5);
    const leaving = new AbortController();
    const { chunks } = await store.backup(leaving.signal);
    const iterator = chunks[Symbol.asyncIterator]();
    const kept = partsIn(Buffer.concat([(await iterator.next()).value!, (await iterator.next()).value!]));
    leaving.abort();
    await iterator.return?.();
    for (let time = 40; partFiles().includes(kept[0]!); time++) await write(store, time, 'a');
    await assert.rejects(store.backup(AbortSignal.abort(new Error('gone'))), { message: 'gone' });
  });

  it('leaves no file beside the data', async () => {
    const store = await openStore();
    await write(store, 0, 'a');
    const { chunks } = await store.backup(never);
    assert.deepEqual(readdirSync(directory).sort(), ['FORMAT', 'catalog', 'lock', 'log', 'parts']);
    await take({ bytes: 0, chunks });
  });

  it('ends with the store', async () => {
    const store = await openStore();
    for (let time = 0; time < 40; time++) await write(store, time, 'a');
    await until(() => store.health().parts >= 1);
    const { chunks } = await store.backup(never);
    opened = [];
    await store.close();
    await assert.rejects(take({ bytes: 0, chunks }));
  });

  it('is refused where a part is missing or cut', async () => {
    const store = await openStore();
    for (let time = 0; time < 20; time++) await write(store, time, 'a');
    await until(() => store.health().parts >= 1);
    const part = join(directory, 'parts', partFiles()[0]!);
    truncateSync(part, statSync(part).size - 1);
    await assert.rejects(store.backup(never), { code: 'data_damaged', message: new RegExp(part) });
    unlinkSync(part);
    await assert.rejects(store.backup(never), { code: 'data_damaged', message: new RegExp(part) });
  });
});

/** The parts that the list at the beginning of an archive names. */
function partsIn(begun: Buffer): string[] {
  return [...begun.toString('latin1').matchAll(/parts\/(\d+\.part)/g)].map((match) => match[1]!);
}

function partFiles(): string[] {
  return readdirSync(join(directory, 'parts')).filter((name) => name.endsWith('.part'));
}
