import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import { orphanParts } from '../../../../src/store/embedded/catalog/orphan-parts.ts';
import { writePart } from '../../../../src/store/embedded/maintenance/write-part.ts';
import type { PartRecord } from '../../../../src/store/embedded/parts/part-record.ts';
import { partName } from '../../../../src/store/embedded/parts/part-set.ts';
import { groupOf } from '../row-groups.ts';

describe('parts of a commit that is damaged', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pitwall-orphans-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** A part with a row of one stream in each window. */
  async function part(
    number: number,
    [firstLsn, lastLsn]: readonly [number, number],
    windows: readonly number[],
  ): Promise<PartRecord> {
    const target = { window: windows[0]!, firstLsn, lastLsn, level: 0 };
    const record = await writePart(directory, number, target, async (writer) => {
      for (const window of windows) {
        writer.beginWindow(window);
        writer.add(groupOf(1, [{ offset: 1, tags: noTags, values: { 4: number } }]));
      }
    });
    return record!;
  }

  it('are all that a merge made, also where only some of the files that it read are removed', async () => {
    const older = await part(1, [1, 10], [3, 4, 7]);
    const between = await part(2, [11, 19], [7]);
    const newer = await part(3, [20, 30], [3, 4, 7]);
    // What a part lies between stays apart: of each of the two the rows of window 7.
    await part(4, [1, 10], [7]);
    await part(5, [20, 30], [7]);
    await part(6, [1, 30], [3, 4]);
    rmSync(join(directory, partName(older.number)));
    const found = await orphanParts([older, between, newer], directory, 30, { slabs: [] });
    assert.deepEqual(
      found.map(({ record }) => record.number),
      [4, 5, 6],
    );
    const merged = new Set(found.flatMap((orphan) => orphan.merged.map(({ number }) => number)));
    assert.deepEqual([...merged].sort(), [1, 3]);
  });

  /** Numbers of the orphans among the files, where these are what the manifest names. */
  async function orphansBeside(records: readonly PartRecord[], appliedLsn: number): Promise<number[]> {
    const found = await orphanParts(records, directory, appliedLsn, { slabs: [] });
    return found.map(({ record }) => record.number);
  }

  it('are not what a later merge began to make of them', async () => {
    const sources = [await part(1, [1, 10], [3]), await part(2, [11, 20], [3, 4])];
    const other = await part(3, [21, 30], [3, 5]);
    await part(4, [1, 20], [3, 4]);
    for (const { number } of sources) rmSync(join(directory, partName(number)));
    // Of the merged part and the other one, in two parts; no commit named them.
    await part(5, [1, 30], [3, 4]);
    await part(6, [1, 30], [5]);
    assert.deepEqual(await orphansBeside([...sources, other], 30), [4]);
  });

  it('are not what a later merge began to make of a part that was sealed, or of one that was written anew', async () => {
    const known = await part(1, [1, 10], [3]);
    await part(2, [11, 20], [3]);
    await part(3, [1, 20], [3]);
    await part(4, [1, 20], [3]);
    assert.deepEqual(await orphansBeside([known], 10), [2]);
  });
});
