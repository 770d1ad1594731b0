import { PitwallError } from '../../../errors.ts';
import { duringBytes } from '../../../turns/long-turns.ts';
import { nextTurn } from '../../../turns/rest.ts';
import type { Steps } from '../../../turns/steps.ts';
import { writeWhole } from '../files/files.ts';
import { type ActiveSlabsOptions, activeSlabs } from './active-slabs.ts';
import { batching } from './batching.ts';
import { commitInSlices } from './commit-slices.ts';
import {
  type Apply,
  bodiesOf,
  bytesToWrite,
  endCommit,
  endOf,
  type GroupCommit,
  lastLsnOf,
  type Prepare,
} from './group-commit.ts';
import { logProbe } from './log-probe.ts';
import { type RecordPlace, recordEnd, recordHeaderBytes } from './log-record.ts';
import {
  appendRefusals,
  faultCodes,
  faultOf,
  isPassing,
  type LogEvent,
  type LogState,
  logTransitions,
} from './log-state.ts';
import { fillInSlices, type LongBody } from './long-body.ts';
import { type Slab, takeBack } from './slab.ts';

/**
 * The only commit point. Records are encoded straight into the slab of the current segment. One write and one
 * sync cover all that arrived while the last ones ran (group commit). After the sync the records are applied in
 * LSN order, then their appends resolve.
 */
export interface CommitLog {
  /**
   * Resolves when the record is on disk and `apply` has run; rejects with `disk_full`, `overloaded`, `storage_failed` or
   * `shutting_down`, and then the record is not, and will not be, part of the log.
   */
  append(record: NewRecord): Promise<void>;
  /** Closes the current slab, so that it can be sealed; the next record opens a new one. */
  rotate(): void;
  /**
   * Nothing is written for now: closes the current slab, as `rotate` does, and gives back what the disk holds for
   * slabs to come, but for one small spare. The log grows again when records come.
   */
  rest(): Promise<void>;
  readonly state: LogState;
  /** Everything up to this LSN is on disk. */
  readonly syncedLsn: number;
  /** The last record that has a place in the log, or had one before the disk refused it. */
  readonly draftedLsn: number;
  /** Bytes of records in the slab that takes the next one. */
  readonly currentBytes: number;
  /** Bytes of slabs that were not handed to `onClosed` yet. */
  readonly openBytes: number;
  /** Takes no more appends, for good: the disk did not take what has to be written beside the log, or before it. */
  fail(cause: Error): void;
  /** Waits for what was appended, then refuses more. */
  close(): Promise<void>;
}

export type Encode = (slab: Slab, at: number) => void;
export type EncodeSteps = (slab: Slab, at: number) => Steps<void>;

/** A record to be appended. */
export type NewRecord = {
  /** Of its body; a multiple of 8. */
  readonly bytes: number;
  readonly apply: Apply;
  /** A full disk takes it too, from the room that is kept for such records. */
  readonly freesSpace?: boolean;
} & (
  | {
      /** Fills the body at once. */
      readonly encode: Encode;
    }
  | {
      /**
       * Fills a long body, which has its place in the log at once and gets there in slices of time. Records that came before
       * do not wait for it; those after it do. What is read must stay as it is until the last step, or until `append` rejects.
       */
      readonly steps: EncodeSteps;
      /** Runs when it is on disk, in slices too, and then `apply`: no other record is applied between them. */
      readonly prepare?: Prepare;
    }
);

export interface CommitLogOptions extends ActiveSlabsOptions {
  readonly nextLsn: number;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly onStateChange: (state: LogState, cause: unknown) => void;
  /** How long to wait between probes of a full disk, or of a process without files to open; 1000 by default. */
  readonly probeIntervalMs?: number;
}

/** What a group commit needs to become durable, in this order. */
type Step = 'prepare' | 'write' | 'sync';

export function openCommitLog(options: CommitLogOptions): CommitLog {
  return new GroupedLog(options);
}

class GroupedLog implements CommitLog {
  readonly #options: CommitLogOptions;
  readonly #slabs;
  readonly #batches = batching();
  readonly #probe;
  #state: LogState = 'writable';
  #nextLsn;
  #syncedLsn;
  /** In LSN order; the last one takes records until its write begins. */
  readonly #queue: GroupCommit[] = [];
  /** The one that takes records, as long as its slab does. */
  #filling: GroupCommit | undefined;
  /** The writing of the queue, as long as it is not empty. */
  #draining: Promise<void> | undefined;

