import { Wire, WireReader } from '../../protobuf/wire-reader.ts';
import type { Steps } from '../../turns/steps.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { protobufBody } from '../series/protobuf-body.ts';
import type { SeriesRead } from '../series/series-read.ts';
import { type MetricHead, type MetricKind, type Scope, scopeOf } from './metric.ts';
import { OtlpPoints, type OtlpRules } from './points.ts';
import { ProtobufPoints } from './protobuf-points.ts';

/**
 * Metrics of OTLP in protobuf (opentelemetry/proto, collector/metrics/v1 and metrics/v1):
 *
 *   ExportMetricsServiceRequest  1 resource_metrics…
 *   ResourceMetrics              1 resource (1 attributes…), 2 scope_metrics…
 *   ScopeMetrics                 1 scope (1 name, 2 version, 3 attributes…), 2 metrics…
 *   Metric                       1 name, 2 description, 3 unit, one of 5 gauge, 7 sum, 9 histogram, 10 exponential_histogram, 11 summary
 *   Gauge, Sum, Histogram, …     1 data_points…, 2 aggregation_temporality, 3 is_monotonic
 *
 * Fields may come in any order: each message is gone through twice, first for what is said of all in it.
 */
const kinds: Readonly<Record<number, MetricKind>> = {
  5: 'gauge',
  7: 'sum',
  9: 'histogram',
  10: 'exponentialHistogram',
  11: 'summary',
};

/** Fields and points of a step. */
const stepWork = 512;

/** Of the texts that are read of a metric's description and unit. */
const metricTexts = [1, 2, 3];

/** Throws `bad_request` for what is no such message; what is wrong with single points is counted. */
export function* protobufSteps(body: Uint8Array, rules: OtlpRules, share?: MemoryShare): Steps<SeriesRead> {
  const request = new ProtobufRequest(body, rules, share);
  yield* protobufBody(request.steps());
  return yield* request.points.read();
}

class ProtobufRequest {
  readonly points: OtlpPoints;
  readonly #reader: WireReader;
  readonly #pointReader: ProtobufPoints;
  readonly #maxAttributes: number;
  #work = 0;

  constructor(body: Uint8Array, rules: OtlpRules, share: MemoryShare | undefined) {
    this.#reader = new WireReader(body);
    this.points = new OtlpPoints(rules, share);
    this.#pointReader = new ProtobufPoints(this.#reader, this.points);
    this.#maxAttributes = rules.limits.maxTags;
  }

  *steps(): Steps<void> {
    const { length } = this.#reader.bytes;
    for (let at = 0; at < length; ) {
      at = this.#next(at, length);
      if (this.#isBytes(1)) yield* this.#resourceMetrics(this.#reader.from, this.#reader.to);
      if (this.#isOver()) yield;
    }
  }

  *#resourceMetrics(start: number, end: number): Steps<void> {
    const reader = this.#reader;
    const places: number[] = [];
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      if (this.#isBytes(1)) this.#placesOf(1, reader.from, reader.to, places);
      if (this.#isOver()) yield;
    }
    const isTooMany = places.length > 2 * this.#maxAttributes;
    this.points.resource(
      isTooMany
        ? `the resource has more than ${this.#maxAttributes} attributes`
        : this.#pointReader.attributes.pairs(places),
    );
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      if (this.#isBytes(2)) yield* this.#scopeMetrics(reader.from, reader.to);
      if (this.#isOver()) yield;
    }
  }

  *#scopeMetrics(start: number, end: number): Steps<void> {
    const reader = this.#reader;
    let scope: Scope | undefined;
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      if (this.#isBytes(1)) scope = this.#scope(reader.from, reader.to);
      if (this.#isOver()) yield;
    }
    this.points.scope(scope ?? scopeOf('', '', []));
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      if (this.#isBytes(2)) yield* this.#metric(reader.from, reader.to);
      if (this.#isOver()) yield;
    }
  }

  #scope(start: number, end: number): Scope {
    const reader = this.#reader;
    const { texts, attributes } = this.#pointReader;
    let name = '';
    let version = '';
    const places: number[] = [];
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      if (this.#isBytes(1)) name = texts.at(reader.from, reader.to);
      else if (this.#isBytes(2)) version = texts.at(reader.from, reader.to);
    }
    this.#placesOf(3, start, end, places);
    return scopeOf(name, version, attributes.pairs(places));
  }

  *#metric(start: number, end: number): Steps<void> {
    const reader = this.#reader;
    const texts: string[] = [];
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      if (reader.wire === Wire.Bytes && metricTexts.includes(reader.number))
        texts[reader.number] = this.#pointReader.texts.at(reader.from, reader.to);
      if (this.#isOver()) yield;
    }
    const [, name = '', description = '', unit = ''] = texts;
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      const { from, to } = reader;
      const kind = kinds[reader.number];
      if (kind !== undefined && reader.wire === Wire.Bytes)
        yield* this.#data({ name, description, unit, kind }, from, to);
      if (this.#isOver()) yield;
    }
  }

  *#data(
    metric: Pick<MetricHead, 'name' | 'description' | 'unit' | 'kind'>,
    start: number,
    end: number,
  ): Steps<void> {
    const reader = this.#reader;
    const { kind } = metric;
    let temporality = 0;
    let isMonotonic = false;
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      if (reader.wire === Wire.Varint && reader.number === 2) temporality = reader.low;
      else if (reader.wire === Wire.Varint && reader.number === 3) isMonotonic = reader.low !== 0;
      if (this.#isOver()) yield;
    }
    const hasTemporality = kind !== 'gauge' && kind !== 'summary';
    this.points.metric({
      ...metric,
      isMonotonic: kind === 'sum' && isMonotonic,
      temporality: hasTemporality ? temporalities[temporality] : undefined,
    });
    for (let at = start; at < end; ) {
      at = this.#next(at, end);
      if (this.#isBytes(1)) this.#pointReader.read(kind, reader.from, reader.to);
      if (this.#isOver()) yield;
    }
  }

  /** Adds where the fields of this number stand, one more than a resource may have at most. */
  #placesOf(number: number, start: number, end: number, places: number[]): void {
    const reader = this.#reader;
    for (let at = start; at < end && places.length <= 2 * this.#maxAttributes; ) {
      at = reader.next(at, end);
      if (reader.number === number && reader.wire === Wire.Bytes) places.push(reader.from, reader.to);
    }
  }

  #next(at: number, end: number): number {
    this.#work++;
    return this.#reader.next(at, end);
  }

  #isBytes(number: number): boolean {
    return this.#reader.number === number && this.#reader.wire === Wire.Bytes;
  }

  #isOver(): boolean {
    if (this.#work < stepWork) return false;
    this.#work = 0;
    return true;
  }
}

const temporalities = [undefined, 'delta', 'cumulative'] as const;
