import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, RequestError } from '../../src/client/client.ts';
import { adminToken, startService } from '../e2e/service.ts';

describe('the client', async () => {
  const { url } = await startService();
  const client = createClient({ url: `${url}/`, token: () => adminToken });
  const start = 1_700_000_000_000_000_001n;

  it('takes no address with a user or a password, and does not repeat it', () => {
    for (const url of ['http://me:secret@host', 'https://secret@host/base', 'http://me:sec/secret@host'])
      assert.throws(
        () => createClient({ url, token: 'x' }),
        (error: Error) => {
          assert.doesNotMatch(error.message, /secret/);
          return error instanceof TypeError && /^the url has a user or a password/.test(error.message);
        },
      );
    assert.equal(createClient({ url: 'http://host/a@b', token: 'x' }).url, 'http://host/a@b');
    assert.equal(createClient({ url: '', token: 'x', fetch }).url, '');
  });

  it('takes no address that no request can go to, and no token that no header takes', async () => {
    for (const url of ['127.0.0.1:8480', 'localhost:8480', 'host/base', 'ftp://host', ''])
      assert.throws(() => createClient({ url, token: 'x' }), {
        name: 'TypeError',
        message: `the url has to begin with http:// or https://: ${url}`,
      });
    assert.throws(() => createClient({ url, token: undefined as unknown as string }), /a token is needed/);
    for (const token of ['a\nb', 'a b', 'ö'])
      await assert.rejects(createClient({ url, token }).topics(), {
        name: 'Error',
        message: 'the token has a space, a line break or another character that no token has',
      });
    assert.ok(Array.isArray(await createClient({ url, token: ` ${adminToken}\n` }).topics()));
  });

  it('writes and reads every kind of value bit for bit', async () => {
    await client.writeParameterData('cars', 'all kinds/1', {
      epoch: start,
      timestamps: [0n, 1n, 2n, 3n],
      numericValues: { speed: [-0, null, Number.NaN, Number.NEGATIVE_INFINITY] },
      stringValues: { gear: ['N', 'é "1"', null, ''] },
      binaryValues: {
        frame: [Uint8Array.of(0, 255, 128), null, new Uint8Array(0), new Uint8Array(20_000).fill(7)],
      },
      tagValues: { lap: ['1', '1', null, '2'] },
    });
    const data = await client.query({
      streamIds: ['all kinds/1'],
      numericParameters: [{ parameterName: 'speed' }],
      stringParameters: [{ parameterName: 'gear' }],
      binaryParameters: [{ parameterName: 'frame' }],
      groupBy: ['lap'],
      from: start,
      to: start + 3n,
    });
    assert.deepEqual(data, {
      timestamps: [start, start + 1n, start + 2n, start + 3n],
      numericValues: { speed: [-0, null, Number.NaN, Number.NEGATIVE_INFINITY] },
      stringValues: { gear: ['N', 'é "1"', null, ''] },
      binaryValues: {
        frame: [Uint8Array.of(0, 255, 128), null, new Uint8Array(0), new Uint8Array(20_000).fill(7)],
      },
      tagValues: { lap: ['1', '1', null, '2'] },
    });
  });

  it('takes nothing for a binary but bytes', async () => {
    const { buffer } = new Uint8Array([1, 2]);
    for (const value of [
      buffer,
      new DataView(buffer),
      new Float32Array([1.5]),
      [1, 2],
      {},
      5,
      'AQID',
      undefined,
    ])
      await assert.rejects(
        client.writeParameterData('bytes', 's', {
          timestamps: [1n],
          binaryValues: { frame: [value as Uint8Array] },
        }),
        { name: 'TypeError', message: /^a binary is a Uint8Array, not / },
      );
    await client.writeParameterData('bytes', 's', {
      timestamps: [1n, 2n],
      binaryValues: { frame: [Buffer.from([1, 2]), new Uint8ClampedArray([3]) as unknown as Uint8Array] },
    });
    const { binaryValues } = await client.query({
      topic: 'bytes',
      binaryParameters: [{ parameterName: 'frame' }],
    });
    assert.deepEqual(binaryValues, { frame: [Uint8Array.of(1, 2), Uint8Array.of(3)] });
  });

  it('puts streams into the bin and brings them back, and says how many', async () => {
    for (const id of ['one', 'two'])
      await client.writeParameterData('bin', id, { timestamps: [1n], numericValues: { v: [1] } });
    assert.equal(await client.deleteStreams({ topic: 'bin', streamIds: ['one'] }), 1);
    assert.deepEqual(
      (await client.streams({ topic: 'bin' })).map(({ streamId }) => streamId),
      ['two'],
    );
    assert.equal(await client.restoreStreams({ topic: 'bin' }), 1);
    assert.equal((await client.streams({ topic: 'bin' })).length, 2);
  });

  it('keeps calculated parameters for a topic, and asks for them', async () => {
    const metres = { id: 'Metres/s', expression: 'v / 3.6', unit: 'm/s' };
    await client.defineCalculated('reckoned', [metres, { id: 'Twice', expression: '"Metres/s" * 2' }]);
    await client.writeParameterData('reckoned', 's', { timestamps: [1n], numericValues: { v: [36] } });
    const asked = { topic: 'reckoned', numericParameters: [{ parameterName: 'Twice' }] };
    assert.deepEqual((await client.query(asked)).numericValues, { Twice: [20] });
    const listed = await client.parameters({ topic: 'reckoned', includeTypes: ['Calculated'] });
    assert.deepEqual(listed[0], {
      parameterId: 'Metres/s',
      name: 'Metres/s',
      expression: 'v / 3.6',
      unit: 'm/s',
      type: 'Calculated',
      streamIds: ['s'],
    });
    await client.removeCalculated('reckoned', 'Twice');
    assert.deepEqual(await client.calculated('reckoned'), [metres]);
    const again = client.removeCalculated('reckoned', 'Twice');
    await assert.rejects(
      again,
      (error) => error instanceof RequestError && error.code === 'calculated_not_found',
    );
  });

  it('finds streams with exact times', async () => {
    const id = await client.createStream('cars', { name: 'a lap', metadata: { driver: 'HAM' } });
    await client.closeStream('cars', id, 'Aborted');
    const [found] = await client.streams({ metadata: [{ key: 'driver', value: 'HAM' }] });
    assert.equal(found?.streamId, id);
    assert.equal(found.status, 'Aborted');
    assert.equal(found.dataStart, undefined);
    const [other] = await client.streams({ streamIds: ['all kinds/1'] });
    const nameless = { streamId: undefined } as unknown as { streamId: string };
    const chosen = await client.createStream('cars', nameless);
    assert.equal((await client.streams({ streamIds: [chosen] })).length, 1);
    assert.deepEqual([other?.dataStart, other?.dataEnd], [start, start + 3n]);
  });

  it('makes a stream where a page has no TLS, and so no crypto.randomUUID', async (test) => {
    Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
    test.after(() => Reflect.deleteProperty(crypto, 'randomUUID'));
    const id = await client.createStream('cars');
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal((await client.streams({ streamIds: [id] })).length, 1);
  });

  it('lists tags, and tells what the service warns of', async () => {
    const warnings: string[] = [];
    const warned = createClient({ url, token: adminToken, onWarning: (text) => warnings.push(text) });
    await warned.writeParameterData('tagged', 'süd', {
      timestamps: [1_780_272_000_000n],
      numericValues: { speed: [1] },
      tagValues: { lap: ['7'] },
    });
    assert.deepEqual(await warned.tagNames({ topic: 'tagged' }), [
      { name: 'lap', values: 1, first: '7', last: '7' },
    ]);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]!, /^The timestamp 1780272000000 of the stream "süd" .* milliseconds/);
    await warned.query({ topic: 'tagged', numericParameters: [{ parameterName: 'sped' }] });
    assert.equal(warnings[1], 'No selected stream has the numeric parameter "sped"; the nearest is "speed".');
  });

  it('tells how many rows are older than the retention of their topic', async () => {
    const settings = await fetch(`${url}/topics/short`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${adminToken}`, 'Content-Type': 'application/json' },
      body: '{"retention":"1d"}',
    });
    assert.equal(settings.status, 200);
    const timestamps = [1n, 2n, BigInt(Date.now()) * 1_000_000n];
    const write = () =>
      client.writeParameterData('short', 's', { timestamps, numericValues: { v: [1, 2, 3] } });
    assert.equal(await write(), 2);
  });

  it('tells where nothing was stored, and takes no Map, which would be {} in JSON', async () => {
    const warnings: string[] = [];
    const warned = createClient({ url, token: adminToken, onWarning: (text) => warnings.push(text) });
    const map = new Map([['Speed', [1]]]) as unknown as Record<string, number[]>;
    await assert.rejects(
      warned.writeParameterData('nothing', 'map', { timestamps: [1n], numericValues: map }),
      { name: 'TypeError', message: 'numericValues is an object of names and values, not Map' },
    );
    await warned.writeParameterData('nothing', 'empty', { timestamps: [1n], numericValues: {} });
    await warned.writeParameterData('nothing', 'null', {
      timestamps: [1n],
      numericValues: { Speed: [null] },
    });
    assert.equal(warnings.length, 2);
    assert.match(warnings[0]!, /^Nothing was stored of the stream "empty": none of its rows has a value\. /);
    assert.match(warnings[1]!, /^Nothing was stored of the stream "null": /);
  });

  it('reads page by page what is too long for one answer', async () => {
    const count = 25;
    const timestamps = Array.from({ length: count }, (_, i) => BigInt(i));
    await client.writeParameterData('cars', 'pages', {
      timestamps,
      numericValues: { n: timestamps.map(Number) },
    });
    const query = { streamIds: ['pages'], numericParameters: [{ parameterName: 'n' }] };
    const sizes: number[] = [];
    const read: bigint[] = [];
    for await (const page of client.pages(query, 10)) {
      sizes.push(page.timestamps.length);
      read.push(...page.timestamps);
    }
    assert.deepEqual(sizes, [10, 10, 5]);
    assert.deepEqual(read, timestamps);
    const limited: bigint[] = [];
    for await (const page of client.pages({ ...query, limit: 12 }, 10)) limited.push(...page.timestamps);
    assert.deepEqual(limited, timestamps.slice(0, 12));
  });

  it('tells what is wrong with a request, and does not repeat it', async () => {
    let sent = 0;
    const counting = createClient({
      url,
      token: adminToken,
      fetch: (...args) => {
        sent++;
        return fetch(...args);
      },
    });
    const bad = counting.writeParameterData('cars', 's', { timestamps: [1n], numericValues: { a: [1, 2] } });
    await assert.rejects(bad, (error: RequestError) => {
      assert.equal(error.status, 400);
      assert.equal(error.code, 'length_mismatch');
      assert.equal(error.errors[0]?.path, 'numericValues.a');
      assert.ok(error.requestId);
      return error instanceof RequestError;
    });
    assert.equal(sent, 1);
  });

  it('repeats a request that met a service in trouble, until it is answered', async () => {
    const troubles: (() => Promise<Response>)[] = [
      () => Promise.resolve(new Response('busy', { status: 503, headers: { 'retry-after': '0' } })),
      () => Promise.reject(new TypeError('fetch failed')),
      () => Promise.resolve(new Response('<html>bad gateway</html>', { status: 502 })),
    ];
    const client = createClient({
      url,
      token: adminToken,
      retry: { firstDelayMs: 1 },
      fetch: (...args) => troubles.shift()?.() ?? fetch(...args),
    });
    await client.writeParameterData('cars', 'again', { timestamps: [1n], numericValues: { a: [1] } });
    assert.equal(troubles.length, 0);
    assert.equal((await client.streams({ streamIds: ['again'] })).length, 1);
  });

  it('gives up after as many attempts as it was told, with the last answer', async () => {
    let sent = 0;
    const client = createClient({
      url,
      token: adminToken,
      retry: { attempts: 3, firstDelayMs: 1 },
      fetch: () => {
        sent++;
        return Promise.resolve(new Response('<html>bad gateway</html>', { status: 502 }));
      },
    });
    await assert.rejects(client.streams(), /answered 502: <html>bad gateway/);
    assert.equal(sent, 3);
  });

  it('sends nothing where a name is a dot or two, which an address cannot have', async () => {
    const rows = { timestamps: [1n], numericValues: { n: [1] } };
    for (const name of ['.', '..']) {
      const message = { name: 'TypeError', message: /a URL takes it for a step/ };
      await assert.rejects(client.writeParameterData('cars', name, rows), message);
      await assert.rejects(client.deleteView(name), message);
      assert.deepEqual(await client.views({ topic: name }), []);
    }
    await client.writeParameterData('dots', 'a/..', rows);
    assert.equal((await client.streams({ topic: 'dots' }))[0]?.streamId, 'a/..');
  });
});
