import { isOutOfFiles } from '../../../errors.ts';
import { isNoSpace } from '../files/files.ts';
import { CommitsEnded } from '../manifest/commit-queue.ts';
import { type NotedFault, partFaults } from '../parts/part-faults.ts';
import type { PartRecord } from '../parts/part-record.ts';
import type { PartSet } from '../parts/part-set.ts';
import type { Background } from './background.ts';
import { cleaner } from './cleaner.ts';
import { chooseMerge, chooseQuietMerge, chooseQuietSpreadMerge } from './merge-policy.ts';
import { type PartReplacerOptions, partReplacer } from './replace-parts.ts';
import { apartOf, chooseSpreadMerge } from './spread-policy.ts';

/** Merges parts and frees disk space in the background for as long as there is something to do. */
export interface Merger {
  /** Looks for work; called when parts were added and when rows may have died. */
  wake(): void;
  /** Bytes that a workspace's rows take in parts, deleted and expired ones not counted; a little out of date. */
  liveBytes(workspace: string): number;
  close(): Promise<void>;
}

export interface MergerOptions extends PartReplacerOptions {
  readonly parts: PartSet;
  readonly background: Background;
  /** When the first look may be taken: a start has better things to do. At once without it. */
  readonly begin?: Promise<void> | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  /** Milliseconds of a clock that never goes back; `performance.now` without it. */
  readonly monotonicMs?: () => number;
  /** Without a new part for this time (ms) nothing much is being written. */
  readonly quietMs: number;
  readonly log: { warn(fields: object, message: string): void };
}

/** Time alone makes rows expire: so often the merger wakes to find them. */
const sweepMs = 60_000;
/** Parts that are due one after another are not looked at more often than that. */
const minDueMs = 1000;
/** After a survey of parts this many times what it took passes before the next. */
const surveyRest = 9;

export function merger(options: MergerOptions): Merger {
  const { manifest, state, parts, background, clock } = options;
  const merge = partReplacer(options);
  let begun = options.begin === undefined;
  let working: Promise<void> | undefined;
  let wokenAgain = false;
  let closed = false;
  let restTimer: NodeJS.Timeout | undefined;
  let quietTimer: NodeJS.Timeout | undefined;
  /** The newest part, and when (performance.now) it has been that for long enough. */
  let newest = { number: -1, quietFrom: 0 };
  /** Until then (performance.now) no part is cleaned: the disk is not kept busy for more than half of the time. */
  let restUntil = 0;
  /** Until then parts are not surveyed: deletes one after another do not each pay for a look at all parts. */
  let surveyFrom = 0;
  let surveyTimer: NodeJS.Timeout | undefined;
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
        const isSurveyed = await surveyOnce();
        const didSomething = (await mergeOnce()) || (isSurveyed && (await cleanOnce()));
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
    const excluded = faults.excluded();
    const ordinary = chooseMerge(records, excluded);
    const spread = ordinary === undefined ? chooseSpreadMerge(records, excluded) : undefined;
    const chosen = ordinary ?? spread?.parts ?? chooseWhenQuiet(records);
    if (chosen === undefined) return false;
    try {
      await merge(chosen, spread?.extracted);
      return true;
    } catch (error) {
      // Any other failure may be the same for all parts: they wait until the merger is woken again.
      return fail(chosen, error).isFinal;
    }
  }

  /** A merge that pays in quiet times, if this is one; otherwise the merger is woken when it may be. */
  function chooseWhenQuiet(records: readonly PartRecord[]): readonly PartRecord[] | undefined {
    const number = records.reduce((highest, record) => Math.max(highest, record.number), -1);
    if (number !== newest.number) newest = { number, quietFrom: performance.now() + options.quietMs };
    const chosen = chooseQuietMerge(records, faults.excluded()) ?? chooseQuietSpread(records);
    const rest = newest.quietFrom - performance.now();
    if (chosen === undefined || rest <= 0) return chosen;
    clearTimeout(quietTimer);
    quietTimer = setTimeout(wake, rest).unref();
    return undefined;
  }

  function chooseQuietSpread(records: readonly PartRecord[]): readonly PartRecord[] | undefined {
    const chosen = chooseQuietSpreadMerge(records, faults.excluded());
    return chosen && apartOf(records, chosen).length === 0 ? chosen : undefined;
  }

  /** Looks for dead rows, unless that was done a moment ago: then it says no, and is done later. */
  async function surveyOnce(): Promise<boolean> {
    const rest = surveyFrom - performance.now();
    if (rest > 0) {
      clearTimeout(surveyTimer);
      surveyTimer = setTimeout(wake, rest).unref();
      return false;
    }
    const start = performance.now();
    await clean.survey(faults.excluded());
    const end = performance.now();
    surveyFrom = end + surveyRest * (end - start);
    return true;
  }

  async function cleanOnce(): Promise<boolean> {
    const rest = restUntil - performance.now();
    if (rest > 0) {
      wakeAfter(rest);
      return false;
    }
    if (await clean.step(faults.excluded())) return true;
    const due = clean.nextDue(faults.excluded());
    const dueIn = Number.isFinite(due) ? due - clock() : sweepMs;
    if (dueIn < sweepMs) wakeAfter(Math.max(dueIn, minDueMs));
    return false;
  }

  function wakeAfter(ms: number): void {
    clearTimeout(restTimer);
    restTimer = setTimeout(wake, ms).unref();
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

  function wake(): void {
    if (closed || !begun) return;
    wokenAgain = true;
    working ??= work().finally(() => {
      working = undefined;
    });
  }

  options.begin?.then(() => {
    begun = true;
    wake();
  });
  const sweepTimer = setInterval(wake, sweepMs).unref();

  return {
    wake,
    liveBytes: clean.liveBytes,
    async close() {
      closed = true;
      clearInterval(sweepTimer);
      clearTimeout(restTimer);
      clearTimeout(quietTimer);
      clearTimeout(surveyTimer);
      await background.close();
      await working?.catch(() => undefined);
    },
  };
}
