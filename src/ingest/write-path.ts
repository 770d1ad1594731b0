import type { Metrics } from '../metrics.ts';
import type { Appender } from '../store/store.ts';
import { type Steps, whole } from '../turns/steps.ts';
import { decodeInSlices, longBodyBytes } from '../wire/json/in-slices.ts';
import type { Committer } from './commit.ts';
import type { Decoded, Nothing } from './decoded.ts';
import { doubtfulTimes, type Looked } from './doubtful-times.ts';
import { oneByOne } from './one-by-one.ts';
import { waitForRoom } from './room.ts';
import type { WriteCall, Written } from './write-call.ts';

/** What times are compared with. */
export interface WriterClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** That of this machine, for what comes without a time. */
  wall(): number;
  /** How far ahead of it rows may be. */
  readonly aheadMs: number;
}

/** Whether a body of so many bytes is read in slices: then into arrays that nobody uses again. */
export function isLong({ signal }: WriteCall, bytes: number): boolean {
  return signal !== undefined && bytes >= longBodyBytes;
}

/** A write that is on its way to the disk, without what is written. */
interface Begun {
  /** Resolves with how many rows were expired. */
  readonly committed: number | Promise<number>;
  readonly rows: number;
  readonly cells: number;
  readonly looked: Looked | undefined;
  readonly nothing: Nothing | undefined;
  readonly altered: string | undefined;
}

type WriteMetrics = Pick<
  Metrics,
  'rowsWritten' | 'valuesWritten' | 'emptyWrites' | 'rowsAhead' | 'rowsExpired'
>;

/** The way of writes from the bytes of a request to the committer. */
export class WritePath {
  readonly #store;
  readonly #committer;
  readonly #metrics;
  readonly #times;
  readonly #longBodies = oneByOne();

  constructor(
    store: Pick<Appender, 'room'>,
    committer: Pick<Committer, 'commit'>,
    metrics: WriteMetrics,
    { now, aheadMs }: WriterClock,
  ) {
    this.#store = store;
    this.#committer = committer;
    this.#metrics = metrics;
    this.#times = doubtfulTimes(now, aheadMs);
  }

  /**
   * Waits for room, then reads a body of so many bytes and commits what it says in one turn of the event loop. Arrays of a
   * decoder last until its next use and the store copies them at the call, so nothing may be awaited between the two. A long
   * body is read in slices first, into arrays of its own.
   *
   * @param steps read the body; none is done before there is room
   */
  async write(call: WriteCall, bytes: number, steps: Steps<Decoded>): Promise<Written> {
    if (isLong(call, bytes)) return this.#inSlices(call, steps);
    const waiting = waitForRoom(this.#store);
    if (waiting !== undefined) await waiting;
    const begun = this.#begin(call.workspace, steps);
    return this.#end(begun, await begun.committed);
  }

  /** What was decoded is not held while the disk is waited for: with many writes under way that is what collecting garbage costs. */
  #begin(workspace: string, steps: Steps<Decoded>): Begun {
    return this.#commit(workspace, whole(steps));
  }

  /** @param onCopied given where the rows have arrays of their own: the store copies them in slices, and then calls it */
  #commit(workspace: string, decoded: Decoded, onCopied?: () => void): Begun {
    const { changes, announcements, rows, cells, nothing, altered } = decoded;
    if (changes.length === 0) return { committed: 0, rows, cells, looked: undefined, nothing, altered };
    const looked = rows > 0 ? this.#times.look(workspace, changes) : undefined;
    const committed = this.#committer.commit(workspace, changes, announcements, onCopied);
    return { committed, rows, cells, looked, nothing, altered };
  }

  #end({ rows, cells, looked, nothing, altered }: Begun, expired: number): Written {
    const doubt = looked?.doubt && this.#times.tell(looked.doubt);
    if (looked !== undefined && looked.ahead > 0) this.#metrics.rowsAhead.inc({ by: 'writes' }, looked.ahead);
    if (nothing !== undefined) this.#metrics.emptyWrites.inc(nothing.streams);
    this.#metrics.rowsExpired.inc(expired);
    this.#metrics.rowsWritten.inc(rows);
    this.#metrics.valuesWritten.inc(cells);
    const isTold = doubt !== undefined || nothing !== undefined || altered !== undefined;
    const told = isTold
      ? [nothing?.text, altered, doubt].filter((text) => text !== undefined).join(' ')
      : undefined;
    return { expired, warning: told };
  }

  /**
   * The way of a long body: in slices, as soon as there is room. One after the other: what it is decoded to takes several
   * times its bytes, until the store has copied it. So nothing is made for it before, and what was read waits for no room
   * again: the store holds less of it.
   */
  async #inSlices({ workspace, signal }: WriteCall, steps: Steps<Decoded>): Promise<Written> {
    const left = signal!();
    const leave = await this.#turnWithRoom(left);
    try {
      const begun = this.#commit(workspace, await decodeInSlices(steps, left), leave);
      return this.#end(begun, await begun.committed);
    } finally {
      leave();
    }
  }

  /** The turn of a long body, once there is room. While there is none nobody has a turn: all wait for it at one time. */
  async #turnWithRoom(signal: AbortSignal): Promise<() => void> {
    let waiting = waitForRoom(this.#store);
    for (;;) {
      if (waiting !== undefined) await waiting;
      const leave = await this.#longBodies.enter(signal);
      waiting = waitForRoom(this.#store);
      if (waiting === undefined) return leave;
      leave();
    }
  }
}
