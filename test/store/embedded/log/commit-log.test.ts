import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PitwallError } from '../../../../src/errors.ts';
import type { Files, LogFile } from '../../../../src/store/embedded/files/files.ts';
import { isPassing } from '../../../../src/store/embedded/log/log-state.ts';
import { until } from '../../../until.ts';
import { simulatedDisk } from '../crash-files.ts';
import { type Fault, faultyFiles } from '../faulty-files.ts';
import { limitedFiles } from '../limited-files.ts';
import { type FoundBody, type LogRun, startLog, surroundings } from '../log-run.ts';
import { forSeeds, type Random, seededRandom } from '../random.ts';

const slabBytes = 16 * 1024;
const ids = (bodies: readonly FoundBody[]) => bodies.map(({ id }) => id);
const codeOf = (reason: unknown) => (reason as PitwallError).code;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Files whose syncs wait until they are let go. */
function gatedFiles(files: Files) {
  const held: (() => void)[] = [];
  const gate = { closed: false, syncs: 0 };
  const gated = (file: LogFile): LogFile => ({
    ...file,
    async sync() {
      gate.syncs++;
      if (gate.closed) await new Promise<void>((resolve) => held.push(resolve));
      await file.sync();
    },
  });
  return {
    files: { ...files, open: async (name: string, create: boolean) => gated(await files.open(name, create)) },
    gate,
    async untilHeld() {
      await until(() => held.length > 0);
    },
    release() {
      held.shift()!();
    },
  };
}

/** Waits for the state by which a full disk ends, or a want of files; the probe runs on a timer of its own. */
async function untilWritable({ log }: LogRun): Promise<void> {
  await until(() => !isPassing(log.state));
}

/** Of the full size, four of the smallest. */
const slabs = 4 * slabBytes;

/** A log whose disk is full. */
async function filled() {
  const disk = simulatedDisk();
  const files = limitedFiles(disk.start(), 1 << 20);
  const outside = surroundings();
  const run = await startLog(files, outside, slabs, slabBytes);
  await run.append(1, 64);
  // The segment and the reserve.
  await until(() => files.used >= 3 * slabBytes);
  files.room = files.used;
  for (let id = 2; run.log.state === 'writable'; id++) await run.append(id, 1024).catch(() => undefined);
  return { disk, files, outside, run };
}

