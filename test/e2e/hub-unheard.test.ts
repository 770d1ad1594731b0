import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import { until } from '../until.ts';
import { adminToken, send, startService } from './service.ts';

describe('what the hub tells no client', async () => {
  const service = await startService();
  const connect = async () => {
    const connection = new HubConnectionBuilder()
      .withUrl(`${service.url}/hub?int64=string`, { accessTokenFactory: () => adminToken })
      .configureLogging(LogLevel.None)
      .build();
    await connection.start();
    return connection;
  };

  it('is in the log where a call fails whose client asked for no answer', async () => {
    const writer = await connect();
    const wrong = { timestamps: ['1'], numericValues: { Speed: [] } };
    await writer.send('SendParameterData', 'cars', 'lap', wrong);
    await until(() => /calls to the hub failed, and no client is told/.test(service.stderr()));
    // Of one whose client asked for the answer the client is told.
    await assert.rejects(writer.invoke('SendParameterData', 'cars', 'lap', wrong), /length_mismatch/);
    await writer.stop();
    const said = service.stderr().match(/.*calls to the hub failed.*/g);
    assert.equal(said?.length, 1);
    assert.match(said[0]!, /"times":1.*numericValues\.Speed has 0 elements, timestamps has 1/);
  });

  it('is in the log and in a metric where rows are older than the retention of their topic', async () => {
    await send(service.url, '/topics/brief', { method: 'PUT', body: '{"retention":"1d"}' });
    const writer = await connect();
    const now = `${Date.now()}000000`;
    const data = {
      timestamps: ['1700000000000000000', '1700000001000000000', now],
      numericValues: { v: [1, 2, 3] },
    };
    await writer.invoke('SendParameterData', 'brief', 's', data);
    const event = { id: 'stop', timestamp: '1700000000000000000', value: 'x' };
    await writer.invoke('SendEventData', 'brief', 's', event);
    await writer.stop();
    const { text } = await send(service.url, '/metrics');
    assert.match(text, /^pitwall_rows_expired_total 3$/m);
    const said = service.stderr().match(/.*writes over the hub were probably meant otherwise.*/g);
    assert.equal(said?.length, 1);
    assert.match(
      said[0]!,
      /Rows older than the retention of their topic were not kept: 2 of the stream \\"s\\"\./,
    );
  });
});
