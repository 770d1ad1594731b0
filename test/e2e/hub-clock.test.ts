import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import WebSocket from 'ws';
import { until } from '../until.ts';
import { clocksIn, clocksMissing } from './replicas-clocks.ts';
import { adminToken, send, startService, temporaryFolder } from './service.ts';

const end = '\x1e';
const ping = `{"type":6}${end}`;

it('a clock that is set back or ahead ends no connection of the hub, and stops no pings', {
  skip: clocksMissing,
}, async () => {
  const clocks = clocksIn(temporaryFolder());
  const env = { PITWALL_TOKEN: adminToken, ...clocks.envOf('node') };
  const { url } = await startService({ args: ['--hub-keep-alive', '1s'], env });
  const socket = new WebSocket(`${url.replace('http', 'ws')}/hub`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  await once(socket, 'open');
  let pings = 0;
  socket.on('message', (data) => {
    if (!String(data).includes('"type":6')) return;
    pings++;
    socket.send(ping);
  });
  socket.send(`{"protocol":"json","version":1}${end}${ping}`);
  const hours = async () => {
    const { headers } = await send(url, '/healthz');
    return Math.round((Date.parse(String(headers['date'])) - Date.now()) / 3_600_000);
  };
  for (const ahead of [-1, 1]) {
    clocks.set('node', ahead * 3600);
    await until(async () => (await hours()) === ahead);
    const before = pings;
    await until(() => pings >= before + 3 || socket.readyState !== WebSocket.OPEN);
    assert.equal(socket.readyState, WebSocket.OPEN);
  }
  socket.terminate();
});
