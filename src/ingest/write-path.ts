import type { Metrics } from '../metrics.ts';
import { duringBytes } from '../turns/long-turns.ts';
import { type Steps, whole } from '../turns/steps.ts';
import { decodeInSlices, longBodyBytes } from '../wire/json/in-slices.ts';
import type { Committer } from './commit.ts';
import type { Decoded } from './decoded.ts';
import { doubtfulTimes } from './doubtful-times.ts';
import { oneByOne } from './one-by-one.ts';
import type { waitForRoom } from './room.ts';
import type { WriteCall } from './write-call.ts';

/**
 * How a body is read, and what it writes: step by step, into arrays that nobody uses again, or at once where it is short or has
 * no steps, into arrays that last until the next one is read.
 */
export type Reading<Read> = {
  /** Called in the turn in which it is committed. */
  readonly decoded: (read: Read) => Decoded;
} & (
  | { readonly steps: () => Steps<Read>; readonly atOnce?: () => Read }
  | { readonly steps?: undefined; readonly atOnce: () => Read }
);

/** A body, or several that are written together. */
export interface Sized {
  readonly length: number;
}

/** Writes what is read of a body; gives how many rows were so old that they were not kept. */
export type Write = <Read>(call: WriteCall, body: Sized, reading: Reading<Read>) => Promise<number>;

/**
 * The way of writes from the bytes of a request to the committer.
 *
 * @param room resolves when there is room for a write; undefined where there is some
 * @param now milliseconds since the Unix epoch
 * @param aheadMs how far ahead of it rows may be
 */
export function writePath(
  room: ReturnType<typeof waitForRoom>,
  commit: Committer['commit'],
  metrics: Pick<Metrics, 'rowsWritten' | 'valuesWritten' | 'emptyWrites' | 'rowsAhead' | 'rowsExpired'>,
  now: () => number,
  aheadMs: number,
): Write {
  const longBodies = oneByOne();
  const times = doubtfulTimes(now, aheadMs);

  /**
   * The way of every write: it waits for room, then decodes and commits in one turn of the event loop. The decoder's
   * arrays last until its next use and the store copies them at the call, so nothing may be awaited between the two. What
   * was decoded is not held while the disk is waited for: with many writes under way that is what collecting garbage costs.
   *
   * @param onCopied given where the rows have arrays of their own: the store copies them in slices, and then calls it
   */
  const inOneTurn = async (
    { workspace, warn }: WriteCall,
    { length }: Sized,
    decode: () => Decoded,
    onCopied?: () => void,
  ): Promise<number> => {
    const waiting = room();
    if (waiting !== undefined) await waiting;
    const begun = begin(workspace, length, decode, warn !== undefined, onCopied);
    const expired = await begun.committed;
    const { nothing, looked } = begun;
    const doubt = looked?.doubt && times.tell(looked.doubt);
    if (looked !== undefined && looked.ahead > 0) metrics.rowsAhead.inc({ by: 'writes' }, looked.ahead);
    if (nothing !== undefined) metrics.emptyWrites.inc(nothing.streams);
    if (doubt !== undefined || nothing !== undefined) {
      warn?.([nothing?.text, doubt].filter((text) => text !== undefined).join(' '));
    }
    metrics.rowsExpired.inc(expired);
    metrics.rowsWritten.inc(begun.rows);
    metrics.valuesWritten.inc(begun.cells);
    return expired;
  };

  /** Decodes and commits. */
  const begin = (
    workspace: string,
    length: number,
    decode: () => Decoded,
    looks: boolean,
    onCopied?: () => void,
  ) => {
    const { changes, announcements, rows, cells, nothing } = duringBytes(length, 'decode', decode);
    if (changes.length === 0) return { committed: 0, rows, cells, looked: undefined, nothing };
    const looked = looks && rows > 0 ? times.look(workspace, changes) : undefined;
    const committed = duringBytes(length, 'commit', () =>
      commit(workspace, changes, announcements, onCopied),
    );
    return { committed, rows, cells, looked, nothing };
  };

  /** The turn of a long body, once there is room. While there is none nobody has a turn: all wait for it at one time. */
  const turnWithRoom = async (signal: AbortSignal): Promise<() => void> => {
    let waiting = room();
    for (;;) {
      if (waiting !== undefined) await waiting;
      const leave = await longBodies.enter(signal);
      waiting = room();
      if (waiting === undefined) return leave;
      leave();
    }
  };

  /**
   * The way of a large body: in slices, as soon as there is room. One after the other: what it is decoded to takes several
   * times its bytes, until the store has copied it. So nothing is made for it before.
   */
  const inSlices = async <Read>(
    call: WriteCall,
    signal: AbortSignal,
    body: Sized,
    steps: () => Steps<Read>,
    decoded: (read: Read) => Decoded,
  ): Promise<number> => {
    const leave = await turnWithRoom(signal);
    try {
      const read = await decodeInSlices(steps(), signal);
      return await inOneTurn(call, body, () => decoded(read), leave);
    } finally {
      leave();
    }
  };

  return (call, body, { decoded, steps, atOnce = () => whole(steps!()) }) =>
    steps !== undefined && call.signal !== undefined && body.length >= longBodyBytes
      ? inSlices(call, call.signal(), body, steps, decoded)
      : inOneTurn(call, body, () => decoded(atOnce()));
}
