import { setTimeout } from 'node:timers/promises';
import { maxTimestamp, minTimestamp } from '../../../domain/timestamp.ts';
import { PitwallError } from '../../../errors.ts';
import { hideValues } from '../deletes/hide-values.ts';
import { meantBy, toldOf } from '../deletes/told-deletes.ts';
import { codeOf, loggedCause } from '../server/client-errors.ts';
import { changesLastNs } from '../server/delete-settings.ts';
import { insertFound } from '../server/insert-settings.ts';
import { param, print, type Sql, sql } from '../server/sql.ts';
import {
  type CopySlice,
  copiedOf,
  copySlice,
  ofSlice,
  partitionsToCopy,
  streamsToCopy,
} from './window-copy-sql.ts';
import { settledVersion, type WindowWork } from './window-tidy.ts';

export interface WindowCopyOptions extends WindowWork {
  /** Takes what was removed while it was copied. */
  readonly finishRemovals: () => Promise<void>;
  /** Values that a statement copies. */
  readonly sliceValues?: number;
  /** So long (ms) values stay in both tables: a read finds out first in which tables its values are, and asks these. */
  readonly readMs?: number;
}

export interface Copied {
  /** How many there were. */
  readonly values: number;
  /** Whether all deletes that came between could be applied to the copy. */
  readonly isApplied: boolean;
}

const usualSliceValues = 1_000_000;
/** As long as a query may work. */
const usualReadMs = 60_000;
/** A delete that has ended so long (ns) before a statement began is seen by it, whichever clock says so. */
const clockSlackNs = 10_000_000_000n;

/**
 * Copies the values of `samples` into `windows`, partition by partition, and takes them from `samples` behind; events stay. Nodes
 * may write, delete and read meanwhile: values keep their versions, so it does not matter that some stand in both tables.
 * One that stops in the middle leaves some twice, which the next one copies again; that changes no answer either.
 *
 * What is deleted while a statement copies it may come back by the copy. So deletes tell of themselves before they
 * begin, and each that was not over when the statement began is applied to the copy. Where that could not be done, because the
 * node ended or ClickHouse refused it, `applyToldDeletes` does it before the next copy.
 */
export async function copySamples(options: WindowCopyOptions, signal: AbortSignal): Promise<Copied> {
  const { clickhouse, log } = options;
  let isApplied = true;
  const version = settledVersion(options);
  const partitions = await clickhouse.rows<[partition: string]>(print(partitionsToCopy(version)), { signal });
  let copied = 0;
  for (const [digits] of partitions) {
    const partition = Number(digits);
    let ofPartition = 0;
    for await (const { slice, values } of slicesOf(options, partition, version)) {
      signal.throwIfAborted();
      if (!(await copyOne(options, slice, version))) isApplied = false;
      ofPartition += values;
    }
    await setTimeout(options.readMs ?? usualReadMs, undefined, { signal });
    await options.finishRemovals();
    await options.takeFrom('samples', copiedOf(partition, version));
    copied += ofPartition;
    log.info({ partition, values: ofPartition }, 'copied values of samples into windows');
  }
  return { values: copied, isApplied };
}

/**
 * Applies the deletes of the last day to windows once more. One that has taken all writes nothing; one that cannot be applied
 * keeps none of the others back.
 *
 * @returns whether all could be applied
 */
export async function applyToldDeletes(options: WindowWork, signal: AbortSignal): Promise<boolean> {
  let isApplied = true;
  for (const told of await toldDeletes(options, sql`true`)) {
    signal.throwIfAborted();
    if (!(await isDone(options, told))) isApplied = false;
  }
  return isApplied;
}

/** Gives whether the deletes that were not over when it began could be applied to the copy. */
async function copyOne(options: WindowCopyOptions, slice: CopySlice, version: bigint): Promise<boolean> {
  const { clock } = options;
  const began = clock.reading() - clockSlackNs;
  await insertFound(options, copySlice(slice, version), { max_execution_time: 3600 });
  const isMeant = sql`workspace = ${param(slice.workspace, 'String')}
  AND version > ${param(began - changesLastNs, 'UInt64')} AND (ended = 0 OR ended > ${param(began, 'UInt64')})`;
  let isApplied = true;
  for (const told of await toldDeletes(options, isMeant))
    if (!(await isDone(options, told, ofSlice(slice)))) isApplied = false;
  return isApplied;
}

