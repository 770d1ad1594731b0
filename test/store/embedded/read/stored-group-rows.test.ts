import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noTags } from '../../../../src/domain/tags.ts';
import type { StoredRows } from '../../../../src/query/states/stored-rows.ts';
import type { EncodedGroup } from '../../../../src/store/embedded/parts/encoded-group.ts';
import { openPart } from '../../../../src/store/embedded/parts/part-reader.ts';
import { createStoredRows } from '../../../../src/store/embedded/read/stored-group-rows.ts';
import { groupOf, memoryFile, writePart } from '../row-groups.ts';

const parameter = 4;
const inside = { first: 0, last: 2 ** 40 };

/** A view of a row group of one column, with times at uneven distances. */
async function viewOf(values: readonly number[]): Promise<EncodedGroup> {
  const rows = values.map((value, i) => ({
    offset: i * 1000 + (i % 7) + value,
    tags: noTags,
    values: { [parameter]: value },
  }));
  const part = await openPart(memoryFile(writePart([groupOf(1, rows)]).bytes));
  const [handle] = await part.groupsOf(1, inside.first, inside.last);
  return part.view(handle!, new Set([parameter]));
}

const zeros = Array.from({ length: 300 }, () => 0);
const ones = zeros.map(() => 1);

describe('stored rows for aggregations', () => {
  it('keep what is decoded of them while another query decodes its own', async () => {
    const [first, second] = [await viewOf(zeros), await viewOf(ones)];
    const [query, other] = [createStoredRows([parameter]), createStoredRows([parameter])];
    const outcome = query(first, 3, inside, [], (rows) => {
      const { values } = rows.columns[0]!.decode() as { values: Float64Array };
      const statistics = rows.columns[0]!.statistics(true)!;
      const offsets = rows.offsets();
      const before = offsets.slice(0, zeros.length);
      assert.deepEqual(rows.tags(), { tagSets: [noTags], tagIndex: undefined });
      other(second, 3, inside, [], (others) => {
        others.columns[0]!.decode();
        assert.equal(others.columns[0]!.statistics(true)!.sum[0], 128);
        others.offsets();
      });
      assert.deepEqual([...values.subarray(0, zeros.length)], zeros);
      assert.equal(statistics.sum[0], 0);
      assert.deepEqual(offsets.slice(0, zeros.length), before);
    });
    assert.equal(outcome, 'used');
  });

  it('cannot be decoded after their use', async () => {
    const kept: StoredRows[] = [];
    createStoredRows([parameter])(await viewOf(ones), 3, inside, [], (rows) => kept.push(rows));
    const [rows] = kept;
    assert.throws(() => rows!.columns[0]!.decode(), /given back/);
    assert.throws(() => rows!.offsets(), /given back/);
  });

  it('gives none where no wanted column is there', async () => {
    const none = createStoredRows([7, undefined])(await viewOf(ones), 3, inside, [], () => assert.fail());
    assert.equal(none, 'none');
  });
});
