import type { Manifest, ManifestChange } from '../manifest/manifest.ts';
import type { Part } from '../parts/part-readers.ts';
import { isSpread, type PartRecord } from '../parts/part-record.ts';
import type { PartSet } from '../parts/part-set.ts';
import { windowSpan } from '../rows/windows.ts';
import type { Tombstone } from '../tombstones/tombstone.ts';
import { chooseCleaning, type DeadPart } from './merge-policy.ts';
import { type PartSurveysOptions, partSurveys } from './part-surveys.ts';

/**
 * Frees the disk of rows that no read can see any more: of deletes, of streams and workspaces that are gone, of rows
 * that are expired. Parts with nothing else go at once; others are written again when enough of them is dead, or when
 * little of them has been dead for long.
 */
export interface Cleaner {
  /** Looks at parts that are new, and at those that something may have happened to. */
  survey(excluded: ReadonlySet<number>): Promise<void>;
  /** Bytes that a workspace's rows took in parts at the last survey; dead ones do not count. */
  liveBytes(workspace: string): number;
  /** Does one step, leaving some parts alone; false where nothing is left to do for now. */
  step(excluded: ReadonlySet<number>): Promise<boolean>;
  /** When (ms since the Unix epoch) a part is due that was not yet; infinite where none is known. */
  nextDue(excluded: ReadonlySet<number>): number;
}

export interface CleanerOptions extends PartSurveysOptions {
  readonly manifest: Pick<Manifest, 'commit'>;
  readonly parts: Pick<PartSet, 'all' | 'replace' | 'readIndex'>;
  /** Writes a part again without its dead rows. */
  readonly rewrite: (part: PartRecord) => Promise<void>;
  /** A part could not be read or written; it is excluded from now on, or the error is thrown again. */
  readonly onFailure: (part: PartRecord, error: unknown) => void;
}

/** About the time after which deleted rows leave the disk, in parts that hold few of them too. */
const patienceMs = 3_600_000;
/** The share of its time that has to pass before a part is written again for expired rows. */
const expiredShare = 1 / 8;

/**
 * Reads of a part that tombstones reach cost many times what they cost without. So a part is written again the sooner the
 * smaller it is: of each part at most 2³⁰ bytes an hour for tombstones that are few, and 2²⁰ bytes each for many.
 */
function tombstonePatienceMs({ bytes }: PartRecord): number {
  return patienceMs * Math.min(1, bytes / 2 ** 30);
}

function maxTombstones({ bytes }: PartRecord): number {
  return Math.max(32, bytes / 2 ** 20);
}

/** The time (ns) between rows of a part, as far as it lies in one window: of a spread part, that of a window. */
function longestInWindow(record: PartRecord): number {
  return isSpread(record) ? windowSpan : record.maxOffset - record.minOffset;
}

export function cleaner(options: CleanerOptions): Cleaner {
  const { manifest, state, parts, clock } = options;
  const surveys = partSurveys(options);

  function deadPart({ record }: Part): DeadPart[] {
    const survey = surveys.of(record);
    if (survey === undefined || survey.dead.deadBytes === 0) return [];
    const { dead, goneSince, touchedSince } = survey;
    const minExpiredFor = Math.max(patienceMs * 1e6, longestInWindow(record) * expiredShare);
    const dueTimes: number[] = [];
    if (touchedSince !== undefined) dueTimes.push(touchedSince + tombstonePatienceMs(record));
    if (dead.tombstones.size >= maxTombstones(record)) dueTimes.push(survey.at);
    if (goneSince !== undefined) dueTimes.push(goneSince + patienceMs);
    if ((dead.expiredFor ?? 0) >= minExpiredFor) dueTimes.push(survey.at);
    const { bytes, deadBytes } = dead;
    const dueAt = dueTimes.reduce((earliest, time) => Math.min(earliest, time), Number.POSITIVE_INFINITY);
    return [{ part: record, bytes, deadBytes, dueAt }];
  }

  async function removeDead(): Promise<boolean> {
    const dead = parts.all.filter(({ record }) => surveys.of(record)?.dead.all === true);
    if (dead.length === 0) return false;
    const numbers = dead.map(({ record }) => record.number);
    await manifest.commit(
      numbers.map((number): ManifestChange => ({ table: 'parts', key: number, value: undefined })),
    );
    parts.replace(new Set(numbers), []);
    return true;
  }

  async function dropTombstones(): Promise<void> {
    const isClear = (part: PartRecord, tombstone: Tombstone): boolean => {
      const survey = surveys.of(part);
      return (
        survey !== undefined && survey.tombstoneLsn >= tombstone.lsn && !survey.dead.tombstones.has(tombstone)
      );
    };
    const records = parts.all.map(({ record }) => record);
    const obsolete = state.tombstones.obsolete(records, isClear);
    if (obsolete.length === 0) return;
    await manifest.commit(
      obsolete.map(({ lsn }): ManifestChange => ({ table: 'masks', key: lsn, value: undefined })),
    );
    state.tombstones.drop(obsolete);
  }

  return {
    nextDue: (excluded) =>
      parts.all
        .filter(({ record }) => !excluded.has(record.number))
        .flatMap(deadPart)
        .reduce((earliest, { dueAt }) => Math.min(earliest, dueAt), Number.POSITIVE_INFINITY),
    survey: surveys.renew,
    liveBytes: surveys.liveBytes,
    async step(excluded) {
      if (await removeDead()) return true;
      const chosen = chooseCleaning(parts.all.flatMap(deadPart), excluded, clock());
      if (chosen !== undefined) {
        await options.rewrite(chosen).catch((error: unknown) => options.onFailure(chosen, error));
        return true;
      }
      await dropTombstones();
      return false;
    },
  };
}
