import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isOutOfFiles } from '../../../errors.ts';
import type { CatalogState } from '../catalog/catalog-state.ts';
import { hasRetention, keptFrom } from '../catalog/retention.ts';
import { isNoSpace } from '../files/files.ts';
import { CommitsEnded } from '../manifest/commit-queue.ts';
import type { Change, Manifest } from '../manifest/manifest.ts';
import { type NotedFault, partFaults } from '../parts/part-faults.ts';
import type { PartRecord } from '../parts/part-record.ts';
import { type PartSet, partName } from '../parts/part-set.ts';
import { offsetInWindow, windowStart } from '../rows/windows.ts';
import type { Background } from './background.ts';
import { cleaner, isAlive } from './cleaner.ts';
import type { Flusher } from './flush.ts';
import { chooseMerge, chooseQuietMerge } from './merge-policy.ts';

/** Merges parts and frees disk space in the background for as long as there is something to do. */
export interface Merger {
  /** Looks for work; called when parts were added and when rows may have died. */
  wake(): void;
  /** Bytes that a workspace's rows take in parts, deleted and expired ones not counted; lags a little behind. */
  liveBytes(workspace: string): number;
  close(): Promise<void>;
}

export interface MergerOptions {
  readonly manifest: Manifest;
  readonly state: CatalogState;
  readonly parts: PartSet;
  readonly directory: string;
  readonly background: Background;
  readonly flush: Pick<Flusher, 'takePartNumbers'>;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  /** Milliseconds of a clock that never goes back; `performance.now` without it. */
  readonly monotonicMs?: () => number;
  /** Without a new part for this time (ms) nothing much is being written. */
  readonly quietMs: number;
  readonly log: { warn(fields: object, message: string): void };
}

