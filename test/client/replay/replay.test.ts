import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, type NewEvent, type ReplayProgress } from '../../../src/client/client.ts';
import { adminToken, startService } from '../../e2e/service.ts';
import { until } from '../../until.ts';

const start = 1_612_191_099_000_000_001n;
const fast = 1_000_000;

describe('a replay', async () => {
  const { url } = await startService({ args: ['--max-parameters', '8', '--max-tags', '2'] });
  const client = createClient({ url, token: adminToken });

  const rowsOf = (topic: string, streamId: string, numbers: readonly string[], tags: readonly string[]) =>
    client.query({
      topic,
      streamIds: [streamId],
      numericParameters: numbers.map((parameterName) => ({ parameterName })),
      stringParameters: [{ parameterName: 'Speed' }, { parameterName: 'Note' }],
      binaryParameters: [{ parameterName: 'Frame' }],
      groupBy: tags,
    });
  const streamOf = async (topic: string, streamId: string) =>
    (await client.streams({ topic, streamIds: [streamId] }))[0]!;
  const eventsOf = (topic: string, streamId: string) => client.eventData({ topic, streamIds: [streamId] });

  it('writes equal rows, events, definitions and properties, and closes the target', async () => {
    await client.createStream('cars', {
      streamId: 'whole',
      name: 'Lap 7',
      location: '/monza',
      metadata: { driver: 'HAM' },
      parents: ['session'],
      timeOfRecording: '2021-02-01T14:51:39.000Z',
    });
    await client.writeParameterData('cars', 'whole', {
      timestamps: [start, start, start + 1n, start + 2n, start + 5n, start - 1n],
      numericValues: {
        Speed: [1.5, 2, Number.NaN, null, Number.NEGATIVE_INFINITY, -0],
        Gear: [null, 5e-324, 1e21, null, 0.1, null],
      },
      stringValues: {
        Speed: ['text', null, '', null, 'a\nb', null],
        Note: [null, null, 'ü', null, null, null],
      },
      binaryValues: { Frame: [null, null, null, Uint8Array.of(0, 255), new Uint8Array(0), null] },
      tagValues: { lap: ['1', '2', null, '2', '', null], 'a b': ['x', null, null, 'y', null, null] },
    });
    const events: NewEvent[] = [
      { id: 'pit', timestamp: start + 1n, value: 'soft', tags: { lap: '1' } },
      { id: 'pit', timestamp: start + 1n, value: 'hard', tags: { lap: '2' } },
      { id: 'flag', timestamp: start + 9n, value: '' },
    ];
    await client.writeEvents('cars', 'whole', events);
    await client.defineParameters('cars', 'whole', [
      { id: 'Speed', unit: 'km/h', maximumValue: 400 },
      { id: 'Unwritten', description: 'nothing yet' },
    ]);
    await client.defineEvents('cars', 'whole', [{ id: 'flag', level: 'Warning', description: 'a flag' }]);
    await client.closeStream('cars', 'whole', 'Terminated');

    const told: ReplayProgress[] = [];
    const result = await client.replay({
      topic: 'cars',
      streamId: 'whole',
      toTopic: 'again',
      toStreamId: 'copy',
      speed: fast,
      onProgress: (progress) => told.push(progress),
    });
    assert.deepEqual(result, { rows: 6, events: 3, passes: 1, late: 0, expired: 0, endType: 'Terminated' });
    const last = told.at(-1)!;
    assert.deepEqual([last.rows, last.events, last.position, last.pass], [6, 3, start + 9n, 1]);

    const tags = ['lap', 'a b'];
    const numbers = ['Speed', 'Gear'];
    assert.equal((await rowsOf('cars', 'whole', numbers, tags)).numericValues['Speed']![0], -0);
    assert.deepEqual(
      await rowsOf('again', 'copy', numbers, tags),
      await rowsOf('cars', 'whole', numbers, tags),
    );
    assert.deepEqual(await eventsOf('again', 'copy'), await eventsOf('cars', 'whole'));
    const [source, target] = [await streamOf('cars', 'whole'), await streamOf('again', 'copy')];
    for (const field of [
      'name',
      'location',
      'metadata',
      'parents',
      'timeOfRecording',
      'status',
      'dataStart',
      'dataEnd',
    ] as const) {
      assert.deepEqual(target[field], source[field], field);
    }
    const definitions = async (topic: string) => [
      (await client.parameters({ topic })).map(({ streamIds: _ids, ...rest }) => rest),
      (await client.events({ topic })).map(({ streamIds: _ids, ...rest }) => rest),
    ];
    assert.deepEqual(await definitions('again'), await definitions('cars'));
  });

  it('is refused for tags whose names stand for stream and topic in a query', async () => {
    await client.writeParameterData('named', 'one', {
      timestamps: [start, start],
      numericValues: { Speed: [1, 2] },
      tagValues: { streamId: ['a', 'b'] },
    });
    await client.closeStream('named', 'one');
    await assert.rejects(
      client.replay({ topic: 'named', streamId: 'one', toTopic: 'named again' }),
      /the tag streamId/,
    );
    assert.deepEqual(await client.streams({ topic: 'named again' }), []);
  });

  it('leaves out what the topic of the source calculates', async () => {
    await client.writeParameterData('laps', 'one', { timestamps: [start], numericValues: { Speed: [36] } });
    await client.closeStream('laps', 'one');
    await client.defineCalculated('laps', [{ id: 'Metres', expression: 'Speed / 3.6', unit: 'm/s' }]);
    const result = await client.replay({ topic: 'laps', streamId: 'one', toTopic: 'laps again' });
    assert.equal(result.rows, 1);
    assert.deepEqual(
      (await client.parameters({ topic: 'laps again' })).map(({ parameterId }) => parameterId),
      ['Speed'],
    );
  });

  it('writes in several requests what one may not have', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
    // Two requests wrote row 0; three tags stand in different rows.
    for (const some of [names.slice(0, 6), names.slice(6)]) {
      await client.writeParameterData('wide', 'source', {
        timestamps: [start],
        numericValues: Object.fromEntries(some.map((name) => [name, [1]])),
      });
    }
    for (const [i, tag] of ['a', 'b', 'c'].entries()) {
      await client.writeParameterData('wide', 'source', {
        timestamps: [start + BigInt(i) + 1n],
        numericValues: { p0: [i] },
        tagValues: { [tag]: ['1'] },
      });
    }
    await client.closeStream('wide', 'source');
    const result = await client.replay({
      topic: 'wide',
      streamId: 'source',
      toTopic: 'wide-again',
      speed: fast,
    });
    assert.equal(result.rows, 4);
    const tags = ['a', 'b', 'c'];
    assert.deepEqual(
      await rowsOf('wide-again', 'source', names, tags),
      await rowsOf('wide', 'source', names, tags),
    );
  });

  it('takes from and to, both inclusive', async () => {
    const timestamps = Array.from({ length: 10 }, (_, i) => start + BigInt(i));
    await client.writeParameterData('cars', 'part', {
      timestamps,
      numericValues: { n: timestamps.map((_, i) => i) },
    });
    await client.writeEvents(
      'cars',
      'part',
      [3, 4, 6, 7].map((i) => ({ id: `e${i}`, timestamp: start + BigInt(i) })),
    );
    await client.closeStream('cars', 'part');
    const place = { topic: 'cars', streamId: 'part', toTopic: 'part-again', speed: fast };
    const result = await client.replay({ ...place, from: start + 4n, to: start + 6n });
    assert.deepEqual([result.rows, result.events], [3, 2]);
    const { numericValues } = await rowsOf('part-again', 'part', ['n'], []);
    assert.deepEqual(numericValues['n'], [4, 5, 6]);
  });

  it('gives rows and events the times at which they are due, with their distances', async () => {
    const timestamps = [start, start + 1n, start + 30_000_001n];
    await client.writeParameterData('cars', 'now', { timestamps, numericValues: { n: [1, 2, 3] } });
    await client.writeEvents('cars', 'now', [{ id: 'e', timestamp: start + 1n }]);
    await client.closeStream('cars', 'now');
    const before = BigInt(Date.now()) * 1_000_000n;
    await client.replay({ topic: 'cars', streamId: 'now', toTopic: 'now-again', times: 'now' });
    const { timestamps: written } = await rowsOf('now-again', 'now', ['n'], []);
    assert.ok(written[0]! >= before - 1_000_000n && written[2]! <= BigInt(Date.now() + 1) * 1_000_000n);
    assert.deepEqual(
      written.map((time) => time - written[0]!),
      [0n, 1n, 30_000_001n],
    );
    const { e } = await eventsOf('now-again', 'now');
    assert.equal(e![0]!.timestamp, written[1]);
  });

  it('keeps rows apart that a high speed would put on one time', async () => {
    const timestamps = Array.from({ length: 50 }, (_, i) => start + BigInt(i));
    const values = timestamps.map((_, i) => i);
    await client.writeParameterData('cars', 'dense', { timestamps, numericValues: { n: values } });
    await client.closeStream('cars', 'dense');
    await client.replay({
      topic: 'cars',
      streamId: 'dense',
      toTopic: 'dense-again',
      times: 'now',
      speed: fast,
    });
    const { numericValues } = await rowsOf('dense-again', 'dense', ['n'], []);
    assert.deepEqual(numericValues['n'], values);
  });

  it('follows a stream that is still written, and writes what came late', async () => {
    const write = (at: number, more: object = {}) =>
      client.writeParameterData('live', 'car', {
        timestamps: [start + BigInt(at)],
        numericValues: { n: [at] },
        ...more,
      });
    await write(1000);
    let seen = 0n;
    const done = client.replay({
      topic: 'live',
      streamId: 'car',
      toTopic: 'live-again',
      speed: fast,
      onProgress: ({ position }) => {
        seen = position;
      },
    });
    await until(() => seen === start + 1000n);
    // A parameter, a tag and an event that nobody knew before; then what is late, and before the first row too.
    await write(2000, { numericValues: { n: [2], m: [3] }, tagValues: { lap: ['1'] } });
    await client.writeEvents('live', 'car', [{ id: 'new', timestamp: start + 2001n }]);
    await until(() => seen === start + 2001n);
    await write(500);
    await write(2000, { stringValues: { Note: ['late'] }, tagValues: { lap: ['1'] }, numericValues: {} });
    await client.writeEvents('live', 'car', [{ id: 'late', timestamp: start + 600n }]);
    await client.defineParameters('live', 'car', [{ id: 'n', unit: 'm' }]);
    await client.closeStream('live', 'car');

    const result = await done;
    assert.deepEqual(result, { rows: 4, events: 2, passes: 1, late: 3, expired: 0, endType: 'Closed' });
    assert.deepEqual(
      await rowsOf('live-again', 'car', ['n', 'm'], ['lap']),
      await rowsOf('live', 'car', ['n', 'm'], ['lap']),
    );
    assert.deepEqual(await eventsOf('live-again', 'car'), await eventsOf('live', 'car'));
    const [defined] = await client.parameters({ topic: 'live-again', parameterIds: ['n'] });
    assert.equal(defined!.unit, 'm');
  });

  it('tells of a pause of the recording before it waits', async () => {
    const hour = 3_600_000_000_000n;
    await client.writeParameterData('cars', 'paused', {
      timestamps: [start, start + 1n, start + hour],
      numericValues: { n: [1, 2, 3] },
    });
    const stop = new AbortController();
    const told: ReplayProgress[] = [];
    const result = await client.replay({
      topic: 'cars',
      streamId: 'paused',
      toTopic: 'paused again',
      signal: stop.signal,
      onProgress: (progress) => {
        told.push(progress);
        if (progress.pauseMs > 0) stop.abort();
      },
    });
    assert.deepEqual([result.rows, result.endType], [2, 'Aborted']);
    const { pauseMs, ...last } = told.at(-1)!;
    assert.ok(pauseMs > 3_000_000 && pauseMs <= 3_600_000, String(pauseMs));
    assert.deepEqual({ ...last, pauseMs: 0 }, told.at(-2));
    assert.deepEqual([last.position, last.rows], [start + 1n, 2]);
  });

  it('catches up what a slow write has cost, in order', async () => {
    const timestamps = Array.from({ length: 50 }, (_, i) => start + BigInt(i) * 20_000_000n);
    await client.writeParameterData('cars', 'slow', {
      timestamps,
      numericValues: { n: timestamps.map(Number) },
    });
    await client.closeStream('cars', 'slow');
    const writes: string[][] = [];
    const slow = createClient({
      url,
      token: adminToken,
      async fetch(input, init) {
        if (String(input).endsWith('/topics/slow-again/streams/slow/parameters/data')) {
          const { timestamps: sent } = JSON.parse(init!.body as string) as { timestamps: string[] };
          writes.push(sent);
          // Until all of them are due.
          if (writes.length === 1) await pause(1000);
        }
        return fetch(input, init);
      },
    });
    await slow.replay({ topic: 'cars', streamId: 'slow', toTopic: 'slow-again' });
    assert.equal(writes.length, 2);
    assert.deepEqual(writes.flat(), timestamps.map(String));
  });

  it('begins anew with loop, and closes the target as Aborted when it is ended', async () => {
    await client.writeParameterData('cars', 'loop', {
      // Farther from each other than rows are sent ahead.
      timestamps: [start, start + 100_000_000n],
      numericValues: { n: [1, 2] },
    });
    await client.closeStream('cars', 'loop');
    const ending = new AbortController();
    const result = await client.replay({
      topic: 'cars',
      streamId: 'loop',
      toTopic: 'loop-again',
      times: 'now',
      loop: true,
      signal: ending.signal,
      onProgress: ({ pass }) => {
        if (pass === 3) ending.abort();
      },
    });
    assert.equal(result.endType, 'Aborted');
    assert.equal(result.passes, 2);
    assert.equal((await streamOf('loop-again', 'loop')).status, 'Aborted');
    const { numericValues } = await rowsOf('loop-again', 'loop', ['n'], []);
    assert.deepEqual(numericValues['n']!.slice(0, 5), [1, 2, 1, 2, 1]);
  });

  it('refuses what makes no sense', async () => {
    const place = { topic: 'cars', streamId: 'whole', toTopic: 'refused' };
    await assert.rejects(client.replay({ ...place, toTopic: 'Cars' }), TypeError);
    await assert.rejects(client.replay({ ...place, speed: 0 }), RangeError);
    await assert.rejects(client.replay({ ...place, from: 2n, to: 1n }), RangeError);
    await assert.rejects(
      client.replay({ ...place, streamId: 'nobody' }),
      /there is no stream nobody in topic cars/,
    );
    assert.deepEqual(await client.streams({ topic: 'refused' }), []);
  });
});
