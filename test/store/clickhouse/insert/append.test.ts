import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Column, Kind } from '../../../../src/domain/parameter-data.ts';
import { noTags, tagSet } from '../../../../src/domain/tags.ts';
import { PitwallError } from '../../../../src/errors.ts';
import { maxPartitions } from '../../../../src/store/clickhouse/insert/partitions.ts';
import { seriesOf } from '../../../../src/store/clickhouse/insert/series-values.ts';
import { windowBlock } from '../../../../src/store/clickhouse/insert/window-block.ts';
import { windowLevels } from '../../../../src/store/clickhouse/insert/window-levels.ts';
import { workspaceLimits } from '../../../../src/store/clickhouse/insert/workspace-limits.ts';
import type { ClickHouse } from '../../../../src/store/clickhouse/server/client.ts';
import { insertSettings } from '../../../../src/store/clickhouse/server/insert-settings.ts';
import { versionClock } from '../../../../src/store/clickhouse/server/version-clock.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type Engine, engineMissing, notAsked, startEngine } from '../../../clickhouse/engine.ts';
import { ask, numbers, openStore, rowsOf, withClickHouse } from '../open-store.ts';

/** Names that would be something else if they stood in the text of a statement. */
const metacharacters = `'"\`\\;--/*{p0:String}%_?$1 \u2028😀`;

