import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { liveEvent } from '../../../src/live/live-event.ts';
import { call, connectRaw, openRaw, serveHub } from '../serve-hub.ts';

describe('the metrics of the hub', () => {
  it('tell the connections by transport', async () => {
    const served = await serveHub();
    const connections = async () => {
      const { values } = await served.metrics.hubConnections.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.transport, value]));
    };
    const none = { WebSockets: 0, ServerSentEvents: 0, LongPolling: 0 };
    assert.deepEqual(await connections(), none);
    const client = await connectRaw(served.url);
    await openRaw(served.url);
    assert.deepEqual(await connections(), { ...none, WebSockets: 2 });
    client.socket.close();
    await client.closed;
    while (served.hub.connectionCount > 1) await new Promise(setImmediate);
    assert.deepEqual(await connections(), { ...none, WebSockets: 1 });
  });

  it('tell the calls by method and outcome, under one name where there is no such method', async () => {
    const served = await serveHub();
    const client = await connectRaw(served.url);
    client.send(
      call('eCHO', [1], '0') + call('Fail', [], '1') + call('Nonsense', [], '2') + call('Other', []),
    );
    client.send(call('Echo', [1], '3'));
    for (let message = await client.next(); !message!.includes('"3"'); message = await client.next());
    const { values } = await served.metrics.hubInvocations.get();
    assert.deepEqual(
      values
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => `${labels.method} ${labels.outcome} ${value}`)
        .sort(),
      ['Echo ok 2', 'Fail error 1', 'unknown error 2'],
    );
  });

  it('tell messages and bytes both ways, and readers that were too slow', async () => {
    const served = await serveHub({ maxQueueBytes: 1000 });
    const client = await connectRaw(served.url);
    const listen = call('Listen', [], '0');
    client.send(listen);
    await client.next();
    const counted = async (
      name: 'hubMessagesSent' | 'hubBytesSent' | 'hubBytesReceived' | 'hubReadersTooSlow',
    ) => (await served.metrics[name].get()).values[0]!.value;
    assert.equal(await counted('hubMessagesSent'), 2);
    assert.equal(await counted('hubBytesSent'), '{}_{"type":3,"invocationId":"0"}_'.length);
    assert.equal(
      await counted('hubBytesReceived'),
      '{"protocol":"json","version":1}_'.length + listen.length,
    );
    assert.equal(await counted('hubReadersTooSlow'), 0);
    const event = liveEvent('PackageReceived', () => ['x'.repeat(600)]);
    served.listeners[0]!.deliver(event);
    served.listeners[0]!.deliver(event);
    assert.equal(await counted('hubReadersTooSlow'), 1);
  });
});
