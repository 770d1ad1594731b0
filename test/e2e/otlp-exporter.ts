// A program with OpenTelemetry's SDK, as people have them; its environment says where it exports to. Its argument is the exporter.
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationType, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

const say = (...words: unknown[]): void => console.log(...words);
diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);

const exporter = process.argv[2] === 'json' ? new JsonExporter() : new ProtobufExporter();
const provider = new MeterProvider({
  resource: resourceFromAttributes({
    'service.name': process.argv[2]!,
    'service.instance.id': 'one',
    'process.pid': process.pid,
    'process.command_args': ['node', 'app.js'],
  }),
  readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  views: [{ instrumentName: 'scaled', aggregation: { type: AggregationType.EXPONENTIAL_HISTOGRAM } }],
});
const meter = provider.getMeter('tests', '1.0');
meter.createCounter('laps', { unit: '{lap}', description: 'Laps driven' }).add(3, { driver: 'Ada' });
meter.createUpDownCounter('cars').add(-2);
const buckets = { explicitBucketBoundaries: [10, 20] };
const times = meter.createHistogram('lap.time', { unit: 's', advice: buckets });
const scaled = meter.createHistogram('scaled');
for (const time of [5, 15, 25, 15]) {
  times.record(time);
  scaled.record(time);
}
meter.createObservableGauge('speed').addCallback((result) => {
  result.observe(213.5, { wet: true, gear: 6 });
  result.observe(Number.NaN, { wet: false });
});
await provider.forceFlush();
await provider.shutdown();
