import { setTimeout as pause } from 'node:timers/promises';
import { PitwallError } from '../errors.ts';
import type { Log } from '../log.ts';
import { BaseMissing, beginRecord, type PlacedRecord, type RecordParts } from './begin-record.ts';
import { Groups, markOf, readMessage } from './frame.ts';
import { LogChain, type ReadUpTo } from './log-chain.ts';
import type { LogClock } from './log-clock.ts';
import type { LogMessage } from './log-streams.ts';
import { isAfter, type Position } from './position.ts';
import { decodeRecord, type LogRecord, recordMemory } from './record.ts';
import type { Tail } from './tail.ts';
import type { Waiters } from './waiters.ts';

export interface ApplierOptions extends Omit<RecordParts, 'base' | 'isTimeToKeep'> {
  readonly waiters: Waiters;
  /** Keeps what was applied last. */
  readonly tail: Tail;
  readonly clock: LogClock;
  /** Where the log is read from. */
  readonly position: Position;
  /** Told of the message up to which all is applied now. */
  readonly onApplied: (sequence: number) => void;
  /** Ends the applying. */
  readonly signal: AbortSignal;
  readonly log: Pick<Log, 'error'>;
}

/** With the id under which somebody may wait for it. */
interface Placed extends PlacedRecord {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Records whose rows are on their way to the disk at one time. */
const mostUnderWay = 512;
/** After a failure of the disk the record is tried again. */
const retryMs = 1000;
const longBytes = 64 << 10;
/** Messages after which the position is kept where nothing else keeps it. */
const keepEvery = 60;

/** Applies the messages of the log to the store of this node, each once and in their order. */
export class Applier {
  readonly #options: ApplierOptions;
  readonly #parts: RecordParts;
  readonly #chain: LogChain;
  readonly #groups: Groups;
  /** Of the records of one message: those that are begun are copied by the store. */
  readonly #memory = recordMemory();
  readonly #underWay = new Set<Promise<void>>();
  /** Records that the disk did not take, which are begun again before all others. */
  readonly #refused: (Placed & { readonly resolve: () => void })[] = [];
  #repairing: Promise<void> | undefined;
  readonly #ended: Promise<unknown>;
  /** What was placed last. */
  #placed: Position;
  #applied: number;
  #begun: number;
  /** Resolves when all messages so far are applied. */
  #all: Promise<void> = Promise.resolve();
  #problem: string | undefined;
  /** The message that comes next. */
  #next: number;
  /** The message up to which the store keeps the position. */
  #kept: number;

  constructor(options: ApplierOptions) {
    this.#options = options;
    this.#parts = {
      ...options,
      base: options.position.base,
      isTimeToKeep: ({ sequence }) => sequence - this.#kept >= keepEvery,
    };
    this.#placed = options.position;
    this.#chain = new LogChain(options.position);
    this.#groups = new Groups(this.#chain);
    this.#ended = new Promise((resolve) => options.signal.addEventListener('abort', resolve, { once: true }));
    this.#applied = options.position.sequence;
    this.#begun = options.position.sequence;
    this.#next = options.position.from;
    this.#kept = options.position.sequence;
  }

  /** The message up to which all is applied and on disk. */
  get applied(): number {
    return this.#applied;
  }

  /** The last message of which a record is. */
  get begun(): number {
    return this.#begun;
  }

  /** Why it does not get on; undefined where it does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** What it has read of the log. */
  get read(): ReadUpTo {
    return this.#chain.last;
  }

  /** Resolves when all that was begun is on disk, or will be read again by the next start. */
  settled(): Promise<void> {
    return this.#all;
  }

