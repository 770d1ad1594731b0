import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Route } from '../../src/http/route.ts';
import { everyRoute } from '../http/every-route.ts';
import { send, startService } from './service.ts';
import {
  fill,
  hiddenId,
  hiddenTopic,
  makePlace,
  type Place,
  secret,
  share,
  sharedIds,
  sharedTopic,
  tellsNothing,
} from './share-world.ts';

/** `lap-1` of another topic has the id of a shared stream. */
const otherIds = [[hiddenId], ['lap-1', hiddenId], [hiddenId, 'hidden-other'], ['nowhere']];
const choices: readonly object[] = [
  {},
  { topic: sharedTopic },
  { topic: 'CARS' },
  { topic: hiddenTopic },
  { topic: 'nowhere' },
  ...otherIds.map((streamIds) => ({ streamIds })),
  { topic: hiddenTopic, streamIds: ['lap-1'] },
  { topic: sharedTopic, streamIds: [hiddenId, 'lap-2'] },
];
const filters: readonly object[] = [
  ...choices,
  { topics: [hiddenTopic] },
  { topics: [hiddenTopic, 'Cars'] },
  { location: '/hidden' },
  { name: secret },
  { ordering: [{ by: 'name', direction: 'Desc' }], paging: { index: 0, length: 1 } },
  { paging: { index: 1, length: 1 } },
  { paging: { index: 1, length: 2 } },
];
const streamFilters: readonly object[] = [
  ...filters,
  { parameterIds: ['hiddenParameter'] },
  { parameterIds: ['Speed'] },
  { eventIds: ['hiddenevent'] },
  { metadata: [{ key: 'hiddenkey' }] },
  { metadata: [{ value: 'x' }] },
  { parentStreamId: hiddenId },
  { parentStreamId: 'lap-1' },
  { search: secret },
  { search: 'lap' },
  { includeStatuses: ['Open', 'Closed', 'SoftDeleted'] },
  { excludeStatuses: ['Open'] },
];
const numeric = (...names: string[]) => names.map((parameterName) => ({ parameterName }));
const cursor = Buffer.from(JSON.stringify(['5', hiddenId, hiddenTopic, '[]'])).toString('base64url');

/** What is asked at the calls that are open to shares: others' names stand wherever names go. */
const questions: Readonly<Record<string, readonly object[]>> = {
  'POST /streams': streamFilters,
  'POST /streams/models': streamFilters,
  'POST /parameters': [
    ...filters,
    { parameterIds: ['hiddenParameter', 'Speed'] },
    { unit: secret },
    { includeTypes: ['Unknown', 'Numeric'] },
  ],
  'POST /events': [...filters, { eventIds: ['hiddenevent', 'ownevent'] }, { description: secret }],
  'POST /topics': [{}],
  'POST /tags': [...choices, {}, { from: 0, to: 11 }],
  'POST /tags/values': [
    ...choices.map((choice) => ({ tag: 'Lap', ...choice })),
    { tag: 'hiddenTag' },
    { tag: 'Lap', from: 0, to: 11 },
  ],
  'POST /events/data': [
    ...choices,
    ...choices.map((choice) => ({ events: [{ eventId: 'hiddenevent' }], ...choice })),
  ],
  'POST /parameters/data': [
    ...choices.map((choice) => ({ numericParameters: numeric('Speed', 'hiddenParameter'), ...choice })),
    {
      numericParameters: [{ parameterName: 'Speed', aggregationType: 'Count' }],
      groupBy: ['streamId', 'topic', 'Lap'],
    },
    { numericParameters: [{ parameterName: 'Speed', aggregationType: 'Max' }] },
    {
      numericParameters: [{ parameterName: 'Speed', aggregationType: 'Sum' }],
      groupByTime: { timeBucketDuration: 10 },
    },
    { numericParameters: numeric('Speed'), groupBy: ['streamId', 'topic', 'hiddenTag'] },
    { numericParameters: numeric('Speed'), tagFilters: [{ tag: 'Lap', operator: 'Like', value: secret }] },
    { numericParameters: numeric('Speed'), limit: 1 },
    { numericParameters: numeric('Speed'), cursor },
    { numericParameters: numeric('Speed'), order: 'Desc', cursor },
    { calculatedParameters: [{ name: 'Sum', expression: 'sum(Speed)' }] },
    { numericParameters: numeric('Doubled') },
    { numericParameters: numeric('Doubled'), topic: sharedTopic, groupBy: ['streamId'] },
    { numericParameters: numeric('hiddenKept', 'Doubled') },
    { numericParameters: numeric('Doubled', 'hiddenKept') },
    { calculatedParameters: [{ name: 'h', expression: 'hiddenParameter + Speed' }] },
  ],
};

