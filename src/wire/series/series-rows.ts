import { entryOf } from '../../domain/entry-of.ts';
import type { EventRow } from '../../domain/event-data.ts';
import type { Rows } from '../../domain/parameter-data.ts';
import type { TagSet } from '../../domain/tags.ts';
import { PitwallError } from '../../errors.ts';
import type { Steps } from '../../turns/steps.ts';
import type { MemoryShare } from '../json/json-memory.ts';
import { BlockRows, grown } from './block-rows.ts';
import { type NameList, NameLists } from './name-lists.ts';
import type { Refused } from './refused.ts';
import { ReplacedValues } from './replaced-values.ts';
import {
  type Block,
  begin,
  join,
  joinRuns,
  type NamedRun,
  nsOfMs,
  type Placing,
  type Run,
  runsOf,
  type SameTimes,
  windowMs,
} from './series-blocks.ts';

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

/** The largest and the smallest whole milliseconds whose nanoseconds have 64 bits. */
export const maxMs = 9_223_372_036_853;

/** Runs of a step. */
const stepRuns = 256;

/** As the engine has a run and what is made to place it, about. */
const runBytes = 256;
const eventBytes = 256;

/** Series of one set of tags. */
interface OfTags {
  /** Those that have the times of the first one. */
  readonly same: SameTimes;
  /** All runs, where not all have the same times or one comes twice. */
  runs: NamedRun[] | undefined;
}

interface Group {
  readonly topic: string;
  readonly streamId: string;
  /** The first set of tags, and all, where there are more. */
  first: OfTags | undefined;
  all: Map<string, OfTags> | undefined;
  /** The last one: series of one set mostly come together. */
  last: OfTags | undefined;
  ends: EventRow[] | undefined;
}

/** Blocks in the order in which they began, and by window and names. */
interface Round {
  readonly blocks: Block[];
  readonly byWindow: Map<number, Map<NameList, Block>>;
}

const noEnds: readonly EventRow[] = [];

/**
 * Samples as they come, series by series, to rows in the end. Series of a stream that have the same tags and times share their
 * rows; those of other tags stand in the same columns where they have the same names. So no column has a gap. Of a series
 * that comes twice the later values count.
 */
export class SeriesRows {
  readonly #share: MemoryShare | undefined;
  readonly #placing: { -readonly [Name in keyof Placing]: Placing[Name] };
  /** By topic and stream. */
  readonly #topics = new Map<string, Map<string, Group>>();
  readonly #groups: Group[] = [];
  /** Series of one stream mostly come together. */
  #last: Group | undefined;
  #offsets = new Float64Array(0);
  #values = new Float64Array(0);
  #count = 0;
  /** Of the series whose samples are being added: the runs that have ended, and the last one. */
  #runs: Run[] = [];
  #ends: bigint[] = [];
  readonly #run = { window: 0, from: 0, to: 0 };
  /** Where the window begins, in ms. */
  #windowStart = 0;
  /** Where the samples of the series begin. */
  #start = 0;
  readonly #replaced = new ReplacedValues();

