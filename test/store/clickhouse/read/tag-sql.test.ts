import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TagFilter, type TagOperator, tagOperators } from '../../../../src/domain/query.ts';
import { compareTagSets, type TagSet, tagSet, tagSetOfKey, tagValue } from '../../../../src/domain/tags.ts';
import { compileTagFilters } from '../../../../src/query/plan/tag-predicate.ts';
import { tagConditions, tagLiteral, tagOrder } from '../../../../src/store/clickhouse/read/tag-sql.ts';
import { type ClickHouse, connectClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import { every, param, print, type Sql, sql } from '../../../../src/store/clickhouse/server/sql.ts';
import { type Engine, engineMissing, startEngine } from '../../../clickhouse/engine.ts';
import { type Random, seededRandom } from '../../embedded/random.ts';

describe('tags as SQL', { skip: engineMissing }, () => {
  let engine: Engine;
  let clickhouse: ClickHouse;
  before(async () => {
    engine = await startEngine();
    clickhouse = connectClickHouse({ url: engine.urlOf('default') });
  });
  after(async () => {
    await clickhouse.close();
    await engine.stop();
  });

  /** An expression for each set, in the order of the sets. */
  async function ask<Value>(sets: readonly TagSet[], expression: Sql): Promise<Value[]> {
    const keys = param(
      sets.map(({ key }) => key),
      'Array(String)',
    );
    const rows = await clickhouse.rows<[Value]>(
      print(sql`SELECT ${expression} FROM (
  SELECT number, CAST(arrayElement(${keys}, number + 1), 'LowCardinality(String)') AS tags
  FROM numbers(length(${keys})) ORDER BY number) ORDER BY number`),
    );
    return rows.map(([value]) => value);
  }

  it('find a value whatever stands around it', async () => {
    const random = seededRandom(1);
    const sets = manySets(random);
    for (const name of ['a', ...pieces, 'no such tag']) {
      const literals = await ask<string>(sets, tagLiteral(name));
      sets.forEach((set, i) => {
        const value = tagValue(set, name);
        assert.equal(literals[i], value === undefined ? '' : JSON.stringify(value), `${name} in ${set.key}`);
      });
    }
  });

  it('stand in the order of tag sets', async () => {
    const sets = [...new Set(manySets(seededRandom(2)).map(({ key }) => key))].map(tagSetOfKey);
    const [keys] = await ask<string[]>(sets.slice(0, 1), orderedKeys(sets));
    assert.deepEqual(
      keys,
      [...sets].sort(compareTagSets).map(({ key }) => key),
    );
  });

  it('match filters as the predicates of the service do', async () => {
    const random = seededRandom(3);
    const sets = manySets(random);
    for (let round = 0; round < 150; round++) {
      const filters = Array.from({ length: random.int(1, 2) }, () => randomFilter(random));
      const wanted = compileTagFilters(filters)!;
      const answers = await ask<number>(sets, sql`toUInt8(${every(tagConditions(filters))})`);
      sets.forEach((set, i) => {
        assert.equal(answers[i], Number(wanted(set)), `${JSON.stringify(filters)} on ${set.key}`);
      });
    }
  });
});

function orderedKeys(sets: readonly TagSet[]): Sql {
  const keys = param(
    sets.map(({ key }) => key),
    'Array(String)',
  );
  return sql`(SELECT groupArray(tags) FROM (SELECT CAST(arrayJoin(${keys}), 'LowCardinality(String)') AS tags ORDER BY ${tagOrder()}))`;
}

/** What JSON, SQL, patterns and orders may trip over. */
const pieces = [
  '',
  'a',
  'b',
  'A',
  '"',
  '\\',
  '\\"',
  ',',
  '","',
  '],[',
  '"],["',
  '[[',
  ']]',
  '[]',
  '\n',
  '\t',
  '\r',
  '\b\f',
  '\u0000',
  '\u0001',
  '\u001f',
  ' ',
  '!',
  '\u007f',
  'é',
  '\ue000',
  '\uffff',
  '😀',
  '\u2028',
  '\\u0041',
  '\\n',
  "'; DROP TABLE samples; --",
  '{p0:String}',
  '.*',
  '(',
  '$',
  '2',
  '2.0',
  '+2',
  '20e-1',
  '.5',
  '5.',
  '-0',
  '1e400',
  '0x10',
  'NaN',
  'Infinity',
  '123456789012345678901234567890',
];

function manySets(random: Random): TagSet[] {
  return Array.from({ length: 400 }, () => {
    const names = [...new Set(Array.from({ length: random.int(0, 3) }, () => randomText(random)))];
    return tagSet(names.map((name) => [name, randomText(random)]));
  });
}

function randomText(random: Random): string {
  const first = random.pick(pieces);
  return random.chance(0.3) ? first + random.pick(pieces) : first;
}

const patterns = [
  'a',
  '^a$',
  'a.b',
  '.',
  '^$',
  '(?i)a',
  'a|b',
  '^(?:a|\\\\)',
  '\\n',
  '(?s)^.*$',
  '^.*$',
  '\\.',
  '\\Qa',
  '\\d+',
  '[^a-z]',
  '\\x{1F600}',
  '\\pL',
  '😀',
  'é|"',
  "'",
  '\\bDROP\\b',
  '(?m)^b',
  'b$',
];
const numbers = [2, 0.5, 5, -0, 0, 16, 1e30, Number('123456789012345678901234567890'), 2.5];

function randomFilter(random: Random): TagFilter {
  const operator: TagOperator = random.pick(tagOperators);
  const searches = operator === 'Like' || operator === 'NotLike';
  const values = Array.from({ length: random.int(1, 3) }, () => {
    if (random.chance(0.3)) return random.pick(numbers);
    return searches ? random.pick(patterns) : randomText(random);
  });
  return { tag: random.chance(0.3) ? 'a' : randomText(random), operator, values };
}