describe('append on ClickHouse', { skip: engineMissing }, () => {
  let engine: Engine;
  let databases = 0;
  before(async () => {
    engine = await startEngine();
  });
  after(() => engine.stop());

  /** A store in a database of its own. */
  async function withStore(use: (store: Store, url: string) => Promise<void>): Promise<void> {
    const url = engine.urlOf(`append_${++databases}`);
    const store = await openStore(url);
    try {
      await use(store, url);
    } finally {
      await store.close();
    }
  }

  it('takes every name and text as it is', () =>
    withStore(async (store, url) => {
      const name = metacharacters;
      const bytes = Buffer.from(name);
      const ends = Uint32Array.of(bytes.length);
      const columns: Column[] = [
        { kind: Kind.Numeric, name, values: Float64Array.of(1), present: undefined },
        { kind: Kind.String, name, bytes, ends, present: undefined },
        { kind: Kind.Event, name, bytes, ends, present: undefined },
      ];
      const tags = tagSet([[name, name]]);
      const rows = { ...numbers(1n, [1]), tagSets: [tags], columns };
      await store.append({
        workspace: name,
        changes: [
          { type: 'rows', topic: name, streamId: name, rows: [rows] },
          {
            type: 'stream',
            topic: name,
            streamId: name,
            properties: { name, metadata: { [name]: name }, parents: [name], location: `/${name}` },
          },
          {
            type: 'parameterDefinitions',
            topic: name,
            streamId: name,
            definitions: [{ id: name, unit: name }],
          },
        ],
      });
      const found = await ask(
        url,
        'SELECT DISTINCT workspace, topic, stream, parameter, pieces.tags FROM windows',
      );
      assert.deepEqual(found, [[name, name.toLowerCase(), name, name, [tags.key]]]);
      assert.deepEqual(await ask(url, "SELECT texts FROM windows WHERE kind != 'numeric'"), [
        [[name]],
        [[name]],
      ]);
      const [stream] = await store.catalog.streams(name, {}, Date.now());
      assert.equal(stream?.name, name);
      assert.deepEqual(stream?.metadata, { [name]: name });
      assert.deepEqual(stream?.parents, [name]);
      const [parameter] = await store.catalog.parameters(name, {});
      assert.equal(parameter?.unit, name);
    }));

  it(
    'takes rows of as many partitions as an insert may have, and refuses more without writing any',
    {
      skip: notAsked,
    },
    () =>
      withStore(async (store, url) => {
        const span = 2_592_000_000_000_000n;
        const at = (i: number) => numbers(BigInt(i) * span, [1]);
        const many = Array.from({ length: maxPartitions + 1 }, (_, i) => at(i - 500));
        await assert.rejects(store.append(rowsOf('many', ...many)), (error: unknown) => {
          assert.ok(error instanceof PitwallError);
          assert.deepEqual([error.code, error.errors[0]?.path], ['invalid_value', '']);
          assert.match(error.message, /has values in 1001 spans of 30 days.*several requests/);
          return true;
        });
        assert.deepEqual(await ask(url, 'SELECT count() FROM windows'), [['0']]);
        await store.append(rowsOf('many', ...many.slice(1)));
        assert.deepEqual(await ask(url, 'SELECT count(), uniqExact(_partition_id) FROM windows'), [
          [String(maxPartitions), String(maxPartitions)],
        ]);
      }),
  );

  it('copies what it is given before it waits for anything', () =>
    withStore(async (store, url) => {
      const rows = numbers(5n, [1, 2, 3]);
      const appended = store.append(rowsOf('s', rows));
      (rows.columns[0] as { values: Float64Array }).values.fill(99);
      rows.offsets.fill(0);
      await appended;
      assert.deepEqual(await ask(url, 'SELECT timestamp, number FROM readings ORDER BY timestamp'), [
        ['5', 1],
        ['6', 2],
        ['7', 3],
      ]);
    }));

  it('lets the later of two writes win, through whichever node they came', () =>
    withStore(async (store, url) => {
      const other = await openStore(url);
      for (let i = 0; i < 10; i++) {
        await (i % 2 === 0 ? store : other).append(rowsOf('s', numbers(0n, [i])));
        assert.deepEqual(await ask(url, 'SELECT number FROM readings'), [[i]]);
      }
      await other.close();
    }));

  it('lets the later change of a batch win', () =>
    withStore(async (store, url) => {
      const changes = [1, 2].map((n) => ({
        type: 'rows' as const,
        topic: n === 1 ? 'T' : 't',
        streamId: 's',
        rows: [numbers(0n, [n], 'a'), numbers(0n, [10 * n], n === 1 ? 'b' : 'c')],
      }));
      await store.append({ workspace: 'w', changes });
      assert.deepEqual(await ask(url, 'SELECT parameter, number FROM readings ORDER BY parameter'), [
        ['a', 2],
        ['b', 10],
        ['c', 20],
      ]);
      assert.equal(store.catalog.topicName('w', 'T'), 'T');
    }));

  it('brings a stream into being by rows without values', () =>
    withStore(async (store) => {
      await store.append(rowsOf('empty', { ...numbers(0n, [1]), columns: [] }));
      await store.append(rowsOf('none'));
      const streams = await store.catalog.streams('w', {}, Date.now());
      assert.deepEqual(
        streams.map(({ streamId, dataStart }) => [streamId, dataStart]),
        [
          ['empty', undefined],
          ['none', undefined],
        ],
      );
      assert.notEqual(store.catalog.workspace('w'), undefined);
    }));

  it('brings a stream into being even if an earlier attempt of the insert stopped before it', () =>
    withStore(async (_store, url) => {
      const owner = { workspace: 'w', topic: 't', stream: 's', retention: 0n };
      const { columns, pieces } = windowBlock(
        seriesOf(owner, numbers(0n, [1]), versionClock({ nowMs: Date.now, isShared: true })),
        windowLevels(),
      );
      await withClickHouse(url, async (clickhouse) => {
        const text = `INSERT INTO windows (${columns.join(', ')}) FORMAT Native`;
        const insert = () =>
          clickhouse.insert({ text, params: {} }, pieces, {
            settings: insertSettings({}, 'windows', 'one token'),
          });
        await insert();
        await clickhouse.command({ text: 'TRUNCATE TABLE streams', params: {} });
        await insert();
      });
      assert.deepEqual(await ask(url, 'SELECT count() FROM windows'), [['1']]);
      assert.deepEqual(await ask(url, 'SELECT stream FROM streams FINAL'), [['s']]);
    }));

  it('stores values and events of a request in one insert, and so in one part', () =>
    withStore(async (store, url) => {
      const bytes = Buffer.from('{}');
      const events: Column[] = [
        { kind: Kind.Event, name: 'e', bytes, ends: Uint32Array.of(bytes.length), present: undefined },
      ];
      await store.append(rowsOf('s', numbers(0n, [1, 2]), { ...numbers(1n, [0]), columns: events }));
      const parts = "FROM system.parts WHERE table = 'windows' AND database = currentDatabase()";
      assert.deepEqual(await ask(url, `SELECT rows ${parts}`), [['2']]);
    }));

  it('stores times from the first to the last that there are, in partitions of a month', () =>
    withStore(async (store, url) => {
      const edges = [-(2n ** 63n), -1n, 0n, 1_700_000_000_000_000_000n, 2n ** 63n - 1n];
      await store.append(rowsOf('s', ...edges.map((base) => numbers(base, [1]))));
      const found = await ask(url, 'SELECT timestamp FROM readings ORDER BY timestamp');
      assert.deepEqual(found.flat(), edges.map(String));
      const parts = await ask(
        url,
        "SELECT uniqExact(partition) FROM system.parts WHERE active AND table = 'windows' AND database = currentDatabase()",
      );
      assert.deepEqual(parts, [['4']]);
    }));

  it('keeps no row longer than its topic says, and no other row shorter', () =>
    withStore(async (store, url) => {
      const day = 86_400_000_000_000n;
      await store.append({ workspace: 'w', changes: [{ type: 'topic', topic: 'short', retention: day }] });
      const now = BigInt(Date.now()) * 1_000_000n;
      const times = [-(2n ** 63n), now - 2n * day, now, 2n ** 63n - 10n];
      for (const topic of ['short', 'long']) {
        // A window goes when all of it has expired: here each value has its own.
        const changes = times.map((base, i) => ({
          type: 'rows' as const,
          topic,
          streamId: `s${i}`,
          rows: [numbers(base, [1])],
        }));
        await store.append({ workspace: 'w', changes });
      }
      await withClickHouse(url, (clickhouse) =>
        clickhouse.command({ text: 'OPTIMIZE TABLE windows FINAL', params: {} }),
      );
      const kept = 'SELECT timestamp FROM readings WHERE topic = ';
      assert.deepEqual(
        (await ask(url, `${kept} 'short' ORDER BY timestamp`)).flat(),
        times.slice(2).map(String),
      );
      assert.deepEqual((await ask(url, `${kept} 'long' ORDER BY timestamp`)).flat(), times.map(String));
    }));

  it('offers what it stores to plain SQL', () =>
    withStore(async (store, url) => {
      const tags = tagSet([['driver', 'Räikkönen']]);
      const base = 1_700_000_000_123_456_789n;
      const rows = { ...numbers(base, [1.5, 7], 'Speed'), tagSets: [tags] };
      await store.append(rowsOf('s', rows));
      await store.append(rowsOf('s', { ...rows, columns: numbers(0n, [2.5, 8], 'Speed').columns }));
      const second = { from: base + 1n, to: base + 1n };
      const selection = { workspace: 'w', ...second, streamIds: ['s'], topic: undefined, tagFilters: [] };
      await store.deleteRows(selection);
      assert.deepEqual(await ask(url, "SELECT time, parameter, tags['driver'], number, text FROM readings"), [
        ['2023-11-14 22:13:20.123456789', 'Speed', 'Räikkönen', 2.5, null],
      ]);
      assert.equal(noTags.key, '[]');
    }));
});

