import type { LogFile } from '../files/files.ts';
import { nextCommitStart } from './log-record.ts';
import type { Segments } from './log-segments.ts';
import { makeSlab, type Slab, type SlabMemory } from './slab.ts';
import type { SlabSizes } from './slab-sizes.ts';

/** A slab and the file of its segment, until the slab is full and all of its records are durable. */
export interface ActiveSlab {
  readonly slab: Slab;
  /** Rejects where there is no file to be had. */
  file: Promise<LogFile>;
  /** Whether no file could be had when it was asked for last. */
  isMissing: boolean;
  /** It takes no more records. */
  closed: boolean;
  /** How many hold it: group commits that are not durable yet, and bytes that have to be erased. */
  holds: number;
  /** Whether a file for the slab after it was asked for. */
  hasSuccessor: boolean;
}

/** The slabs that records are written to: one that takes them, and closed ones of which some are not durable yet. */
export interface ActiveSlabs {
  /** The one that takes records; undefined until the next record comes. */
  readonly current: ActiveSlab | undefined;
  /** Bytes of all that were not handed to `onClosed` yet. */
  readonly bytes: number;
  /** The one that has room for a record of so many bytes: the current one, or a new one in its place. */
  forRecord(recordBytes: number): ActiveSlab;
  /** Where the current one could get no file, a small one takes its place, on the room that the disk keeps for it. */
  useReserve(): void;
  hold(active: ActiveSlab): void;
  /** Takes a hold back. A closed slab that nobody holds goes to `onClosed`. */
  release(active: ActiveSlab): void;
  /** Ends the current one, if it has records. */
  rotate(): void;
  /** Nothing is written: ends the current one, if it has records or is larger than the smallest; the next is small. */
  rest(): Promise<void>;
  /**
   * Makes sure that the current one has a file; tries again where it could not be had, with the smallest size. Rejects with
   * why not.
   */
  ready(): Promise<void>;
  /** Resolves when no file is being made ready any more. */
  settled(): Promise<void>;
}

export interface ActiveSlabsOptions {
  readonly segments: Pick<
    Segments,
    'prepare' | 'prepareFromReserve' | 'keepReserve' | 'recycle' | 'ensureSpare' | 'rest'
  >;
  readonly memory: SlabMemory;
  readonly sizes: SlabSizes;
  /** The number of the next segment. */
  readonly nextSequence: number;
  /** A slab that gets no more records; all of them are durable and applied. */
  readonly onClosed: (slab: Slab) => void;
}

export function activeSlabs(options: ActiveSlabsOptions): ActiveSlabs {
  const { segments, memory, sizes, nextSequence, onClosed } = options;
  let sequence = nextSequence;
  let bytes = 0;
  let current: ActiveSlab | undefined;

  function open(recordBytes: number): ActiveSlab {
    const slab = makeSlab(sequence++, memory.take(sizes.forRecord(nextCommitStart(recordBytes))));
    const active = opened(slab, segments.prepare(slab.sequence, slab.bytes.length));
    if (slab.bytes.length >= sizes.full) prepareSuccessor(active);
    return active;
  }

  function opened(slab: Slab, file: Promise<LogFile>): ActiveSlab {
    bytes += slab.bytes.length;
    const active = { slab, file, isMissing: false, closed: false, holds: 0, hasSuccessor: false };
    noteMissing(active);
    return active;
  }

  function noteMissing(active: ActiveSlab): void {
    const { file } = active;
    file.then(
      () => {
        active.isMissing = false;
      },
      () => {
        if (active.file === file) active.isMissing = true;
      },
    );
  }

  /** Makes the file of the next slab, so that nobody waits for it. A small slab may never need it: see `forRecord`. */
  function prepareSuccessor(active: ActiveSlab): void {
    active.hasSuccessor = true;
    active.file.then(
      () => segments.ensureSpare(sizes.after(active.slab.bytes.length)),
      () => undefined,
    );
  }

  function close(active: ActiveSlab): void {
    active.closed = true;
    current = undefined;
    handOver(active);
  }

  function handOver(active: ActiveSlab): void {
    if (!active.closed || active.holds > 0) return;
    bytes -= active.slab.bytes.length;
    onClosed(active.slab);
  }

  async function settled(): Promise<void> {
    await current?.file.catch(() => undefined);
  }

  return {
    get current() {
      return current;
    },
    get bytes() {
      return bytes;
    },
    forRecord(recordBytes) {
      if (current !== undefined) {
        const { slab, hasSuccessor } = current;
        const used = slab.used + recordBytes;
        if (!hasSuccessor && used > slab.bytes.length / 2) prepareSuccessor(current);
        if (used > slab.bytes.length) {
          close(current);
          sizes.grow();
        }
      }
      current ??= open(recordBytes);
      return current;
    },
    useReserve() {
      if (current?.isMissing === false) return;
      sizes.rest();
      if (current !== undefined) close(current);
      const slab = makeSlab(sequence++, memory.take(sizes.first));
      current = opened(slab, segments.prepareFromReserve(slab.sequence));
    },
    hold(active) {
      active.holds++;
    },
    release(active) {
      active.holds--;
      handOver(active);
    },
    rotate() {
      if (current !== undefined && current.slab.firstLsn !== 0) close(current);
    },
    async rest() {
      sizes.rest();
      await settled();
      if (current !== undefined && (current.slab.firstLsn !== 0 || current.slab.bytes.length > sizes.first))
        close(current);
      await segments.rest();
    },
    async ready() {
      await segments.keepReserve();
      await settled();
      if (current?.isMissing && current.slab.bytes.length > sizes.first) {
        sizes.rest();
        close(current);
      }
      current ??= open(0);
      const active = current;
      await active.file.catch(() => {
        active.file = segments.prepare(active.slab.sequence, active.slab.bytes.length);
        noteMissing(active);
        return active.file;
      });
      // The reserve was used meanwhile: nobody needs this file.
      if (active.closed && active.slab.firstLsn === 0) await segments.recycle(active.slab.sequence);
      // What took it frees space, but has not done so yet.
      await segments.keepReserve();
    },
    settled,
  };
}
