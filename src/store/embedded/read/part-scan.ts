import type { Aggregator } from '../../../query/aggregator.ts';
import type { StoredRows } from '../../../query/states/stored-rows.ts';
import { groupAt } from '../parts/part-index.ts';
import { viewGroup } from '../parts/view-group.ts';
import { groupOfRange } from '../walk/walk-ranges.ts';
import type { GroupStep } from './aggregate-steps.ts';
import { groupsInside, SmallTest, SummedTest } from './apart-tests.ts';
import {
  type ApartTest,
  Mark,
  markStreams,
  partsOfWindows,
  type ScanRange,
  type ScanRead,
} from './mark-streams.ts';
import { type Batch, fileOfBatch, meetingsOf, type PartOfWindow, smallGroups } from './small-groups.ts';
import { SmallRows } from './small-rows.ts';
import { type ColumnsOfParts, SummedRows, summedColumnsOf } from './summed-rows.ts';

/** Where the rows of a scan go. */
export interface ScanTarget {
  readonly aggregator: Pick<Aggregator, 'openStream' | 'addStored'>;
  /** Gives a group to the aggregator that has to be taken apart first. */
  readonly feed: (step: GroupStep) => Promise<void> | undefined;
}

/** Places of streams, by number, that are left. */
export interface LeftStreams {
  /** Of which nothing was added. */
  readonly others: Uint32Array;
  /** Of which only the rows in memory are left. */
  readonly inMemory: Uint32Array;
}

/** Adds the streams that have nothing but small row groups, each alone in its window. */
export function scanSmall(read: ScanRead, target: ScanTarget): Promise<LeftStreams> {
  const streams = streamsOf(read);
  return scanParts(
    read,
    streams,
    partsOfWindows(read.parts, read.range),
    new SmallForm(read, streams),
    target,
  );
}

/**
 * Adds the sums of streams whose row groups overlap nothing, from columns that are kept in the form for it (summed-column.ts).
 *
 * @param target wants nothing but sums, counts and extremes, and no tags
 */
export async function scanSummed(read: ScanRead, target: ScanTarget): Promise<LeftStreams> {
  const { bound, order, pace } = read;
  const streams = streamsOf(read);
  const parts = partsOfWindows(read.parts, read.range);
  const columns = await summedColumnsOf(parts, bound.parameters, streams.length, pace);
  if (columns === undefined || parts.length === 0) return { others: order, inMemory: new Uint32Array(0) };
  return scanParts(read, streams, parts, new SummedForm(read, streams, columns), target);
}

function streamsOf({ bound, order }: ScanRead): Uint32Array {
  return order.map((place) => bound.streams[place]!);
}

/** Row groups that come together, by the places of their streams among those that are scanned. */
interface ScanBatch {
  readonly count: number;
  readonly places: Uint32Array;
}

/** In which form a scan takes row groups. */
interface ScanForm {
  readonly test: ApartTest;
  /** Of the group that is open. */
  readonly rows: StoredRows;
  /** The groups of a part, the so many-th, of all streams that are apart. A batch is valid until the next one is asked for. */
  batches(
    part: PartOfWindow,
    number: number,
    marks: Uint8Array,
  ): Iterable<ScanBatch> | AsyncIterable<ScanBatch>;
  /** Opens a group of the batch that came last; false where it has to be taken apart first. */
  open(item: number): boolean;
  /** Returns a group in the form that groups have elsewhere. */
  stepOf(item: number): GroupStep;
}

/** Groups between two calls of the pace. */
const groupsOfTurn = 32;

/**
 * Goes through parts from their begins to their ends and makes nothing for a stream; for those that are not apart a stream is the
 * unit, with all that it has anywhere.
 */
