import { Wire, type WireReader } from '../../protobuf/wire-reader.ts';
import { WireTexts } from '../../protobuf/wire-texts.ts';
import type { MetricKind } from './metric.ts';
import { PlainPoints } from './plain-points.ts';
import { maxBuckets, type ScaledBuckets } from './point.ts';
import type { OtlpPoints } from './points.ts';
import { ProtobufAttributes } from './protobuf-attributes.ts';

/**
 * Data points in protobuf (opentelemetry/proto/metrics/v1/metrics.proto). All have times in ns as fixed64, integers of 64 bits
 * as fixed64 too, but in buckets of exponential histograms; what is not named is passed over:
 *
 *   NumberDataPoint                3 time, 4 double or 6 int (sfixed64), 5 exemplars, 7 attributes, 8 flags
 *   HistogramDataPoint             3 time, 4 count, 5 sum, 6 bucket_counts…, 7 explicit_bounds…, 8 exemplars, 9 attributes, 10 flags, 11 min, 12 max
 *   ExponentialHistogramDataPoint  1 attributes, 3 time, 4 count, 5 sum, 6 scale (sint32), 7 zero_count, 8 positive, 9 negative, 10 flags,
 *                                  11 exemplars, 12 min, 13 max, 14 zero_threshold
 *   Buckets                        1 offset (sint32), 2 bucket_counts… (uint64)
 *   SummaryDataPoint               3 time, 4 count, 5 sum, 6 quantile_values…, 7 attributes, 8 flags
 *   ValueAtQuantile                1 quantile, 2 value
 */
const fields = {
  number: { attributes: 7, flags: 8, exemplars: 5 },
  histogram: { attributes: 9, flags: 10, exemplars: 8 },
  exponentialHistogram: { attributes: 1, flags: 10, exemplars: 11 },
  summary: { attributes: 7, flags: 8, exemplars: -1 },
} as const;

/** The bit of `flags` that says that there is no value. */
const noRecordedValue = 1;

export class ProtobufPoints {
  readonly texts: WireTexts;
  readonly attributes: ProtobufAttributes;
  readonly #points: OtlpPoints;
  readonly #reader: WireReader;
  readonly #plain: PlainPoints;
  /** Where the attributes of the point at hand stand: of each field, then of its value. */
  readonly #fields: number[] = [];
  readonly #places: number[] = [];

  constructor(reader: WireReader, points: OtlpPoints) {
    this.#reader = reader;
    this.#points = points;
    this.#plain = new PlainPoints(reader, points);
    this.texts = new WireTexts(reader);
    this.attributes = new ProtobufAttributes(reader, this.texts, points.rules.limits.maxStringBytes);
  }