describe('the commit log', () => {
  it('syncs all records that arrive during a sync with the next one', async () => {
    const { files, gate, untilHeld, release } = gatedFiles(simulatedDisk().start());
    const run = await startLog(files, surroundings(), slabBytes);
    await run.append(1, 64);
    await until(() => gate.syncs >= 4);
    gate.closed = true;
    const before = gate.syncs;
    const first = run.append(2, 64);
    await untilHeld();
    const others = [3, 4, 5].map((id) => run.append(id, 64));
    release();
    await first;
    await untilHeld();
    release();
    await Promise.all(others);
    assert.equal(gate.syncs - before, 2);
    assert.deepEqual(ids(run.applied), [1, 2, 3, 4, 5]);
  });

  it('applies a record only after its sync, and resolves its append after that', async () => {
    const { files, gate, untilHeld, release } = gatedFiles(simulatedDisk().start());
    const run = await startLog(files, surroundings(), slabBytes);
    await run.append(1, 64);
    await until(() => gate.syncs >= 4);
    gate.closed = true;
    let resolved = false;
    const append = run.append(2, 64).then(() => {
      resolved = true;
    });
    await untilHeld();
    for (let i = 0; i < 10; i++) await turn();
    assert.deepEqual([ids(run.applied), resolved, run.log.syncedLsn], [[1], false, 1]);
    release();
    await append;
    assert.deepEqual([ids(run.applied), run.log.syncedLsn], [[1, 2], 2]);
  });

  it('writes what came before a long record without it, and what comes after it behind it', async () => {
    const run = await startLog(simulatedDisk().start(), surroundings(), slabBytes);
    let isOpen = false;
    const before = run.append(1, 64);
    const long = run.appendLong(2, 2000, () => isOpen);
    const after = [3, 4].map((id) => run.append(id, 64));
    await before;
    for (let i = 0; i < 10; i++) await turn();
    const late = run.append(5, 3000);
    assert.deepEqual([ids(run.applied), run.log.syncedLsn, run.log.draftedLsn], [[1], 1, 5]);
    isOpen = true;
    await Promise.all([long, ...after, late]);
    assert.deepEqual(
      run.applied,
      [1, 2, 3, 4, 5].map((id) => ({ id, lsn: id })),
    );
  });

  it('leaves a long record whose place is given to others, because the disk is full', async () => {
    const disk = simulatedDisk();
    const outside = surroundings();
    const files = faultyFiles(disk.start(), { code: 'ENOSPC', first: 0, times: 0 });
    const run = await startLog(files, outside, slabBytes);
    await run.append(1, 64);
    await until(() => disk.names().length >= 2);
    files.strike({ code: 'ENOSPC', times: 1 });
    let isOpen = false;
    const refused = await Promise.allSettled([run.append(2, 64), run.appendLong(3, 2000, () => isOpen)]);
    assert.deepEqual(
      refused.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    await untilWritable(run);
    const inItsPlace = run.append(4, 8000);
    isOpen = true;
    await inItsPlace;
    await run.append(5, 64);
    disk.kill(seededRandom(1));
    const again = await startLog(disk.start(), outside, slabBytes);
    assert.deepEqual(
      again.found,
      [1, 4, 5].map((id, i) => ({ id, lsn: i + 1 })),
    );
  });

  it('fails with a long record that cannot be made, and takes no more', async () => {
    const run = await startLog(simulatedDisk().start(), surroundings(), slabBytes);
    const long = run.appendLong(1, 64, () => {
      throw new Error('no rows');
    });
    const after = run.append(2, 64);
    await assert.rejects(long, { code: 'storage_failed' });
    await assert.rejects(after, { code: 'storage_failed' });
    assert.deepEqual([run.applied, run.states], [[], ['failed']]);
  });

  it('gives consecutive LSNs across segments, and hands each closed slab over once', async () => {
    const run = await startLog(simulatedDisk().start(), surroundings(), slabBytes);
    await Promise.all(Array.from({ length: 40 }, (_, id) => run.append(id, 1200)));
    run.log.rotate();
    run.log.rotate();
    assert.deepEqual(
      run.applied,
      Array.from({ length: 40 }, (_, id) => ({ id, lsn: id + 1 })),
    );
    assert.equal(run.waiting, 4);
    assert.equal(run.log.openBytes, 0);
  });

  it('begins with a small segment, grows under load, and is small again at rest', async () => {
    const disk = simulatedDisk();
    const open = disk.start();
    const sizes = () =>
      Promise.all(
        disk
          .names()
          .filter((name) => name !== 'reserve.log')
          .map(async (name) => {
            const file = await open.open(name, false);
            const size = await file.size();
            await file.close();
            return `${name.split('-')[0]} ${size}`;
          }),
      );
    const run = await startLog(open, surroundings(), 64 * 1024, 4096);
    await run.append(1, 64);
    assert.deepEqual(await sizes(), ['segment 4096']);
    for (let id = 2; id < 60; id++) await run.append(id, 64);
    assert.ok((await sizes()).includes('segment 65536'), (await sizes()).join());
    await run.log.rest();
    while (run.waiting > 0) await run.flush();
    assert.deepEqual(await sizes(), ['spare 4096']);
    await run.append(60, 64);
    assert.deepEqual(await sizes(), ['segment 4096']);
    assert.equal(run.applied.length, 60);
  });

  it('takes on a full disk what frees space, from a reserve that it has again when there is room', async () => {
    const { disk, files, outside, run } = await filled();
    const reserved = files.used;
    await assert.rejects(run.append(98, 64), { code: 'disk_full' });
    const before = ids(run.applied);
    for (const freeing of [100, 101, 102]) await run.append(freeing, 64, true);
    assert.equal(run.log.state, 'full');
    await assert.rejects(run.append(99, 64), { code: 'disk_full' });
    assert.ok(files.used <= reserved - slabBytes, 'some of it is left to the catalogue');
    files.room = 1 << 20;
    await untilWritable(run);
    assert.ok(disk.names().includes('reserve.log'));
    await run.append(200, 64);
    const expected = [...before, 100, 101, 102, 200];
    assert.deepEqual(ids(run.applied), expected);
    disk.cut(seededRandom(1));
    assert.deepEqual(ids((await startLog(disk.start(), outside, slabs, slabBytes)).found), expected);
  });

  it('takes what frees space also where others take at once what the reserve gives back', async () => {
    const { files, run } = await filled();
    const before = ids(run.applied);
    const { used } = files;
    const taken = () => {
      files.room -= used - Math.min(used, files.used);
    };
    const { remove, rename } = files;
    files.remove = (name) => remove(name).then(taken);
    files.rename = (from, to) => rename(from, to).then(taken);
    await run.append(100, 64, true);
    assert.deepEqual(ids(run.applied), [...before, 100]);
  });

  it('takes no writes while the reserve is gone, though its file has just been asked for', async () => {
    const { files, run } = await filled();
    const { rename } = files;
    files.rename = async (from, to) => {
      for (let turns = 0; from === 'reserve.log' && turns < 50; turns++) await turn();
      await rename(from, to);
    };
    await run.append(100, 64, true);
    for (let turns = 0; turns < 50; turns++) await turn();
    assert.deepEqual(run.states, ['full']);
  });

  it('asks a full disk for the smallest segment, whatever the next one would have had, and grows again', async () => {
    const { files, run } = await filled();
    const before = run.applied.length;
    const { used } = files;
    files.room = used + slabBytes;
    await untilWritable(run);
    assert.equal(files.used, used + slabBytes);
    await run.append(100, 64);
    files.room = 1 << 20;
    for (let id = 101; id < 200; id++) await run.append(id, 1024);
    assert.equal(run.applied.length, before + 100);
    assert.deepEqual(run.states, ['full', 'writable']);
    assert.equal(run.log.openBytes, slabs);
  });

  it('has a reserve for a few records, and refuses more', async () => {
    const { run } = await filled();
    let taken = 0;
    for (let freeing = 100; freeing < 120; freeing++)
      await run.append(freeing, 1024, true).then(
        () => taken++,
        (error) => assert.equal(codeOf(error), 'disk_full'),
      );
    assert.ok(taken > 0 && taken <= 8, String(taken));
    assert.equal(run.log.state, 'full');
  });

  it('keeps of the spares that an earlier process left one of the smallest size', async () => {
    const disk = simulatedDisk();
    const open = disk.start();
    for (const [number, size] of [4096, 65_536, 4096, 8].entries()) {
      const file = await open.open(`spare-00000000000${number}.log`, true);
      await file.write(new Uint8Array(size), 0);
      await file.close();
    }
    await startLog(open, surroundings(), 64 * 1024, 4096);
    assert.equal(disk.names().length, 1);
  });

  it('gives a record that is larger than a slab a segment of its own size', async () => {
    const disk = simulatedDisk();
    const outside = surroundings();
    const run = await startLog(disk.start(), outside, slabBytes);
    await Promise.all([run.append(1, 64), run.append(2, 3 * slabBytes), run.append(3, 64)]);
    disk.cut(seededRandom(1));
    const again = await startLog(disk.start(), outside, slabBytes);
    assert.deepEqual(ids(again.found), [1, 2, 3]);
  });

  it('waits for records under way when it closes, and refuses later ones', async () => {
    const run = await startLog(simulatedDisk().start(), surroundings(), slabBytes);
    const append = run.append(1, 64);
    const closed = run.close();
    await append;
    await closed;
    await assert.rejects(run.append(2, 64), { code: 'shutting_down' });
  });

  it('refuses at once while the disk is full, and takes records again by itself', async () => {
    const outside = surroundings();
    const disk = simulatedDisk();
    const files = faultyFiles(disk.start(), { code: 'ENOSPC', first: 8, times: 20 });
    const run = await startLog(files, outside, slabBytes);
    await run.append(1, 64);
    while (files.hits.length === 0) {
      await run.append(2, 64).catch((error) => assert.equal(codeOf(error), 'disk_full'));
    }
    assert.equal(run.log.state, 'full');
    await assert.rejects(run.append(3, 64), { code: 'disk_full' });
    await untilWritable(run);
    await run.append(4, 64);
    assert.equal(files.hits.length, 20);
    assert.deepEqual(run.states, ['full', 'writable']);
  });

  it('refuses for now while no file can be opened for it, and takes records again by itself', async () => {
    const disk = simulatedDisk();
    const files = faultyFiles(disk.start(), { code: 'EMFILE', first: 0, times: 9 });
    const run = await startLog(files, surroundings(), slabBytes);
    await assert.rejects(run.append(1, 64), { code: 'overloaded', status: 503, retryAfter: 1 });
    assert.equal(run.log.state, 'starved');
    await assert.rejects(run.append(2, 64), { code: 'overloaded' });
    await untilWritable(run);
    await run.append(3, 64);
    assert.deepEqual(run.states, ['starved', 'writable']);
    assert.equal(files.hits.length, 9);
  });

  it('loses no spare to a want of files', async () => {
    const disk = simulatedDisk();
    const files = faultyFiles(disk.start(), { code: 'EMFILE', first: 0, times: 0 });
    const run = await startLog(files, surroundings(), slabBytes);
    for (let id = 1; id < 12; id++) {
      await run.append(id, 64);
      run.log.rotate();
      files.strike({ code: 'EMFILE', times: 1 });
      await run.flush().catch(() => undefined);
      files.strike({ code: 'EMFILE', times: 1 });
      await run.append(100 + id, 64).catch(() => undefined);
      await untilWritable(run);
    }
    assert.ok(files.hits.length > 5, `${files.hits.length} hits`);
    while (run.waiting > 0) await run.flush();
    await run.close();
    // Two spares, and the segments of the last slabs.
    assert.ok(disk.names().length <= 4, disk.names().join());
  });

  it('never brings back a record that a full disk took back and others have followed', async () => {
    const outside = surroundings();
    const disk = simulatedDisk();
    const open = disk.start();
    const files = faultyFiles(open, { code: 'ENOSPC', first: 0, times: 0 });
    const run = await startLog(files, outside, slabBytes);
    await run.append(1, 64);
    await until(() => disk.names().length >= 2);
    // The group of 2 to 4 reaches the file but for its end, so 2 and 3 stand there whole.
    files.strike({ code: 'ENOSPC', times: 1 });
    const refused = await Promise.allSettled([2, 3, 4].map((id) => run.append(id, 2400)));
    assert.ok(refused.every(({ status }) => status === 'rejected'));
    await untilWritable(run);
    await run.append(5, 64);
    disk.kill(seededRandom(1));
    const again = await startLog(disk.start(), outside, slabBytes);
    assert.deepEqual(again.found, [
      { id: 1, lsn: 1 },
      { id: 5, lsn: 2 },
    ]);
  });

  it('never brings back a record that a full disk took back just before a stop', async () => {
    const outside = surroundings();
    const disk = simulatedDisk();
    const files = faultyFiles(disk.start(), { code: 'ENOSPC', first: 0, times: 0 });
    const run = await startLog(files, outside, slabBytes);
    await run.append(1, 64);
    await until(() => disk.names().length >= 2);
    files.strike({ code: 'ENOSPC', times: 1 });
    await Promise.allSettled([2, 3, 4].map((id) => run.append(id, 2400)));
    // No probe has tried the disk yet.
    await run.close();
    assert.deepEqual(run.states, ['full', 'closed']);
    const again = await startLog(disk.start(), outside, slabBytes);
    assert.deepEqual(again.found, [{ id: 1, lsn: 1 }]);
  });

  it('stays failed after a sync that failed, whatever its error', async () => {
    for (const code of ['EIO', 'ENOSPC'] as const) {
      const disk = simulatedDisk();
      const run = await startLog(failingSync(disk.start(), code), surroundings(), slabBytes);
      await run.append(1, 64);
      await assert.rejects(run.append(2, 64), { code: 'storage_failed' });
      await assert.rejects(run.append(3, 64), { code: 'storage_failed' });
      assert.deepEqual(run.states, ['failed']);
      assert.deepEqual(ids(run.applied), [1]);
    }
  });
});

describe('a start whose disk does not take what has to be done first', () => {
  it('serves what it found, and writes nothing after it', async () => {
    const disk = simulatedDisk();
    const first = await startLog(disk.start(), surroundings(), slabBytes);
    await Promise.all([1, 2, 3].map((id) => first.append(id, 64)));
    disk.kill(seededRandom(1));
    const failing = faultyFiles(disk.start(), { code: 'EIO', first: 0, times: 1 });
    const second = await startLog(failing, surroundings(), slabBytes);
    assert.deepEqual([failing.hits, ids(second.found)], [['sync'], [1, 2, 3]]);
    assert.equal(second.log.state, 'failed');
    await assert.rejects(second.append(4, 64), { code: 'storage_failed' });
    disk.kill(seededRandom(1));
    const third = await startLog(disk.start(), surroundings(), slabBytes);
    await third.append(5, 64);
    assert.deepEqual([ids(third.found), third.applied], [[1, 2, 3], [{ id: 5, lsn: 4 }]]);
  });
});

/** Files on which a sync fails as soon as the first record stands in a segment. */
function failingSync(files: Files, code: string): Files {
  let records = 0;
  return {
    ...files,
    async open(name, create) {
      const file = await files.open(name, create);
      return {
        ...file,
        write(bytes, position) {
          if (bytes.some((byte) => byte !== 0)) records++;
          return file.write(bytes, position);
        },
        async sync() {
          if (records > 1) throw Object.assign(new Error('injected'), { code });
          await file.sync();
        },
      };
    },
  };
}

describe('the commit log when the n-th operation fails', () => {
  for (const [code, times, least] of [
    ['EIO', 1, 16],
    ['ENOSPC', 1, 16],
    ['ENOSPC', 7, 16],
    ['EMFILE', 1, 8],
    ['EMFILE', 7, 8],
    ['short', 1, 16],
  ] as const) {
    it(`${code}, ${times} in a row: every append settles, and what resolved is found after a crash`, async () => {
      let first = 0;
      for (; await runWithFault({ code, first, times }); first++);
      assert.ok(first >= least, `${first} operations`);
    });
  }
});

/** Appends, rotates, flushes and crashes with a fault on the way; says whether the fault was reached. */
async function runWithFault(fault: Fault): Promise<boolean> {
  const random = seededRandom(fault.first);
  const disk = simulatedDisk();
  const outside = surroundings();
  const files = faultyFiles(disk.start(), fault);
  const run = await startLog(files, outside, slabBytes, fault.first % 2 === 0 ? 4096 : slabBytes);
  const resolved = new Set<number>();
  const rejected = new Set<number>();
  const note = (id: number, append: Promise<void>) =>
    append.then(
      () => void resolved.add(id),
      (error) => {
        assert.match(codeOf(error), /^(disk_full|overloaded|storage_failed)$/);
        rejected.add(id);
      },
    );
  let id = 0;
  for (let round = 0; round < 7; round++) {
    await Promise.all(
      [1, 2, 3].map((place) => {
        id++;
        const bytes = round === 4 ? 24_000 : 1000 + 8 * id;
        return note(id, place === 2 ? run.appendLong(id, bytes) : run.append(id, bytes));
      }),
    );
    if (round === 2) run.log.rotate();
    if (round === 5) await run.log.rest();
    if (round % 2 === 1) await run.flush().catch(() => undefined);
    await untilWritable(run);
  }
  assert.equal(resolved.size + rejected.size, id);
  if (fault.code === 'short') assert.equal(rejected.size, 0);
  // Writes go on by themselves, however late the fault came.
  do {
    await untilWritable(run);
    await note(++id, run.append(id, 64));
  } while (isPassing(run.log.state));
  if (run.log.state === 'failed') {
    assert.ok(files.hits.length > 0 && fault.code === 'EIO');
    await assert.rejects(run.append(++id, 64), { code: 'storage_failed' });
  }
  if (fault.code === 'EIO' || files.hits.length === 0) assert.ok(!run.states.includes('full'));
  if (random.chance(0.5)) disk.kill(random);
  else disk.cut(random);
  const again = await startLog(disk.start(), outside, slabBytes);
  assert.deepEqual(again.recovered.damages, []);
  const found = [...ids(outside.flushed), ...ids(again.found)];
  assert.deepEqual(
    found,
    [...new Set(found)].sort((a, b) => a - b),
    'in order, none twice',
  );
  assert.deepEqual(
    [...resolved].filter((wanted) => !found.includes(wanted)),
    [],
    'acknowledged and lost',
  );
  if (run.log.state === 'writable') {
    assert.deepEqual(
      found.filter((other) => rejected.has(other)),
      [],
      'rejected, followed by others, and back again',
    );
  }
  return files.hits.length > 0;
}

describe('the commit log over many crashes', () => {
  it('keeps every acknowledged record once and in order, invents none, and goes on with its LSNs', async () => {
    await forSeeds(1, 60, crashRounds);
  });
});

async function crashRounds(random: Random): Promise<void> {
  const disk = simulatedDisk();
  const outside = surroundings();
  let nextId = 1;
  /** What must be found from now on, in LSN order. */
  let certain: FoundBody[] = [];
  /** Appends without an answer when the process ended: there or not. */
  let open = new Set<number>();

  for (let round = 0; round < 8; round++) {
    const run = await startLog(disk.start(), outside, slabBytes, random.chance(0.5) ? 4096 : slabBytes);
    assert.deepEqual(run.recovered.damages, [], 'a crash is no damage');
    const all = [...outside.flushed, ...run.found];
    assert.deepEqual(
      all.map(({ lsn }) => lsn),
      all.map((_, i) => i + 1),
      'LSNs have no gap',
    );
    assert.deepEqual(all.slice(0, certain.length), certain, 'acknowledged records');
    for (const { id } of all.slice(certain.length)) assert.ok(open.delete(id), `record ${id} was not open`);
    certain = all;
    open = new Set();

    const steps = random.int(0, 60);
    for (let step = 0; step < steps; step++) {
      const chance = random.next();
      if (chance < 0.6) {
        const id = nextId++;
        const bytes = random.chance(0.05) ? 2 * slabBytes : 8 * random.int(1, 300);
        open.add(id);
        const appended = random.chance(0.2) ? run.appendLong(id, bytes) : run.append(id, bytes);
        appended.then(() => {
          open.delete(id);
          certain.push(run.applied.find((body) => body.id === id)!);
        });
      } else if (chance < 0.65) {
        run.log.rotate();
      } else if (chance < 0.68) {
        const rested = run.log.rest();
        if (random.chance(0.5)) await rested;
      } else if (chance < 0.75) {
        await run.flush();
      } else {
        for (let turns = random.int(1, 6); turns > 0; turns--) await turn();
      }
    }
    if (random.chance(0.1)) await run.close();
    if (random.chance(0.4)) disk.kill(random);
    else disk.cut(random);
  }
}
