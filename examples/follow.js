// Prints what is written to a topic from now on: node examples/follow.js [TOPIC] [ROWS], to its end with Ctrl-C
import { createClient } from 'pitwall/client';

const [, , topic = 'boiler', most = 'Infinity'] = process.argv;
const client = createClient({
  url: process.env['PITWALL_URL'] ?? 'http://127.0.0.1:8480',
  token: process.env['PITWALL_TOKEN'] ?? '',
});

const live = client.live();
process.once('SIGINT', () => live.close());
live.onConnection((connected) => console.log(connected ? 'connected' : 'not connected'));

/** The last time that was seen of each stream. @type {Map<string, bigint>} */
const seen = new Map();
let rows = 0;

/** @param {string} streamId @param {Pick<import('pitwall/client').ParameterData, 'timestamps' | 'numericValues'>} data */
function show(streamId, { timestamps, numericValues }) {
  for (const [row, timestamp] of timestamps.entries()) {
    const values = Object.entries(numericValues).map(([name, column]) => `${name}=${column[row]}`);
    console.log(`${streamId} ${timestamp} ${values.join(' ')}`);
    const last = seen.get(streamId);
    if (last === undefined || timestamp > last) seen.set(streamId, timestamp);
    rows++;
  }
}

// Live data begins anew after a reconnect; what was written meanwhile is read by a query. A row that comes while the
// query runs may be shown twice.
live.onConnection(async (connected) => {
  if (!connected) return;
  for (const [streamId, last] of seen) {
    const names = await client.parameters({ topic, streamIds: [streamId], includeTypes: ['Numeric'] });
    const numericParameters = names.map(({ parameterId }) => ({ parameterName: parameterId }));
    const query = { topic, streamIds: [streamId], numericParameters, from: last + 1n };
    for await (const missed of client.pages(query)) show(streamId, missed);
  }
});

for await (const data of live.parameterData({ topic })) {
  show(data.streamId, data);
  if (rows >= Number(most)) break;
}
await live.close();
