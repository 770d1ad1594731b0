import type { TagPair } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import { MessageFault, Wire, WireReader } from '../../protobuf/wire-reader.ts';
import { WireTexts } from '../../protobuf/wire-texts.ts';
import type { Steps } from '../../turns/steps.ts';
import { excerpt } from '../base/name.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { protobufBody } from './protobuf-body.ts';
import { PushedSeries, type PushRules } from './pushed-series.ts';
import type { SeriesRead } from './series-read.ts';
import { maxMs } from './series-rows.ts';

/** Types of families, by number. */
const types = ['counter', 'gauge', 'summary', 'untyped', 'histogram', 'gaugehistogram'];

/** Families of which each is a step. */
const stepMetrics = 64;

/** What of a metric is read. */
interface Metric {
  readonly labels: TagPair[];
  ms: number | undefined;
  /** Of a counter, a gauge or what has no type. */
  value: number | undefined;
  /** Of a summary or a histogram. */
  count: number | undefined;
  sum: number | undefined;
  /** Quantiles, or upper bounds, with their values. */
  readonly parts: [number, number][];
  exemplars: number;
  isNative: boolean;
}

/**
 * Metrics in the protobuf format of Prometheus, which its libraries for Go push (metrics.proto of its client model):
 * messages one after the other, each behind its length, and read as the text format would say them.
 *
 *   MetricFamily  1 name  2 help  3 type  4 metrics…  5 unit
 *   Metric        1 labels… (1 name, 2 value)  2 gauge (1 value)  3 counter (1 value, 2 exemplar)
 *                 4 summary (1 count, 2 sum, 3 quantiles… (1 quantile, 2 value))  5 untyped (1 value)  6 time (ms)
 *                 7 histogram (1 count, 2 sum, 3 buckets… (1 count up to there, 2 upper bound, 3 exemplar, 4 count as
 *                 a double), 4 count as a double, 5… a native one)
 *
 * Buckets of native histograms are left out. Throws `bad_request` where something is wrong: then nothing counts.
 */
export function* prometheusProtobufSteps(
  body: Uint8Array,
  rules: PushRules,
  share?: MemoryShare,
): Steps<SeriesRead> {
  const push = new PushedSeries(rules, share);
  yield* protobufBody(new Families(body, rules, push).steps());
  return yield* push.read();
}

class Families {
  readonly #reader: WireReader;
  readonly #texts: WireTexts;
  readonly #rules: PushRules;
  readonly #push: PushedSeries;

  constructor(body: Uint8Array, rules: PushRules, push: PushedSeries) {
    this.#reader = new WireReader(body);
    this.#texts = new WireTexts(this.#reader);
    this.#rules = rules;
    this.#push = push;
  }

  *steps(): Steps<void> {
    const reader = this.#reader;
    const { length } = reader.bytes;
    for (let at = 0; at < length; ) {
      const from = reader.varint(at, length);
      const to = from + reader.low + reader.high * 2 ** 32;
      if (to > length) throw new MessageFault('a message goes beyond the body');
      yield* this.#family(from, to);
      at = to;
      yield;
    }
  }

  *#family(from: number, to: number): Steps<void> {
    const said: { name: string; help?: string; unit?: string } = { name: '' };
    let type = types[0]!;
    const metrics: number[] = [];
    for (const [number, wire, start, end] of this.#fields(from, to)) {
      if (wire === Wire.Bytes && number === 1) said.name = this.#texts.at(start, end);
      else if (wire === Wire.Bytes && number === 2) said.help = this.#texts.at(start, end);
      else if (wire === Wire.Bytes && number === 5) said.unit = this.#texts.at(start, end);
      else if (wire === Wire.Varint && number === 3) type = types[this.#reader.low] ?? 'untyped';
      else if (wire === Wire.Bytes && number === 4) metrics.push(start, end);
    }
    const { name, ...words } = said;
    this.#push.learn(name, { type, ...words }, to - from);
    for (let i = 0; i < metrics.length; i += 2) {
      this.#tell(name, type, this.#metric(metrics[i]!, metrics[i + 1]!));
      if (i % stepMetrics === 0) yield;
    }
  }