  /** Reads the point in `[start, end)` and has it taken. */
  read(kind: MetricKind, start: number, end: number): void {
    const isNumber = kind === 'gauge' || kind === 'sum';
    if (isNumber && this.#plain.read(start, end)) {
      this.#points.take();
      return;
    }
    const reader = this.#reader;
    const { point, rules, refused } = this.#points;
    const shape = isNumber ? 'number' : kind;
    const { attributes, flags, exemplars } = fields[shape];
    point.clear();
    if (kind === 'summary') point.sum = 0;
    if (this.#places.length > 0) this.#fields.length = this.#places.length = 0;
    const mostPlaces = 2 * (rules.limits.maxTags + 1);
    for (let at = start; at < end; ) {
      const field = at;
      at = reader.next(at, end);
      const { number, wire, from, to } = reader;
      if (wire === Wire.Fixed64 && number === 3) {
        point.low = reader.view.getUint32(from, true);
        point.high = reader.view.getUint32(from + 4, true);
      } else if (wire === Wire.Bytes && number === attributes) {
        if (this.#places.length === mostPlaces) continue;
        this.#fields.push(field, at);
        this.#places.push(from, to);
      } else if (wire === Wire.Varint && number === flags) point.isEnd = (reader.low & noRecordedValue) !== 0;
      else if (wire === Wire.Bytes && number === exemplars) refused.leaveOut('exemplar', 1);
      else if (shape === 'number') this.#number(number, wire, from);
      else this.#part(shape, number, wire, from, to);
    }
    point.tags = this.#tags();
    this.#points.take();
  }

  #number(number: number, wire: number, from: number): void {
    if (wire !== Wire.Fixed64) return;
    const { point } = this.#points;
    if (number === 4) point.value = this.#double(from);
    else if (number === 6) point.value = point.integer(this.#low(from), this.#high(from) | 0);
  }

  #part(
    shape: 'histogram' | 'exponentialHistogram' | 'summary',
    number: number,
    wire: number,
    from: number,
    to: number,
  ) {
    const { point } = this.#points;
    if (number === 4) {
      if (wire === Wire.Fixed64) point.count = point.integer(this.#low(from), this.#high(from));
    } else if (number === 5) {
      if (wire === Wire.Fixed64) point.sum = this.#double(from);
    } else if (shape === 'histogram') this.#histogram(number, wire, from, to);
    else if (shape === 'exponentialHistogram') this.#scaled(number, wire, from, to);
    else if (number === 6 && wire === Wire.Bytes) this.#quantile(from, to);
  }

  #histogram(number: number, wire: number, from: number, to: number): void {
    if (wire !== Wire.Bytes && wire !== Wire.Fixed64) return;
    const { point } = this.#points;
    if (number === 6) {
      for (let at = from; at + 8 <= to && point.flaw === undefined; at += 8)
        point.add(point.counts, point.integer(this.#low(at), this.#high(at)), maxBuckets + 1);
    } else if (number === 7) {
      for (let at = from; at + 8 <= to && point.flaw === undefined; at += 8)
        point.add(point.bounds, this.#double(at));
    } else if (wire === Wire.Fixed64) this.#extremes(number - 11, from);
  }

  #scaled(number: number, wire: number, from: number, to: number): void {
    const { point } = this.#points;
    if (wire === Wire.Varint && number === 6) point.scale = this.#signed();
    else if (wire === Wire.Bytes && number === 8) this.#buckets(point.positive, from, to);
    else if (wire === Wire.Bytes && number === 9) this.#buckets(point.negative, from, to);
    else if (wire !== Wire.Fixed64) return;
    else if (number === 7) point.zeroCount = point.integer(this.#low(from), this.#high(from));
    else if (number === 14) point.zeroThreshold = this.#double(from);
    else this.#extremes(number - 12, from);
  }

  #extremes(which: number, from: number): void {
    const { point } = this.#points;
    if (which === 0) point.min = this.#double(from);
    else if (which === 1) point.max = this.#double(from);
  }

  #buckets(buckets: ScaledBuckets, start: number, end: number): void {
    const reader = this.#reader;
    const { point } = this.#points;
    const add = () => point.add(buckets.counts, point.integer(reader.low, reader.high));
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      const { number, wire, from, to } = reader;
      if (wire === Wire.Varint && number === 1) buckets.offset = this.#signed();
      else if (wire === Wire.Varint && number === 2) add();
      else if (wire === Wire.Bytes && number === 2) {
        for (let next = from; next < to && point.flaw === undefined; add()) next = reader.varint(next, to);
      }
    }
  }

  #quantile(start: number, end: number): void {
    const reader = this.#reader;
    const { point } = this.#points;
    let quantile = 0;
    let value = 0;
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      if (reader.wire !== Wire.Fixed64) continue;
      if (reader.number === 1) quantile = this.#double(reader.from);
      else if (reader.number === 2) value = this.#double(reader.from);
    }
    point.add(point.quantiles, quantile);
    point.add(point.quantiles, value);
  }

  /** Attributes of earlier points are known by their bytes, where they stand together. */
  #tags() {
    const points = this.#points;
    const { known } = points.rules;
    if (!this.#isTogether()) return points.tagsOf(this.attributes.pairs(this.#places));
    const [from, to] = [this.#fields[0]!, this.#fields.at(-1)!];
    const found = known.find(this.#reader, from, to);
    if (found !== undefined) return found;
    const tags = points.tagsOf(this.attributes.pairs(this.#places));
    return typeof tags === 'string' ? tags : known.add(this.#reader, from, to, tags);
  }

  #isTogether(): boolean {
    const at = this.#fields;
    for (let i = 2; i < at.length; i += 2) if (at[i] !== at[i - 1]) return false;
    return at.length > 0;
  }

  #low(at: number): number {
    return this.#reader.view.getUint32(at, true);
  }

  #high(at: number): number {
    return this.#reader.view.getUint32(at + 4, true);
  }

  #double(at: number): number {
    return this.#reader.view.getFloat64(at, true);
  }

  /** The last varint as a whole number of 32 bits with a sign, as sint32 has it. */
  #signed(): number {
    const { low } = this.#reader;
    return (low >>> 1) ^ -(low & 1);
  }
}
