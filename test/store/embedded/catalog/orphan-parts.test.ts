import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import { orphanParts } from '../../../../src/store/embedded/catalog/orphan-parts.ts';
import { writePart } from '../../../../src/store/embedded/maintenance/write-part.ts';
import type { PartRecord } from '../../../../src/store/embedded/parts/part-record.ts';
import { partName } from '../../../../src/store/embedded/parts/part-set.ts';
import { groupOf } from '../row-groups.ts';

describe('parts of a commit that is damaged', () => {
  let directory = '';
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'pitwall-orphans-'));
  });
  after(() => rmSync(directory, { recursive: true }));

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
});
