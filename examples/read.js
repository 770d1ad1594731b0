// Prints what write.js wrote, by the second: node examples/read.js
import { createClient } from 'pitwall/client';

const client = createClient({
  url: process.env['PITWALL_URL'] ?? 'http://127.0.0.1:8480',
  token: process.env['PITWALL_TOKEN'] ?? '',
});

const [stream] = await client.streams({ topic: 'boiler', streamIds: ['sensor-1'] });
if (stream?.dataStart === undefined) throw new Error('there is nothing yet: node examples/write.js');
console.log(`${stream.name}: ${stream.dataStart} to ${stream.dataEnd} (${stream.status})`);

const { timestamps, numericValues, tagValues } = await client.query({
  topic: 'boiler',
  streamIds: ['sensor-1'],
  numericParameters: [
    { parameterName: 'Temperature', aggregationType: 'Min' },
    { parameterName: 'Temperature', aggregationType: 'Mean' },
    { parameterName: 'Temperature', aggregationType: 'Max' },
    { parameterName: 'Temperature', aggregationType: 'Count' },
  ],
  groupBy: ['Mode'],
  groupByTime: { timeBucketDuration: 1_000_000_000n },
});
for (const [row, timestamp] of timestamps.entries()) {
  const time = new Date(Number(timestamp / 1_000_000n)).toISOString();
  const [least, mean, most, count] = ['min', 'mean', 'max', 'count'].map(
    (name) => numericValues[`${name}(Temperature)`]?.[row] ?? Number.NaN,
  );
  const range = `${least?.toFixed(2)} ${mean?.toFixed(2)} ${most?.toFixed(2)}`;
  console.log(`${time} ${tagValues['Mode']?.[row]} ${range} °C of ${count} rows`);
}
