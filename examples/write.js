// Writes the data of a sensor: node examples/write.js [ROWS]
import { createClient } from 'pitwall/client';

const rows = Number(process.argv[2] ?? 1000);
const client = createClient({
  url: process.env['PITWALL_URL'] ?? 'http://127.0.0.1:8480',
  token: process.env['PITWALL_TOKEN'] ?? '',
});

await client.updateStream('boiler', 'sensor-1', { name: 'Boiler room', location: '/house/cellar' });
await client.defineParameters('boiler', 'sensor-1', [
  { id: 'Temperature', unit: '°C', minimumValue: 0, maximumValue: 100 },
  { id: 'Pressure', unit: 'bar', minimumValue: 0, maximumValue: 3 },
]);

// Rows go in requests of 500, or after a fifth of a second; while the service is away they wait.
const writer = client.writer('boiler', { maxRows: 500, maxDelayMs: 200, whenFull: 'wait' });
const start = BigInt(Date.now()) * 1_000_000n;
for (let row = 0; row < rows; row++) {
  await writer.write('sensor-1', {
    timestamp: start + BigInt(row) * 10_000_000n, // 100 rows a second
    numeric: {
      Temperature: 60 + 5 * Math.sin(row / 200),
      Pressure: 1.5 + 0.1 * Math.cos(row / 50),
    },
    strings: row === 0 ? { Firmware: '2.1.0' } : {},
    tags: { Mode: row < rows / 2 ? 'heating' : 'holding' },
  });
}
await writer.close();
await client.closeStream('boiler', 'sensor-1');
console.log(`${rows} rows are written and synced`);
