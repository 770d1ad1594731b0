import type { EventRow } from '../domain/event-data.ts';
import { type Column, Kind, type Rows } from '../domain/parameter-data.ts';
import type { TagSet } from '../domain/tags.ts';
import { PitwallError } from '../errors.ts';
import type { Steps } from '../turns/steps.ts';
import type { MemoryShare } from './json-memory.ts';
import { type Block, byRound, placeRuns, type Run } from './series-blocks.ts';

/** What another program calls a series: one parameter of a stream, on rows with one set of tags. */
export interface Series {
  readonly topic: string;
  readonly streamId: string;
  readonly name: string;
  readonly tags: TagSet;
}

/** Rows of one stream of one topic. */
export interface SeriesOfStream {
  readonly topic: string;
  readonly streamId: string;
  readonly rows: Rows[];
  /** Where series of it end, as events. */
  readonly ends: readonly EventRow[];
}

/** The value of an event that says that a series ends there; its id is the name of the parameter, its tags are those of the series. */
export const seriesEnds = 'stale';

/** The most samples of one request, and its most streams: each takes some KB. */
const maxSamples = 4_000_000;
const maxStreams = 50_000;

/** Of a sample: its time and value as they come, and once more in a column. */
const sampleBytes = 32;

/** The span of the windows in which times are kept as offsets, 46 days: whole nanoseconds of it are doubles. */
const windowMs = 4_000_000_000;

const nsOfMs = 1_000_000;

/** The largest and the smallest whole milliseconds whose nanoseconds have 64 bits. */
export const maxMs = 9_223_372_036_853;

/** Samples of a step. */
const stepSamples = 16_384;
const stepRuns = 256;

/** As the engine has a run and what is made to place it, about. */
const runBytes = 256;
const eventBytes = 256;

interface Group {
  readonly topic: string;
  readonly streamId: string;
  readonly sets: Map<string, { readonly tags: TagSet; readonly runs: Run[] }>;
  readonly ends: EventRow[];
}

/**
 * Samples as they come, series by series, to rows in the end. Series of a stream that have the same tags and times share their
 * rows; those of other tags stand in the same columns where they have the same names. So no column has a gap. Of a series
 * that comes twice the later values count.
 */
export class SeriesRows {
  readonly #share: MemoryShare | undefined;
  readonly #maxParameters: number;
  readonly #groups = new Map<string, Group>();
  /** Series of one stream mostly come together. */
  #last: Group | undefined;
  #offsets = new Float64Array(0);
  #values = new Float64Array(0);
  #count = 0;
  /** Of the series whose samples are being added. */
  #runs: Run[] = [];
  #ends: bigint[] = [];
  #run: Run | undefined;
  #runStart = 0;
  /** Where its samples begin. */
  #start = 0;

  /** @param maxParameters the most columns of rows that share their times */
  constructor(maxParameters: number, share?: MemoryShare) {
    this.#maxParameters = maxParameters;
    this.#share = share;
  }

  /** How many samples there are, with those of the series that has not ended yet. */
  get count(): number {
    return this.#count;
  }

