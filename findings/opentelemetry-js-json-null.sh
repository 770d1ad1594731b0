#!/bin/sh
# OpenTelemetry's exporter of JSON for JavaScript writes NaN and infinities as null; the one of protobuf writes them as numbers.
#
# Seen with @opentelemetry/exporter-metrics-otlp-http 0.223.0, -proto 0.223.0 and sdk-metrics 2.12.1 (npm). JSON of OTLP is that of protobuf, in
# which such doubles are the texts "NaN", "Infinity" and "-Infinity", and null stands for a field that is not there. So a receiver of
# JSON gets a point without any value, and one of protobuf gets the value, from the same program.
#
# Output seen:
#   json: null null 1.5
#   protobuf: NaN Infinity 1.5
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund @opentelemetry/exporter-metrics-otlp-http@0.223.0 \
  @opentelemetry/exporter-metrics-otlp-proto@0.223.0 @opentelemetry/sdk-metrics@2.12.1 @opentelemetry/api@1.9.1 >/dev/null
cat > try.mjs <<'JS'
import { createServer } from 'node:http';
import { OTLPMetricExporter as Json } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as Protobuf } from '@opentelemetry/exporter-metrics-otlp-proto';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

const bodies = [];
const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  bodies.push(Buffer.concat(chunks));
  response.writeHead(200, { 'Content-Type': request.headers['content-type'] }).end();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/v1/metrics`;
for (const Exporter of [Json, Protobuf]) {
  const reader = new PeriodicExportingMetricReader({ exporter: new Exporter({ url }), exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  provider.getMeter('m').createObservableGauge('g').addCallback((result) => {
    [Number.NaN, Number.POSITIVE_INFINITY, 1.5].forEach((value, i) => result.observe(value, { i }));
  });
  await provider.shutdown();
}
server.close();
const [json, protobuf] = bodies;
const points = JSON.parse(json).resourceMetrics[0].scopeMetrics[0].metrics[0].gauge.dataPoints;
const written = points.map(({ asDouble }) => String(asDouble)).join(' ');
// A double of a point: field 4, 64 bits. The time before it is field 3.
const found = [];
for (let at = 0; at + 18 <= protobuf.length; at++)
  if (protobuf[at] === 0x19 && protobuf[at + 9] === 0x21) found.push(protobuf.readDoubleLE(at + 10));
console.log(`json: ${written}\nprotobuf: ${found.join(' ')}`);
process.exit(written === 'null null 1.5' && found.join(' ') === 'NaN Infinity 1.5' ? 0 : 1);
JS
node try.mjs
