import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Files } from '../../../../src/store/embedded/files/files.ts';
import { recordEnd, recordHeaderBytes, stampHeader } from '../../../../src/store/embedded/log/log-record.ts';
import { type RecoveredLog, recoverLog, settleLog } from '../../../../src/store/embedded/log/log-recovery.ts';
import { segmentName } from '../../../../src/store/embedded/log/segment-names.ts';
import { makeSlab } from '../../../../src/store/embedded/log/slab.ts';
import { stride } from '../../../extent.ts';
import { simulatedDisk } from '../crash-files.ts';
import { unreadableFiles } from '../faulty-files.ts';
import { bodyOf, readBody, startLog, surroundings } from '../log-run.ts';
import { seededRandom } from '../random.ts';

const slabBytes = 12 * 1024;

type Image = ReadonlyMap<string, Uint8Array>;

/** Files over bytes in memory, for reading and overwriting. */
function imageFiles(image: Image): Files {
  const unused = () => Promise.reject(new Error('recovery changes no names'));
  return {
    list: async () => [...image.keys()],
    async open(name) {
      const bytes = image.get(name)!;
      return {
        async write(written, position) {
          bytes.set(written, position);
          return written.length;
        },
        sync: async () => undefined,
        truncate: unused,
        size: async () => bytes.length,
        async read(into, position) {
          const found = bytes.subarray(position, position + into.length);
          into.set(found);
          return found.length;
        },
        close: async () => undefined,
      };
    },
    rename: unused,
    remove: unused,
    syncDirectory: unused,
  };
}

/** A record of the unharmed log. */
interface Known {
  readonly id: number;
  readonly lsn: number;
  readonly file: string;
  readonly at: number;
  readonly end: number;
  readonly synced: number;
}

/** A log of several segments, all but the first in files that carry records of an earlier use. */
async function buildLog(): Promise<{ image: Image; appliedLsn: number; known: readonly Known[] }> {
  const disk = simulatedDisk();
  const outside = surroundings();
  const run = await startLog(disk.start(), outside, slabBytes);
  let id = 0;
  const group = (...sizes: number[]) => Promise.all(sizes.map((bytes) => run.append(++id, bytes)));
  for (let segment = 0; segment < 4; segment++) {
    await group(120, 2000, 64);
    await group(840, 840);
    await group(64);
    run.log.rotate();
    while (run.waiting > 0) await run.flush();
  }
  for (const sizes of [[64, 400, 80], [1200], [96, 96], [3000, 88], [64, 64, 64], [720], [240], [80, 160]]) {
    await group(...sizes);
  }
  await run.close();
  const segments = disk.names().filter((name) => name.startsWith('segment'));
  const image = new Map(segments.map((name) => [name, disk.bytesOf(name)]));
  const { slabs } = await recoverLog(imageFiles(image), outside.appliedLsn);
  const known = slabs.flatMap(({ slab, records }) =>
    records.map((record) => ({
      ...readBody(slab, record),
      file: segmentName(slab.sequence),
      at: record.at,
      end: recordEnd(record),
      synced: record.synced,
    })),
  );
  return { image, appliedLsn: outside.appliedLsn, known };
}

function bodiesIn({ slabs }: RecoveredLog) {
  return slabs.flatMap(({ slab, records }) => records.map((record) => readBody(slab, record)));
}

