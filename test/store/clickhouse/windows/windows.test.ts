import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Column, Kind } from '../../../../src/domain/parameter-data.ts';
import { tagSet } from '../../../../src/domain/tags.ts';
import { planQuery, type ReadPlan } from '../../../../src/query/plan/plan.ts';
import { windowLengths } from '../../../../src/store/clickhouse/server/window-lengths.ts';
import { engineMissing, notAsked } from '../../../clickhouse/engine.ts';
import { createRandom } from '../../../fuzz/random.ts';
import { engineDatabases } from '../engine-databases.ts';
import { ask, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';
import { randomRows } from '../random-rows.ts';
import { valuesOfRows, valuesOfWindows } from './window-values.ts';

const second = 1_000_000_000n;
const never = new AbortController().signal;

describe('windows', { skip: engineMissing || notAsked }, () => {
  const { fresh, withStore } = engineDatabases('windows');

  const run = (url: string, text: string) =>
    withClickHouse(url, (clickhouse) => clickhouse.command({ text, params: {} }));

  it('hold what is written, events too', () =>
    withStore(async (store, url) => {
      const bytes = Buffer.from('a\0\xffé', 'latin1');
      const columns: Column[] = [
        { kind: Kind.Numeric, name: 'n', values: Float64Array.of(1.5, -0), present: undefined },
        {
          kind: Kind.String,
          name: 't',
          bytes: Buffer.from('höher'),
          ends: Uint32Array.of(6, 6),
          present: undefined,
        },
        { kind: Kind.Binary, name: 't', bytes, ends: Uint32Array.of(1, 4), present: undefined },
        {
          kind: Kind.Event,
          name: 'e',
          bytes: Buffer.from('{}'),
          ends: Uint32Array.of(2, 2),
          present: undefined,
        },
      ];
      const tags = tagSet([['lap', '1']]);
      await store.append(rowsOf('s', { ...numbers(-5n, [0, 0]), tagSets: [tags], columns }));
      assert.deepEqual(await valuesOfWindows(url), [
        ['s', 'e', 'event', '-5', tags.key, '7B7D'],
        ['s', 'e', 'event', '-4', tags.key, ''],
        ['s', 'n', 'numeric', '-5', tags.key, '1.5'],
        ['s', 'n', 'numeric', '-4', tags.key, '-0'],
        ['s', 't', 'string', '-5', tags.key, Buffer.from('höher').toString('hex').toUpperCase()],
        ['s', 't', 'string', '-4', tags.key, ''],
        ['s', 't', 'binary', '-5', tags.key, '61'],
        ['s', 't', 'binary', '-4', tags.key, '00FFE9'],
      ]);
      assert.deepEqual(
        await ask(url, 'SELECT parameter, kind, count, bytes FROM windows ORDER BY parameter, kind'),
        [
          ['e', 'event', '2', '18'],
          ['n', 'numeric', '2', '16'],
          ['t', 'string', '2', '22'],
          ['t', 'binary', '2', '20'],
        ],
      );
    }));

  it('pack numbers with the codec ALP, exactly', () =>
    withStore(async (store, url) => {
      const codec =
        "SELECT compression_codec FROM system.columns WHERE table = 'windows' AND name = 'numbers'";
      const here = `${codec} AND database = currentDatabase()`;
      assert.deepEqual(await ask(url, here), [['CODEC(ALP, ZSTD(1))']]);
      const values = [0.1, -0, Number.NaN, 5e-324, Number.MAX_VALUE, Number.NEGATIVE_INFINITY, 1 / 3];
      const many = Array.from({ length: 5000 }, (_, i) => values[i] ?? i / 1000);
      await store.append(rowsOf('s', numbers(0n, many)));
      await run(url, 'OPTIMIZE TABLE windows FINAL');
      const found = await ask(
        url,
        'SELECT arrayMap(n -> reinterpretAsUInt64(n), groupArrayArray(numbers)) FROM windows',
      );
      const bits = new BigUint64Array(Float64Array.from(many).buffer);
      assert.deepEqual(found, [[Array.from(bits, String)]]);
    }));

  it('keep decimals as integers of their digits, and what is no decimal beside them', () =>
    withStore(async (store, url) => {
      const decimals = [0.001, -1.25, 0, 1e9 + 0.999];
      await store.append(rowsOf('s', numbers(0n, [0, 1, 2, 3, 4])));
      await store.append(rowsOf('s', numbers(1n, decimals)));
      await store.append(rowsOf('s', numbers(4n, [1 / 3, -0])));
      const kept = 'SELECT intDiv(level, 32), sum(length(scaled)), sum(length(numbers)) FROM windows';
      assert.deepEqual(await ask(url, `${kept} GROUP BY 1 ORDER BY 1`), [
        [0, '0', '2'],
        [1, '5', '0'],
        [4, '4', '0'],
      ]);
      const bits = async () => {
        const query = { parameters: [{ kind: Kind.Numeric, name: 'p', aggregation: 'None' as const }] };
        const found: number[] = [];
        for await (const { columns } of store.run(planQuery('w', query) as ReadPlan, never)) {
          const [column] = columns;
          if (column?.kind === Kind.Numeric) found.push(...column.values);
        }
        return found;
      };
      const wanted = [0, ...decimals.slice(0, 3), 1 / 3, -0];
      assert.deepEqual(await bits(), wanted);
      await run(url, 'OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(await bits(), wanted);
    }));

  it('are shown by the view for plain SQL', async () => {
    const url = fresh();
    const store = await openStore(url);
    await store.append(rowsOf('s', numbers(0n, [1, 2, 3])));
    await store.append(rowsOf('old', numbers(0n, [7])));
    const tagged = { ...numbers(1n, [5]), tagSets: [tagSet([['lap', '1']])] };
    await store.append(rowsOf('s', numbers(1n, [22]), tagged));
    await store.append(rowsOf('s', numbers(8n, [8, 9])));
    const bytes = Buffer.from('höher');
    const ends = Uint32Array.of(bytes.length);
    const columns: Column[] = [{ kind: Kind.String, name: 't', bytes, ends, present: undefined }];
    await store.append(rowsOf('s', { ...numbers(1n, [0]), columns }));
    await store.deleteRows({
      workspace: 'w',
      streamIds: ['s'],
      topic: undefined,
      from: 8n,
      to: 8n,
      tagFilters: [],
    });
    const shown = () =>
      ask(
        url,
        `SELECT stream, parameter, kind, toString(time), timestamp, tags, number, text FROM readings
        ORDER BY stream, parameter, timestamp, tags['lap']`,
      );
    const at = (ns: number) => [`1970-01-01 00:00:00.00000000${ns}`, String(ns)];
    const wanted = [
      ['old', 'p', 'numeric', ...at(0), {}, 7, null],
      ['s', 'p', 'numeric', ...at(0), {}, 1, null],
      ['s', 'p', 'numeric', ...at(1), {}, 22, null],
      ['s', 'p', 'numeric', ...at(1), { lap: '1' }, 5, null],
      ['s', 'p', 'numeric', ...at(2), {}, 3, null],
      ['s', 'p', 'numeric', ...at(9), {}, 9, null],
      ['s', 't', 'string', ...at(1), {}, null, 'höher'],
    ];
    assert.deepEqual(await shown(), wanted);
    await run(url, 'OPTIMIZE TABLE windows FINAL');
    assert.deepEqual(await shown(), wanted);
    await store.close();
  });

  it('bring streams into being', () =>
    withStore(async (store, url) => {
      await store.append(rowsOf('s', numbers(0n, [1, 2])));
      await store.append(rowsOf('s', numbers(second, [3])));
      const [row] = await ask(
        url,
        `SELECT created = (SELECT min(version) FROM windows), touched = (SELECT max(version) FROM windows), created < touched
        FROM streams FINAL`,
      );
      assert.deepEqual(row, [1, 1, 1]);
    }));

  it('begin below the times that they hold, each in the partition of its beginning', () =>
    withStore(async (store, url) => {
      for (const base of [-(2n ** 63n), -1n, 0n, 2n ** 63n - 2n]) {
        await store.append(rowsOf(`s${base}`, { ...numbers(base, [1, 2]), offsets: Float64Array.of(0, 1) }));
      }
      const wrong = await ask(
        url,
        `WITH CAST([${windowLengths.join()}], 'Array(Int64)')[level % 32 + 1] AS length SELECT * FROM windows WHERE window > first
        OR toInt128(last) >= toInt128(window) + length OR (window > ${-(2n ** 63n)} AND window % length != 0)`,
      );
      assert.deepEqual(wrong, []);
      assert.equal((await valuesOfWindows(url)).length, 8);
    }));

  it('join short writes by merges, and lose none of their versions', () =>
    withStore(async (store, url) => {
      for (let i = 0; i < 10; i++) await store.append(rowsOf('s', numbers(BigInt(i) * second, [i])));
      await store.append(rowsOf('s', numbers(3n * second, [33])));
      const before = await valuesOfWindows(url);
      assert.deepEqual(
        before.map((row) => row.at(-1)),
        ['0', '1', '2', '33', '4', '5', '6', '7', '8', '9'],
      );
      await run(url, 'OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(await ask(url, 'SELECT level, count FROM windows ORDER BY level'), [
        [32 + 9, '10'],
        [32 + 10, '1'],
      ]);
      assert.deepEqual(await valuesOfWindows(url), before);
    }));

  it('have equal values after a write that is repeated', () =>
    withStore(async (store, url) => {
      const batch = rowsOf('s', numbers(0n, [1, 2, 3]));
      await store.append(batch);
      await store.append(batch);
      assert.deepEqual(
        (await valuesOfWindows(url)).map((row) => row.at(-1)),
        ['1', '2', '3'],
      );
    }));

  it('hold the newest of each time and tag set, whatever order and tags requests have', () =>
    withStore(async (store, url) => {
      const random = createRandom(17);
      const wanted = new Map<string, unknown[]>();
      for (let i = 0; i < 40; i++) {
        const rows = randomRows(random);
        await store.append(rowsOf('s', rows));
        for (const row of valuesOfRows('s', rows)) wanted.set(row.slice(0, -1).join('\0'), row);
      }
      const sorted = (values: Iterable<unknown[]>) => Array.from(values, (row) => row.join('\0')).sort();
      assert.deepEqual(sorted(await valuesOfWindows(url)), sorted(wanted.values()));
      await run(url, 'OPTIMIZE TABLE windows FINAL');
      assert.deepEqual(sorted(await valuesOfWindows(url)), sorted(wanted.values()));
    }));

  it('count towards the bytes of a workspace', () =>
    withStore(async (store, url) => {
      const workspace = { name: 'w', createdAt: 1, maxBytes: 40 };
      await store.append({ workspace: 'w', changes: [{ type: 'workspace', workspace }] });
      for (let i = 0; i < 5; i++) await store.append(rowsOf('s', numbers(BigInt(i), [i])));
      await store.close();
      const next = await openStore(url);
      await assert.rejects(next.append(rowsOf('s', numbers(9n, [9]))), { code: 'workspace_full' });
      // What is deleted makes room at once, though it is on the disk until it is tidied.
      const selection = {
        workspace: 'w',
        streamIds: undefined,
        topic: undefined,
        from: 0n,
        to: 2n,
        tagFilters: [],
      };
      assert.equal(await next.deleteRows(selection), 3);
      await next.append(rowsOf('s', numbers(9n, [9])));
      await next.close();
    }));

  it('take values of very many tag sets', () =>
    withStore(async (store, url) => {
      const count = 5000;
      const tagSets = Array.from({ length: count }, (_, i) => tagSet([['n', String(i)]]));
      const rows = numbers(
        0n,
        Array.from({ length: count }, (_, i) => i),
      );
      await store.append(rowsOf('s', { ...rows, tagSets, tagIndex: Uint32Array.from(rows.offsets) }));
      assert.deepEqual(
        await ask(
          url,
          'SELECT sum(length(pieces)), sum(length(times)), sum(toFloat64(arraySum(scaled))) FROM windows',
        ),
        [[String(count), String(count), (count * (count - 1)) / 2]],
      );
    }));
});