export function merger(options: MergerOptions): Merger {
  const { manifest, state, parts, background, flush, clock } = options;
  let working: Promise<void> | undefined;
  let wokenAgain = false;
  let closed = false;
  let restTimer: NodeJS.Timeout | undefined;
  let quietTimer: NodeJS.Timeout | undefined;
  /** The newest part, and when (performance.now) it has been that for long enough. */
  let newest = { number: -1, quietFrom: 0 };
  /** Until then (performance.now) no part is cleaned: the disk is not kept busy for more than half of the time. */
  let restUntil = 0;
  const faults = partFaults(options.monotonicMs ?? (() => performance.now()));
  const clean = cleaner({
    manifest,
    state,
    parts,
    clock,
    async rewrite(part) {
      const start = performance.now();
      await merge([part]);
      restUntil = 2 * performance.now() - start;
    },
    onFailure: (part, error) => void fail([part], error),
  });

  async function work(): Promise<void> {
    while (!closed) {
      wokenAgain = false;
      try {
        await clean.survey(faults.excluded());
        const didSomething = (await mergeOnce()) || (await cleanOnce());
        if (!didSomething && !wokenAgain) return;
      } catch (error) {
        if (closed) return;
        // What was made stays until a start knows whether the manifest names it.
        if (error instanceof CommitsEnded) closed = true;
        else if (isNoSpace(error)) options.log.warn({}, 'parts could not be merged: the disk is full');
        else if (isOutOfFiles(error))
          options.log.warn({}, 'parts could not be merged: no file can be opened');
        else options.log.warn({ error: (error as Error).message }, 'disk space could not be freed');
        return;
      }
    }
  }

  async function mergeOnce(): Promise<boolean> {
    const records = parts.all.map(({ record }) => record);
    const chosen = chooseMerge(records, faults.excluded()) ?? chooseWhenQuiet(records);
    if (chosen === undefined) return false;
    try {
      await merge(chosen);
      return true;
    } catch (error) {
      // Whatever else fails may be the same for all: the others wait for the next look.
      return fail(chosen, error).isFinal;
    }
  }

  /** A merge that pays in quiet times, if this is one; otherwise looks again when it may be. */
  function chooseWhenQuiet(records: readonly PartRecord[]): PartRecord[] | undefined {
    const number = records.reduce((highest, record) => Math.max(highest, record.number), -1);
    if (number !== newest.number) newest = { number, quietFrom: performance.now() + options.quietMs };
    const chosen = chooseQuietMerge(records, faults.excluded());
    const rest = newest.quietFrom - performance.now();
    if (chosen === undefined || rest <= 0) return chosen;
    clearTimeout(quietTimer);
    quietTimer = setTimeout(wake, rest).unref();
    return undefined;
  }

  async function cleanOnce(): Promise<boolean> {
    const rest = restUntil - performance.now();
    if (rest <= 0) return await clean.step(faults.excluded());
    clearTimeout(restTimer);
    restTimer = setTimeout(wake, rest).unref();
    return false;
  }

  /** Where there is no space, no file to be had, or no service any more, the parts are not to blame. */
  function fail(chosen: readonly PartRecord[], error: unknown): NotedFault {
    if (closed || error instanceof CommitsEnded || isNoSpace(error) || isOutOfFiles(error)) throw error;
    const noted = faults.add(chosen, error);
    const message = noted.isFinal
      ? 'a damaged part is not merged'
      : 'parts could not be merged; trying again later';
    if (noted.isNews) options.log.warn({ error: (error as Error).message, parts: noted.numbers }, message);
    return noted;
  }

  async function merge(chosen: readonly PartRecord[]): Promise<void> {
    const { parts: made } = await background.merge({
      type: 'merge',
      parts: chosen,
      alive: aliveBits(state),
      tombstones: state.tombstones.all,
      keptFrom: keptOffsets(chosen[0]!.window),
      directory: options.directory,
      nextPart: flush.takePartNumbers(1),
    });
    const changes: Change[] = [
      ...made.map((record): Change => ({ table: 'parts', key: record.number, value: record })),
      ...chosen.map(({ number }): Change => ({ table: 'parts', key: number, value: undefined })),
    ];
    await manifest.commit(changes).catch(async (error: unknown) => {
      if (!(error instanceof CommitsEnded)) await removeParts(options.directory, made);
      throw error;
    });
    parts.replace(new Set(chosen.map(({ number }) => number)), made);
  }

  function keptOffsets(window: number): Float64Array | undefined {
    if (!hasRetention(state)) return undefined;
    const start = windowStart(window);
    const now = state.believedTime();
    const offsets = new Float64Array(state.streams.size);
    const byTopic: number[] = [];
    for (let stream = 0; stream < offsets.length; stream++) {
      const topic = state.streams.topic(stream);
      byTopic[topic] ??= offsetInWindow(keptFrom(state, stream, now), start);
      offsets[stream] = byTopic[topic];
    }
    return offsets;
  }

  function wake(): void {
    if (closed) return;
    wokenAgain = true;
    working ??= work().finally(() => {
      working = undefined;
    });
  }

  /** Time alone makes rows expire. */
  const sweepTimer = setInterval(wake, sweepMs).unref();

  return {
    wake,
    liveBytes: clean.liveBytes,
    async close() {
      closed = true;
      clearInterval(sweepTimer);
      clearTimeout(restTimer);
      clearTimeout(quietTimer);
      await background.close();
      await working?.catch(() => undefined);
    },
  };
}

const sweepMs = 60_000;

/** Takes back what no manifest names. */
async function removeParts(directory: string, records: readonly PartRecord[]): Promise<void> {
  for (const { number } of records) await unlink(join(directory, partName(number)));
}

/** Bit n is set where stream n exists, or may exist. */
function aliveBits(state: CatalogState): Uint8Array {
  const bits = new Uint8Array((state.streams.size + 7) >> 3);
  for (let stream = 0; stream < state.streams.size; stream++) {
    if (isAlive(state, stream)) bits[stream >> 3]! |= 1 << (stream & 7);
  }
  return bits;
}
