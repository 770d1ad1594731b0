import { PitwallError } from '../../../errors.ts';
import { duringBytes } from '../../../turns/long-turns.ts';
import { nextTurn } from '../../../turns/rest.ts';
import type { Steps } from '../../../turns/steps.ts';
import { writeWhole } from '../files/files.ts';
import { ActiveSlabs, type ActiveSlabsOptions } from './active-slabs.ts';
import { batching } from './batching.ts';
import { commitInSlices } from './commit-slices.ts';
import {
  type Applier,
  bodiesOf,
  bytesToWrite,
  endCommit,
  endOf,
  type GroupCommit,
  lastLsnOf,
  type PendingRecord,
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
import { fillInSlices, type LongBody, longBodyBytes } from './long-body.ts';
import {
  freesSpace,
  type SectionDraft,
  sectionsBytes,
  sectionsSteps,
  stepBytes,
  writeSections,
} from './sections.ts';
import { takeBack } from './slab.ts';

/** A record to be appended. */
export interface NewRecord {
  readonly sections: readonly SectionDraft[];
  /** Called just before it is applied. */
  readonly before?: ((place: RecordPlace) => void) | undefined;
  /**
   * Given where what the sections are drafted of stays as it is until this is called: then a long record has its place in the
   * log at once, and is written and applied in slices of time. Records that came before do not wait for it; those after it do.
   */
  readonly onCopied?: (() => void) | undefined;
}

export interface CommitLogOptions extends ActiveSlabsOptions {
  readonly nextLsn: number;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  readonly onStateChange: (state: LogState, cause: unknown) => void;
  /** Gets each record when it is on disk, in LSN order. */
  readonly applier: Applier;
  /** From here on a record is written in slices, where it may be; `longBodyBytes` by default. */
  readonly longBytes?: number | undefined;
  /** How long to wait between probes of a full disk, or of a process without files to open; 1000 by default. */
  readonly probeIntervalMs?: number;
}

/** What a group commit needs to become durable, in this order. */
type Step = 'prepare' | 'write' | 'sync';

/**
 * The only commit point. Records are written straight into the slab of the current segment. One write and one
 * sync cover all that arrived while the last ones ran (group commit). After the sync the records are applied in
 * LSN order, then their appends resolve.
 */
export class CommitLog {
  readonly #options: CommitLogOptions;
  readonly #slabs;
  readonly #batches = batching();
  readonly #probe;
  readonly #longBytes;
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
    this.#slabs = new ActiveSlabs(options);
    this.#longBytes = options.longBytes ?? longBodyBytes;
    this.#probe = logProbe({
      slabs: this.#slabs,
      intervalMs: options.probeIntervalMs ?? 1000,
      onReady: () => this.#change('ready'),
      onFailure: (error) => this.#change(faultOf(error), error),
    });
    this.#nextLsn = options.nextLsn;
    this.#syncedLsn = this.#nextLsn - 1;
  }

  /**
   * Resolves when the record is on disk and applied; rejects with `disk_full`, `overloaded`, `storage_failed` or
   * `shutting_down`, and then the record is not, and will not be, part of the log. The sections are written at once, or, of a
   * long record with `onCopied`, by the time that this is called. A full disk takes what frees space from the room that is
   * kept for it.
   */
  append({ sections, before, onCopied }: NewRecord): Promise<void> {
    const bytes = sectionsBytes(sections);
    const isLong = onCopied !== undefined && bytes >= this.#longBytes;
    // Those before a long one are written without it.
    if (isLong && this.#filling !== undefined && this.#filling.records.length > 0) {
      endCommit(this.#filling);
      this.#filling = undefined;
    }
    if (this.#state === 'full' && !isLong && freesSpace(sections) && !this.#probe.hasLeft) {
      this.#slabs.useReserve();
    } else {
      const refusal = appendRefusals[this.#state];
      if (refusal !== undefined) return Promise.reject(new PitwallError(refusal));
    }
    const { commit, place } = this.#placeFor(bytes);
    const { slab } = commit.active;
    const at = place.at + recordHeaderBytes;
    let body: LongBody | undefined;
    if (isLong) {
      const steps = sectionsSteps(slab, at, sections, Math.min(stepBytes, this.#longBytes));
      body = fillInSlices(slab, place, copying(steps, onCopied));
    } else writeSections(slab, at, sections);
    this.#nextLsn++;
    slab.used = recordEnd(place);
    slab.lastLsn = place.lsn;
    if (slab.firstLsn === 0) slab.firstLsn = place.lsn;
    const appended = this.#join(commit, place, before, body);
    if (!isLong) onCopied?.();
    return appended;
  }

  /** Closes the current slab, so that it can be sealed; the next record opens a new one. */
  rotate(): void {
    this.#slabs.rotate();
  }

  /**
   * Nothing is written for now: closes the current slab, as `rotate` does, and gives back what the disk holds for
   * slabs to come, but for one small spare. The log grows again when records come.
   */
  rest(): Promise<void> {
    return this.#slabs.rest();
  }

  get state(): LogState {
    return this.#state;
  }

  /** Everything up to this LSN is on disk. */
  get syncedLsn(): number {
    return this.#syncedLsn;
  }

  /** The last record that has a place in the log, or had one before the disk refused it. */
  get draftedLsn(): number {
    return this.#nextLsn - 1;
  }

  /** Bytes of records in the slab that takes the next one. */
  get currentBytes(): number {
    return this.#slabs.current?.slab.used ?? 0;
  }

  /** Bytes of slabs that were not handed to `onClosed` yet. */
  get openBytes(): number {
    return this.#slabs.bytes;
  }

  /** Takes no more appends, for good: the disk did not take what has to be written beside the log, or before it. */
  fail(cause: Error): void {
    this.#change('ioError', cause);
  }

  /** Waits for what was appended, then refuses more. */
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

  /** The place of the next record, and the group commit that it joins. */
  #placeFor(bytes: number): { readonly commit: GroupCommit; readonly place: RecordPlace } {
    const active = this.#slabs.forRecord(recordHeaderBytes + bytes);
    if (this.#filling?.active !== active) {
      this.#filling = { active, start: active.slab.used, records: [] };
      this.#slabs.hold(active);
      this.#queue.push(this.#filling);
    }
    const { used } = active.slab;
    const place = { at: used, length: bytes, lsn: this.#nextLsn, arrival: this.#options.clock() };
    return { commit: this.#filling, place };
  }

  /** Resolves when the record is applied. What waits for the disk does not hold its sections. */
  #join(
    commit: GroupCommit,
    place: RecordPlace,
    before: PendingRecord['before'],
    body: LongBody | undefined,
  ): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      commit.records.push({ place, before, body, show: undefined, resolve, reject });
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
      for (const record of commit.records) if (record.body !== undefined) await this.#prepare(commit, record);
      duringBytes(endOf(commit) - commit.start, 'apply', () => this.#settle(commit));
      this.#batches.settled(commit.records.length + (this.#queue[0]?.records.length ?? 0));
    }
    this.#draining = undefined;
  }

  /** Does in slices what nobody sees of a long record. No other record is applied between this and the rest of it. */
  async #prepare({ active }: GroupCommit, record: PendingRecord): Promise<void> {
    record.show = await commitInSlices(this.#options.applier.prepare(active.slab, record.place));
  }

  #settle(commit: GroupCommit): void {
    this.#queue.shift();
    const { active, records } = commit;
    this.#syncedLsn = lastLsnOf(commit);
    const { applier } = this.#options;
    for (const { place, before, show } of records) {
      before?.(place);
      applier.apply(active.slab, place, show);
    }
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

// A function of its own: what is written later must not hold the rest of the record.

function* copying(steps: Steps<void>, onCopied: () => void): Steps<void> {
  yield* steps;
  onCopied();
}
