import type { Steps } from '../../../turns/steps.ts';
import type { ActiveSlab } from './active-slabs.ts';
import { nextCommitStart, type RecordPlace, recordEnd, stampHeader } from './log-record.ts';
import type { LongBody } from './long-body.ts';
import type { Slab } from './slab.ts';

/** Gets records that are on disk. */
export interface Applier {
  /** Does in steps what nobody sees of a long record; gives what shows it. */
  prepare(slab: Slab, place: RecordPlace): Steps<Show>;
  /** Applies a record; of a prepared one what is left, which is `show`. */
  apply(slab: Slab, place: RecordPlace, show: Show | undefined): void;
}

/** Shows what was prepared. */
export type Show = () => void;

/** A record in its slab that is not durable yet. */
export interface PendingRecord {
  readonly place: RecordPlace;
  readonly before: ((place: RecordPlace) => void) | undefined;
  /** A body that is put into the slab in slices; undefined where it stands there already. */
  readonly body: LongBody | undefined;
  /** Of a long record that was prepared. */
  show: Show | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Records that become durable together, by one write and one sync. They follow one another in one slab. */
export interface GroupCommit {
  readonly active: ActiveSlab;
  /** Where the first of them begins. */
  readonly start: number;
  /** At least one when it is written. */
  readonly records: PendingRecord[];
}

export function lastLsnOf({ records }: GroupCommit): number {
  return records.at(-1)!.place.lsn;
}

/** Where its bytes end: a whole page after the last record. */
export function endOf({ records }: GroupCommit): number {
  return nextCommitStart(recordEnd(records.at(-1)!.place));
}

/** Ends it with zeros up to a whole page. What comes now stands after them, so it must not get more records. */
export function endCommit({ active: { slab }, records }: GroupCommit): void {
  const end = recordEnd(records.at(-1)!.place);
  const padded = nextCommitStart(end);
  slab.bytes.fill(0, end, padded);
  if (slab.used === end) slab.used = padded;
}

/** Resolves when all of its bodies stand in the slab. */
export async function bodiesOf({ records }: GroupCommit): Promise<void> {
  for (const { body } of records) if (body !== undefined) await body.whole;
}

/** Completes the records and returns the bytes to write: whole pages. It has ended, and its bodies stand in the slab. */
export function bytesToWrite(commit: GroupCommit, syncedLsn: number): Buffer {
  const { slab } = commit.active;
  for (const { place, body } of commit.records) stampHeader(slab, place, syncedLsn, body?.crc);
  return slab.bytes.subarray(commit.start, endOf(commit));
}
