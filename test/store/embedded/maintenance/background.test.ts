import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import { DamagedError } from '../../../../src/store/embedded/files/damage.ts';
import { type Background, backgroundWorker } from '../../../../src/store/embedded/maintenance/background.ts';
import { partName } from '../../../../src/store/embedded/parts/part-set.ts';
import { until } from '../../../until.ts';
import { groupOf, origin, writePart } from '../row-groups.ts';

const directory = mkdtempSync(join(tmpdir(), 'pitwall-background-'));
const background = backgroundWorker(() => false);
after(async () => {
  await background.close();
  rmSync(directory, { recursive: true });
});

const partBytes = (offset: number) =>
  writePart([groupOf(0, [{ offset, tags: noTags, values: { 0: offset } }])]).bytes;

function mergeOf(worker: Background, ...numbers: number[]) {
  const parts = numbers.map((number) => ({
    number,
    window: origin.window,
    firstLsn: number,
    lastLsn: number,
    rows: 1,
    samples: 1,
    bytes: 100,
    minOffset: 0,
    maxOffset: 0,
    level: 0,
  }));
  return worker.merge({
    type: 'merge',
    parts,
    alive: Uint8Array.of(255),
    tombstones: [],
    retainedFrom: undefined,
    directory,
    nextPart: 9000,
  });
}

/** How often each priority stands among those of the threads that have begun since `before`. */
function prioritiesSince(before: readonly string[]): number[] {
  return readdirSync('/proc/self/task')
    .filter((thread) => !before.includes(thread))
    .map((thread) => getPriority(Number(thread)))
    .sort((a, b) => a - b);
}

const usual = getPriority();
const noThreads = !existsSync('/proc/thread-self') && 'the system has no priorities of threads';
const noProc = !existsSync('/proc/self/fd') && 'the system does not tell of open files';

describe('the background worker', () => {
  it('tells damage as such, with the file and the place', async () => {
    const damaged = partBytes(1);
    damaged[5]! ^= 1;
    writeFileSync(join(directory, partName(1)), damaged);
    writeFileSync(join(directory, partName(2)), partBytes(2));
    await assert.rejects(mergeOf(background, 1, 2), (error) => {
      assert.ok(error instanceof DamagedError);
      assert.equal(error.file, join(directory, partName(1)));
      assert.ok(error.from <= 5 && error.to > 5 && error.what !== '');
      return true;
    });
  });

  it('tells the code of what the system refuses', async () => {
    await assert.rejects(mergeOf(background, 3, 4), { code: 'ENOENT' });
  });

  it('has a low priority, and a usual one while work is behind', { skip: noThreads }, async () => {
    let isBehind = false;
    const threads = readdirSync('/proc/self/task');
    const own = backgroundWorker(() => isBehind);
    after(own.close);
    const merge = async () => {
      writeFileSync(join(directory, partName(50)), partBytes(50));
      const { parts } = await mergeOf(own, 50);
      for (const { number } of parts) rmSync(join(directory, partName(number)));
    };
    await merge();
    assert.ok(prioritiesSince(threads).some((priority) => priority > usual));
    isBehind = true;
    await merge();
    await until(() => prioritiesSince(threads).every((priority) => priority === usual));
    isBehind = false;
    await merge();
    assert.equal(prioritiesSince(threads).filter((priority) => priority > usual).length, 1);
    assert.equal(getPriority(), usual);
  });

  it('has few files open, however many parts it merges', { skip: noProc }, async () => {
    const numbers = Array.from({ length: 300 }, (_, i) => 100 + i);
    for (const number of numbers) writeFileSync(join(directory, partName(number)), partBytes(number));
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    let most = 0;
    let isDone = false;
    const merging = mergeOf(background, ...numbers).finally(() => {
      isDone = true;
    });
    await until(() => {
      most = Math.max(most, openFiles());
      return isDone;
    }, 0);
    const { parts } = await merging;
    assert.deepEqual(
      parts.map(({ number, rows }) => [number, rows]),
      [[9000, 300]],
    );
    assert.ok(most > before && most < before + 40, `${before} files were open before, then ${most}`);
  });
});
