import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../../src/domain/tags.ts';
import type { RowGroup } from '../../../../src/store/embedded/rows/row-group.ts';
import { mergeSources, type RowSource } from '../../../../src/store/embedded/walk/overlap-merge.ts';
import { forSeeds, type Random } from '../random.ts';
import { groupOf, kindOf, mergedRows, type PlainRow, rowsOf } from '../row-groups.ts';

/** A parameter of numbers. */
const speed = [1, 2, 3, 4, 5].find((parameter) => kindOf(parameter) === Kind.Numeric)!;
const tagChoices = [tagSet([]), tagSet([['lap', '1']]), tagSet([['lap', '2']])];

function someRows(random: Random, from: number, to: number): PlainRow[] {
  const rows = Array.from({ length: random.int(1, 15) }, () => {
    const parameter = random.pick([5, 6, 10]);
    const value = random.int(0, 99);
    return {
      offset: random.int(from, to),
      tags: random.pick(tagChoices),
      values: { [parameter]: kindOf(parameter) === Kind.Numeric ? value : String(value) },
    };
  });
  return mergedRows([rows]);
}

interface Watched extends RowSource {
  readonly rows: PlainRow[];
}

function source(rank: number, rows: PlainRow[], loads: number[] = []): Watched {
  return {
    rank,
    rows,
    first: rows[0]!.offset,
    last: rows.at(-1)!.offset,
    async load() {
      loads.push(rank);
      return groupOf(1, rows);
    },
  };
}

async function collect(groups: AsyncIterable<RowGroup>): Promise<PlainRow[][]> {
  const all: PlainRow[][] = [];
  for await (const group of groups) all.push(rowsOf(group));
  return all;
}

describe('merging sources that overlap', () => {
  it('gives each identity once and in order, the highest rank winning per parameter', async () => {
    await forSeeds(1, 400, async (random) => {
      const sources = Array.from({ length: random.int(0, 6) }, (_, rank) => {
        const from = random.int(0, 30);
        return source(rank, someRows(random, from, from + random.int(0, 20)));
      });
      const expected = mergedRows(sources.map(({ rows }) => rows));
      const shuffled = [...sources].sort(() => random.next() - 0.5);
      const up = await collect(mergeSources(shuffled, false));
      assert.deepStrictEqual(up.flat(), expected);
      const down = await collect(mergeSources(shuffled, true));
      assert.deepStrictEqual(down.flat(), [...expected].reverse());
      for (const groups of [up, down]) {
        assert.ok(groups.every((rows) => rows.length > 0));
        for (let i = 1; i < groups.length; i++) {
          assert.notEqual(groups[i]![0]!.offset, groups[i - 1]!.at(-1)!.offset, 'a time in two groups');
        }
      }
    });
  });

  it('loads few sources beyond those that the rows given so far needed', async () => {
    const at = (offset: number): PlainRow[] => [
      { offset, tags: tagChoices[0]!, values: { [speed]: offset } },
    ];
    for (const descending of [false, true]) {
      const loads: number[] = [];
      const ranks = Array.from({ length: 20 }, (_, rank) => rank);
      const groups = mergeSources(
        ranks.map((rank) => source(rank, at(10 * rank), loads)),
        descending,
      );
      await groups.next();
      await groups.next();
      assert.ok(loads.length <= 6, `${loads.length} loads`);
      assert.deepEqual(loads, (descending ? ranks.reverse() : ranks).slice(0, loads.length));
      await groups.return(undefined);
    }
  });

  it('fails with the source that fails, and leaves no failure of one ahead behind', async () => {
    const rows = [{ offset: 5, tags: tagChoices[0]!, values: { [speed]: 1 } }];
    const broken = (rank: number): RowSource => ({
      ...source(rank, [{ ...rows[0]!, offset: 10 * rank }]),
      load: () => Promise.reject(new Error(`broken ${rank}`)),
    });
    const groups = mergeSources([source(0, rows), broken(1), broken(2)], false);
    assert.deepStrictEqual(rowsOf((await groups.next()).value!), rows);
    await assert.rejects(groups.next(), /broken 1/);
  });

  it('passes over sources that turn out to be empty', async () => {
    const empty: RowSource = { rank: 1, first: 0, last: 100, load: async () => groupOf(1, []) };
    const rows = [{ offset: 5, tags: tagChoices[0]!, values: { [speed]: 1 } }];
    assert.deepEqual(await collect(mergeSources([empty, source(0, rows), empty], false)), [rows]);
    assert.deepEqual(await collect(mergeSources([empty], true)), []);
  });
});
