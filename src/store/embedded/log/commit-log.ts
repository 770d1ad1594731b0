import { PitwallError } from '../../../errors.ts';
import { type LogFile, writeWhole, writeZeros } from '../files/files.ts';
import { gathering } from './gathering.ts';
import { nextGroup, type RecordPlace, recordEnd, recordHeaderBytes, stampHeader } from './log-record.ts';
import type { Segments } from './log-segments.ts';
import {
  appendAnswer,
  faultAnswer,
  faultOf,
  isPassing,
  type LogEvent,
  type LogState,
  logTransitions,
} from './log-state.ts';
import { makeSlab, type Slab, type SlabMemory, takeBack } from './slab.ts';

/**
 * The only commit point. Records are encoded straight into the slab of the current segment; one write and one
 * sync cover all that arrived while the last ones ran (group commit). After the sync the records are applied in
 * LSN order, then their appends resolve.
 */
export interface CommitLog {
  /**
   * Reserves `bodyBytes` (a multiple of 8) and has `encode` fill them at once. Resolves when the record is on
   * disk and `apply` has run; rejects with `disk_full`, `overloaded`, `storage_failed` or `shutting_down`, and then
   * the record is not, and will not be, part of the log.
   */
  append(bodyBytes: number, encode: Encode, apply: Apply): Promise<void>;
  /** Closes the current slab, so that it can be sealed; the next record opens a new one. */
  rotate(): void;
  readonly state: LogState;
  /** Everything up to this LSN is on disk. */
  readonly syncedLsn: number;
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
export type Apply = (slab: Slab, place: RecordPlace) => void;

export interface CommitLogOptions {
  readonly segments: Segments;
  readonly memory: SlabMemory;
  readonly nextSequence: number;
  readonly nextLsn: number;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  /** A slab that gets no more records; all of them are durable and applied. */
  readonly onClosed: (slab: Slab) => void;
  readonly onStateChange: (state: LogState, cause: unknown) => void;
  /** How long to wait between probes of a full disk, or of a process without files to open. */
  readonly probeIntervalMs?: number;
}

interface Pending {
  readonly place: RecordPlace;
  readonly apply: Apply;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Segment {
  readonly slab: Slab;
  file: Promise<LogFile>;
  closed: boolean;
  /** Groups that are queued, being written, or waiting to be erased. */
  groups: number;
}

interface Group {
  readonly segment: Segment;
  readonly start: number;
  readonly records: Pending[];
}

/** What a group needs to become durable, in this order. */
type Step = 'prepare' | 'write' | 'sync';

/** Bytes of a group that was taken back and may stand in its file, whole or in part. */
interface Leftover {
  readonly segment: Segment;
  readonly from: number;
  readonly to: number;
}

export function openCommitLog(options: CommitLogOptions): CommitLog {
  const { segments, memory, clock, onClosed } = options;
  let state: LogState = 'writable';
  let nextSequence = options.nextSequence;
  let nextLsn = options.nextLsn;
  let syncedLsn = nextLsn - 1;
  let openBytes = 0;
  let current: Segment | undefined;
  /** Groups in LSN order; the last one takes records until its write begins. */
  const queue: Group[] = [];
  let openGroup: Group | undefined;
  let draining: Promise<void> | undefined;
  const gather = gathering();
  let leftover: Leftover | undefined;
  let probeTimer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | undefined;

  function change(event: LogEvent, cause?: unknown): void {
    const before = state;
    state = logTransitions[state][event];
    if (state !== before) options.onStateChange(state, cause);
    if (isPassing(state)) probeLater();
  }

  function openSegment(recordBytes: number): Segment {
    const sequence = nextSequence++;
    const bytes = Math.max(memory.slabBytes, nextGroup(recordBytes));
    const slab = makeSlab(sequence, memory.take(bytes));
    openBytes += slab.bytes.length;
    const file = segments.prepare(sequence, slab.bytes.length);
    file.then(segments.ensureSpare, () => undefined);
    return { slab, file, closed: false, groups: 0 };
  }

  function closeSegment(segment: Segment): void {
    segment.closed = true;
    if (segment === current) current = undefined;
    if (openGroup?.segment === segment) openGroup = undefined;
    handOver(segment);
  }

  function handOver(segment: Segment): void {
    if (!segment.closed || segment.groups > 0) return;
    openBytes -= segment.slab.bytes.length;
    onClosed(segment.slab);
  }

  function reserve(recordBytes: number): Group {
    if (current !== undefined && current.slab.used + recordBytes > current.slab.bytes.length)
      closeSegment(current);
    current ??= openSegment(recordBytes);
    if (openGroup === undefined) {
      openGroup = { segment: current, start: current.slab.used, records: [] };
      current.groups++;
      queue.push(openGroup);
    }
    return openGroup;
  }

  function append(bodyBytes: number, encode: Encode, apply: Apply): Promise<void> {
    const refusal = appendAnswer[state];
    if (refusal !== undefined) return Promise.reject(new PitwallError(refusal));
    const group = reserve(recordHeaderBytes + bodyBytes);
    const { slab } = group.segment;
    const place: RecordPlace = { at: slab.used, length: bodyBytes, lsn: nextLsn, arrival: clock() };
    encode(slab, place.at + recordHeaderBytes);
    nextLsn++;
    slab.used = recordEnd(place);
    slab.lastLsn = place.lsn;
    if (slab.firstLsn === 0) slab.firstLsn = place.lsn;
    return new Promise<void>((resolve, reject) => {
      group.records.push({ place, apply, resolve, reject });
      gather.joined(group.records.length);
      draining ??= drain();
    });
  }

  async function drain(): Promise<void> {
    // One turn of the event loop lets every request that has already arrived join the group.
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let group = queue[0]; group !== undefined; group = queue[0]) {
      let step: Step = 'prepare';
      try {
        const file = await group.segment.file;
        if (group === openGroup) await gather.wait(group.records.length);
        const bytes = finishGroup(group);
        step = 'write';
        await writeWhole(file, bytes, group.start);
        step = 'sync';
        await file.sync();
      } catch (error) {
        dropQueue(group, error, step);
        break;
      }
      settle(group);
      gather.settled(group.records.length + (queue[0]?.records.length ?? 0));
    }
    draining = undefined;
  }

