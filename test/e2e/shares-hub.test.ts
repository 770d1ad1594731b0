import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpTransportType, type HubConnection, HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import type { HubMethod } from '../../src/hub/connection/hub-method.ts';
import { readerHub } from '../../src/hub/reader-hub.ts';
import type { Subscriptions } from '../../src/hub/subscriptions.ts';
import { writerHub } from '../../src/hub/writer-hub.ts';
import type { Writer } from '../../src/ingest/writer.ts';
import { Sequence } from '../../src/live/sequence.ts';
import { until } from '../until.ts';
import { startService } from './service.ts';
import {
  fill,
  hiddenId,
  hiddenTopic,
  makePlace,
  makeToken,
  type Place,
  share,
  sharedTopic,
  tellsNothing,
} from './share-world.ts';

/** The hub's own table. */
const methods: readonly HubMethod[] = [
  ...writerHub({} as Writer, () => {}),
  ...readerHub(
    { activeStreams: () => new Sequence(0, () => {}), topicMetrics: () => new Sequence(0, () => {}) },
    {} as Subscriptions,
    { maxNameBytes: 512 },
    async () => undefined,
  ),
];

/** What each method is for the token of a share. */
const expectations: Readonly<Record<string, 'refused' | 'narrowed'>> = {
  CreateStream: 'refused',
  UpdateStream: 'refused',
  CloseStream: 'refused',
  SendParameterData: 'refused',
  SendEventData: 'refused',
  UpdateParameters: 'refused',
  UpdateEvents: 'refused',
  SubscribeToParameter: 'narrowed',
  SubscribeToEvent: 'narrowed',
  SubscribeToActiveStreams: 'narrowed',
  SubscribeToTopicMetrics: 'refused',
  SubscribeToPackages: 'narrowed',
  SubscribeToTopicPackages: 'narrowed',
  SubscribeToParameterDefinitions: 'narrowed',
  SubscribeToEventDefinitions: 'narrowed',
  UnsubscribeFromParameter: 'narrowed',
  UnsubscribeFromEvent: 'narrowed',
  UnsubscribeFromActiveStreams: 'narrowed',
  UnsubscribeFromTopicMetrics: 'refused',
  UnsubscribeFromPackages: 'narrowed',
  UnsubscribeFromTopicPackages: 'narrowed',
  UnsubscribeFromParameterDefinitions: 'narrowed',
  UnsubscribeFromEventDefinitions: 'narrowed',
  UnsubscribeFromStream: 'narrowed',
};

const targets = [
  'ParameterDataReceived',
  'EventDataReceived',
  'ActiveStreamsChanged',
  'TopicMetricsUpdated',
  'PackageReceived',
  'ParameterDefinitionsUpdated',
  'EventDefinitionsUpdated',
];

const transports = [
  ['WebSockets', HttpTransportType.WebSockets],
  ['Server-Sent Events', HttpTransportType.ServerSentEvents],
  ['Long Polling', HttpTransportType.LongPolling],
] as const;

interface Listener {
  readonly connection: HubConnection;
  readonly events: { readonly target: string; readonly text: string }[];
  closed: boolean;
}

async function listen(
  { url }: Place,
  token: string,
  transport = HttpTransportType.WebSockets,
): Promise<Listener> {
  const connection = new HubConnectionBuilder()
    .withUrl(`${url}/hub`, { transport, accessTokenFactory: () => token })
    .configureLogging(LogLevel.None)
    .build();
  const listener: Listener = { connection, events: [], closed: false };
  for (const target of targets)
    connection.on(target, (...args: unknown[]) => {
      listener.events.push({ target, text: JSON.stringify(args) });
    });
  connection.onclose(() => {
    listener.closed = true;
  });
  await connection.start();
  return listener;
}

/** A share that ends soon, and who listens by it. On a busy machine it may be over before: then the next one lasts longer. */
async function listenToTheEnd(place: Place, ms = 1000): Promise<{ token: string; reader: Listener }> {
  const expires = new Date(Date.now() + ms);
  try {
    const { token } = await share(place, place.admin, 'v', expires.toISOString());
    return { token, reader: await listen(place, token) };
  } catch (error) {
    if (Date.now() < expires.getTime() || ms > 30_000) throw error;
    return listenToTheEnd(place, 3 * ms);
  }
}

/** Subscribes to everything, by names and by wildcards; gives what the calls answered. */
async function subscribeToAll({ connection }: Listener, withMetrics: boolean): Promise<string> {
  const answers: unknown[] = [];
  for (const topic of ['*', sharedTopic, hiddenTopic]) {
    for (const what of ['ActiveStreams', 'Packages', ...(withMetrics ? ['TopicMetrics'] : [])])
      answers.push(await connection.invoke(`SubscribeTo${what}`, topic));
    for (const stream of ['*', 'lap-1', hiddenId]) {
      await connection.invoke('SubscribeToParameter', topic, stream, '*');
      await connection.invoke('SubscribeToParameter', topic, stream, 'Doubled');
      await connection.invoke('SubscribeToEvent', topic, stream, '*');
      await connection.invoke('SubscribeToParameterDefinitions', topic, stream);
      await connection.invoke('SubscribeToEventDefinitions', topic, stream);
    }
  }
  return JSON.stringify(answers);
}

