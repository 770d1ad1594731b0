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

/** The slabs that records are written to: one that takes them, and closed ones of which some are not durable yet. */
export class ActiveSlabs {
  readonly #options: ActiveSlabsOptions;
  /** Of the next segment. */
  #sequence;
  /** Of slabs that were not handed on yet. */
  #bytes = 0;
  /** The one that takes the next record. */
  #current: ActiveSlab | undefined;

  constructor(options: ActiveSlabsOptions) {
    this.#options = options;
    this.#sequence = options.nextSequence;
  }

  /** Ends the current one, if it has records. */
  rotate(): void {
    if (this.#current !== undefined && this.#current.slab.firstLsn !== 0) this.#close(this.#current);
  }

  /** Nothing is written: ends the current one, if it has records or is larger than the smallest; the next is small. */
  async rest(): Promise<void> {
    this.#options.sizes.rest();
    await this.settled();
    if (
      this.#current !== undefined &&
      (this.#current.slab.firstLsn !== 0 || this.#current.slab.bytes.length > this.#options.sizes.first)
    )
      this.#close(this.#current);
    await this.#options.segments.rest();
  }

  /** The one that takes records; undefined until the next record comes. */
  get current(): ActiveSlab | undefined {
    return this.#current;
  }

  /** Bytes of all that were not handed to `onClosed` yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The one that has room for a record of so many bytes: the current one, or a new one in its place. */
  forRecord(recordBytes: number): ActiveSlab {
    if (this.#current !== undefined) {
      const { slab, hasSuccessor } = this.#current;
      const used = slab.used + recordBytes;
      if (!hasSuccessor && used > slab.bytes.length / 2) this.#prepareSuccessor(this.#current);
      if (used > slab.bytes.length) {
        this.#close(this.#current);
        this.#options.sizes.grow();
      }
    }
    this.#current ??= this.#open(recordBytes);
    return this.#current;
  }

  /** Where the current one could get no file, a small one takes its place, on the room that the disk keeps for it. */
  useReserve(): void {
    if (this.#current?.isMissing === false) return;
    this.#options.sizes.rest();
    if (this.#current !== undefined) this.#close(this.#current);
    const slab = makeSlab(this.#sequence++, this.#options.memory.take(this.#options.sizes.first));
    this.#current = this.#opened(slab, this.#options.segments.prepareFromReserve(slab.sequence));
  }

  hold(active: ActiveSlab): void {
    active.holds++;
  }

  /** Takes a hold back. A closed slab that nobody holds goes to `onClosed`. */
  release(active: ActiveSlab): void {
    active.holds--;
    this.#handOver(active);
  }

  /**
   * Makes sure that the current one has a file; tries again where it could not be had, with the smallest size. Rejects with
   * why not.
   */
  async ready(): Promise<void> {
    await this.#options.segments.keepReserve();
    await this.settled();
    if (this.#current?.isMissing && this.#current.slab.bytes.length > this.#options.sizes.first) {
      this.#options.sizes.rest();
      this.#close(this.#current);
    }
    this.#current ??= this.#open(0);
    const active = this.#current;
    await active.file.catch(() => {
      active.file = this.#options.segments.prepare(active.slab.sequence, active.slab.bytes.length);
      this.#noteMissing(active);
      return active.file;
    });
    // The reserve was used meanwhile: nobody needs this file.
    if (active.closed && active.slab.firstLsn === 0)
      await this.#options.segments.recycle(active.slab.sequence);
    // What took it frees space, but has not done so yet.
    await this.#options.segments.keepReserve();
  }

  /** Resolves when no file is being made ready any more. */
  async settled(): Promise<void> {
    await this.#current?.file.catch(() => undefined);
  }

  #open(recordBytes: number): ActiveSlab {
    const slab = makeSlab(
      this.#sequence++,
      this.#options.memory.take(this.#options.sizes.forRecord(nextCommitStart(recordBytes))),
    );
    const active = this.#opened(slab, this.#options.segments.prepare(slab.sequence, slab.bytes.length));
    if (slab.bytes.length >= this.#options.sizes.full) this.#prepareSuccessor(active);
    return active;
  }

  #opened(slab: Slab, file: Promise<LogFile>): ActiveSlab {
    this.#bytes += slab.bytes.length;
    const active = { slab, file, isMissing: false, closed: false, holds: 0, hasSuccessor: false };
    this.#noteMissing(active);
    return active;
  }

  #noteMissing(active: ActiveSlab): void {
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
  #prepareSuccessor(active: ActiveSlab): void {
    active.hasSuccessor = true;
    active.file.then(
      () => this.#options.segments.ensureSpare(this.#options.sizes.after(active.slab.bytes.length)),
      () => undefined,
    );
  }

  #close(active: ActiveSlab): void {
    active.closed = true;
    this.#current = undefined;
    this.#handOver(active);
  }

  #handOver(active: ActiveSlab): void {
    if (!active.closed || active.holds > 0) return;
    this.#bytes -= active.slab.bytes.length;
    this.#options.onClosed(active.slab);
  }
}
