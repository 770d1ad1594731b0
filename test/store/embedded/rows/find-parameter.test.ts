import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags } from '../../../../src/domain/tags.ts';
import { parameterFinder } from '../../../../src/store/embedded/rows/find-parameter.ts';
import { takeRows } from '../../../../src/store/embedded/rows/gather-rows.ts';

/** Columns that tell how often somebody looked which parameter is theirs. */
function watched<Item extends { readonly parameter: number }>(items: readonly Item[]) {
  let looks = 0;
  const columns = items.map((item) => ({
    ...item,
    get parameter() {
      looks++;
      return item.parameter;
    },
  }));
  return { columns, looks: () => looks };
}

describe('finding what belongs to a parameter', () => {
  it('finds each among few and among many, however often it is asked, in any order', () => {
    for (const count of [0, 1, 16, 17, 500]) {
      const items = Array.from({ length: count }, (_, i) => ({ parameter: 2 * i }));
      const find = parameterFinder(items);
      for (let wanted = 2 * count + 1; wanted >= 0; wanted--)
        assert.equal(find(wanted), wanted % 2 === 0 ? items[wanted / 2] : undefined, `${wanted} of ${count}`);
      assert.equal(find(undefined), undefined);
    }
  });

  it('does not go through all of very many for each', () => {
    const count = 10_000;
    const { columns, looks } = watched(Array.from({ length: count }, (_, parameter) => ({ parameter })));
    const find = parameterFinder(columns);
    for (let parameter = count - 1; parameter >= 0; parameter--)
      assert.equal(find(parameter), columns[parameter]);
    assert.ok(looks() < 50 * count, `${looks()} looks at ${count} columns`);
  });

  it('nor do picked rows of a group with very many columns', () => {
    const count = 4000;
    const numbers = Array.from({ length: count }, (_, parameter) => {
      return { parameter, kind: Kind.Numeric, values: Float64Array.of(0, parameter), present: undefined };
    });
    const { columns, looks } = watched(numbers);
    const offsets = Float64Array.of(0, 1);
    const group = { stream: 1, count: 2, offsets, tagSets: [noTags], tagIndex: undefined, columns };
    const taken = takeRows(group, Uint32Array.of(1));
    assert.deepEqual(
      taken.columns.map((column) => 'values' in column && column.values[0]),
      numbers.map(({ parameter }) => parameter),
    );
    assert.ok(looks() < 50 * count, `${looks()} looks at ${count} columns`);
  });
});