/**
 * Applies a delete to windows, to those of some series where they are given. That it cannot be done is told: it is no reason to
 * leave the others and the copy. Rejects where ClickHouse does not answer.
 */
async function isDone(options: WindowWork, told: FoundDelete, among?: Sql): Promise<boolean> {
  const { workspace, version, body } = told;
  try {
    const meant = meantBy(toldOf(version, body));
    const series = among === undefined ? meant.series : [...meant.series, among];
    await insertFound(options, hideValues({ ...meant, series }, options.clock.reading()));
    return true;
  } catch (error) {
    if (error instanceof PitwallError && codeOf(error) === undefined) throw error;
    options.log.error(
      { workspace, delete: body.slice(0, 500), cause: loggedCause(error) },
      'a delete of rows could not be applied to values that were copied into windows: they may show again; delete them again',
    );
    return false;
  }
}

/** A row of `range_deletes`. */
interface FoundDelete {
  readonly workspace: string;
  readonly version: string;
  readonly body: string;
}

async function toldDeletes({ clickhouse }: WindowWork, isMeant: Sql): Promise<FoundDelete[]> {
  const told = await clickhouse.rows<[workspace: string, version: string, body: string]>(
    print(sql`SELECT workspace, version, body FROM range_deletes FINAL WHERE ${isMeant} ORDER BY version`),
  );
  return told.map(([workspace, version, body]) => ({ workspace, version, body }));
}

/** Streams of one workspace that have a slice's values together, or spans of time of a larger one. */
async function* slicesOf(
  { clickhouse, sliceValues = usualSliceValues }: WindowCopyOptions,
  partition: number,
  version: bigint,
): AsyncGenerator<{ readonly slice: CopySlice; readonly values: number }> {
  const found = await clickhouse.rows<
    [
      workspace: string,
      topic: string,
      stream: string,
      count: string,
      bytes: string,
      first: string,
      last: string,
    ]
  >(print(streamsToCopy(partition, version)));
  const everyTime = { from: minTimestamp, to: maxTimestamp };
  for (let i = 0; i < found.length; ) {
    const [workspace, topic, stream, digits, bytes, first, last] = found[i]!;
    const count = Number(digits);
    const size = sizeOf(digits, bytes);
    if (size > sliceValues) {
      const [from, to] = [BigInt(first), BigInt(last)];
      const spans = BigInt(Math.ceil(size / sliceValues));
      const width = (to - from) / spans + 1n;
      let values = count;
      for (let begin = from; begin <= to; begin += width) {
        const times = { from: begin, to: begin + width - 1n < to ? begin + width - 1n : to };
        yield { slice: { workspace, streams: [{ topic, stream }], partition, ...times }, values };
        values = 0;
      }
      i++;
      continue;
    }
    const streams: { topic: string; stream: string }[] = [];
    let values = 0;
    let together = 0;
    for (; i < found.length && streams.length < maxStreams; i++) {
      const [itsWorkspace, itsTopic, itsStream, itsCount, itsBytes] = found[i]!;
      const itsSize = sizeOf(itsCount, itsBytes);
      if (itsWorkspace !== workspace || together + itsSize > sliceValues) break;
      streams.push({ topic: itsTopic, stream: itsStream });
      values += Number(itsCount);
      together += itsSize;
    }
    yield { slice: { workspace, streams, partition, ...everyTime }, values };
  }
}

/** Values as a statement holds them in memory: so many bytes of texts are as much as one. */
function sizeOf(count: string, bytes: string): number {
  return Number(count) + Number(bytes) / bytesOfValue;
}

const bytesOfValue = 200;

/** A statement names so many streams at most. */
const maxStreams = 1000;