describe('recovery of an unharmed log', () => {
  it('finds every record and has nothing to report, though old records stand in its files', async () => {
    const { image, appliedLsn, known } = await buildLog();
    assert.ok(image.size >= 3);
    assert.equal(known.length, 15);
    const recovered = await recoverLog(imageFiles(image), appliedLsn);
    assert.deepEqual([recovered.damages, recovered.cuts, recovered.obsolete], [[], [], []]);
    assert.deepEqual(
      bodiesIn(recovered).map(({ id }) => id),
      known.map(({ id }) => id),
    );
    assert.equal(recovered.lastLsn, known.at(-1)!.lsn);
  });

  it('reports nothing at any point between two records, where the next has not been written yet', async () => {
    const { image, appliedLsn, known } = await buildLog();
    const last = known.at(-1)!;
    const fresh = new Map([...image].map(([name, bytes]) => [name, bytes.slice()]));
    // The last file is a recycled one: what it held before stands after its records again.
    const behind = fresh.get(last.file)!.subarray(4096 * Math.ceil(last.end / 4096));
    assert.ok(behind.length > 0);
    behind.set(image.get(known[0]!.file)!.subarray(0, behind.length));
    const recovered = await recoverLog(imageFiles(fresh), appliedLsn);
    assert.deepEqual([recovered.damages, recovered.cuts], [[], []]);
    assert.equal(bodiesIn(recovered).length, known.length);
  });

  it('never takes a record of an earlier use of a file for one of the log', async () => {
    const { image, known } = await buildLog();
    const recovered = await recoverLog(imageFiles(image), 0);
    assert.deepEqual(
      bodiesIn(recovered).map(({ id }) => id),
      known.map(({ id }) => id),
    );
    assert.equal(recovered.damages.length, 1, 'the records before them are missing');
    // A recycled file that got its new name and no record yet.
    const { slabs } = await recoverLog(
      imageFiles(new Map([[segmentName(99), image.get(known[0]!.file)!]])),
      0,
    );
    assert.deepEqual(slabs, []);
  });
});

