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

/** How often the merger wakes to find rows that time alone has made expire. */
const sweepMs = 60_000;
/** The shortest time between two looks at parts that are due one after another. */
const minDueMs = 1000;
/** The rest after a survey of parts, as a multiple of what it took. */
const surveyRest = 9;

export function merger(options: MergerOptions): Merger {
  return new PartMerger(options);
}

class PartMerger implements Merger {
  readonly #options: MergerOptions;
  readonly #merge;
  /** A start has better things to do before. */
  #begun;
  /** The work that is under way. */
  #working: Promise<void> | undefined;
  /** There may be more to do than the work under way has seen. */
  #wokenAgain = false;
  #closed = false;
  #restTimer: NodeJS.Timeout | undefined;
  #quietTimer: NodeJS.Timeout | undefined;
  /** The newest part, and when (performance.now) it has been that for long enough. */
  #newest = { number: -1, quietFrom: 0 };
  /** Until then (performance.now) no part is cleaned: the disk is not kept busy for more than half of the time. */
  #restUntil = 0;
  /** Until then parts are not surveyed: deletes one after another do not each pay for a look at all parts. */
  #surveyFrom = 0;
  #surveyTimer: NodeJS.Timeout | undefined;
  /** Parts that cannot be merged, and until when. */
  readonly #faults;
  readonly #clean;
  readonly #sweepTimer;

  constructor(options: MergerOptions) {
    this.#options = options;
    this.#merge = partReplacer(options);
    this.#begun = options.begin === undefined;
    this.#faults = partFaults(options.monotonicMs ?? (() => performance.now()));
    this.#clean = cleaner({
      manifest: options.manifest,
      state: options.state,
      parts: options.parts,
      clock: options.clock,
      rewrite: async (part) => {
        const start = performance.now();
        await this.#merge([part]);
        this.#restUntil = 2 * performance.now() - start;
      },
      onFailure: (part, error) => void this.#fail([part], error),
    });
    options.begin?.then(() => {
      this.#begun = true;
      this.wake();
    });
    this.#sweepTimer = setInterval(this.wake, sweepMs).unref();
    this.liveBytes = this.#clean.liveBytes;
  }

  readonly liveBytes: Merger['liveBytes'];

  readonly wake = (): void => {
    if (this.#closed || !this.#begun) return;
    this.#wokenAgain = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  };

  readonly close = async (): Promise<void> => {
    this.#closed = true;
    clearInterval(this.#sweepTimer);
    clearTimeout(this.#restTimer);
    clearTimeout(this.#quietTimer);
    clearTimeout(this.#surveyTimer);
    await this.#options.background.close();
    await this.#working?.catch(() => undefined);
  };

  async #work(): Promise<void> {
    while (!this.#closed) {
      this.#wokenAgain = false;
      try {
        const isSurveyed = await this.#surveyOnce();
        const didSomething = (await this.#mergeOnce()) || (isSurveyed && (await this.#cleanOnce()));
        if (!didSomething && !this.#wokenAgain) return;
      } catch (error) {
        if (this.#closed) return;
        // What was made stays until a start knows whether the manifest names it.
        if (error instanceof CommitsEnded) this.#closed = true;
        else if (isNoSpace(error)) this.#options.log.warn({}, 'parts could not be merged: the disk is full');
        else if (isOutOfFiles(error))
          this.#options.log.warn({}, 'parts could not be merged: no file can be opened');
        else this.#options.log.warn({ error: (error as Error).message }, 'disk space could not be freed');
        return;
      }
    }
  }

  async #mergeOnce(): Promise<boolean> {
    const records = this.#options.parts.all.map(({ record }) => record);
    const excluded = this.#faults.excluded();
    const ordinary = chooseMerge(records, excluded);
    const spread = ordinary === undefined ? chooseSpreadMerge(records, excluded) : undefined;
    const chosen = ordinary ?? spread?.parts ?? this.#chooseWhenQuiet(records);
    if (chosen === undefined) return false;
    try {
      await this.#merge(chosen, spread?.extracted);
      return true;
    } catch (error) {
      // Any other failure may be the same for all parts: they wait until the merger is woken again.
      return this.#fail(chosen, error).isFinal;
    }
  }

  /** A merge that pays in quiet times, if this is one; otherwise the merger is woken when it may be. */
  #chooseWhenQuiet(records: readonly PartRecord[]): readonly PartRecord[] | undefined {
    const number = records.reduce((highest, record) => Math.max(highest, record.number), -1);
    if (number !== this.#newest.number)
      this.#newest = { number, quietFrom: performance.now() + this.#options.quietMs };
    const chosen = chooseQuietMerge(records, this.#faults.excluded()) ?? this.#chooseQuietSpread(records);
    const rest = this.#newest.quietFrom - performance.now();
    if (chosen === undefined || rest <= 0) return chosen;
    clearTimeout(this.#quietTimer);
    this.#quietTimer = setTimeout(this.wake, rest).unref();
    return undefined;
  }

  #chooseQuietSpread(records: readonly PartRecord[]): readonly PartRecord[] | undefined {
    const chosen = chooseQuietSpreadMerge(records, this.#faults.excluded());
    return chosen && apartOf(records, chosen).length === 0 ? chosen : undefined;
  }

  /** Looks for dead rows, unless that was done a moment ago: then it says no, and is done later. */
  async #surveyOnce(): Promise<boolean> {
    const rest = this.#surveyFrom - performance.now();
    if (rest > 0) {
      clearTimeout(this.#surveyTimer);
      this.#surveyTimer = setTimeout(this.wake, rest).unref();
      return false;
    }
    const start = performance.now();
    await this.#clean.survey(this.#faults.excluded());
    const end = performance.now();
    this.#surveyFrom = end + surveyRest * (end - start);
    return true;
  }

  async #cleanOnce(): Promise<boolean> {
    const rest = this.#restUntil - performance.now();
    if (rest > 0) {
      this.#wakeAfter(rest);
      return false;
    }
    if (await this.#clean.step(this.#faults.excluded())) return true;
    const due = this.#clean.nextDue(this.#faults.excluded());
    const dueIn = Number.isFinite(due) ? due - this.#options.clock() : sweepMs;
    if (dueIn < sweepMs) this.#wakeAfter(Math.max(dueIn, minDueMs));
    return false;
  }

  #wakeAfter(ms: number): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(this.wake, ms).unref();
  }

  /** Where there is no space, no file to be had, or no service any more, the parts are not to blame. */
  #fail(chosen: readonly PartRecord[], error: unknown): NotedFault {
    if (this.#closed || error instanceof CommitsEnded || isNoSpace(error) || isOutOfFiles(error)) throw error;
    const noted = this.#faults.add(chosen, error);
    const message = noted.isFinal
      ? 'a damaged part is not merged'
      : 'parts could not be merged; trying again later';
    if (noted.isNews)
      this.#options.log.warn({ error: (error as Error).message, parts: noted.numbers }, message);
    return noted;
  }
}
