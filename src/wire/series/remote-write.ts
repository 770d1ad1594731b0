import { PitwallError } from '../../errors.ts';
import { Wire, WireReader } from '../../protobuf/wire-reader.ts';
import type { Steps } from '../../turns/steps.ts';
import { excerpt } from '../base/name.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { createTagMemory, type TagMemory } from '../rows/tag-memory.ts';
import type { KnownSeries } from './known-series.ts';
import { type LabelRules, seriesOfLabels } from './labelled-series.ts';
import { definitionOf, type MetricFamily, type SeriesDefinition } from './metric-family.ts';
import { PlainSeries } from './plain-series.ts';
import { protobufBody } from './protobuf-body.ts';
import { Refused, type RefusesStream } from './refused.ts';
import { RemoteTexts } from './remote-write-labels.ts';
import type { SeriesRead } from './series-read.ts';
import { maxMs, type Series, SeriesRows } from './series-rows.ts';

/**
 * Remote write of Prometheus (prometheus.io/docs/specs/prw/remote_write_spec, and …_2_0), without its Snappy. Version 1:
 *
 *   WriteRequest  1 timeseries…, 3 metadata…
 *   TimeSeries    1 labels…, 2 samples…, 3 exemplars…, 4 histograms…
 *   Label         1 name, 2 value
 *   Sample        1 value (double), 2 timestamp (int64, ms)
 *   Metadata      1 type (enum), 2 metric_family_name, 4 help, 5 unit
 *
 * and version 2, where texts are numbers of symbols:
 *
 *   Request       4 symbols…, 5 timeseries…
 *   TimeSeries    1 labels_refs… (packed, names and values in turn), 2 samples…, 3 histograms…, 4 exemplars…, 5 metadata
 *   Sample        1 value, 2 timestamp
 *   Metadata      1 type, 3 help_ref, 4 unit_ref
 *
 * Of the doubles that are no number, the one with these bits is a stale mark: no value, but the end of its series.
 */
const staleHigh = 0x7ff00000;
const staleLow = 2;

/** Of `type` in metadata, from 1. */
const types = ['counter', 'gauge', 'histogram', 'gaugehistogram', 'summary', 'info', 'stateset'];

/** The most families that the metadata of one request has. */
const maxFamilies = 50_000;

/** Samples of a step; bytes of a step of series that are plain, and what another series, or a metric, counts as. */
const stepSamples = 4096;
const stepWork = 16 * 1024;
const otherWork = 512;

/** How series are read of which labels tell where they go. */
export interface RemoteRules extends LabelRules {
  /** Of earlier requests, with the same rules. */
  readonly known: KnownSeries;
  readonly refuses?: RefusesStream | undefined;
}

/** Throws `bad_request` for what is no such message; what is wrong with single series is counted. */
export function* remoteWriteSteps(
  body: Uint8Array,
  version: 1 | 2,
  rules: RemoteRules,
  share?: MemoryShare,
): Steps<SeriesRead> {
  const request = new RemoteWrite(body, version, rules, share);
  yield* protobufBody(request.steps());
  const { definitions, families, refused } = request;
  const values = request.values + request.plain.values;
  const streams = yield* request.rows.rowSteps(refused);
  return { streams, definitions, families, metadata: [], refused, values };
}

class RemoteWrite {
  readonly rows: SeriesRows;
  readonly refused = new Refused();
  readonly definitions: SeriesDefinition[] = [];
  readonly families = new Map<string, MetricFamily>();
  values = 0;
  readonly #reader: WireReader;
  readonly #version: 1 | 2;
  readonly #rules: RemoteRules;
  readonly #texts: RemoteTexts;
  readonly #tagMemory: TagMemory;
  readonly plain: PlainSeries;
  /** Of the series at hand. */
  #lateTime: number | undefined;
  #late = 0;
  #stale = 0;