  /** Resolves when the next message may come. Rejects with CannotGoOn. */
  async apply({ sequence, at, data }: LogMessage, mark = markOf(data)): Promise<void> {
    if (sequence > this.#next)
      throw new BaseMissing(`the messages ${this.#next} to ${sequence - 1} of the log are gone`);
    this.#next = sequence + 1;
    const framed = readMessage(sequence, () => this.#groups.take(data, sequence, at) ?? []);
    this.#chain.add(sequence, mark);
    this.#memory.reuse();
    // All are read before one is applied: where a node cannot read one, it goes on with the message after its upgrade.
    const records = readMessage(sequence, () =>
      framed.map(({ record }) => decodeRecord(record, this.#memory.array)),
    );
    this.#options.clock.advance(at);
    const begun: { readonly done: Promise<void> }[] = [];
    const from = Math.min(sequence, this.#groups.firstNeeded() ?? sequence);
    const { chain } = this.#chain.last;
    for (const [record, { id, record: bytes }] of framed.entries()) {
      const { state: lease } = this.#options.lease;
      const position = { log: this.#placed.log, sequence, mark, chain, record, from, at, lease };
      if (!isAfter(position, this.#placed)) continue;
      begun.push(await this.#applyOne({ id, bytes, record: records[record]!, position }));
      this.#placed = position;
    }
    const isWrite = records.some(({ type }) => type !== 'lease');
    this.#options.tail.add({ sequence, mark, at, isWrite }, framed);
    this.#all = Promise.all([this.#all, ...begun.map(({ done }) => done)]).then(() => {
      // A start reads again what it has applied where a group was not whole.
      if (sequence > this.#applied && !this.#options.signal.aborted) {
        this.#applied = sequence;
        this.#options.onApplied(sequence);
      }
    });
  }

  /** Resolves, when the next record may come, with a promise of this one. */
  async #applyOne(one: Placed): Promise<{ readonly done: Promise<void> }> {
    const isBarrier = !isOfRows(one.record) && one.record.type !== 'lease';
    if (isBarrier) await Promise.all(this.#underWay);
    if (this.#underWay.size >= mostUnderWay) await Promise.race(this.#underWay);
    for (let waiting = this.#waiting(); waiting !== undefined; waiting = this.#waiting())
      await Promise.race([waiting, this.#ended]);
    const isLong = one.bytes.length >= longBytes;
    const begun = beginRecord(this.#parts, one, isLong);
    const done = this.#finish(one, begun.done);
    this.#underWay.add(done);
    void done.finally(() => this.#underWay.delete(done));
    if (isBarrier) await done;
    else if (isLong) await Promise.race([begun.copied, done]);
    return { done };
  }

  /** Undefined where a record may be begun now. */
  #waiting(): Promise<void> | undefined {
    const { store, signal } = this.#options;
    signal.throwIfAborted();
    return this.#repairing ?? store.room();
  }

  /** Tells who waits. Resolves when the record is applied, also where the disk refuses it at first. */
  async #finish(one: Placed, done: Promise<unknown>): Promise<void> {
    try {
      this.#succeed(one, await done);
    } catch (error) {
      if (isOfDisk(error)) await this.#refuse(one, error);
      else this.#fail(one, error);
    }
  }

  #succeed({ id, record, position }: Placed, result: unknown): void {
    if (record.type !== 'lease' || this.#parts.isTimeToKeep(position))
      this.#kept = Math.max(this.#kept, position.sequence);
    this.#begun = Math.max(this.#begun, position.sequence);
    this.#options.waiters.resolve(id, result);
  }

  /** What a record asks for cannot be done. Every node finds the same, but where something is wrong with this one. */
  #fail({ id, record, position }: Placed, error: unknown): void {
    if (!(error instanceof PitwallError) || error.status >= 500)
      this.#options.log.error(
        { err: error, ...position, type: record.type },
        'a record could not be applied',
      );
    this.#begun = Math.max(this.#begun, position.sequence);
    this.#options.waiters.reject(id, error);
  }

  /**
   * The disk does not take a record, nor those that were placed behind it. Nothing more is begun until it takes them, in their order: else a
   * later one could be kept, and this one be lost with the next kill. Nobody waits for that.
   */
  #refuse(one: Placed, error: unknown): Promise<void> {
    const problem = `this node cannot apply the log: ${(error as Error).message}`;
    if (this.#problem === undefined) this.#options.log.error({ sequence: one.position.sequence }, problem);
    this.#problem = problem;
    this.#options.waiters.rejectAll(error);
    return new Promise((resolve) => {
      // The memory of what was read is used again.
      this.#refused.push({ ...one, record: decodeRecord(one.bytes), resolve });
      this.#repairing ??= this.#repair();
    });
  }

  async #repair(): Promise<void> {
    const { signal } = this.#options;
    for (let isTaking = false; this.#refused.length > 0; ) {
      if (!isTaking) await pause(retryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) break;
      isTaking = false;
      const [first] = this.#refused.sort((a, b) => (isAfter(a.position, b.position) ? 1 : -1));
      try {
        const result = await beginRecord(this.#parts, first!, false).done;
        this.#succeed(first!, result);
      } catch (error) {
        if (isOfDisk(error)) continue;
        this.#fail(first!, error);
      }
      isTaking = true;
      this.#refused.splice(this.#refused.indexOf(first!), 1);
      first!.resolve();
    }
    // At a stop: the next start reads them again.
    for (const { resolve } of this.#refused.splice(0)) resolve();
    if (!signal.aborted) this.#problem = undefined;
    this.#repairing = undefined;
  }
}

/**
 * Whether a record writes rows and nothing else: it may be begun while those before it are on their way to the disk. What other records
 * change, a workspace or a rule, has to be seen by those behind them, and they have to see what was changed before.
 */
function isOfRows(record: LogRecord): boolean {
  return (
    record.type === 'write' &&
    record.more.length === 0 &&
    record.announcements.every(
      ({ content }) => content.type === 'parameterData' || content.type === 'eventData',
    )
  );
}

const ofDisk = new Set(['disk_full', 'storage_failed', 'overloaded']);

function isOfDisk(error: unknown): boolean {
  return error instanceof PitwallError && ofDisk.has(error.code);
}
