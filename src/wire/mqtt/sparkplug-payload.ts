import { Wire, WireReader } from '../../protobuf/wire-reader.ts';
import { WireTexts } from '../../protobuf/wire-texts.ts';

/**
 * The payload of Sparkplug B (`sparkplug_b.proto` of Eclipse Tahu), as far as it has values:
 *
 *   Payload  1 timestamp (ms)  2 metrics…  3 seq  4 uuid  5 body
 *   Metric   1 name  2 alias  3 timestamp (ms)  4 datatype  5 is_historical  6 is_transient  7 is_null
 *            10 int_value  11 long_value  12 float_value  13 double_value  14 boolean_value  15 string_value
 *            16 bytes_value  17 dataset_value  18 template_value
 */
export interface SparkplugMetric {
  name: string | undefined;
  alias: Alias | undefined;
  /** Milliseconds. */
  time: number | undefined;
  /** 0 where it is not told. */
  type: number;
  isNull: boolean;
  value: SparkplugValue | undefined;
}

/** A number of 64 bits; a large integer only from 2^53 on, so that no two are taken for one. */
export type Alias = number | bigint;

/** Whole numbers as the two halves that stand there, without their sign. */
export type SparkplugValue =
  | { readonly kind: 'whole'; readonly low: number; readonly high: number }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'other' };

export interface SparkplugPayload {
  readonly time: number | undefined;
  readonly metrics: readonly SparkplugMetric[];
  /** From 0 to 255, and from 0 again: the number of the message among those of its node. */
  readonly seq: number | undefined;
}

/** Throws a MessageFault. */
export function readSparkplug(bytes: Uint8Array): SparkplugPayload {
  const reader = new WireReader(bytes);
  const texts = new WireTexts(reader);
  const metrics: SparkplugMetric[] = [];
  let time: number | undefined;
  let seq: number | undefined;
  for (let at = 0; at < bytes.length; ) {
    at = reader.next(at, bytes.length);
    if (reader.number === 1 && reader.wire === Wire.Varint) time = wholeOf(reader);
    else if (reader.number === 3 && reader.wire === Wire.Varint) seq = wholeOf(reader);
    else if (reader.number === 2 && reader.wire === Wire.Bytes)
      metrics.push(readMetric(reader, texts, reader.from, reader.to));
  }
  return { time, metrics, seq };
}

function readMetric(reader: WireReader, texts: WireTexts, from: number, end: number): SparkplugMetric {
  const metric: SparkplugMetric = {
    name: undefined,
    alias: undefined,
    time: undefined,
    type: 0,
    isNull: false,
    value: undefined,
  };
  for (let at = from; at < end; ) {
    at = reader.next(at, end);
    const { number, wire } = reader;
    if (wire === Wire.Varint) takeVarint(metric, reader);
    else if (wire === Wire.Bytes && number === 1) metric.name = texts.at(reader.from, reader.to);
    else if (wire === Wire.Bytes && number === 15)
      metric.value = { kind: 'text', value: texts.at(reader.from, reader.to) };
    else if (wire === Wire.Fixed32 && number === 12)
      metric.value = { kind: 'number', value: reader.view.getFloat32(reader.from, true) };
    else if (wire === Wire.Fixed64 && number === 13)
      metric.value = { kind: 'number', value: reader.view.getFloat64(reader.from, true) };
    else if (wire === Wire.Bytes && number >= 16 && number <= 18) metric.value = { kind: 'other' };
  }
  return metric;
}

function takeVarint(metric: SparkplugMetric, reader: WireReader): void {
  const { number, low, high } = reader;
  if (number === 2) metric.alias = aliasOf(reader);
  else if (number === 3) metric.time = wholeOf(reader);
  else if (number === 4) metric.type = low;
  else if (number === 7) metric.isNull = low !== 0 || high !== 0;
  else if (number === 10 || number === 11) metric.value = { kind: 'whole', low, high };
  else if (number === 14) metric.value = { kind: 'number', value: low !== 0 || high !== 0 ? 1 : 0 };
}

function aliasOf(reader: WireReader): Alias {
  const alias = wholeOf(reader);
  return Number.isSafeInteger(alias) ? alias : (BigInt(reader.high) << 32n) | BigInt(reader.low);
}

function wholeOf({ low, high }: WireReader): number {
  return high * 2 ** 32 + low;
}
