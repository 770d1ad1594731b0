import type { ErrorCode } from '../../../errors.ts';
import { saveCatalog } from '../catalog/catalog-manifest.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { type HeadSlab, windowCount } from '../log/head.ts';
import type { Segments } from '../log/log-segments.ts';
import { faultAnswer, faultOf } from '../log/log-state.ts';
import type { SlabMemory } from '../log/slab.ts';
import { CommitsEnded } from '../manifest/commit-queue.ts';
import type { Change, Manifest } from '../manifest/manifest.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { Background } from './background.ts';
import type { PartsMade } from './jobs.ts';

/**
 * Turns closed slabs into parts, oldest first: the worker writes and syncs the parts, one transaction of the
 * manifest makes them part of the store together with the LSN reached, then the slab and its segment are free.
 */
export interface Flusher {
  add(head: HeadSlab): void;
  /** Bytes of slabs that wait or are being sealed. */
  readonly waitingBytes: number;
  /** Why sealing does not get on, until it does. */
  readonly failure: ErrorCode | undefined;
  /** Resolves when the next slab is done or has failed. */
  progress(): Promise<void>;
  /** Numbers for new parts; sealing and merging share them. */
  takePartNumbers(count: number): number;
  close(): Promise<void>;
}

export interface FlushOptions {
  readonly manifest: Manifest;
  readonly state: CatalogState;
  readonly parts: PartSet;
  readonly segments: Segments;
  readonly memory: SlabMemory;
  readonly directory: string;
  readonly background: Background;
  readonly nextPart: number;
  /** Segments that a start found damaged: kept, not recycled. */
  readonly damagedSequences: ReadonlySet<number>;
  readonly onFlushed: (head: HeadSlab) => void;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
}

const retryMs = 2000;

export function flusher(options: FlushOptions): Flusher {
  const { manifest, state, parts, segments, memory, background } = options;
  const queue: HeadSlab[] = [];
  let nextPart = options.nextPart;
  /** Parts of the first slab in the queue, while the manifest does not have them. */
  let sealed: PartsMade | undefined;
  let working: Promise<void> | undefined;
  let failure: ErrorCode | undefined;
  let closed = false;
  /** No slab becomes parts any more. */
  let ended = false;
  let retryTimer: NodeJS.Timeout | undefined;
  let waiters: (() => void)[] = [];

  function takePartNumbers(count: number): number {
    const first = nextPart;
    nextPart += count;
    return first;
  }

  function start(): void {
    if (working !== undefined || closed || ended || queue.length === 0) return;
    working = work().finally(() => {
      working = undefined;
      wakeWaiters();
    });
  }

  function wakeWaiters(): void {
    const woken = waiters;
    waiters = [];
    for (const wake of woken) wake();
  }

  async function work(): Promise<void> {
    for (let head = queue[0]; head !== undefined && !closed; head = queue[0]) {
      try {
        await flush(head);
        queue.shift();
        sealed = undefined;
        failure = undefined;
      } catch (error) {
        if (closed) return;
        const before = failure;
        failure = faultAnswer[faultOf(error)];
        if (error instanceof CommitsEnded) {
          ended = true;
          return;
        }
        if (failure !== before) {
          options.log.error(
            { error: (error as Error).message },
            'rows could not be moved from the log to parts; trying again',
          );
        }
        retryTimer = setTimeout(start, retryMs).unref();
        return;
      }
      wakeWaiters();
    }
  }

  async function flush(head: HeadSlab): Promise<void> {
    const { slab } = head;
    sealed ??= await seal(head);
    const { parts: made } = sealed;
    const tombstones = state.tombstones.changes(slab.lastLsn);
    await saveCatalog(state, manifest);
    await manifest.commit([
      ...made.map((record): Change => ({ table: 'parts', key: record.number, value: record })),
      ...tombstones.changes,
      { table: 'meta', key: 'lsn', value: slab.lastLsn },
      { table: 'meta', key: 'sequence', value: slab.sequence },
    ]);
    tombstones.done();
    parts.replace(new Set(), made);
    options.onFlushed(head);
    await release(head);
  }

  function seal(head: HeadSlab): Promise<PartsMade> {
    const { slab, sections, lsns } = head;
    const tombstones = state.tombstones.all;
    return background.seal({
      type: 'seal',
      memory: slab.bytes.buffer as unknown as SharedArrayBuffer,
      sections,
      tombstones,
      lsns: tombstones.length === 0 ? [] : lsns,
      firstLsn: slab.firstLsn,
      lastLsn: slab.lastLsn,
      directory: options.directory,
      nextPart: takePartNumbers(windowCount(head)),
    });
  }

  async function release(head: HeadSlab): Promise<void> {
    const { slab } = head;
    if (head.pins === 0) memory.give(slab.bytes.buffer as unknown as SharedArrayBuffer);
    try {
      if (options.damagedSequences.has(slab.sequence)) await segments.setAside(slab.sequence);
      else await segments.recycle(slab.sequence);
    } catch (error) {
      options.log.warn({ error: (error as Error).message }, 'a segment of the log could not be recycled');
    }
  }

  return {
    add(head) {
      queue.push(head);
      start();
    },
    get waitingBytes() {
      return queue.reduce((sum, { slab }) => sum + slab.bytes.length, 0);
    },
    get failure() {
      return failure;
    },
    progress: () => new Promise((resolve) => waiters.push(resolve)),
    takePartNumbers,
    async close() {
      closed = true;
      clearTimeout(retryTimer);
      await background.close();
      await working?.catch(() => undefined);
      wakeWaiters();
    },
  };
}