async function scanParts(
  read: ScanRead,
  streams: Uint32Array,
  parts: readonly PartOfWindow[],
  form: ScanForm,
  { aggregator, feed }: ScanTarget,
): Promise<LeftStreams> {
  const { bound, order, pace, countRows } = read;
  const marks = await markStreams(read, streams, parts, form.test);
  const { rows } = form;
  let added = 0;
  for (const [number, part] of parts.entries()) {
    for await (const { count, places } of form.batches(part, number, marks)) {
      let opened = -1;
      for (let item = 0; item < count; item++) {
        const place = order[places[item]!]!;
        if (place !== opened)
          aggregator.openStream({ streamId: bound.ids[place]!, topic: bound.topics[place]! });
        opened = place;
        if (form.open(item)) {
          aggregator.addStored(rows);
          countRows(rows.count);
        } else await feed(form.stepOf(item));
        const turn = ++added % groupsOfTurn === 0 ? pace() : undefined;
        if (turn !== undefined) await turn;
      }
    }
  }
  return {
    others: order.filter((_, i) => marks[i] === Mark.Other),
    inMemory: order.filter((_, i) => marks[i] === Mark.InMemory),
  };
}

/** Small row groups, which are read from the file together. */
class SmallForm implements ScanForm {
  readonly test: ApartTest;
  readonly rows: SmallRows;
  readonly #read: ScanRead;
  readonly #streams: Uint32Array;
  #batch: Batch | undefined;

  constructor(read: ScanRead, streams: Uint32Array) {
    this.test = new SmallTest(streams.length);
    this.rows = new SmallRows(read.bound.parameters);
    this.#read = read;
    this.#streams = streams;
  }

  async *batches(part: PartOfWindow, _number: number, marks: Uint8Array): AsyncGenerator<Batch> {
    const { range, pace } = this.#read;
    for await (const batch of smallGroups(part, this.#streams, range.parameters, marks, pace)) {
      this.#batch = batch;
      this.rows.begin(batch);
      yield batch;
    }
  }

  open(item: number): boolean {
    return this.rows.open(item);
  }

  stepOf(item: number): GroupStep {
    return stepOfBatch(this.#batch!, item, this.#read.range);
  }
}

function stepOfBatch(batch: Batch, item: number, { parameters }: ScanRange): GroupStep {
  const { indexed, window, inside } = batch.part;
  const { index } = indexed.kept;
  const [run, place] = [batch.runs[item]!, batch.groups[item]!];
  const { part, reader } = indexed;
  const group = groupOfRange({ rank: 0, part, reader, index, run, window, inside }, place);
  const encoded = viewGroup(fileOfBatch(batch), groupAt(index, run, place), parameters);
  return { kind: 'group', group, hidden: [], encoded };
}

/** Row groups that come in one batch of columns that are at hand. */
const batchGroups = 4096;

/** Row groups whose columns are at hand: nothing is read, and none has to be taken apart. */
class SummedForm implements ScanForm {
  readonly test: ApartTest;
  readonly rows: SummedRows;
  readonly #read: ScanRead;
  readonly #streams: Uint32Array;
  readonly #columns: ColumnsOfParts;
  readonly #places = new Uint32Array(batchGroups);
  readonly #sets = new Uint32Array(batchGroups);
  readonly #groups = new Uint32Array(batchGroups);

  constructor(read: ScanRead, streams: Uint32Array, columns: ColumnsOfParts) {
    this.test = new SummedTest(streams.length, columns);
    this.rows = new SummedRows(read.bound.parameters.length);
    this.#read = read;
    this.#streams = streams;
    this.#columns = columns;
  }

  *batches(part: PartOfWindow, number: number, marks: Uint8Array): Generator<ScanBatch> {
    const places = this.#places;
    const { sets } = part.indexed.kept.index.runs;
    this.rows.begin(part, this.#columns[number]!);
    const next = meetingsOf(part, this.#streams, this.#read.range.parameters);
    let count = 0;
    for (let meeting = next(); meeting !== undefined; meeting = next()) {
      const { place, run } = meeting;
      if (marks[place] === Mark.Other) continue;
      const { from, to } = groupsInside(part, run);
      for (let group = from; group < to; group++) {
        places[count] = place;
        this.#sets[count] = sets[run]!;
        this.#groups[count++] = group;
        if (count < batchGroups) continue;
        yield { count, places };
        count = 0;
      }
    }
    yield { count, places };
  }

  open(item: number): boolean {
    this.rows.open(this.#sets[item]!, this.#groups[item]!);
    return true;
  }

  stepOf(): never {
    throw new Error('columns that are at hand are never taken apart');
  }
}
