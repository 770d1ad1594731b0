import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../../src/client/client.ts';
import { seededRandom } from '../../../src/demo/random.ts';
import { changesOf } from '../../../web/src/laps/count-changes.ts';
import { countChanged, loadCounted } from '../../../web/src/laps/count-load.ts';
import { adminToken, startService } from '../../e2e/service.ts';

const { url } = await startService();
const client = createClient({ url, token: adminToken });
const { signal } = new AbortController();

interface Row {
  readonly time: bigint;
  readonly value: number;
}

async function write(streamId: string, rows: readonly Row[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 20_000) {
    const some = rows.slice(i, i + 20_000);
    await client.writeParameterData('counted', streamId, {
      timestamps: some.map(({ time }) => time),
      numericValues: { Lap: some.map(({ value }) => value), Other: some.map(() => 1) },
    });
  }
}

/** What is found, and how many requests and rows that took. */
async function found(streamId: string) {
  const asked = { requests: 0, rows: 0 };
  const counting: Pick<typeof client, 'query' | 'page'> = {
    async query(...args) {
      asked.requests++;
      const data = await client.query(...args);
      asked.rows += data.timestamps.length;
      return data;
    },
    async page(...args) {
      asked.requests++;
      return client.page(...args);
    },
  };
  const selection = { topic: 'counted', streamIds: [streamId] };
  return { counted: await loadCounted(counting, selection, 'Lap', signal), asked };
}

/** Rows about ten milliseconds apart, of which none is at a round time, with a lap of 60 to 100 seconds. */
function driven(seconds: number, seed: number, isLost: (second: number) => boolean = () => false): Row[] {
  const random = seededRandom(seed);
  const rows: Row[] = [];
  let [lap, ends] = [1, 60 + 40 * random()];
  for (let i = 0; i < seconds * 100; i++) {
    if (i / 100 >= ends) {
      lap++;
      ends += 60 + 40 * random();
    }
    const time = 1_800_000_000_000_000_001n + BigInt(i) * 10_000_000n + BigInt(Math.floor(random() * 5e6));
    if (!isLost(i / 100)) rows.push({ time, value: lap });
  }
  return rows;
}

describe('the rows in which a channel counts on', () => {
  it('are found to the nanosecond, and few rows are read for that', async () => {
    const rows = driven(600, 1);
    await write('fast', rows);
    const { counted, asked } = await found('fast');
    assert.deepEqual(counted, { changes: changesOf(rows), fraction: undefined });
    assert.ok(counted!.changes.length > 5);
    assert.ok(asked.rows < rows.length / 8, `${asked.rows} of ${rows.length} rows`);
    // Where it begins and ends, how many rows, which buckets, and these; rarely the row before one.
    const more = asked.requests - 4 - counted!.changes.length;
    assert.ok(more >= 0 && more < 3, `${more} more requests`);
  });

  it('are found behind gaps, where a count begins anew, and beside values that are none', async () => {
    const rows = driven(600, 2, (second) => second > 200 && second < 350).map(({ time, value }, i) => ({
      time,
      value: i % 97 === 0 ? Number.NaN : value > 4 ? value - 5 : value,
    }));
    await write('odd', rows);
    const numbers = rows.filter(({ value }) => !Number.isNaN(value));
    assert.deepEqual((await found('odd')).counted?.changes, changesOf(numbers));
  });

  it('are found in a channel that is written seldom, or where it changes alone', async () => {
    const rows = driven(300, 3);
    const seldom = rows.filter((_, i) => i % 100 === 0);
    await write('seldom', seldom);
    const ofSeldom = await found('seldom');
    assert.deepEqual(ofSeldom.counted?.changes, changesOf(seldom));
    assert.equal(ofSeldom.asked.requests, 4);
    const alone = rows.filter((row, i) => row.value !== rows[i - 1]?.value);
    await write('alone', alone);
    assert.deepEqual((await found('alone')).counted?.changes, changesOf(alone));
    assert.deepEqual((await found('nothing')).counted, { changes: [], fraction: undefined });
  });

  it('are looked for in ever shorter whiles where a bucket has very many rows', async () => {
    // All but a few rows lie in one bucket of the first question.
    const dense = Array.from({ length: 30_000 }, (_, i) => ({
      time: BigInt(i) * 1000n,
      value: Math.floor(i / 7000),
    }));
    const rows = [...dense, { time: 10n ** 18n, value: 4 }, { time: 10n ** 18n + 5n, value: 5 }];
    await write('dense', rows);
    const { counted, asked } = await found('dense');
    assert.deepEqual(counted?.changes, changesOf(rows));
    assert.ok(asked.rows < rows.length / 4, `${asked.rows} of ${rows.length} rows`);
  });

  it('are by whole parts, and a fraction is told', async () => {
    const rows = driven(300, 4).map(({ time }, i) => ({ time, value: 1 + i / 7001 }));
    await write('fractions', rows);
    const { counted } = await found('fractions');
    assert.deepEqual(counted?.changes, changesOf(rows));
    assert.equal(Number.isInteger(counted?.fraction), false);
  });

  it('are too many in a channel that always changes', async () => {
    const rows = driven(300, 5).map(({ time }, i) => ({ time, value: (i * 7) % 100 }));
    await write('noise', rows);
    assert.equal((await found('noise')).counted, undefined);
  });

  it('are asked for again when there is another count', async () => {
    const rows = driven(200, 6);
    const until = rows.findIndex(({ value }) => value === 2) + 50;
    await write('growing', rows.slice(0, until));
    const selection = { topic: 'counted', streamIds: ['growing'] };
    const { counted } = await found('growing');
    const changed = () => countChanged(client, selection, 'Lap', counted!, signal);
    assert.equal(await changed(), false);
    await write('growing', rows.slice(until, until + 50));
    assert.equal(await changed(), false);
    await write('growing', rows.slice(until + 50));
    assert.equal(await changed(), true);
    const none = { changes: [], fraction: undefined };
    assert.equal(await countChanged(client, selection, 'Lap', none, signal), true);
  });
});