  /** Fields with their places; a varint stands in the reader until the next one. */
  *#fields(from: number, to: number) {
    const reader = this.#reader;
    for (let at = from; at < to; ) {
      at = reader.next(at, to);
      yield [reader.number, reader.wire, reader.from, reader.to] as const;
    }
  }

  #metric(from: number, to: number): Metric {
    const metric: Metric = {
      labels: [],
      ms: undefined,
      value: undefined,
      count: undefined,
      sum: undefined,
      parts: [],
      exemplars: 0,
      isNative: false,
    };
    for (const [number, wire, start, end] of this.#fields(from, to)) {
      if (number === 6 && wire === Wire.Varint) metric.ms = this.#whole();
      if (wire !== Wire.Bytes) continue;
      if (number === 1) metric.labels.push(this.#label(start, end));
      else if (number === 2 || number === 3 || number === 5) this.#plain(metric, start, end);
      else if (number === 4 || number === 7) this.#collection(metric, number === 7, start, end);
    }
    return metric;
  }

  #label(from: number, to: number): TagPair {
    let name = '';
    let value = '';
    for (const [number, wire, start, end] of this.#fields(from, to)) {
      if (wire !== Wire.Bytes) continue;
      if (number === 1) name = this.#texts.at(start, end);
      else if (number === 2) value = this.#texts.at(start, end);
    }
    const { limits } = this.#rules;
    if (name === '' || Buffer.byteLength(name) > limits.maxNameBytes)
      this.#bad('a label', 'has no name, or a long one');
    return [name, value];
  }

  #plain(metric: Metric, from: number, to: number): void {
    metric.value = 0;
    for (const [number, wire, start] of this.#fields(from, to)) {
      if (number === 1 && wire === Wire.Fixed64) metric.value = this.#double(start);
      else if (number === 2) metric.exemplars++;
    }
  }

  #collection(metric: Metric, isHistogram: boolean, from: number, to: number): void {
    metric.count = 0;
    metric.sum = 0;
    for (const [number, wire, start, end] of this.#fields(from, to)) {
      if (number === 1 && wire === Wire.Varint) metric.count = this.#whole();
      else if (number === 2 && wire === Wire.Fixed64) metric.sum = this.#double(start);
      else if (number === 3 && wire === Wire.Bytes) this.#part(metric, isHistogram, start, end);
      else if (number === 4 && wire === Wire.Fixed64) metric.count = this.#double(start);
      else if (number >= 5 && number <= 14 && isHistogram) metric.isNative = true;
    }
  }

  /** A quantile, or a bucket. */
  #part(metric: Metric, isBucket: boolean, from: number, to: number): void {
    let [place, value] = [0, 0];
    for (const [number, wire, start] of this.#fields(from, to)) {
      if (number === 1 && wire === Wire.Varint) value = this.#whole();
      else if (number === 1 && wire === Wire.Fixed64) place = this.#double(start);
      else if (number === 2 && wire === Wire.Fixed64 && isBucket) place = this.#double(start);
      else if (number === 2 && wire === Wire.Fixed64) value = this.#double(start);
      else if (number === 3 && isBucket) metric.exemplars++;
      else if (number === 4 && wire === Wire.Fixed64) value = this.#double(start);
    }
    metric.parts.push([place, value]);
  }

  /** As the text format says it. */
  #tell(
    name: string,
    type: string,
    { labels, ms, value, count, sum, parts, exemplars, isNative }: Metric,
  ): void {
    const at = ms === undefined ? this.#rules.now : { ms, ns: 0 };
    if (Math.abs(at.ms) > maxMs) this.#bad(name, `has the time ${at.ms}, which is none in milliseconds`);
    const put = (word: string, number: number, more: readonly TagPair[] = []): void => {
      const flaw = this.#push.add([['__name__', name + word], ...labels, ...more], number, at.ms, at.ns);
      if (flaw !== undefined) this.#bad(name, flaw);
    };
    const { refused } = this.#push;
    refused.leaveOut('exemplar', exemplars);
    if (value !== undefined) put('', value);
    if (count === undefined || sum === undefined) return;
    const isHistogram = type.endsWith('histogram');
    const hasEnd = parts.some(([place]) => place === Number.POSITIVE_INFINITY);
    if (isNative && parts.length === 0)
      refused.leaveOut('not_supported', 1, `${excerpt(name)} is a native histogram`);
    else if (isHistogram && !hasEnd) parts.push([Number.POSITIVE_INFINITY, count]);
    for (const [place, number] of parts)
      put(isHistogram ? '_bucket' : '', number, [[isHistogram ? 'le' : 'quantile', goNumber(place)]]);
    put('_sum', sum);
    put('_count', count);
  }

  #bad(what: string, flaw: string): never {
    throw new PitwallError('bad_request', { detail: `the metric ${excerpt(what)}: ${flaw}` });
  }

  #double(at: number): number {
    return this.#reader.view.getFloat64(at, true);
  }

  #whole(): number {
    return (this.#reader.high | 0) * 2 ** 32 + this.#reader.low;
  }
}

/** A number as Go writes it in the text format, so that one bucket is one series in both formats. */
function goNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : `${value < 0 ? '-' : '+'}Inf`;
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