/** Times at which things were written differ between two places. */
const masked = (text: string) =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time').replace(/"[^"]*(?:urn|requestId)[^}]*/g, 'problem');

describe('the token of a share', async () => {
  // One place is filled before the other: both stay open, however slow the machine is.
  const service = await startService({ args: ['--interrupted-after', '1d'] });
  const { url } = service;
  const whole = await makePlace(service, 'whole');
  const alone = await makePlace(service, 'alone');
  await fill(whole, true);
  // The same without anything else: what a share shows must be what stands there.
  await fill(alone, false);
  const { token, id } = await share(whole, whole.admin);
  const routes = everyRoute();
  const callOf = ({ method, path }: Route) => `${method} ${path}`;

  const addresses = (path: string): string[] => {
    const fillIn = (names: Readonly<Record<string, string>>) =>
      path.replace(/:(\w+)/g, (_, name: string) => names[name] ?? 'page.js');
    return [
      { topic: sharedTopic, streamId: 'lap-1', eventId: 'e', id, name: 'whole', view: 'shared', share: id },
      {
        topic: hiddenTopic,
        streamId: hiddenId,
        eventId: 'e',
        id: 'x',
        name: 'alone',
        view: 'hidden-view',
        share: 'x',
      },
    ].map(fillIn);
  };

  /** Programs that write with Prometheus' remote write go on after a 400, and after no other refusal. */
  const refusalAt = (path: string) => (/^\/api\/v1\/(write|push)$/.test(path) ? 400 : 403);

  it('is tried at every route there is, each with an expectation', () => {
    const open = routes.filter((route) => route.openToShares === true).map(callOf);
    assert.deepEqual(open.sort(), [...Object.keys(questions), 'GET /views/:view'].sort());
    assert.ok(routes.length > 50);
  });

  for (const route of routes) {
    const call = callOf(route);
    if (route.openToShares === true || route.scope === undefined) continue;
    it(`is refused at ${call}, whatever it names`, async () => {
      for (const path of addresses(route.path)) {
        for (const headers of [{}, { connection: 'close' }]) {
          for (const body of route.body === undefined
            ? [undefined]
            : ['{}', '[]', '{"streamIds":["lap-1"]}']) {
            const length = { 'content-length': String(body?.length ?? 0) };
            const sent = {
              method: route.method,
              token,
              headers: { ...headers, ...length },
              ...(body !== undefined && { body }),
            };
            const refused = await send(url, path, sent);
            assert.equal(refused.status, refusalAt(route.path), `${call}: ${refused.status} ${refused.text}`);
            tellsNothing(refused.text.replaceAll(path, ''), call);
          }
        }
        if (route.method === 'GET') {
          const { status, text } = await send(url, path, { method: 'HEAD', token });
          assert.deepEqual([status, text], [403, ''], `HEAD ${path}`);
        }
        const options = await send(url, path, {
          method: 'OPTIONS',
          token,
          headers: { origin: 'http://a', 'access-control-request-method': route.method },
        });
        assert.deepEqual([options.status, options.text], [204, ''], `OPTIONS ${path}`);
      }
    });
  }

  it('is refused by the line protocol in whatever form it is shown', async () => {
    const basic = Buffer.from(`user:${token}`).toString('base64');
    const forms: [string, Record<string, string>][] = [
      ['', { authorization: `Token ${token}` }],
      ['', { authorization: `Bearer ${token}` }],
      ['', { authorization: `Basic ${basic}` }],
      [`&u=user&p=${token}`, {}],
    ];
    for (const [query, headers] of forms) {
      for (const path of ['/write?db=cars', '/api/v2/write?bucket=cars&org=o', '/query?db=cars']) {
        const sent = { method: 'POST', token: null, body: 'm Speed=1 1', headers };
        const { status } = await send(url, path + query, sent);
        assert.equal(status, 403, path + query);
      }
    }
  });

  const ask = ({ ask: asked }: Place, call: string, body: object, by: string) => {
    const [method, path] = call.split(' ') as [string, string];
    return asked(method, path, body, by);
  };

  for (const [call, bodies] of Object.entries(questions)) {
    it(`reads at ${call} as if nothing else were there`, async () => {
      let told = 0;
      for (const body of bodies) {
        const what = `${call} ${JSON.stringify(body)}`;
        const shown = await ask(whole, call, body, token);
        const expected = await ask(alone, call, body, alone.admin);
        assert.equal(shown.status, expected.status, `${what}: ${shown.text} ${expected.text}`);
        assert.equal(masked(shown.text), masked(expected.text), what);
        assert.equal(shown.headers['pitwall-warning'], expected.headers['pitwall-warning'], what);
        assert.equal(
          shown.headers['pitwall-next-cursor'] === undefined,
          expected.headers['pitwall-next-cursor'] === undefined,
          what,
        );
        const names = JSON.stringify(body).match(/hidden[\w-]*/gi) ?? [];
        // A column that was asked for is named in the answer, without values.
        tellsNothing(
          names.reduce((text, name) => text.replaceAll(name, ''), shown.text),
          what,
        );
        const all = await ask(whole, call, body, whole.admin);
        if (all.text !== shown.text) told++;
      }
      assert.ok(told > 0, 'there is something that is not told');
    });
  }

  it('reads the other forms of rows likewise', async () => {
    const body = { numericParameters: numeric('Speed'), groupBy: ['streamId', 'topic'] };
    for (const accept of [
      'text/csv',
      'application/vnd.apache.arrow.stream',
      'application/vnd.apache.parquet',
    ]) {
      const sent = { body: JSON.stringify(body), headers: { accept } };
      const shown = await send(url, '/parameters/data', { ...sent, token });
      const expected = await send(url, '/parameters/data', { ...sent, token: alone.admin });
      assert.equal(shown.status, 200);
      assert.deepEqual(shown.bytes, expected.bytes, accept);
    }
  });

  it('reads its view with the streams that were shared, and no other view', async () => {
    const read = (view: string) => whole.ask('GET', `/views/${view}`, undefined, token);
    const { name, topic, streamIds, state } = JSON.parse((await read('shared')).text) as Record<
      string,
      unknown
    >;
    assert.deepEqual([name, topic, streamIds, state], ['Laps', sharedTopic, sharedIds, { plots: [1] }]);
    assert.equal((await send(url, '/views/shared', { method: 'HEAD', token })).status, 200);
    const [other, nowhere] = [await read('hidden-view'), await read('nowhere')];
    assert.deepEqual([other.status, nowhere.status], [403, 403]);
    assert.equal(other.text.replace(/"requestId".*/, ''), nowhere.text.replace(/"requestId".*/, ''));
    const changed = {
      name: 'Laps',
      topic: sharedTopic,
      streamIds: [hiddenId, 'lap-2'],
      state: { plots: [1] },
    };
    assert.equal((await whole.ask('PUT', '/views/shared', changed, whole.admin)).status, 200);
    const later = await read('shared');
    tellsNothing(later.text, 'a view that has changed');
    assert.match(later.text, /"streamIds":\["lap-2"\]/);
    const streams = await whole.ask('POST', '/streams', {}, token);
    assert.equal((JSON.parse(streams.text) as unknown[]).length, 2, 'the streams of the time of the share');
  });

  it('opens no workspace by its address, and shows no problems of the service', async () => {
    const ready = await send(url, '/readyz', { token });
    assert.equal(ready.status, 200);
    assert.doesNotMatch(ready.text, new RegExp(secret));
    assert.equal((await send(url, '/metrics', { token })).status, 403);
  });
});