  /**
   * @param maxParameters the most columns of rows that share their times
   * @param lists kept from one request to the next
   */
  constructor(maxParameters: number, share?: MemoryShare, lists = new NameLists()) {
    this.#share = share;
    this.#placing = { none: lists.empty(), offsets: this.#offsets, maxParameters };
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
    let within = ms - this.#windowStart;
    if (within < 0 || within >= windowMs) within = this.#enterWindow(ms);
    if (this.#count === this.#values.length) this.#grow();
    this.#offsets[this.#count] = within * nsOfMs + ns;
    this.#values[this.#count++] = value;
  }

  #enterWindow(ms: number): number {
    if (this.#count > this.#run.from) this.#endRun();
    this.#run.window = Math.floor(ms / windowMs);
    this.#windowStart = this.#run.window * windowMs;
    return ms - this.#windowStart;
  }

  /** The series at hand ends at this time. */
  end(ms: number, ns: number): void {
    this.#share?.take(eventBytes);
    this.#ends.push(BigInt(ms) * BigInt(nsOfMs) + BigInt(ns));
  }

  /** What was added since the last call is of this series. Throws `body_too_large` where there are too many streams. */
  put({ topic, streamId, name, tags }: Series): void {
    const last = this.#last;
    const group =
      last !== undefined && last.streamId === streamId && last.topic === topic
        ? last
        : this.#groupOf(topic, streamId);
    for (const run of this.#runs) this.#place(group, name, tags, run);
    this.#run.to = this.#count;
    if (this.#run.to > this.#run.from) this.#place(group, name, tags, this.#run);
    if (this.#ends.length > 0) {
      group.ends ??= [];
      for (const timestamp of this.#ends) group.ends.push({ id: name, timestamp, value: seriesEnds, tags });
    }
    this.#next();
  }

  #groupOf(topic: string, streamId: string): Group {
    const streams = entryOf(this.#topics, topic, () => new Map<string, Group>());
    let group = streams.get(streamId);
    if (group === undefined) {
      if (this.#groups.length === maxStreams) throw tooMany(`${maxStreams} streams`);
      group = { topic, streamId, first: undefined, all: undefined, last: undefined, ends: undefined };
      streams.set(streamId, group);
      this.#groups.push(group);
    }
    this.#last = group;
    return group;
  }

  /** Puts a run to the others of its tags. */
  #place(group: Group, name: string, tags: TagSet, run: Run): void {
    if (run.to - run.from > 1) this.#replaced.within({ name, ...run }, this.#offsets, this.#values);
    const last = group.last;
    const known = last !== undefined && last.same.tags.key === tags.key ? last : group.all?.get(tags.key);
    if (known === undefined) {
      this.#share?.take(runBytes);
      const made: OfTags = { same: begin(name, run, tags, this.#placing), runs: undefined };
      if (group.first === undefined) group.first = made;
      else {
        group.all ??= new Map([[group.first.same.tags.key, group.first]]);
        group.all.set(tags.key, made);
      }
      group.last = made;
      return;
    }
    group.last = known;
    if (known.runs === undefined && join(known.same, name, run, this.#placing)) return;
    this.#share?.take(runBytes * (known.runs === undefined ? 1 + known.same.names.length : 1));
    known.runs ??= runsOf(known.same);
    known.runs.push({ name, ...run });
  }

  /** What was added since the last series is of none. */
  drop(): void {
    this.#count = this.#start;
    this.#next();
  }

  #endRun(): void {
    this.#share?.take(runBytes);
    this.#runs.push({ ...this.#run, to: this.#count });
    this.#run.from = this.#count;
  }

  #next(): void {
    if (this.#runs.length > 0) this.#runs = [];
    if (this.#ends.length > 0) this.#ends = [];
    this.#run.from = this.#count;
    this.#start = this.#count;
  }

  #grow(): void {
    const length = Math.max(64, 2 * this.#count);
    if (this.#count >= maxSamples) throw tooMany(`${maxSamples} samples`);
    this.#share?.take((length - this.#count) * sampleBytes);
    this.#offsets = grown(this.#offsets, length);
    this.#placing.offsets = this.#offsets;
    this.#values = grown(this.#values, length);
  }

  /** The rows of every stream, in the order in which the streams came. Nothing may be added later. */
  *rowSteps(refused: Refused): Steps<SeriesOfStream[]> {
    const all: SeriesOfStream[] = [];
    const made = new BlockRows(this.#offsets, this.#values);
    let work = 0;
    for (const { topic, streamId, first, all: sets, ends = noEnds } of this.#groups) {
      const rows: Rows[] = [];
      if (first !== undefined && sets === undefined && first.runs === undefined) {
        rows.push(made.ofOne(first.same));
        work++;
      } else if (first !== undefined) {
        for (const block of yield* this.#blocksOf(sets?.values() ?? [first])) {
          rows.push(yield* made.ofBlock(block));
          work++;
        }
      }
      if (rows.length > 0 || ends.length > 0) all.push({ topic, streamId, rows, ends });
      if (work < stepRuns) continue;
      work = 0;
      yield;
    }
    this.#replaced.tell(refused);
    return all;
  }

  /** Rows with the same columns stand in one block; those of later rounds come last. */
  *#blocksOf(sets: Iterable<OfTags>): Steps<Block[]> {
    const rounds: Round[] = [];
    const put = (number: number, same: SameTimes): void => {
      rounds[number] ??= { blocks: [], byWindow: new Map() };
      const { blocks, byWindow } = rounds[number];
      const byNames = entryOf(byWindow, same.window, () => new Map<NameList, Block>());
      const known = byNames.get(same.names);
      if (known !== undefined) {
        known.push(same);
        return;
      }
      const block = [same];
      byNames.set(same.names, block);
      blocks.push(block);
    };
    let work = 0;
    for (const { same, runs } of sets) {
      if (runs === undefined) put(0, same);
      else {
        const joined = joinRuns(same.tags, runs, this.#placing);
        if (joined.some(([round]) => round > 0)) this.#replaced.among(runs, this.#offsets, this.#values);
        for (const [round, one] of joined) put(round, one);
      }
      work += runs?.length ?? 1;
      if (work < stepRuns) continue;
      work = 0;
      yield;
    }
    return rounds.flatMap(({ blocks }) => blocks);
  }
}

function tooMany(what: string): PitwallError {
  return new PitwallError('body_too_large', {
    detail: `a request may have ${what} at most; send less at a time`,
  });
}
