import { randomUUID } from 'node:crypto';
import { PitwallError } from '../../../errors.ts';
import type { StoreLog } from '../../store-log.ts';
import { codeOf, explainFailure, isBug, isLasting, loggedCause } from '../server/client-errors.ts';
import { nowAndThen } from '../server/now-and-then.ts';

export interface InsertTimes {
  /** An attempt without an answer after this time is given up, and made again on another connection. */
  readonly attemptMs: number;
  /** The first attempt that fails later than this after the oldest row came is the last. */
  readonly patienceMs: number;
}

/** Waits between attempts: 100 ms, doubling up to 2 s, each up to a half shorter so that nodes do not keep in step. */
const firstWaitMs = 100;
const maxWaitMs = 2000;
/** The shortest time of an attempt, however long its rows have waited. */
const minAttemptMs = 1000;

/** Told of every insert. */
export interface InsertMeter {
  /** An insert was acknowledged, so long after its first row came. */
  inserted(seconds: number): void;
  /** An attempt failed. */
  failed(): void;
}

/**
 * Makes one insert happen once: every attempt has the same deduplication token, so ClickHouse takes the rows of one
 * only. The token is random: one made of the content would let ClickHouse drop rows that are written again after a
 * delete.
 *
 * Rejects with `disk_full`, `overloaded` or `storage_failed` (503) when ClickHouse has not acknowledged in time. The
 * rows may be there or come yet; writing them again changes nothing.
 */
export function insertAttempts(times: InsertTimes, log: StoreLog, meter?: InsertMeter) {
  // Of a full disk each of a thousand inserts a second may tell.
  const isToTell = nowAndThen();
  const isToTellGivenUp = nowAndThen();
  let givenUp = 0;
  let failure: { readonly error: PitwallError; readonly at: number } | undefined;

  async function insert(
    what: string,
    since: number,
    attempt: (token: string, patienceMs: number) => Promise<void>,
  ): Promise<void> {
    const token = randomUUID();
    for (let tries = 1; ; tries++) {
      const left = since + times.patienceMs - performance.now();
      const limitMs = Math.min(times.attemptMs, Math.max(minAttemptMs, left));
      try {
        await attempt(token, limitMs);
        if (failure !== undefined) log.info({}, 'ClickHouse takes inserts again');
        failure = undefined;
        meter?.inserted((performance.now() - since) / 1000);
        return;
      } catch (error) {
        const explained = writeFailure(error);
        const known = { what, tries, code: codeOf(error), cause: loggedCause(error) };
        if ((failure === undefined || tries === 1) && isToTell()) log.warn(known, 'an insert failed');
        failure = { error: explained, at: performance.now() };
        meter?.failed();
        const wait = waitMs(tries);
        const isLate = performance.now() + wait > since + times.patienceMs;
        if (isLate || isLasting(error) || explained.code === 'disk_full') {
          givenUp++;
          if (isBug(error) || isToTellGivenUp()) {
            log.error({ ...known, inserts: givenUp }, 'gave up inserts; their requests are not acknowledged');
            givenUp = 0;
          }
          throw explained;
        }
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  return {
    insert,
    /** Why the last attempt failed, if that was within the last `withinMs`; undefined when it went well. */
    failure(withinMs: number): PitwallError | undefined {
      return failure === undefined || performance.now() - failure.at > withinMs ? undefined : failure.error;
    },
  };
}

function waitMs(tries: number): number {
  const full = Math.min(maxWaitMs, firstWaitMs * 2 ** (tries - 1));
  return full * (0.5 + Math.random() / 2);
}

/** What the client of a write is told: 503, for the write was all right. */
function writeFailure(error: unknown): PitwallError {
  const explained = explainFailure(error);
  if (explained.status === 503) return explained;
  const overloaded = new PitwallError('overloaded', { detail: explained.message });
  overloaded.cause = error;
  return overloaded;
}
