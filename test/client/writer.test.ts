import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BufferFull, createClient, type Row, RowsRejected } from '../../src/client/client.ts';
import { adminToken, send, startService } from '../e2e/service.ts';

/** A promise and what resolves it. */
function gate() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('the writer of the client', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });

  const row = (time: number, more: Partial<Row> = {}): Row => ({
    timestamp: BigInt(time),
    numeric: { n: time },
    ...more,
  });
  const timesOf = async (topic: string, stream: string) => {
    const { timestamps } = await client.query({
      topic,
      streamIds: [stream],
      numericParameters: [{ parameterName: 'n' }],
    });
    return timestamps.map(Number);
  };

  it('tells how many rows are older than the retention of their topic', async () => {
    await send(url, '/topics/brief', { method: 'PUT', body: '{"retention":"1d"}' });
    let expired = 0;
    const writer = client.writer('brief', { onExpired: (rows) => (expired += rows) });
    for (let time = 0; time < 5; time++) await writer.write('s', row(time));
    await writer.write('s', row(5, { timestamp: BigInt(Date.now()) * 1_000_000n }));
    await writer.close();
    assert.equal(expired, 5);
  });

  /** A client whose requests pass through `meet` first. */
  const meeting = (meet: (body: string) => Promise<Response | undefined>) =>
    createClient({
      url,
      token: adminToken,
      retry: { attempts: 1 },
      fetch: async (address, init) => (await meet(String(init?.body))) ?? fetch(address, init),
    });

  it('gathers rows of several streams to few requests', async () => {
    let requests = 0;
    const writer = meeting(async () => {
      requests++;
      return undefined;
    }).writer('gather', { maxRows: 100 });
    for (let i = 0; i < 250; i++)
      await writer.write(`s${i % 2}`, row(i, { tags: { lap: i < 100 ? '1' : null } }));
    await writer.close();
    assert.equal(requests, 3);
    assert.equal(writer.buffered, 0);
    assert.deepEqual(
      await timesOf('gather', 's1'),
      Array.from({ length: 125 }, (_, i) => 2 * i + 1),
    );
  });

  it('takes any name', async () => {
    const writer = client.writer('names');
    const names = ['constructor', '__proto__', 'toString'];
    const numeric = Object.fromEntries(names.map((name, i) => [name, i]));
    await writer.write('s', { timestamp: 1n, numeric, tags: { constructor: 'a' } });
    await writer.close();
    const numericParameters = names.map((parameterName) => ({ parameterName }));
    const { numericValues, tagValues } = await client.query({
      topic: 'names',
      numericParameters,
      groupBy: ['constructor'],
    });
    assert.deepEqual(
      Object.entries(numericValues),
      names.map((name, i) => [name, [i]]),
    );
    assert.deepEqual(Object.entries(tagValues), [['constructor', ['a']]]);
  });

  it('rejects rows that cannot be sent, and goes on', async () => {
    let tokens = 0;
    const token = () => {
      if (tokens++ === 0) throw new Error('no token today');
      return adminToken;
    };
    const rejected = gate();
    const writer = createClient({ url, token }).writer('unsendable', {
      maxDelayMs: 5,
      onRejected: () => rejected.resolve(),
    });
    await writer.write('s', row(1));
    await rejected.promise;
    await writer.write('s', row(2));
    await assert.rejects(writer.flush(), (error: Error) => {
      assert.ok(error instanceof RowsRejected);
      assert.match(error.message, /could not send 1 row\(s\): no token today/);
      return true;
    });
    const broken = { timestamp: 3n, binaries: { b: 'text' as unknown as Uint8Array } };
    await writer.write('s', broken);
    await assert.rejects(writer.close(), RowsRejected);
    assert.deepEqual(await timesOf('unsendable', 's'), [2]);
  });

  it('writes the rows beside one that cannot be sent', async () => {
    const writer = client.writer('beside');
    for (let i = 0; i < 10; i++) {
      const broken = { binaries: { b: undefined as unknown as Uint8Array } };
      await writer.write('s', row(i, i === 4 ? broken : {}));
    }
    await assert.rejects(writer.close(), ({ message, rows }: RowsRejected) => {
      return message.includes('could not send 1 row') && rows[0]?.row.timestamp === 4n;
    });
    assert.deepEqual(await timesOf('beside', 's'), [0, 1, 2, 3, 5, 6, 7, 8, 9]);
  });

  it('refuses what would be tried for ever: a topic that no address has, a token that no header takes', async () => {
    assert.throws(() => client.writer('..'), { name: 'TypeError', message: /the name '\.\.' cannot stand/ });
    const writer = createClient({ url, token: 'a\nb' }).writer('secret');
    await writer.write('s', row(1));
    await assert.rejects(writer.close(), /could not send 1 row\(s\): the token has a space/);
  });

  it('sends by itself when a row has waited', async () => {
    const sent = gate();
    const writer = meeting(async () => {
      sent.resolve();
      return undefined;
    }).writer('delay', { maxDelayMs: 5 });
    await writer.write('s', row(1));
    await sent.promise;
    await writer.flush();
    assert.deepEqual(await timesOf('delay', 's'), [1]);
    await writer.close();
  });

  it('writes every row once in spite of trouble on the way', async () => {
    let trouble = 0;
    const writer = meeting(async () => {
      if (++trouble % 3 === 0) throw new TypeError('fetch failed');
      return trouble % 3 === 1 ? new Response('', { status: 503 }) : undefined;
    }).writer('trouble', { maxRows: 10, retry: { firstDelayMs: 1 } });
    for (let i = 0; i < 100; i++) await writer.write('s', row(i));
    await writer.close();
    assert.deepEqual(
      await timesOf('trouble', 's'),
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  it('keeps good rows beside bad ones, and names the bad', async () => {
    const told: RowsRejected[] = [];
    const writer = client.writer('bad', { onRejected: (rejected) => told.push(rejected) });
    for (let i = 0; i < 20; i++) {
      await writer.write(
        's',
        row(i, i === 7 || i === 13 ? { strings: { ['x'.repeat(600)]: 'too long a name' } } : {}),
      );
    }
    await assert.rejects(writer.flush(), (error: RowsRejected) => {
      assert.deepEqual(
        error.rows.map(({ row }) => row.timestamp),
        [7n, 13n],
      );
      assert.match(error.message, /refused 2 row/);
      return error instanceof RowsRejected;
    });
    assert.equal(told.length, 2);
    await writer.flush();
    await writer.close();
    assert.deepEqual(
      await timesOf('bad', 's'),
      Array.from({ length: 20 }, (_, i) => i).filter((i) => i !== 7 && i !== 13),
    );
  });

  it('keeps no more than a thousand refused rows for a flush that may never come, and tells of all', async () => {
    let told = 0;
    const refusing = meeting(async () => new Response('{"detail":"no"}', { status: 403 })).writer('refused', {
      maxRows: 400,
      onRejected: ({ rows }) => {
        told += rows.length;
      },
    });
    for (let i = 0; i < 2500; i++) await refusing.write('s', row(i));
    await assert.rejects(refusing.close(), (error: RowsRejected) => {
      assert.match(error.message, /refused 2500 row/);
      return error.rows.length === 1000;
    });
    assert.equal(told, 2500);
  });

  it('tells each flush that waits for refused rows, and no later one', async () => {
    const refusing = meeting(async () => new Response('{"detail":"no"}', { status: 403 })).writer('flushes');
    await refusing.write('s', row(1));
    for (const flushed of await Promise.allSettled([refusing.flush(), refusing.flush()]))
      assert.ok(flushed.status === 'rejected' && flushed.reason instanceof RowsRejected);
    await refusing.flush();
    await refusing.write('s', row(2));
    for (const ended of await Promise.allSettled([refusing.flush(), refusing.close()]))
      assert.equal(ended.status, 'rejected');
  });

  const stuck = () => {
    const { promise, resolve } = gate();
    const client = meeting(async () => {
      await promise;
      return undefined;
    });
    return { client, open: resolve };
  };

  it('lets writers wait when its buffer is full', async () => {
    const { client, open } = stuck();
    const writer = client.writer('wait', { maxRows: 5, maxBufferedRows: 10 });
    for (let i = 0; i < 10; i++) await writer.write('s', row(i));
    let went = false;
    const eleventh = writer.write('s', row(10)).then(() => {
      went = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(went, false);
    open();
    await eleventh;
    await writer.close();
    assert.equal((await timesOf('wait', 's')).length, 11);
  });

  it('refuses rows when its buffer is full, if it is told to', async () => {
    const { client, open } = stuck();
    const writer = client.writer('refuse', { maxRows: 5, maxBufferedRows: 10, whenFull: 'refuse' });
    for (let i = 0; i < 10; i++) await writer.write('s', row(i));
    await assert.rejects(writer.write('s', row(10)), BufferFull);
    open();
    await writer.close();
    assert.equal((await timesOf('refuse', 's')).length, 10);
  });

  it('gives up the oldest rows when its buffer is full, if it is told to', async () => {
    const { client, open } = stuck();
    let dropped = 0;
    const writer = client.writer('drop', {
      maxRows: 5,
      maxBufferedRows: 10,
      whenFull: 'dropOldest',
      onDropped: (rows) => {
        dropped += rows;
      },
    });
    for (let i = 0; i < 20; i++) await writer.write('s', row(i));
    assert.equal(dropped, 10);
    open();
    await writer.close();
    assert.deepEqual(await timesOf('drop', 's'), [0, 1, 2, 3, 4, 15, 16, 17, 18, 19]);
  });

  it('refuses a row with a property that no row has, whose values would be lost', async () => {
    const writer = client.writer('unknown');
    await assert.rejects(writer.write('s', row(1, { numericValues: { n: 1 } } as Partial<Row>)), {
      name: 'TypeError',
      message: 'a row has no numericValues; it has timestamp, numeric, strings, binaries, tags',
    });
    await assert.rejects(
      writer.write('s', row(1, { tags: new Map() as unknown as Record<string, string> })),
      {
        name: 'TypeError',
        message: 'tags is an object of names and values, not Map',
      },
    );
    await writer.write('s', row(2));
    await writer.close();
    assert.deepEqual(await timesOf('unknown', 's'), [2]);
  });

  it('takes no rows once it is closed, and ends in haste when the service is gone', async () => {
    const writer = createClient({ url: 'http://127.0.0.1:1', token: adminToken }).writer('gone');
    await writer.write('s', row(1));
    await assert.rejects(writer.close(20), /1 rows were not written within 20 ms/);
    await assert.rejects(writer.write('s', row(2)), /closed/);
  });

  it('that ends in haste with rows of several requests fails its caller alone', async () => {
    const writer = createClient({ url: 'http://127.0.0.1:1', token: adminToken }).writer('gone', {
      maxRows: 2,
    });
    for (let i = 0; i < 9; i++) await writer.write('s', row(i));
    await assert.rejects(writer.close(20), /9 rows were not written within 20 ms/);
    assert.equal(writer.buffered, 0);
    // A rejection that nobody handles fails the test.
    await new Promise((resolve) => setImmediate(resolve));
  });
});