  constructor(options: CommitLogOptions) {
    this.#options = options;
    this.#slabs = activeSlabs(options);
    this.#probe = logProbe({
      slabs: this.#slabs,
      intervalMs: options.probeIntervalMs ?? 1000,
      onReady: () => this.#change('ready'),
      onFailure: (error) => this.#change(faultOf(error), error),
    });
    this.#nextLsn = options.nextLsn;
    this.#syncedLsn = this.#nextLsn - 1;
    this.rotate = this.#slabs.rotate;
    this.rest = this.#slabs.rest;
  }

  readonly rest: CommitLog['rest'];

  readonly rotate: CommitLog['rotate'];

  readonly fail = (cause: Error): void => {
    this.#change('ioError', cause);
  };

  append(record: NewRecord): Promise<void> {
    // Those before a long one are written without it.
    if ('steps' in record && this.#filling !== undefined && this.#filling.records.length > 0) {
      endCommit(this.#filling);
      this.#filling = undefined;
    }
    if (record.freesSpace === true && this.#state === 'full' && !this.#probe.hasLeft) {
      this.#slabs.useReserve();
      return this.#take(record);
    }
    const refusal = appendRefusals[this.#state];
    return refusal === undefined ? this.#take(record) : Promise.reject(new PitwallError(refusal));
  }

  get state(): LogState {
    return this.#state;
  }

  get syncedLsn(): number {
    return this.#syncedLsn;
  }

  get draftedLsn(): number {
    return this.#nextLsn - 1;
  }

  get currentBytes(): number {
    return this.#slabs.current?.slab.used ?? 0;
  }

  get openBytes(): number {
    return this.#slabs.bytes;
  }

  async close(): Promise<void> {
    while (this.#draining !== undefined) await this.#draining;
    this.#change('close');
    await this.#probe.close();
    await this.#slabs.settled();
  }

  #change(event: LogEvent, cause?: unknown): void {
    const before = this.#state;
    this.#state = logTransitions[this.#state][event];
    if (this.#state !== before) this.#options.onStateChange(this.#state, cause);
    if (isPassing(this.#state)) this.#probe.later();
  }

  /** The group commit that the next record joins. */
  #commitFor(recordBytes: number): GroupCommit {
    const active = this.#slabs.forRecord(recordBytes);
    if (this.#filling?.active === active) return this.#filling;
    this.#filling = { active, start: active.slab.used, records: [] };
    this.#slabs.hold(active);
    this.#queue.push(this.#filling);
    return this.#filling;
  }

  /** Gives the record its place, and has it written there. What waits for the disk does not hold the record. */
  #take(record: NewRecord): Promise<void> {
    const { bytes, apply } = record;
    const commit = this.#commitFor(recordHeaderBytes + bytes);
    const { slab } = commit.active;
    const place: RecordPlace = {
      at: slab.used,
      length: bytes,
      lsn: this.#nextLsn,
      arrival: this.#options.clock(),
    };
    const at = place.at + recordHeaderBytes;
    let body: LongBody | undefined;
    let prepare: Prepare | undefined;
    if ('steps' in record) {
      prepare = record.prepare;
      body = fillInSlices(slab, place, record.steps(slab, at));
    } else record.encode(slab, at);
    this.#nextLsn++;
    slab.used = recordEnd(place);
    slab.lastLsn = place.lsn;
    if (slab.firstLsn === 0) slab.firstLsn = place.lsn;
    return new Promise<void>((resolve, reject) => {
      commit.records.push({ place, apply, prepare, body, resolve, reject });
      this.#batches.joined(commit.records.length);
      this.#draining ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    // One turn of the event loop lets every request that has already arrived join the group commit.
    await nextTurn();
    for (let commit = this.#queue[0]; commit !== undefined; commit = this.#queue[0]) {
      let step: Step = 'prepare';
      try {
        const file = await commit.active.file;
        if (commit === this.#filling && !commit.active.closed)
          await this.#batches.wait(commit.records.length);
        if (commit === this.#filling) this.#filling = undefined;
        endCommit(commit);
        await bodiesOf(commit);
        const bytes = duringBytes(endOf(commit) - commit.start, 'checksum', () =>
          bytesToWrite(commit, this.#syncedLsn),
        );
        step = 'write';
        await writeWhole(file, bytes, commit.start);
        step = 'sync';
        await file.sync();
      } catch (error) {
        this.#dropQueue(commit, error, step);
        break;
      }
      for (const { prepare, place } of commit.records)
        if (prepare !== undefined) await commitInSlices(prepare(commit.active.slab, place));
      duringBytes(endOf(commit) - commit.start, 'apply', () => this.#settle(commit));
      this.#batches.settled(commit.records.length + (this.#queue[0]?.records.length ?? 0));
    }
    this.#draining = undefined;
  }

  #settle(commit: GroupCommit): void {
    this.#queue.shift();
    const { active, records } = commit;
    this.#syncedLsn = lastLsnOf(commit);
    for (const { apply, place } of records) apply(active.slab, place);
    for (const { resolve } of records) resolve();
    this.#slabs.release(active);
  }

  /** A group commit could not be made durable: it and all after it are taken back, and their appends fail. */
  #dropQueue(failed: GroupCommit, error: unknown, step: Step): void {
    const fault = step === 'sync' ? 'ioError' : faultOf(error);
    this.#change(fault, error);
    const dropped = this.#queue.splice(0);
    this.#filling = undefined;
    this.#nextLsn = failed.records[0]!.place.lsn;
    if (fault !== 'ioError' && step === 'write')
      this.#probe.leave({ active: failed.active, from: failed.start, to: endOf(failed) });
    for (const { active, start, records } of dropped) {
      for (const { body } of records) body?.leave();
      takeBack(active.slab, start, records[0]!.place.lsn);
      for (const { reject } of records) reject(new PitwallError(faultCodes[fault]));
    }
    for (const { active } of dropped) this.#slabs.release(active);
  }
}
