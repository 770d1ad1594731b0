import type { Steps } from '../../turns/steps.ts';
import { fault } from '../base/fault.ts';
import type { JsonLimits, MemoryShare } from '../json/json-memory.ts';
import { bodySteps } from '../json/value.ts';
import type { SeriesRead } from '../series/series-read.ts';
import { attributesOf } from './json-attributes.ts';
import { doubleOf, integerOf, MessageFields, unsigned } from './json-values.ts';
import { type MetricKind, scopeOf } from './metric.ts';
import { maxBuckets, type ScaledBuckets } from './point.ts';
import { OtlpPoints, type OtlpRules } from './points.ts';

/**
 * Metrics of OTLP in JSON (opentelemetry.io/docs/specs/otlp, "JSON Protobuf encoding"): the messages of protobuf.ts, with names in
 * lowerCamelCase. What is not known is passed over.
 */
const maxBytes = 8 * 1024 * 1024;
const jsonLimits: JsonLimits = {
  maxBytes,
  maxValueBytes: 24 * maxBytes,
  what: 'a body of OTLP in JSON',
};

/** Points of a step. */
const stepPoints = 128;

const kinds: readonly MetricKind[] = ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'];

const temporalities = [undefined, 'delta', 'cumulative'] as const;
const temporalityNames = ['UNSPECIFIED', 'DELTA', 'CUMULATIVE'].map(
  (name) => `AGGREGATION_TEMPORALITY_${name}`,
);

/** Throws as `decodeBody`, and `wrong_type` and `invalid_value` for what is no such message; what is wrong with single points is counted. */
export function* jsonSteps(body: Uint8Array, rules: OtlpRules, share?: MemoryShare): Steps<SeriesRead> {
  const value = yield* bodySteps(body, jsonLimits, share);
  if (value === undefined) throw fault('bad_json', '', 'is empty');
  const points = new OtlpPoints(rules, share);
  yield* request(new MessageFields(value, ''), points);
  return yield* points.read();
}

function* request(body: MessageFields, points: OtlpPoints): Steps<void> {
  if (!body.isEmpty && !body.has('resourceMetrics'))
    throw fault('missing_property', 'resourceMetrics', 'is missing');
  let work = 0;
  for (const [i, element] of body.list('resourceMetrics').entries()) {
    const own = new MessageFields(element, `resourceMetrics[${i}]`);
    const resource = own.message('resource');
    points.resource(
      resource === undefined ? [] : attributesOf(resource.list('attributes'), resource.pathOf('attributes')),
    );
    for (const [j, scoped] of own.list('scopeMetrics').entries()) {
      const fields = new MessageFields(scoped, `${own.pathOf('scopeMetrics')}[${j}]`);
      setScope(fields, points);
      for (const [k, metric] of fields.list('metrics').entries()) {
        for (const read of pointsOf(new MessageFields(metric, `${fields.pathOf('metrics')}[${k}]`), points)) {
          read();
          if (++work % stepPoints === 0) yield;
        }
      }
    }
  }
}

function setScope(fields: MessageFields, points: OtlpPoints): void {
  const scope = fields.message('scope');
  const attributes =
    scope === undefined ? [] : attributesOf(scope.list('attributes'), scope.pathOf('attributes'));
  points.scope(scopeOf(scope?.text('name') ?? '', scope?.text('version') ?? '', attributes));
}

/** Gives for each point of a metric what reads it. */
function* pointsOf(metric: MessageFields, points: OtlpPoints): Generator<() => void> {
  const texts = {
    name: metric.text('name') ?? '',
    description: metric.text('description') ?? '',
    unit: metric.text('unit') ?? '',
  };
  for (const kind of kinds) {
    const data = metric.message(kind);
    if (data === undefined) continue;
    points.metric({
      ...texts,
      kind,
      isMonotonic: data.flag('isMonotonic') ?? false,
      temporality: temporalities[data.word('aggregationTemporality', temporalityNames) ?? 0],
    });
    for (const [i, point] of data.list('dataPoints').entries())
      yield () => readPoint(kind, new MessageFields(point, `${data.pathOf('dataPoints')}[${i}]`), points);
  }
}

function readPoint(kind: MetricKind, fields: MessageFields, points: OtlpPoints): void {
  const { point, refused } = points;
  point.clear();
  const time = fields.integer('timeUnixNano', unsigned) ?? 0n;
  point.low = Number(time & 0xffffffffn);
  point.high = Number(time >> 32n);
  point.isEnd = ((fields.integer('flags', unsigned) ?? 0n) & 1n) !== 0n;
  refused.leaveOut('exemplar', fields.list('exemplars').length);
  if (kind === 'gauge' || kind === 'sum') {
    const whole = fields.integer('asInt');
    point.value =
      double(fields, 'asDouble', points) ?? (whole === undefined ? undefined : rounded(whole, points));
  } else readParts(kind, fields, points);
  point.tags = points.tagsOf(attributesOf(fields.list('attributes'), fields.pathOf('attributes')));
  points.take();
}

function readParts(kind: MetricKind, fields: MessageFields, points: OtlpPoints): void {
  const { point } = points;
  const count = (name: string): number => rounded(fields.integer(name, unsigned) ?? 0n, points);
  point.count = count('count');
  point.sum = kind === 'summary' ? doubleFrom(fields, 'sum', points) : double(fields, 'sum', points);
  point.min = double(fields, 'min', points);
  point.max = double(fields, 'max', points);
  if (kind === 'histogram') {
    readCounts(fields, point.counts, points, maxBuckets + 1);
    const path = fields.pathOf('explicitBounds');
    for (const [i, bound] of fields.list('explicitBounds').entries())
      point.add(point.bounds, doubleOf(bound, `${path}[${i}]`));
  } else if (kind === 'exponentialHistogram') {
    point.scale = fields.integer32('scale') ?? 0;
    point.zeroCount = count('zeroCount');
    point.zeroThreshold = fields.double('zeroThreshold') ?? 0;
    readBuckets(fields.message('positive'), point.positive, points);
    readBuckets(fields.message('negative'), point.negative, points);
  } else {
    const path = fields.pathOf('quantileValues');
    for (const [i, element] of fields.list('quantileValues').entries()) {
      const pair = new MessageFields(element, `${path}[${i}]`);
      const value = doubleFrom(pair, 'value', points);
      if (value === undefined) continue;
      point.add(point.quantiles, pair.double('quantile') ?? 0);
      point.add(point.quantiles, value);
    }
  }
}

/** A double that is 0 where it is absent; undefined for null, as JavaScript writes NaN. */
function doubleFrom(fields: MessageFields, name: string, points: OtlpPoints): number | undefined {
  return fields.has(name) ? double(fields, name, points) : 0;
}

function double(fields: MessageFields, name: string, { point }: OtlpPoints): number | undefined {
  if (fields.isRounded(name)) point.rounded++;
  return fields.double(name);
}

function readBuckets(fields: MessageFields | undefined, buckets: ScaledBuckets, points: OtlpPoints): void {
  if (fields === undefined) return;
  buckets.offset = fields.integer32('offset') ?? 0;
  readCounts(fields, buckets.counts, points, maxBuckets);
}

function readCounts(fields: MessageFields, counts: number[], points: OtlpPoints, most: number): void {
  const path = fields.pathOf('bucketCounts');
  for (const [i, count] of fields.list('bucketCounts').entries())
    points.point.add(counts, rounded(integerOf(count, `${path}[${i}]`, unsigned), points), most);
}

function rounded(value: bigint, { point }: OtlpPoints): number {
  return point.integer(Number(value & 0xffffffffn), Number(value >> 32n));
}
