import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kind } from '../../../../src/domain/parameter-data.ts';
import type { Store } from '../../../../src/store/store.ts';
import { engineMissing } from '../../../clickhouse/engine.ts';
import { engineDatabases } from '../engine-databases.ts';
import { ask, keptLog, numbers, openStore, rowsOf } from '../open-store.ts';

const event = {
  ...numbers(0n, [0]),
  columns: [
    { kind: Kind.Event, name: 'e', bytes: Buffer.from('{}'), ends: Uint32Array.of(2), present: undefined },
  ],
};

describe('the table that values go to where no setting says so', { skip: engineMissing }, () => {
  const { fresh } = engineDatabases('choose_table');

  /** Writes a value through a node that no setting tells, and says where all values are. */
  async function writeOne(url: string, time: bigint) {
    const { log, lines } = keptLog();
    await during(await openStore(url, { writesWindows: 'auto', log }), async (store) => {
      await store.append(rowsOf('s', numbers(time, [1])));
    });
    const counts = await ask(
      url,
      "SELECT (SELECT count() FROM samples WHERE kind != 'event'), (SELECT sum(count) FROM windows)",
    );
    return {
      samples: Number(counts[0]![0]),
      windows: Number(counts[0]![1]),
      told: lines.filter((line) => line.includes('values go to samples')),
    };
  }

  async function during(store: Store, act: (store: Store) => Promise<unknown>): Promise<void> {
    try {
      await act(store);
    } finally {
      await store.close();
    }
  }

  it('is windows in a database without values, and stays so', async () => {
    const url = fresh();
    await during(await openStore(url), (store) => store.append(rowsOf('s', event)));
    assert.deepEqual(await writeOne(url, 1n), { samples: 0, windows: 1, told: [] });
    assert.deepEqual(await writeOne(url, 2n), { samples: 0, windows: 2, told: [] });
  });

  it('is samples where others are, until a node is told to write windows; the log says so', async () => {
    const url = fresh();
    await during(await openStore(url), (store) => store.append(rowsOf('s', numbers(0n, [1]))));
    const { told, ...held } = await writeOne(url, 1n);
    assert.deepEqual(held, { samples: 2, windows: 0 });
    assert.equal(told.length, 1);
    assert.match(told[0]!, /--clickhouse-windows=write/);
    await during(await openStore(url, { writesWindows: true }), (store) =>
      store.append(rowsOf('s', numbers(2n, [1]))),
    );
    assert.deepEqual(await writeOne(url, 3n), { samples: 2, windows: 2, told: [] });
  });
});