  constructor(body: Uint8Array, version: 1 | 2, rules: RemoteRules, share: MemoryShare | undefined) {
    this.#reader = new WireReader(body);
    this.#version = version;
    this.#rules = rules;
    this.#texts = new RemoteTexts(this.#reader, share);
    this.#tagMemory = createTagMemory(share);
    this.rows = new SeriesRows(rules.limits.maxParameters, share, rules.known.lists);
    this.plain = new PlainSeries(this.#reader, rules.known, this.rows);
  }

  *steps(): Steps<void> {
    const reader = this.#reader;
    const { length } = reader.bytes;
    const seriesField = this.#version === 1 ? 1 : 5;
    const arePlain = this.#version === 1 && this.#rules.refuses === undefined;
    if (this.#version === 2) yield* this.#symbols();
    let work = 0;
    for (let at = 0; at < length; ) {
      at = reader.next(at, length);
      const { number, wire, from, to } = reader;
      if (wire !== Wire.Bytes) continue;
      if (number === seriesField) {
        if (arePlain && this.plain.take(from, to)) work += to - from;
        else work += otherWork + stepWork * (yield* this.#series(from, to));
      } else if (number === 3 && this.#version === 1) {
        this.#family(from, to);
        work += otherWork;
      } else continue;
      if (work < stepWork) continue;
      work = 0;
      yield;
    }
  }

  *#symbols(): Steps<void> {
    const reader = this.#reader;
    const { length } = reader.bytes;
    let symbols = 0;
    for (let at = 0; at < length; ) {
      at = reader.next(at, length);
      if (reader.number !== 4 || reader.wire !== Wire.Bytes) continue;
      this.#texts.addSymbol(reader.from, reader.to);
      if (++symbols % stepSamples === 0) yield;
    }
  }

  /** Gives how many steps of samples it took. */
  *#series(start: number, end: number): Steps<number> {
    const reader = this.#reader;
    const isFirst = this.#version === 1;
    const before = this.rows.count;
    this.#late = 0;
    this.#stale = 0;
    let histograms = 0;
    let metadata: readonly [number, number] | undefined;
    const labels: number[] = [];
    // Labels may be two bytes long, or a number: only so many are kept that there are certainly too many.
    const mostLabels = 3 * 2 * (this.#rules.limits.maxTags + this.#rules.streamLabels.length + 3);
    const keepLabel = (field: number, from: number, to: number): void => {
      if (labels.length < mostLabels) labels.push(field, from, to);
    };
    let samples = 0;
    for (let at = start; at < end; ) {
      const field = at;
      at = reader.next(at, end);
      const { number, wire, from, to } = reader;
      if (wire !== Wire.Bytes) {
        // A number that does not stand with others in one field, as packed ones do.
        if (number === 1 && !isFirst && wire === Wire.Varint) keepLabel(field, from, to);
        continue;
      }
      if (number === 2) {
        this.#sample(from, to);
        if (++samples % stepSamples === 0) yield;
      } else if (number === 1) keepLabel(field, from, to);
      else if (number === (isFirst ? 4 : 3)) histograms++;
      else if (number === (isFirst ? 3 : 4)) this.refused.leaveOut('exemplar', 1);
      else if (number === 5 && !isFirst) metadata = [from, to];
    }
    const series =
      labels.length < mostLabels
        ? this.#named(labels)
        : `there are more than ${this.#rules.limits.maxTags} labels`;
    this.#place(series, this.rows.count - before + this.#stale, histograms, metadata);
    return Math.floor(samples / stepSamples);
  }

  /** Puts so many values of a series to where it goes, or tells why they go nowhere. */
  #place(
    series: Series | string,
    kept: number,
    histograms: number,
    metadata: readonly [number, number] | undefined,
  ): void {
    const full =
      typeof series === 'string' ? undefined : this.#rules.refuses?.(series.topic, series.streamId);
    if (typeof series === 'string' || full !== undefined) {
      this.rows.drop();
      const reason = full === undefined ? 'bad_series' : 'too_many_streams';
      this.refused.add(reason, Math.max(1, kept + this.#late + histograms), full ?? String(series));
      return;
    }
    this.#told(series, histograms);
    if (kept > 0) this.rows.put(series);
    this.values += kept;
    if (metadata !== undefined && kept > 0) this.#definition(series, metadata);
  }

  /** What is wrong with some values of a series. */
  #told({ name }: Series, histograms: number): void {
    if (this.#late > 0) {
      const text = `the time ${this.#lateTime} ms of ${excerpt(name)} is beyond 64-bit nanoseconds`;
      this.refused.add('bad_time', this.#late, text);
    }
    if (histograms > 0) {
      const text = `${excerpt(name)} is a native histogram, which is not taken: send classic ones`;
      this.refused.add('not_supported', histograms, text);
    }
  }

  #sample(from: number, end: number): void {
    const reader = this.#reader;
    let value = 0;
    let valueAt = -1;
    let ms = 0;
    for (let at = from; at < end; ) {
      at = reader.next(at, end);
      if (reader.number === 1 && reader.wire === Wire.Fixed64) {
        valueAt = reader.from;
        value = reader.view.getFloat64(valueAt, true);
      } else if (reader.number === 2 && reader.wire === Wire.Varint) {
        ms = (reader.high | 0) * 2 ** 32 + reader.low;
      }
    }
    if (ms > maxMs || ms < -maxMs) {
      if (this.#late++ === 0) this.#lateTime = ms;
    } else if (Number.isNaN(value) && this.#isStale(valueAt)) {
      this.#stale++;
      this.rows.end(ms, 0);
    } else this.rows.add(ms, 0, value);
  }

  #isStale(at: number): boolean {
    const { view } = this.#reader;
    return view.getUint32(at + 4, true) === staleHigh && view.getUint32(at, true) === staleLow;
  }

  /** The series of labels whose fields stand at these places. */
  #named(fields: readonly number[]): Series | string {
    const { known } = this.#rules;
    const isKept = this.#version === 1 && isInOneRow(fields);
    const found = isKept ? known.find(this.#reader, fields[0]!, fields.at(-1)!) : undefined;
    if (found !== undefined) return found;
    const pairs = this.#version === 1 ? this.#texts.labels(fields) : this.#texts.symbolLabels(fields);
    const series = seriesOfLabels(pairs, this.#rules);
    if (typeof series === 'string') return series;
    this.#tagMemory.sets(1, series.tags.pairs.length);
    return isKept ? known.add(this.#reader, fields[0]!, fields.at(-1)!, series) : series;
  }

  /** Metadata of version 1. */
  #family(start: number, end: number): void {
    const reader = this.#reader;
    let type = 0;
    const texts: (string | undefined)[] = [];
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      if (reader.wire === Wire.Varint && reader.number === 1) type = reader.low;
      else if (reader.wire === Wire.Bytes && reader.number <= 5)
        texts[reader.number] = this.#clipped(reader.from, reader.to);
    }
    const [, , name, , help, unit] = texts;
    if (name === undefined || name === '') return;
    if (this.families.size === maxFamilies)
      throw new PitwallError('body_too_large', {
        detail: `a request may tell of ${maxFamilies} metrics at most`,
      });
    this.families.set(name, { type: types[type - 1], help, unit });
  }

  /** Metadata of version 2. */
  #definition({ topic, streamId, name }: Series, [start, end]: readonly [number, number]): void {
    const reader = this.#reader;
    let type = 0;
    let help: string | undefined;
    let unit: string | undefined;
    for (let at = start; at < end; ) {
      at = reader.next(at, end);
      if (reader.wire !== Wire.Varint) continue;
      if (reader.number === 1) type = reader.low;
      else if (reader.number === 3) help = this.#texts.symbol(reader.low);
      else if (reader.number === 4) unit = this.#texts.symbol(reader.low);
    }
    const short = (text: string | undefined) => (this.#isShort(text?.length ?? 0) ? text : undefined);
    const definition = definitionOf(name, { type: types[type - 1], help: short(help), unit: short(unit) });
    if (definition !== undefined) this.definitions.push({ topic, streamId, definition });
  }

  /** A text of metadata; undefined for one that is too long to be kept. */
  #clipped(from: number, to: number): string | undefined {
    return this.#isShort(to - from) ? this.#texts.at(from, to) : undefined;
  }

  #isShort(length: number): boolean {
    return length <= this.#rules.limits.maxStringBytes;
  }
}

/** Whether fields at these places stand one after the other. */
function isInOneRow(fields: readonly number[]): boolean {
  for (let i = 3; i < fields.length; i += 3) if (fields[i] !== fields[i - 1]) return false;
  return fields.length > 0;
}
