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
   * Reserves `bodyBytes` (a multiple of 8) and has `encode` fill them at once. Resolves when the record is on
   * disk and `apply` has run; rejects with `disk_full`, `overloaded`, `storage_failed` or `shutting_down`, and then
   * the record is not, and will not be, part of the log.
   *
   * @param freesSpace a full disk takes it too, from the room that is kept for such records
   */
  append(bodyBytes: number, encode: Encode, apply: Apply, freesSpace?: boolean): Promise<void>;
  /**
   * The same of a long body, which has its place in the log at once and gets there in slices of time. Records that came
   * before do not wait for it; those after it do. What `steps` reads must stay as it is until the last step, or until this rejects.
   * When it is on disk `prepare` runs, in slices too, and then `apply`: no other record is applied between them.
   */
  appendLong(bodyBytes: number, steps: EncodeSteps, apply: Apply, prepare?: Prepare): Promise<void>;
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
  const slabs = activeSlabs(options);
  const batches = batching();
  const probe = logProbe({
    slabs,
    intervalMs: options.probeIntervalMs ?? 1000,
    onReady: () => change('ready'),
    onFailure: (error) => change(faultOf(error), error),
  });
  let state: LogState = 'writable';
  let { nextLsn } = options;
  let syncedLsn = nextLsn - 1;
  /** In LSN order; the last one takes records until its write begins. */
  const queue: GroupCommit[] = [];
  /** The one that takes records, as long as its slab does. */
  let filling: GroupCommit | undefined;
  let draining: Promise<void> | undefined;

  function change(event: LogEvent, cause?: unknown): void {
    const before = state;
    state = logTransitions[state][event];
    if (state !== before) options.onStateChange(state, cause);
    if (isPassing(state)) probe.later();
  }

  /** The group commit that the next record joins. */
  function commitFor(recordBytes: number): GroupCommit {
    const active = slabs.forRecord(recordBytes);
    if (filling?.active === active) return filling;
    filling = { active, start: active.slab.used, records: [] };
    slabs.hold(active);
    queue.push(filling);
    return filling;
  }

  function append(bodyBytes: number, encode: Encode, apply: Apply, freesSpace = false): Promise<void> {
    const fill = (slab: Slab, { at }: RecordPlace) => {
      encode(slab, at + recordHeaderBytes);
      return undefined;
    };
    if (freesSpace && state === 'full' && !probe.hasLeft) {
      slabs.useReserve();
      return take(bodyBytes, apply, fill);
    }
    return enter(bodyBytes, apply, fill);
  }

  function appendLong(bodyBytes: number, steps: EncodeSteps, apply: Apply, prepare?: Prepare): Promise<void> {
    // Those before it are written without it.
    if (filling !== undefined && filling.records.length > 0) {
      endCommit(filling);
      filling = undefined;
    }
    const fill = (slab: Slab, place: RecordPlace) =>
      fillInSlices(slab, place, steps(slab, place.at + recordHeaderBytes));
    return enter(bodyBytes, apply, fill, prepare);
  }

  function enter(
    bodyBytes: number,
    apply: Apply,
    fill: (slab: Slab, place: RecordPlace) => LongBody | undefined,
    prepare?: Prepare,
  ): Promise<void> {
    const refusal = appendRefusals[state];
    return refusal === undefined
      ? take(bodyBytes, apply, fill, prepare)
      : Promise.reject(new PitwallError(refusal));
  }

  /** Gives the record its place, and has it written there. */
  function take(
    bodyBytes: number,
    apply: Apply,
    fill: (slab: Slab, place: RecordPlace) => LongBody | undefined,
    prepare?: Prepare,
  ): Promise<void> {
    const commit = commitFor(recordHeaderBytes + bodyBytes);
    const { slab } = commit.active;
    const place: RecordPlace = { at: slab.used, length: bodyBytes, lsn: nextLsn, arrival: options.clock() };
    const body = fill(slab, place);
    nextLsn++;
    slab.used = recordEnd(place);
    slab.lastLsn = place.lsn;
    if (slab.firstLsn === 0) slab.firstLsn = place.lsn;
    return new Promise<void>((resolve, reject) => {
      commit.records.push({ place, apply, prepare, body, resolve, reject });
      batches.joined(commit.records.length);
      draining ??= drain();
    });
  }

  async function drain(): Promise<void> {
    // One turn of the event loop lets every request that has already arrived join the group commit.
    await nextTurn();
    for (let commit = queue[0]; commit !== undefined; commit = queue[0]) {
      let step: Step = 'prepare';
      try {
        const file = await commit.active.file;
        if (commit === filling && !commit.active.closed) await batches.wait(commit.records.length);
        if (commit === filling) filling = undefined;
        endCommit(commit);
        await bodiesOf(commit);
        const bytes = duringBytes(endOf(commit) - commit.start, 'checksum', () =>
          bytesToWrite(commit, syncedLsn),
        );
        step = 'write';
        await writeWhole(file, bytes, commit.start);
        step = 'sync';
        await file.sync();
      } catch (error) {
        dropQueue(commit, error, step);
        break;
      }
      for (const { prepare, place } of commit.records)
        if (prepare !== undefined) await commitInSlices(prepare(commit.active.slab, place));
      duringBytes(endOf(commit) - commit.start, 'apply', () => settle(commit));
      batches.settled(commit.records.length + (queue[0]?.records.length ?? 0));
    }
    draining = undefined;
  }

  function settle(commit: GroupCommit): void {
    queue.shift();
    const { active, records } = commit;
    syncedLsn = lastLsnOf(commit);
    for (const { apply, place } of records) apply(active.slab, place);
    for (const { resolve } of records) resolve();
    slabs.release(active);
  }

  /** A group commit could not be made durable: it and all after it are taken back, and their appends fail. */
  function dropQueue(failed: GroupCommit, error: unknown, step: Step): void {
    const fault = step === 'sync' ? 'ioError' : faultOf(error);
    change(fault, error);
    const dropped = queue.splice(0);
    filling = undefined;
    nextLsn = failed.records[0]!.place.lsn;
    if (fault !== 'ioError' && step === 'write')
      probe.leave({ active: failed.active, from: failed.start, to: endOf(failed) });
    for (const { active, start, records } of dropped) {
      for (const { body } of records) body?.leave();
      takeBack(active.slab, start, records[0]!.place.lsn);
      for (const { reject } of records) reject(new PitwallError(faultCodes[fault]));
    }
    for (const { active } of dropped) slabs.release(active);
  }

  return {
    append,
    appendLong,
    rotate: slabs.rotate,
    rest: slabs.rest,
    get state() {
      return state;
    },
    get syncedLsn() {
      return syncedLsn;
    },
    get draftedLsn() {
      return nextLsn - 1;
    },
    get currentBytes() {
      return slabs.current?.slab.used ?? 0;
    },
    get openBytes() {
      return slabs.bytes;
    },
    fail: (cause) => change('ioError', cause),
    async close() {
      while (draining !== undefined) await draining;
      change('close');
      await probe.close();
      await slabs.settled();
    },
  };
}