describe('recovery of a damaged log', () => {
  let log: Awaited<ReturnType<typeof buildLog>>;
  before(async () => {
    log = await buildLog();
  });

  it('loses nothing but the records touched, at whichever byte bits are flipped', async () => {
    for (const [name, bytes] of log.image) {
      for (const at of placesToHarm(name)) {
        await harm(name, (copy) => {
          copy[at]! ^= at % 3 === 0 ? 0xff : 1 << (at & 7);
        });
      }
      assert.ok(bytes.length > 0);
    }
  });

  it('does so where runs of bytes are zero, or are noise', async () => {
    const random = seededRandom(1);
    for (const [name, bytes] of log.image) {
      for (let at = 0; at < bytes.length; at += stride(40)) {
        const end = at + random.pick([8, 24, 64, 512, 4096]);
        await harm(name, (copy) => copy.fill(0, at, end));
        await harm(name, (copy) => copy.set(random.bytes(Math.min(end, copy.length) - at), at));
      }
    }
  });

  it('does so where a file ends too early', async () => {
    for (const [name, bytes] of log.image) {
      for (let size = 0; size < bytes.length; size += stride(56))
        await harm(name, (copy) => copy.subarray(0, size));
    }
  });

  it('goes on behind a segment that is gone', async () => {
    const names = [...log.image.keys()].sort();
    const left = new Map([...log.image].filter(([name]) => name !== names[1]));
    const recovered = await recoverLog(imageFiles(left), log.appliedLsn);
    assert.deepEqual(
      bodiesIn(recovered).map(({ id }) => id),
      log.known.filter(({ file }) => file !== names[1]).map(({ id }) => id),
    );
    assert.equal(recovered.damages.length, 1);
    // The flush of each slab says how far the log stands in parts: never behind a slab that still waits.
    const reached = recovered.slabs.map(({ slab }) => slab.lastLsn);
    assert.deepEqual(
      reached,
      [...reached].sort((a, b) => a - b),
    );
  });

  it('does not let the flush of a lost segment stand for later ones', async () => {
    const names = [...log.image.keys()].sort();
    const harmed = new Map([...log.image].map(([name, bytes]) => [name, bytes.slice()]));
    harmed.get(names[1]!)!.fill(0);
    const { slabs } = await recoverLog(imageFiles(harmed), log.appliedLsn);
    const before = log.known.filter(({ file }) => file === names[0]).at(-1)!.lsn;
    assert.equal(slabs.length, log.image.size);
    assert.deepEqual([slabs[1]!.records, slabs[1]!.damaged, slabs[1]!.slab.lastLsn], [[], true, before]);
  });

  /** Bytes with records, and some of those without. */
  function placesToHarm(name: string): number[] {
    const places: number[] = [];
    const inRecords = log.known.filter(({ file }) => file === name);
    for (let at = 0; at < log.image.get(name)!.length; at += stride(1)) {
      if (at % 64 === 5 || inRecords.some((record) => at >= record.at && at < record.end)) places.push(at);
    }
    return places;
  }

  async function harm(name: string, change: (copy: Uint8Array) => unknown): Promise<void> {
    const original = log.image.get(name)!;
    const copy = original.slice();
    const result = change(copy);
    const harmed = result instanceof Uint8Array ? result : copy;
    const files = imageFiles(new Map([...log.image, [name, harmed]]));
    const recovered = await recoverLog(files, log.appliedLsn);
    check(recovered, name, original, harmed);
    const found = bodiesIn(recovered);
    await settleLog(files, recovered);
    const again = await recoverLog(files, log.appliedLsn);
    assert.deepEqual(
      [bodiesIn(again), again.damages],
      [found, recovered.damages],
      'a second start finds the same',
    );
    if (again.damages.length === 0) assert.deepEqual(again.cuts, []);
  }

  function check(recovered: RecoveredLog, name: string, original: Uint8Array, harmed: Uint8Array): void {
    const isHarmed = (file: string, from: number, to: number) =>
      file === name && Buffer.compare(original.subarray(from, to), harmed.subarray(from, to)) !== 0;
    const { known, appliedLsn } = log;
    const whole = known.filter(({ file, at, end }) => !isHarmed(file, at, end));
    const readable = known.filter(({ file, at }) => !isHarmed(file, at, at + recordHeaderBytes));
    const mark = Math.max(appliedLsn, ...readable.map(({ synced }) => synced));
    const tail = whole.filter(({ lsn }) => lsn > mark);
    const expected = [
      ...whole.filter(({ lsn }) => lsn <= mark),
      ...tail.filter(({ lsn }, i) => lsn === mark + 1 + i),
    ];
    assert.deepEqual(
      bodiesIn(recovered),
      expected.map(({ id, lsn }) => ({ id, lsn })),
    );
    const missing = known.filter((record) => !expected.includes(record));
    for (const { lsn, file, at, end } of missing) {
      const named = recovered.damages.some(
        (range) =>
          range.file === `log/${file}` && range.from <= at && range.to >= Math.min(end, harmed.length),
      );
      const gone = file === name && at >= harmed.length;
      assert.ok(named || gone || lsn > mark, `record ${lsn} was acknowledged, is lost and not named`);
    }
    if (missing.length > 0 && recovered.damages.length + recovered.cuts.length === 0) {
      // Nothing may be left by which the first lost record could be told from one never written.
      const { file, at } = missing[0]!;
      const magicHarmed = isHarmed(file, at, at + 4);
      const nameHarmed = isHarmed(file, at + 8, at + 16) || isHarmed(file, at + 32, at + 36);
      assert.ok(magicHarmed && nameHarmed, `record ${missing[0]!.lsn} is lost in silence`);
    }
    if (missing.length === 0) assert.deepEqual([recovered.damages, recovered.cuts], [[], []]);
  }
});

