import { paceReads } from '../../../query/bounds/pace.ts';
import { atPace, type Steps } from '../../../turns/steps.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { streamsOfStep } from '../catalog/one-moment.ts';
import { hasRetention, retainedFrom } from '../catalog/retention.ts';
import type { AskOneself } from '../read/own-questions.ts';
import type { PinnedSnapshot } from '../snapshot/snapshot.ts';
import { beginRenewal, renewedTogether, renewNow } from './extent-renewal.ts';

/** Keeps the extents of streams with expired rows right: reads leave such rows out by themselves. */
export interface Expiry {
  /**
   * Renews the extents of every stream whose first row is expired, or was so and is deleted.
   *
   * @param deletes records of `deleteExpired`
   */
  settle(deletes?: ReadonlySet<number>): Promise<void>;
  close(): Promise<void>;
}

export interface ExpiryOptions {
  readonly state: CatalogState;
  readonly takeSnapshot: () => PinnedSnapshot;
  readonly ask: AskOneself;
  readonly onFailure: (error: unknown) => void;
}

const lookMs = 60_000;
/**
 * The part of its age, or a minute, for which the first row of an extent has been expired when the extent is renewed
 * by itself: one in so many.
 */
const lateShare = 1000n;
const minLateNs = 60_000_000_000n;
/**
 * The most row groups of a stream that are read to find out that a parameter is gone; after these it counts as
 * there.
 */
const maxReads = 64;

export function expiry({ state, takeSnapshot, ask, onFailure }: ExpiryOptions): Expiry {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function renew(atOnce: boolean): Promise<void> {
    if (closing.signal.aborted || !hasRetention(state)) return;
    const pace = paceReads(closing.signal);
    const streams = await atPace(expiredStreams(state, atOnce), pace);
    const { rows } = state.streams;
    for (const some of renewedTogether(streams)) {
      // One that a delete has begun to renew meanwhile is left to it; others may be gone.
      const left = some.filter((stream) => rows.hasData[stream] === true && !state.watches.has(stream));
      const renewal = beginRenewal(state, left, undefined, maxReads);
      await renewNow(renewal, takeSnapshot, ask, pace);
    }
  }

  /** Renews the extents of streams that begin with what was deleted. */
  async function renewDeleted(lsns: ReadonlySet<number>): Promise<void> {
    const deletes = state.tombstones.unsettled().filter(({ lsn }) => lsns.has(lsn));
    const pace = paceReads(closing.signal);
    for (const some of renewedTogether(await atPace(beginningIn(state, deletes), pace)))
      await renewNow(beginRenewal(state, some, undefined, maxReads), takeSnapshot, ask, pace);
    for (const { lsn } of deletes) state.tombstones.settleExtents(lsn);
  }

  function look(): void {
    running = running.then(() => renew(false)).catch(report);
  }

  function report(error: unknown): void {
    if (!closing.signal.aborted) onFailure(error);
  }

  const timer = setInterval(look, lookMs).unref();
  look();
  return {
    settle(deletes = new Set()) {
      running = running
        .then(() => renewDeleted(deletes))
        .then(() => renew(true))
        .catch(report);
      return running;
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
}

/** Streams of which rows are expired that their extents still have; those of little wait, unless it is to be `atOnce`. */
export function* expiredStreams(state: CatalogState, atOnce: boolean): Steps<number[]> {
  const { rows } = state.streams;
  const now = state.believedTime();
  const streams: number[] = [];
  for (let stream = 0; stream < state.streams.size; stream++) {
    if (stream % streamsOfStep === streamsOfStep - 1) yield;
    // A delete that is computing this extent anew may do so exactly; a later check takes the stream.
    if (rows.hasData[stream] !== true || state.watches.has(stream)) continue;
    const kept = retainedFrom(state, stream, now);
    if (kept === undefined) continue;
    const first = rows.dataStart[stream]!;
    const patience = atOnce ? 0n : patienceFor(BigInt(Math.floor(now)) * 1_000_000n - first);
    if (kept - first > patience) streams.push(stream);
  }
  return streams;
}

/** Streams with rows of which the first ones may be deleted. */
function* beginningIn(
  { streams: { rows } }: CatalogState,
  deletes: readonly { readonly streams: Uint32Array; readonly to: bigint }[],
): Steps<number[]> {
  const found = new Set<number>();
  let looked = 0;
  for (const { streams, to } of deletes) {
    for (const stream of streams) {
      if (++looked % streamsOfStep === 0) yield;
      if (rows.hasData[stream] === true && rows.dataStart[stream]! <= to) found.add(stream);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** @param age of the stream's first row, in ns */
function patienceFor(age: bigint): bigint {
  const late = age / lateShare;
  return late > minLateNs ? late : minLateNs;
}
