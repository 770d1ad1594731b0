import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type Row, RowsGivenUp, RowsRejected } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';
import { until } from '../until.ts';

describe('rows that a writer gives up', async () => {
  const { url } = await startService();
  const nowhere = createClient({ url: 'http://127.0.0.1:1', token: adminToken });
  const row = (time: number, more: Partial<Row> = {}): Row => ({
    timestamp: BigInt(time),
    numeric: { n: time },
    ...more,
  });
  const timesOf = (rows: RowsGivenUp['rows']) => rows.map(({ row }) => Number(row.timestamp));
  const givenUpBy = async (closed: Promise<void>): Promise<RowsGivenUp> => {
    const error: unknown = await closed.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof RowsGivenUp, String(error));
    return error;
  };

  it('are in the error of close: on their way, in the buffer, and in line for room', async () => {
    const writer = nowhere.writer('gone', { maxRows: 2, maxBufferedRows: 4 });
    const writes = Array.from({ length: 7 }, (_, time) => writer.write(`s${time % 2}`, row(time)));
    const ends = Promise.allSettled(writes);
    const error = await givenUpBy(writer.close(20));
    assert.equal(error.message, '7 rows were not written within 20 ms');
    assert.deepEqual(timesOf(error.rows), [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(error.rows[3], { streamId: 's1', row: row(3) });
    // What waited for room is told where it waits, too.
    assert.deepEqual(
      (await ends).map((end) => (end.status === 'rejected' ? end.reason : undefined)),
      [undefined, undefined, undefined, undefined, error, error, error],
    );
  });

  it('are none that were refused before, of which the error tells too', async () => {
    let requests = 0;
    const client = createClient({
      url,
      token: adminToken,
      // The batch is refused for its second row; the halves with rows 0 and 1 are answered, then nothing is.
      fetch: (address, init) =>
        fetch(++requests > 4 ? 'http://127.0.0.1:1' : address, { ...init, body: init!.body! }),
    });
    const writer = client.writer('halves', { maxRows: 4 });
    for (let time = 0; time < 4; time++)
      await writer.write('s', row(time, time === 1 ? { strings: { ['x'.repeat(600)]: 'long' } } : {}));
    await until(() => requests > 4);
    const error = await givenUpBy(writer.close(20));
    assert.deepEqual(timesOf(error.rows), [2, 3]);
    assert.ok(error.cause instanceof RowsRejected);
    assert.deepEqual(timesOf(error.cause.rows), [1]);
  });

  it('are told where the token never comes', async () => {
    const client = createClient({ url, token: () => new Promise<string>(() => undefined) });
    const writer = client.writer('silent');
    await writer.write('s', row(1));
    assert.deepEqual(timesOf((await givenUpBy(writer.close(20))).rows), [1]);
  });

  it('are none while the patience of close has no end', async () => {
    const writer = createClient({ url, token: adminToken }).writer('patient');
    await writer.write('s', row(1));
    await writer.close(Number.POSITIVE_INFINITY);
  });

  it('are told to onDropped', async () => {
    const told: [number, number[]][] = [];
    const writer = nowhere.writer('dropping', {
      maxRows: 2,
      maxBufferedRows: 4,
      whenFull: 'dropOldest',
      onDropped: (count, rows) => told.push([count, timesOf(rows)]),
    });
    for (let time = 0; time < 6; time++) await writer.write('s', row(time));
    assert.deepEqual(told, [
      [1, [2]],
      [1, [3]],
    ]);
    assert.deepEqual(timesOf((await givenUpBy(writer.close(20))).rows), [0, 1, 4, 5]);
  });
});