  /**
   * A sample of the series at hand.
   *
   * @param ms whole milliseconds since the Unix epoch, in [-maxMs, maxMs]
   * @param ns nanoseconds behind them, in [0, 1,000,000)
   */
  add(ms: number, ns: number, value: number): void {
    let within = ms - this.#runStart;
    if (this.#run === undefined || within < 0 || within >= windowMs) {
      const window = Math.floor(ms / windowMs);
      this.#runStart = window * windowMs;
      within = ms - this.#runStart;
      this.#share?.take(runBytes);
      this.#run = { name: '', window, from: this.#count, to: this.#count };
      this.#runs.push(this.#run);
    }
    if (this.#count === this.#values.length) this.#grow();
    this.#offsets[this.#count] = within * nsOfMs + ns;
    this.#values[this.#count++] = value;
    this.#run.to = this.#count;
  }

  /** The series at hand ends at this time. */
  end(ms: number, ns: number): void {
    this.#share?.take(eventBytes);
    this.#ends.push(BigInt(ms) * BigInt(nsOfMs) + BigInt(ns));
  }

  /** What was added since the last call is of this series. Throws `body_too_large` where there are too many streams. */
  put({ topic, streamId, name, tags }: Series): void {
    const group = this.#groupOf(topic, streamId);
    let set = group.sets.get(tags.key);
    if (set === undefined) {
      set = { tags, runs: [] };
      group.sets.set(tags.key, set);
    }
    for (const run of this.#runs) {
      run.name = name;
      set.runs.push(run);
    }
    for (const timestamp of this.#ends) group.ends.push({ id: name, timestamp, value: seriesEnds, tags });
    this.#next();
  }

  #groupOf(topic: string, streamId: string): Group {
    if (this.#last?.topic === topic && this.#last.streamId === streamId) return this.#last;
    const key = `${topic}\n${streamId}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      if (this.#groups.size === maxStreams) throw tooMany(`${maxStreams} streams`);
      group = { topic, streamId, sets: new Map(), ends: [] };
      this.#groups.set(key, group);
    }
    this.#last = group;
    return group;
  }

  /** What was added since the last series is of none. */
  drop(): void {
    this.#count = this.#start;
    this.#next();
  }

  #next(): void {
    if (this.#runs.length > 0) this.#runs = [];
    if (this.#ends.length > 0) this.#ends = [];
    this.#run = undefined;
    this.#start = this.#count;
  }

  #grow(): void {
    const length = Math.max(64, 2 * this.#count);
    if (this.#count >= maxSamples) throw tooMany(`${maxSamples} samples`);
    this.#share?.take((length - this.#count) * sampleBytes);
    this.#offsets = grown(this.#offsets, length);
    this.#values = grown(this.#values, length);
  }

  /** The rows of every stream, in the order in which the streams came. Nothing may be added later. */
  *rowSteps(): Steps<SeriesOfStream[]> {
    const all: SeriesOfStream[] = [];
    let work = 0;
    for (const { topic, streamId, sets, ends } of this.#groups.values()) {
      const blocks = new Map<string, Block>();
      const placing = { blocks, offsets: this.#offsets, maxParameters: this.#maxParameters };
      for (const { tags, runs } of sets.values()) {
        placeRuns(tags, runs, placing);
        work += runs.length;
        if (work >= stepRuns) {
          yield;
          work = 0;
        }
      }
      const rows: Rows[] = [];
      for (const block of [...blocks].sort(byRound).map(([, sameTimes]) => sameTimes)) {
        rows.push(yield* this.#rowsOf(block));
        work++;
      }
      if (rows.length > 0 || ends.length > 0) all.push({ topic, streamId, rows, ends });
    }
    return all;
  }

  *#rowsOf(block: Block): Steps<Rows> {
    const { names, runs } = block[0]!;
    let count = 0;
    for (const { runs: own } of block) count += own[0]!.to - own[0]!.from;
    const offsets = new Float64Array(count);
    const tagSets: TagSet[] = [];
    const tagNumbers = new Map<TagSet, number>();
    const tagIndex = block.length === 1 ? undefined : new Uint32Array(count);
    let at = 0;
    for (const { tags, runs: own } of block) {
      const { from, to } = own[0]!;
      offsets.set(this.#offsets.subarray(from, to), at);
      let number = tagNumbers.get(tags);
      if (number === undefined) {
        number = tagSets.push(tags) - 1;
        tagNumbers.set(tags, number);
      }
      tagIndex?.fill(number, at, at + to - from);
      at += to - from;
    }
    let min = offsets[0]!;
    for (let row = 1; row < count; row++) if (offsets[row]! < min) min = offsets[row]!;
    for (let row = 0; row < count; row++) offsets[row]! -= min;
    const columns: Column[] = [];
    let copied = 0;
    for (let i = 0; i < names.length; i++) {
      const values = new Float64Array(count);
      let row = 0;
      for (const { runs: own } of block) {
        const { from, to } = own[i]!;
        values.set(this.#values.subarray(from, to), row);
        row += to - from;
      }
      columns.push({ kind: Kind.Numeric, name: names[i]!, values, present: undefined });
      copied += count;
      if (copied < stepSamples) continue;
      copied = 0;
      yield;
    }
    const base = BigInt(runs[0]!.window) * BigInt(windowMs * nsOfMs) + BigInt(min);
    return { count, base, offsets, tagSets, tagIndex, columns };
  }
}

function grown(values: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(values);
  return larger;
}

function tooMany(what: string): PitwallError {
  return new PitwallError('body_too_large', {
    detail: `a request may have ${what} at most; send less at a time`,
  });
}
