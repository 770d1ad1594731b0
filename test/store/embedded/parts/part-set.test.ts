import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';
import type { PartRecord } from '../../../../src/store/embedded/parts/part-record.ts';
import { type PartSet, partName, partSet } from '../../../../src/store/embedded/parts/part-set.ts';
import { until } from '../../../until.ts';
import { groupOf, writePart } from '../row-groups.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pitwall-part-set-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A part of one row on the disk. */
function part(number: number): PartRecord {
  const group = groupOf(1, [{ offset: number, tags: noTags, values: { 4: number } }]);
  const { bytes, summary } = writePart([group]);
  writeFileSync(pathOf(number), bytes);
  const { window, rows, samples, minOffset, maxOffset } = summary;
  const lsns = { firstLsn: number, lastLsn: number };
  return { number, window, ...lsns, rows, samples, bytes: bytes.length, minOffset, maxOffset, level: 0 };
}

const pathOf = (number: number) => join(folder, partName(number));
const isThere = (number: number) => existsSync(pathOf(number));
const numbersOf = ({ all }: PartSet) => all.map(({ record }) => record.number);

function open(...numbers: number[]): PartSet {
  return partSet(folder, numbers.map(part), partCache(0), filePool(2));
}

describe('the set of parts', () => {
  it('keeps the files of removed parts for as long as somebody holds a list with them', async () => {
    const set = open(1, 2);
    const letGoOfBoth = set.hold();
    set.replace(new Set([1]), [part(3)]);
    assert.deepEqual(numbersOf(set), [2, 3]);
    const letGoOfLater = set.hold();
    set.replace(new Set([2, 3]), [part(4)]);
    assert.deepEqual([1, 2, 3, 4].map(isThere), [true, true, true, true]);
    letGoOfBoth();
    await until(() => !isThere(1));
    assert.deepEqual([2, 3, 4].map(isThere), [true, true, true]);
    letGoOfLater();
    await until(() => !isThere(2) && !isThere(3));
    assert.ok(isThere(4));
    await set.close();
  });

  it('keeps the file of a part that is pinned by itself', async () => {
    const set = open(1, 2);
    const [first, second] = set.all;
    set.pin([first!, second!]);
    set.replace(new Set([1, 2]), []);
    set.unpin([second!]);
    await until(() => !isThere(2));
    assert.ok(isThere(1));
    set.unpin([first!]);
    await until(() => !isThere(1));
  });

  it('has a removed part open for who holds it', async () => {
    const set = open(1);
    const [first] = set.all;
    const letGo = set.hold();
    const reader = await set.readers.open(first!);
    set.replace(new Set([1]), []);
    assert.equal(set.readers.opened(first!), reader);
    assert.equal((await reader.groupsOf(1, 0, 9)).length, 1);
    letGo();
    await until(() => !isThere(1));
    assert.equal(set.readers.opened(first!), undefined);
  });

  it('opens a part that it could not open again', async () => {
    const set = open(1);
    const [first] = set.all;
    rmSync(pathOf(1));
    await assert.rejects(set.readers.open(first!), { code: 'ENOENT' });
    part(1);
    assert.equal((await set.readers.open(first!)).footer.groups, 1);
    await set.close();
  });
});