describe('recovery of a log that the disk does not give whole', () => {
  const pageBytes = 4096;

  it('loses nothing but the records of the page, whichever it is, and names it', async () => {
    const { image, appliedLsn, known } = await buildLog();
    for (const [name, bytes] of image) {
      for (let from = 0; from < bytes.length; from += pageBytes) {
        const copy = new Map([...image].map(([other, original]) => [other, original.slice()]));
        const files = unreadableFiles(imageFiles(copy), [{ name, from, to: from + 1 }]);
        const recovered = await recoverLog(files, appliedLsn);
        const named = recovered.damages.filter(({ what }) => what.includes('EIO'));
        assert.deepEqual(
          named.map(({ file, from: start, to }) => [file, start, to]),
          [[`log/${name}`, from, from + pageBytes]],
        );
        const isTouched = ({ file, at, end }: Known) => file === name && at < from + pageBytes && end > from;
        assert.deepEqual(
          bodiesIn(recovered).map(({ id }) => id),
          known.filter((record) => !isTouched(record)).map(({ id }) => id),
        );
        const slab = recovered.slabs.find((one) => segmentName(one.slab.sequence) === name);
        assert.equal(slab?.damaged, true, 'its file is kept');
        await settleLog(files, recovered);
        const again = await recoverLog(files, appliedLsn);
        assert.deepEqual([bodiesIn(again), again.damages], [bodiesIn(recovered), recovered.damages]);
      }
    }
  });

  it('keeps what stands behind the page in the last group, of which nothing tells that it was synced', async () => {
    const disk = simulatedDisk();
    const run = await startLog(disk.start(), surroundings(), slabBytes);
    await Promise.all([run.append(1, 3000), run.append(2, 2000), run.append(3, 64)]);
    await run.close();
    const bad = [{ name: segmentName(1), from: 0, to: pageBytes }];
    const again = await startLog(unreadableFiles(disk.start(), bad), surroundings(), slabBytes);
    assert.deepEqual(again.found, [{ id: 3, lsn: 3 }]);
    await again.append(4, 64);
    disk.kill(seededRandom(1));
    const healed = await startLog(disk.start(), surroundings(), slabBytes);
    assert.deepEqual(
      healed.found.map(({ id }) => id),
      [1, 2, 3, 4],
    );
  });

  it('serves the others where a whole file cannot be opened', async () => {
    const { image, appliedLsn, known } = await buildLog();
    for (const name of image.keys()) {
      const files = unreadableFiles(imageFiles(image), [{ name, from: 0, to: 0 }]);
      const recovered = await recoverLog(files, appliedLsn);
      await settleLog(files, recovered);
      assert.ok(recovered.damages.some(({ file, what }) => file === `log/${name}` && what.includes('EIO')));
      assert.deepEqual(
        bodiesIn(recovered).map(({ id }) => id),
        known.filter(({ file }) => file !== name).map(({ id }) => id),
      );
    }
  });

  it('does not take other errors for the disk', async () => {
    const { image, appliedLsn } = await buildLog();
    const files = imageFiles(image);
    const open = async () => Promise.reject(Object.assign(new Error('too many'), { code: 'EMFILE' }));
    await assert.rejects(recoverLog({ ...files, open }, appliedLsn), { code: 'EMFILE' });
  });

  it('mixes up no records where the disk can read them later, however soon the next stop comes', async () => {
    const random = seededRandom(5);
    for (let round = 0; round < 120; round++) {
      const disk = simulatedDisk();
      const outside = surroundings();
      const first = await startLog(disk.start(), outside, slabBytes);
      const acknowledged = new Set<number>();
      const append = async (run: typeof first, id: number) => {
        await run.append(id, 8 * random.int(1, 400));
        acknowledged.add(id);
      };
      const count = random.int(1, 12);
      for (let id = 1; id <= count; id++) {
        const appends = [append(first, id)];
        if (random.chance(0.3)) appends.push(append(first, ++id));
        await Promise.all(appends);
        if (random.chance(0.2)) first.log.rotate();
        if (random.chance(0.2)) await first.flush();
      }
      disk.kill(random);
      const name = random.pick(disk.names().filter((one) => one.startsWith('segment')));
      const from = pageBytes * random.int(0, 2);
      const bad = [{ name, from, to: random.chance(0.1) ? 0 : from + pageBytes * random.int(1, 2) }];

      const second = await startLog(unreadableFiles(disk.start(), bad), outside, slabBytes);
      const found = [...outside.flushed, ...second.found];
      for (let id = 101; id < 104; id++) await append(second, id);
      if (random.chance(0.3)) await second.flush();
      disk.kill(random);

      const healed = random.chance(0.7) ? disk.start() : unreadableFiles(disk.start(), bad);
      const third = await startLog(healed, outside, slabBytes);
      const all = [...outside.flushed, ...third.found];
      const lsns = all.map(({ lsn }) => lsn);
      assert.deepEqual(
        lsns,
        [...new Set(lsns)].sort((a, b) => a - b),
        'each LSN once, in order',
      );
      const ids = new Set(all.map(({ id }) => id));
      for (const { id } of found) assert.ok(ids.has(id), `record ${id} was served and is gone`);
      for (const id of [101, 102, 103]) assert.ok(ids.has(id), `record ${id} was acknowledged and is gone`);
      for (const id of ids) assert.ok(acknowledged.has(id), `record ${id} is nobody's`);
    }
  });
});

