import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, startService, temporaryFolder } from './service.ts';

interface FoundStream {
  readonly streamId: string;
  readonly dataStart?: number;
  readonly dataEnd?: number;
  readonly status: string;
}

async function find(url: string, filter: object): Promise<FoundStream[]> {
  return (await send(url, '/streams', { body: JSON.stringify(filter) })).json<FoundStream[]>();
}

const stream = '/topics/cars/streams/lap-7';

describe('events and definitions over HTTP', () => {
  it('are there after kill -9', async () => {
    const dataDir = temporaryFolder();
    const first = await startService({ dataDir });
    const { url } = first;
    const events = '[{"id":"pit","timestamp":"1591733989000000001","value":"in","tags":{"lap":"7"}}]';
    const writes: [method: string, path: string, body: string][] = [
      ['POST', `${stream}/events/data`, events],
      ['POST', `${stream}/events/data`, '{"Id":"crash","Timestamp":5}'],
      ['PUT', `${stream}/parameters`, '[{"id":"Speed","unit":"km/h","maximumValue":400}]'],
      ['PUT', `${stream}/events`, '[{"id":"crash","level":"critical"}]'],
      [
        'POST',
        '/topics/cars/streams/lap-8/parameters/data',
        '{"timestamps":[1],"stringValues":{"pit":["x"]}}',
      ],
    ];
    for (const [method, path, body] of writes) {
      const answer = await send(url, path, { method, body });
      assert.deepEqual([answer.status, answer.text], [200, ''], `${method} ${path}: ${answer.text}`);
    }
    await first.stop('SIGKILL');

    const again = await startService({ dataDir });
    const [found, ...others] = await find(again.url, { eventIds: ['pit'] });
    assert.deepEqual([found?.streamId, found?.status, others], ['lap-7', 'Open', []]);
    const text = (await send(again.url, '/streams', { body: '{"eventIds":["crash"]}' })).text;
    assert.match(text, /"dataStart":5,"dataEnd":1591733989000000001,/);
    assert.deepEqual(
      (await find(again.url, { parameterIds: ['pit'] })).map(({ streamId }) => streamId),
      ['lap-8'],
    );
    assert.deepEqual(await find(again.url, { eventIds: ['Speed'] }), []);
    await again.stop();
  });

  it('take the value of one event from a body of any type', async () => {
    const { url } = await startService();
    const path = (query: string) => `${stream}/events/radio%20call/value${query}`;
    const post = (query: string, body: string, type: string | undefined) =>
      send(url, path(query), { method: 'POST', body, headers: { 'content-type': type } });
    assert.equal((await post('?timestamp=17', 'box, box', 'text/plain')).status, 200);
    assert.equal((await post('?timestamp=-3', '{', 'application/json')).status, 200);
    assert.equal((await post('?timestamp=18', 'h\0i\0', 'text/plain; charset=utf-16le')).status, 200);
    assert.equal((await post('?timestamp=19', 'hi', 'text/plain; charset=klingon')).status, 415);
    assert.equal((await post('?timestamp=18', '<a/>', undefined)).status, 200);
    assert.equal((await send(url, path('?timestamp=19'), { method: 'POST' })).status, 200);
    const [found] = await find(url, { eventIds: ['radio call'] });
    assert.deepEqual([found?.dataStart, found?.dataEnd], [-3, 19]);

    const before = Date.now();
    assert.equal((await post('', 'now', 'image/png')).status, 200);
    const [later] = await find(url, { eventIds: ['radio call'] });
    assert.ok(later!.dataEnd! / 1e6 >= before - 1 && later!.dataEnd! / 1e6 <= Date.now() + 1);

    for (const query of ['?timestamp=1.5', '?timestamp=', '?timestamp=1&timestamp=2']) {
      const refused = await post(query, 'x', 'text/plain');
      assert.deepEqual([refused.status, refused.json<{ code: string }>().code], [400, 'bad_timestamp']);
    }
    const other = await send(url, `${stream}/events/data`, {
      body: '[]',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(other.status, 415);
  });

  it('are refused whole, with the place of the fault', async () => {
    const { url } = await startService();
    const refused: [method: string, path: string, body: string, code: string][] = [
      ['POST', 'events/data', '[{"id":"a","timestamp":1},{"id":"b"}]', 'missing_property'],
      ['POST', 'events/data', '', 'bad_json'],
      ['PUT', 'events', '[{"id":"a","level":"Bad"}]', 'invalid_value'],
      ['PUT', 'parameters', '[{"id":"a"},{"id":"b","untis":"kg"}]', 'unknown_property'],
      ['PUT', 'parameters', '{"id":"a"}', 'wrong_type'],
    ];
    for (const [method, path, body, code] of refused) {
      const answer = await send(url, `${stream}/${path}`, { method, body });
      assert.deepEqual(
        [answer.status, answer.json<{ code: string }>().code],
        [400, code],
        `${method} ${path}`,
      );
    }
    assert.deepEqual(await find(url, {}), []);
  });

  it('are in the OpenAPI document', async () => {
    const { url } = await startService();
    const { paths } = (await send(url, '/openapi.json')).json<{
      paths: Record<string, Record<string, { requestBody: { content: object; required?: boolean } }>>;
    }>();
    const base = '/topics/{topic}/streams/{streamId}';
    const types = (path: string, method: string) =>
      Object.keys(paths[`${base}/${path}`]![method]!.requestBody.content);
    assert.deepEqual(types('events/data', 'post'), ['application/json']);
    assert.deepEqual(types('events', 'put'), ['application/json']);
    assert.deepEqual(types('parameters', 'put'), ['application/json']);
    assert.deepEqual(types('events/{eventId}/value', 'post'), ['text/plain', '*/*']);
    assert.equal(paths[`${base}/events/{eventId}/value`]!['post']!.requestBody.required, false);
  });
});
