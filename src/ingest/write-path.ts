import type { EventRow } from '../domain/event-data.ts';
import type { Warn } from '../domain/warning.ts';
import type { Metrics } from '../metrics.ts';
import { duringBytes } from '../turns/long-turns.ts';
import type { Steps } from '../turns/steps.ts';
import { decodeInSlices, longBodyBytes } from '../wire/in-slices.ts';
import type { Committer } from './commit.ts';
import { type Decoded, decodedEvents } from './decoded.ts';
import { doubtfulTimes } from './doubtful-times.ts';
import { eventRowsSteps } from './event-rows.ts';
import { oneByOne } from './one-by-one.ts';
import type { waitForRoom } from './room.ts';

/**
 * The ways of writes from the bytes of a request to the committer.
 *
 * @param room resolves when there is room for a write; undefined where there is some
 * @param now milliseconds since the Unix epoch
 * @param aheadMs how far ahead of it rows may be
 */
export function writePath(
  room: ReturnType<typeof waitForRoom>,
  commit: Committer['commit'],
  metrics: Pick<Metrics, 'rowsWritten' | 'valuesWritten' | 'emptyWrites' | 'rowsAhead'>,
  now: () => number,
  aheadMs: number,
) {
  const longBodies = oneByOne();
  const times = doubtfulTimes(now, aheadMs);

  /**
   * The way of every write: it waits for room, then decodes and commits in one turn of the event loop. The decoder's
   * arrays last until its next use and the store copies them at the call, so nothing may be awaited between the two. What
   * was decoded is not held while the disk is waited for: with many writes under way that is what collecting garbage costs.
   *
   * Gives how many rows were so old that they were not kept.
   *
   * @param onCopied given where the rows have arrays of their own: the store copies them in slices, and then calls it
   */
  const write = async (
    workspace: string,
    { length }: Uint8Array,
    decode: () => Decoded,
    warn?: Warn,
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
    const { changes, said, rows, cells, nothing } = duringBytes(length, 'decode', decode);
    if (changes.length === 0) return { committed: 0, rows, cells, looked: undefined, nothing };
    const looked = looks && rows > 0 ? times.look(workspace, changes) : undefined;
    const committed = duringBytes(length, 'commit', () => commit(workspace, changes, said, onCopied));
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

  /** The way of what was decoded ahead, to values that nobody uses again. */
  const writeDecoded = (
    workspace: string,
    body: Uint8Array,
    decoded: () => Decoded,
    warn?: Warn,
  ): Promise<number> => write(workspace, body, decoded, warn, () => undefined);

  /**
   * The way of a large body of rows, where a signal may end its decoding: in slices, as soon as there is room. One after the
   * other: what it is decoded to takes several times its bytes, until the store has copied it.
   */
  const writeLong = async <Read>(
    workspace: string,
    body: Uint8Array,
    signal: () => AbortSignal,
    steps: () => Steps<Read>,
    decodedOf: (read: Read) => Decoded,
    warn: Warn | undefined,
  ): Promise<number> => {
    const until = signal();
    const leave = await turnWithRoom(until);
    try {
      const read = await decodeInSlices(steps(), until);
      return await write(workspace, body, () => decodedOf(read), warn, leave);
    } finally {
      leave();
    }
  };

  /** The way of many events, which are decoded: they are written, whoever has left. */
  const writeEvents = async (
    workspace: string,
    topic: string,
    streamId: string,
    events: EventRow[],
    body: Uint8Array,
    warn: Warn | undefined,
  ): Promise<number> => {
    const rows = await decodeInSlices(eventRowsSteps(events));
    return writeDecoded(
      workspace,
      body,
      () => decodedEvents(topic, streamId, events, body.length, rows),
      warn,
    );
  };

  /** Decodes a long list in slices, as soon as there is room; undefined where `write` is to decode it. */
  const ahead = <List>(
    body: Uint8Array,
    signal: (() => AbortSignal) | undefined,
    steps: () => Steps<List>,
  ): Promise<List> | undefined => {
    if (!isLong(body, signal)) return undefined;
    const waiting = room();
    const decode = (): Promise<List> => decodeInSlices(steps(), signal());
    return waiting === undefined ? decode() : waiting.then(decode);
  };

  return { write, writeLong, writeDecoded, writeEvents, ahead };
}

type GivesSignal = () => AbortSignal;

/** Whether a body is decoded in slices. */
export function isLong(body: Uint8Array, signal: GivesSignal | undefined): signal is GivesSignal {
  return signal !== undefined && body.length >= longBodyBytes;
}
