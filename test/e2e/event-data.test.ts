import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, startService } from './service.ts';

interface Happened {
  readonly timestamp: number | string;
  readonly value: string | number;
  readonly tags: Readonly<Record<string, string>>;
}

const { url } = await startService();

async function write(streamId: string, events: object[]): Promise<void> {
  const body = JSON.stringify(events);
  const answer = await send(url, `/topics/cars/streams/${streamId}/events/data`, { body });
  assert.equal(answer.status, 200, answer.text);
}

/** Events as `id@time=value{tags}`, in their order. */
async function read(query: object | string = {}, path = '/events/data'): Promise<string[]> {
  const body = typeof query === 'string' ? query : JSON.stringify(query);
  const answer = await send(url, path, { body });
  assert.equal(answer.status, 200, answer.text);
  const { data } = answer.json<{ data: Record<string, Happened[]> }>();
  return Object.entries(data).flatMap(([id, happened]) =>
    happened.map(({ timestamp, value, tags }) => `${id}@${timestamp}=${value}${JSON.stringify(tags)}`),
  );
}

await write('a', [
  { id: 'pit', timestamp: 10, value: 'in', tags: { lap: '1', driver: 'J' } },
  { id: 'pit', timestamp: 25, value: 'out', tags: { lap: '2', driver: 'J' } },
  { id: 'crash', timestamp: 10, value: '' },
]);
await write('b', [{ id: 'pit', timestamp: 12, value: 'in', tags: { lap: '1' } }]);
await send(url, '/topics/cars/streams/a/parameters/data', {
  body: '{"timestamps":[11],"stringValues":{"pit":["no event"]}}',
});
await send(url, '/topics/bikes/streams/a/events/data', {
  body: '{"id":"fall","timestamp":"1591733989000000001","value":"x"}',
});

describe('/events/data', () => {
  it('gives the events by id, in order of time, with their tags; parameters of the name are others', async () => {
    assert.deepEqual(await read(), [
      'crash@10={}',
      'fall@1591733989000000000=x{}',
      'pit@10=in{"driver":"J","lap":"1"}',
      'pit@12=in{"lap":"1"}',
      'pit@25=out{"driver":"J","lap":"2"}',
    ]);
    assert.deepEqual(await read(''), await read());
  });

  it('selects by event, time, stream, topic and tags', async () => {
    assert.deepEqual(await read({ eventIds: ['crash'] }), ['crash@10={}']);
    assert.deepEqual(await read({ from: 10, to: 12, eventIds: ['pit'] }), [
      'pit@10=in{"driver":"J","lap":"1"}',
      'pit@12=in{"lap":"1"}',
    ]);
    assert.deepEqual(await read({ streamIds: ['b'] }), ['pit@12=in{"lap":"1"}']);
    assert.deepEqual(await read({ topic: 'BIKES' }), ['fall@1591733989000000000=x{}']);
    assert.deepEqual(
      await read({ tagFilters: [{ tag: 'driver', operator: 'Like', value: '^J$' }], to: 20 }),
      ['pit@10=in{"driver":"J","lap":"1"}'],
    );
  });

  it('keeps every digit of a time, as a number or as a string', async () => {
    const exact = await send(url, '/events/data', { body: '{"topic":"bikes"}' });
    assert.match(exact.text, /"timestamp":1591733989000000001,/);
    const text = await send(url, '/events/data?int64=string', { body: '{"topic":"bikes"}' });
    assert.match(text.text, /"timestamp":"1591733989000000001",/);
  });

  it('has an entry for each event that is asked for, though it never happened', async () => {
    const asked = await send(url, '/events/data', { body: '{"eventIds":["none","crash"],"to":5}' });
    assert.equal(asked.text, '{"data":{"none":[],"crash":[]}}');
    const all = await send(url, '/events/data', { body: '{"to":5}' });
    assert.equal(all.text, '{"data":{}}');
  });

  it('shows the tags of groupBy only, the stream and the topic among them', async () => {
    assert.deepEqual(await read({ eventIds: ['pit'], groupBy: ['driver', 'streamId', 'topic'] }), [
      'pit@10=in{"driver":"J","streamId":"a","topic":"cars"}',
      'pit@12=in{"streamId":"b","topic":"cars"}',
      'pit@25=out{"driver":"J","streamId":"a","topic":"cars"}',
    ]);
  });

  it('aggregates by bucket and group', async () => {
    const every10 = (aggregationType: string) => ({ aggregationType, interval: 10 });
    assert.deepEqual(await read({ topic: 'cars', aggregation: every10('count') }), [
      'crash@10=1{}',
      'pit@10=2{}',
      'pit@20=1{}',
    ]);
    assert.deepEqual(await read({ eventIds: ['pit'], aggregation: every10('Last'), groupBy: ['lap'] }), [
      'pit@10=in{"lap":"1"}',
      'pit@20=out{"lap":"2"}',
    ]);
    const whole = { aggregationType: 'First' };
    assert.deepEqual(await read({ eventIds: ['pit'], from: 11, aggregation: whole }), ['pit@11=in{}']);
  });

  it('refuses what it cannot read, with the place', async () => {
    for (const [body, words] of [
      ['{"eventId":["a"]}', /eventIds/],
      ['{"tagFilters":[{"tag":"lap","operator":"Like","value":"("}]}', /bad_pattern/],
      ['{"aggregation":{"aggregationType":"Sum"}}', /aggregation\.aggregationType/],
    ] as const) {
      const answer = await send(url, '/events/data', { body });
      assert.equal(answer.status, 400, body);
      assert.match(answer.text, words);
    }
  });

  it('shows nothing of a stream that is deleted', async () => {
    const body = '{"streamIds":["b"]}';
    await send(url, '/streams/delete', { body });
    assert.deepEqual(await read({ streamIds: ['b'] }), []);
    assert.deepEqual(await read({ eventIds: ['pit'], to: 20 }), ['pit@10=in{"driver":"J","lap":"1"}']);
    await send(url, '/streams/restore', { body });
    assert.deepEqual(await read({ streamIds: ['b'] }), ['pit@12=in{"lap":"1"}']);
  });

  it('has a budget of bytes', async () => {
    const small = await startService({ args: ['--max-result-bytes', '4KiB'] });
    const body = JSON.stringify(
      Array.from({ length: 100 }, (_, i) => ({ id: 'e', timestamp: i, value: 'x'.repeat(100) })),
    );
    await send(small.url, '/topics/t/streams/s/events/data', { body });
    const answer = await send(small.url, '/events/data', { body: '{}' });
    assert.match(answer.text, /result_too_large/);
    assert.equal((await send(small.url, '/events/data', { body: '{"to":9}' })).status, 200);
  });
});