describe('the limits of a workspace on ClickHouse', { skip: engineMissing }, () => {
  let engine: Engine;
  before(async () => {
    engine = await startEngine();
  });
  after(() => engine.stop());

  it('hold for all nodes together', async () => {
    const stores = await Promise.all([openStore(engine.url), openStore(engine.url)]);
    const [store, other] = stores as [Store, Store];
    const limits = (maxStreams?: number, maxBytes?: number) =>
      store.append({
        workspace: 'w',
        changes: [
          {
            type: 'workspace',
            workspace: {
              name: 'w',
              createdAt: 1,
              ...(maxStreams !== undefined && { maxStreams }),
              ...(maxBytes !== undefined && { maxBytes }),
            },
          },
        ],
      });
    await limits(3);
    await other.catalog.refresh();
    await store.append(rowsOf('a', numbers(0n, [1])));
    await other.append(rowsOf('b', numbers(0n, [1])));
    const made = await Promise.allSettled(
      ['c', 'd', 'e'].map((id) => store.append(rowsOf(id, numbers(0n, [1])))),
    );
    assert.deepEqual(made.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
    await assert.rejects(other.append(rowsOf('f', numbers(0n, [1]))), { code: 'too_many_streams' });
    await other.append(rowsOf('a', numbers(1n, [2])));

    await store.changeStreams({
      workspace: 'w',
      action: 'hardDelete',
      filter: { streamIds: ['a'] },
      now: Date.now(),
    });
    await other.append(rowsOf('f', numbers(0n, [1])));

    await limits(undefined, 10);
    await other.catalog.refresh();
    for (const one of stores) {
      await assert.rejects(one.append(rowsOf('b', numbers(9n, [1]))), { code: 'workspace_full' });
    }
    // Others are not concerned, nor is what brings no rows.
    await store.append({ ...rowsOf('b', numbers(9n, [1])), workspace: 'v' });
    await store.append({ workspace: 'w', changes: [{ type: 'stream', topic: 'Topic', streamId: 'g' }] });
    await limits();
    await store.append(rowsOf('b', numbers(9n, [1])));
    for (const one of stores) await one.close();
  });

  it('look once for all that ask at the same time, also where a workspace is full', async () => {
    const url = engine.urlOf('looks');
    const store = await openStore(url);
    await store.append(rowsOf('a', numbers(0n, [1, 2, 3])));
    await withClickHouse(url, async (clickhouse) => {
      let looks = 0;
      const counted: Pick<ClickHouse, 'rows'> = {
        rows: (...asked) => {
          looks++;
          return clickhouse.rows(...asked);
        },
      };
      const workspace = () => ({ name: 'w', createdAt: 1, maxBytes: 10 });
      const limits = workspaceLimits({ clickhouse: counted, registry: { workspace }, patienceMs: 60_000 });
      const writes = Array.from({ length: 100 }, () => limits.admit(rowsOf('a', numbers(0n, [1])), 8));
      for (const end of await Promise.allSettled(writes)) {
        assert.ok(end.status === 'rejected');
        assert.equal(end.reason.code, 'workspace_full');
      }
      assert.ok(looks <= 2, `${looks} looks`);
    });
    await store.close();
  });
});