describe('the token of a share at the hub', async () => {
  const service = await startService();
  const whole = await makePlace(service, 'whole');
  await fill(whole, true);
  const { token } = await share(whole, whole.admin);

  it('is tried at every method there is', () => {
    assert.deepEqual(methods.map(({ name }) => name).sort(), Object.keys(expectations).sort());
  });

  for (const [name, transport] of transports) {
    it(`is refused every method that is not narrowed, by ${name}`, async () => {
      const { connection } = await listen(whole, token, transport);
      for (const method of methods) {
        for (const names of [
          [sharedTopic, 'lap-1', 'Speed'],
          [hiddenTopic, hiddenId, 'hiddenParameter'],
          ['*', '*', '*'],
        ]) {
          const args = names.slice(0, method.arity[0]);
          const invoked = connection.invoke(method.name, ...args);
          if (expectations[method.name] === 'refused') {
            await assert.rejects(invoked, /user is unauthorized.*the token of a share/, method.name);
          } else {
            tellsNothing(JSON.stringify((await invoked) ?? null), method.name);
          }
        }
      }
      await connection.stop();
    });

    it(`is told of the shared streams and of nothing else, by ${name}`, async () => {
      const reader = await listen(whole, token, transport);
      const control = await listen(whole, whole.admin);
      tellsNothing(await subscribeToAll(reader, false), 'the answers of subscriptions');
      assert.match(await subscribeToAll(control, true), /hidden/);
      await fill(whole, true);
      const last = { timestamps: [99], numericValues: { Last: [99] } };
      const path = `/topics/${sharedTopic}/streams/lap-2/parameters/data`;
      assert.equal((await whole.ask('POST', path, last, whole.admin)).status, 200);
      const has = ({ events }: Listener, target: string, words: RegExp) =>
        events.some((event) => event.target === target && words.test(event.text));
      const expected = targets.filter((target) => target !== 'TopicMetricsUpdated');
      for (const target of expected) await until(() => has(control, target, /hidden/));
      await until(() => has(reader, 'ParameterDataReceived', /Last/));
      for (const target of expected) await until(() => has(reader, target, /lap-[12]/));
      for (const { target, text } of reader.events) {
        tellsNothing(text, target);
        assert.notEqual(target, 'TopicMetricsUpdated');
      }
      await reader.connection.stop();
      await control.connection.stop();
    });
  }

  /** Each with a maker's token of its own, in a workspace of its own where that goes. */
  const endings: Readonly<Record<string, (place: Place, maker: string, id: string) => Promise<unknown>>> = {
    'it is revoked': (place, maker, id) => place.ask('DELETE', `/views/v/shares/${id}`, undefined, maker),
    'all shares of its view are revoked': (place) =>
      place.ask('DELETE', '/views/v/shares', undefined, place.admin),
    'its view goes': (place, maker) => place.ask('DELETE', '/views/v', undefined, maker),
    'its view goes, and another of that name comes': async (place, maker) => {
      await place.ask('DELETE', '/views/v', undefined, maker);
      await share(place, maker, 'v');
    },
    "its maker's token is revoked": async (place, maker) => {
      const { text } = await place.ask('GET', '/views/v/shares', undefined, maker);
      const [made] = JSON.parse(text) as { makerId: string }[];
      await place.ask('DELETE', `/admin/tokens/${made!.makerId}`, undefined, place.admin);
    },
    'its workspace goes': (place) => place.ask('DELETE', `/admin/workspaces/${place.workspace}`),
  };

  let places = 0;
  for (const [when, end] of Object.entries(endings)) {
    it(`ends when ${when}, on live connections too`, async () => {
      const place = await makePlace(service, `ending-${++places}`);
      const maker = await makeToken(place, ['read', 'write']);
      const made = await share(place, maker, 'v');
      const readers = await Promise.all(
        transports.map(([, transport]) => listen(place, made.token, transport)),
      );
      const read = () => place.ask('POST', '/streams', {}, made.token);
      assert.equal((await read()).status, 200);
      await end(place, maker, made.id);
      assert.equal((await read()).status, 401);
      await until(() => readers.every(({ closed }) => closed));
    });
  }

  it('ends at its time, on live connections too', async () => {
    const place = await makePlace(service, 'expiring');
    const { token, reader } = await listenToTheEnd(place);
    await until(() => reader.closed);
    assert.equal((await place.ask('POST', '/streams', {}, token)).status, 401);
  });
});
