import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send, startService } from './service.ts';

const { url } = await startService();

async function put(path: string, body: unknown, method = 'PUT'): Promise<void> {
  const answer = await send(url, `/topics/${path}`, { method, body: JSON.stringify(body) });
  assert.equal(answer.status, 200, answer.text);
}

async function ask<Answer>(path: string, body: object | string = {}): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await send(url, path, { body: text });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<Answer>();
}

await put('Cars/streams/a', { location: '/season/race', parents: ['root'] });
await put('cars/streams/root', { name: 'The root', location: '/season' });
const data = {
  timestamps: ['1591733989000000001', 7],
  numericValues: { Speed: [1, 2] },
  stringValues: { Gear: ['N', null] },
};
await put('cars/streams/a/parameters/data', data, 'POST');
await put('cars/streams/root/parameters/data', { timestamps: [3], numericValues: { Speed: [1] } }, 'POST');
await put('cars/streams/a/parameters', [{ id: 'Oil', unit: 'bar', maximumValue: 8.5, format: '0.0' }]);
await put('cars/streams/a/events/data', [{ id: 'pit', timestamp: 5 }], 'POST');
await put('cars/streams/a/events', [{ id: 'crash', level: 'Critical', name: 'Crash' }]);
await put('bikes/streams/x/parameters/data', { timestamps: [1], numericValues: { Lean: [1] } }, 'POST');

describe('the catalogue over HTTP', () => {
  it('lists parameters with what is defined, their types and streams', async () => {
    assert.deepEqual(await ask('/parameters', { topic: 'CARS' }), [
      { parameterId: 'Gear', name: 'Gear', type: 'String', streamIds: ['a'] },
      {
        parameterId: 'Oil',
        name: 'Oil',
        unit: 'bar',
        maximumValue: 8.5,
        format: '0.0',
        type: 'Unknown',
        streamIds: ['a'],
      },
      { parameterId: 'Speed', name: 'Speed', type: 'Numeric', streamIds: ['a', 'root'] },
    ]);
    const ids = async (filter: object) =>
      (await ask<{ parameterId: string }[]>('/parameters', filter)).map(({ parameterId }) => parameterId);
    assert.deepEqual(await ids({ location: '/season/race/' }), ['Gear', 'Oil', 'Speed']);
    assert.deepEqual(await ids({ IncludeTypes: ['numeric'] }), ['Lean', 'Speed']);
    assert.deepEqual(
      await ids({ ordering: [{ by: 'parameterId', direction: 'desc' }], paging: { length: 2 } }),
      ['Speed', 'Oil'],
    );
    assert.deepEqual(await ask('/parameters', ''), await ask('/parameters'));
  });

  it('lists events with their definitions', async () => {
    assert.deepEqual(await ask('/events'), [
      { id: 'crash', name: 'Crash', level: 'Critical', streamIds: ['a'] },
      { id: 'pit', name: 'pit', streamIds: ['a'] },
    ]);
    assert.deepEqual(await ask('/events', { excludeLevels: ['CRITICAL'] }), [
      { id: 'pit', name: 'pit', streamIds: ['a'] },
    ]);
  });

  it('lists topics as they were first spelt, their times exact', async () => {
    const answer = await send(url, '/topics', { method: 'POST', body: '{}' });
    assert.match(answer.text, /"name":"Cars","streams":2,"dataStart":3,"dataEnd":1591733989000000001,/);
    const topics = answer.json<{ name: string; lastUpdate: string }[]>();
    assert.deepEqual(
      topics.map(({ name }) => name),
      ['Cars', 'bikes'],
    );
    assert.ok(topics.every(({ lastUpdate }) => !Number.isNaN(Date.parse(lastUpdate))));
    const strings = await send(url, '/topics?int64=string', { body: '{}' });
    assert.match(strings.text, /"dataEnd":"1591733989000000001"/);
  });

  it('gives streams as a tree by their parents', async () => {
    interface Model {
      readonly streamId: string;
      readonly topic: string;
      readonly children: readonly Model[];
    }
    const models = await ask<Model[]>('/streams/models', { topic: 'cars' });
    assert.deepEqual(
      models.map(({ streamId, children }) => [
        streamId,
        children.map((child) => [child.streamId, child.topic]),
      ]),
      [['root', [['a', 'Cars']]]],
    );
    const alone = await ask<Model[]>('/streams/models', { streamIds: ['a'] });
    assert.deepEqual(
      alone.map(({ streamId, children }) => [streamId, children.length]),
      [['a', 0]],
    );
  });

  it('refuses filters that it does not know', async () => {
    for (const [path, body, words] of [
      ['/parameters', '{"includeTypes":["Number"]}', /nearest is Numeric/],
      ['/parameters', '{"parameterId":["a"]}', /parameterIds/],
      ['/events', '{"includeLevels":["Bad"]}', /includeLevels\[0\]/],
      ['/topics', '{"name":"a"}', /unknown_property/],
      ['/streams/models', '{"paging":{"length":0}}', /paging\.length/],
    ] as const) {
      const answer = await send(url, path, { body });
      assert.equal(answer.status, 400, path);
      assert.match(answer.text, words);
    }
  });
});