describe('records after lost ones', () => {
  it('stay where they follow the synced mark, and are cut where one more is lost', async () => {
    const { image, appliedLsn, known } = await buildLog();
    const copyOf = () => new Map([...image].map(([name, bytes]) => [name, bytes.slice()]));
    // The last group is synced up to the record before it.
    const [before, first, second] = known.slice(-3) as [Known, Known, Known];
    assert.deepEqual([first.synced, second.synced], [before.lsn, before.lsn]);

    const one = copyOf();
    one.get(before.file)![before.at + recordHeaderBytes]! ^= 1;
    const kept = await recoverLog(imageFiles(one), appliedLsn);
    assert.deepEqual(
      bodiesIn(kept).map(({ id }) => id),
      known.filter((record) => record !== before).map(({ id }) => id),
    );
    assert.equal(kept.lastLsn, second.lsn);

    const two = copyOf();
    for (const { file, at } of [before, first]) two.get(file)![at + recordHeaderBytes]! ^= 1;
    const files = imageFiles(two);
    const cut = await recoverLog(files, appliedLsn);
    assert.deepEqual([cut.lastLsn, cut.damages.length > 0, cut.cuts.length], [before.lsn, true, 2]);
    await settleLog(files, cut);
    // The next process gives the LSNs again; the cut record must not come back beside its own.
    const again = await recoverLog(files, appliedLsn);
    assert.ok(again.slabs.every(({ records }) => records.every(({ lsn }) => lsn < first.lsn)));
    assert.deepEqual(again.damages, cut.damages);
  });

  it('are told from bodies that hold the image of a record, whole or damaged', async () => {
    const disk = simulatedDisk();
    const outside = surroundings();
    const run = await startLog(disk.start(), outside, slabBytes);
    await run.append(1, 64);
    const forged = makeSlab(1, new SharedArrayBuffer(recordHeaderBytes + 64));
    forged.bytes.set(bodyOf(99, 64), recordHeaderBytes);
    stampHeader(forged, { at: 0, length: 64, lsn: 2, arrival: 0 }, 1);
    await run.appendBytes(Buffer.concat([forged.bytes, Buffer.alloc(8)]));
    await run.append(3, 64);
    await run.close();
    const lsns = ({ slabs }: RecoveredLog) => slabs.flatMap(({ records }) => records.map(({ lsn }) => lsn));
    const whole = await recoverLog(disk.start(), 0);
    assert.deepEqual(lsns(whole), [1, 2, 3]);
    disk.bytesOf(segmentName(1))[recordEnd(whole.slabs[0]!.records[1]!) - 1]! ^= 1;
    const harmed = await recoverLog(disk.start(), 0);
    assert.deepEqual([lsns(harmed), harmed.damages.length], [[1, 3], 1]);
  });
});