  /** Closes the group for records and returns the bytes to write: whole pages, zeros behind the last record. */
  function finishGroup(group: Group): Buffer {
    if (openGroup === group) openGroup = undefined;
    const { slab } = group.segment;
    for (const { place } of group.records) stampHeader(slab, place, syncedLsn);
    const end = recordEnd(group.records.at(-1)!.place);
    const padded = nextGroup(end);
    slab.bytes.fill(0, end, padded);
    if (slab.used === end) slab.used = padded;
    return slab.bytes.subarray(group.start, padded);
  }

  function settle(group: Group): void {
    queue.shift();
    const { segment, records } = group;
    syncedLsn = records.at(-1)!.place.lsn;
    for (const { apply, place } of records) apply(segment.slab, place);
    for (const { resolve } of records) resolve();
    segment.groups--;
    handOver(segment);
  }

  /** The group could not be made durable: it and all behind it are taken back, their appends fail. */
  function dropQueue(failed: Group, error: unknown, step: Step): void {
    const fault = step === 'sync' ? 'ioError' : faultOf(error);
    change(fault, error);
    const dropped = queue.splice(0);
    openGroup = undefined;
    nextLsn = failed.records[0]!.place.lsn;
    if (fault !== 'ioError' && step === 'write') {
      const to = nextGroup(recordEnd(failed.records.at(-1)!.place));
      leftover = { segment: failed.segment, from: failed.start, to };
      failed.segment.groups++;
    }
    for (const { segment, start, records } of dropped) {
      segment.groups--;
      takeBack(segment.slab, start, records[0]!.place.lsn);
      for (const { reject } of records) reject(new PitwallError(faultAnswer[fault]));
    }
    for (const segment of new Set(dropped.map((group) => group.segment))) handOver(segment);
  }

  function probeLater(): void {
    probeTimer = setTimeout(() => {
      probing = probe();
    }, options.probeIntervalMs ?? 1000).unref();
  }

  /** Tries whether the log takes data again, by what has to be done before the next group can be written. */
  async function probe(): Promise<void> {
    try {
      await eraseLeftover();
      await makeReady();
      change('ready');
    } catch (error) {
      change(faultOf(error), error);
    }
  }

  /** The LSNs of what was taken back are given again: a start must not find two records of one LSN. */
  async function eraseLeftover(): Promise<void> {
    if (leftover === undefined) return;
    const { segment, from, to } = leftover;
    const file = await segment.file;
    await writeZeros(file, from, to);
    await file.sync();
    leftover = undefined;
    segment.groups--;
    handOver(segment);
  }

  async function makeReady(): Promise<void> {
    current ??= openSegment(0);
    const segment = current;
    await segment.file.catch(() => {
      segment.file = segments.prepare(segment.slab.sequence, segment.slab.bytes.length);
      return segment.file;
    });
  }

  return {
    append,
    rotate() {
      if (current !== undefined && current.slab.firstLsn !== 0) closeSegment(current);
    },
    get state() {
      return state;
    },
    get syncedLsn() {
      return syncedLsn;
    },
    get currentBytes() {
      return current === undefined ? 0 : current.slab.used;
    },
    get openBytes() {
      return openBytes;
    },
    fail: (cause) => change('ioError', cause),
    async close() {
      while (draining !== undefined) await draining;
      change('close');
      clearTimeout(probeTimer);
      await probing;
      await current?.file.catch(() => undefined);
    },
  };
}
