import type { CatalogState } from '../catalog/catalog-state.ts';
import { keptFrom, latestExpiry } from '../catalog/retention.ts';
import type { Change, Manifest } from '../manifest/manifest.ts';
import type { PartRecord } from '../parts/part-record.ts';
import type { Part, PartSet } from '../parts/part-set.ts';
import { offsetInWindow, windowStart } from '../rows/windows.ts';
import { mayConcern, type Tombstone } from '../tombstones/tombstone.ts';
import { type DeadRows, deadRows } from './dead-rows.ts';
import { chooseCleaning, type DeadPart } from './merge-policy.ts';

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
}

export interface CleanerOptions {
  readonly manifest: Pick<Manifest, 'commit'>;
  readonly state: CatalogState;
  readonly parts: Pick<PartSet, 'all' | 'replace' | 'readIndex'>;
  /** Milliseconds since the Unix epoch; rows expire by the believed time of `state` instead. */
  readonly clock: () => number;
  /** Writes a part again without its dead rows. */
  readonly rewrite: (part: PartRecord) => Promise<void>;
  /** A part could not be read or written; it is excluded from now on, or the error is thrown again. */
  readonly onFailure: (part: PartRecord, error: unknown) => void;
}

/** Deleted rows leave the disk within about this time, in parts that hold few of them too. */
const patienceMs = 3_600_000;
/** A part is not written again for expired rows before so large a share of its time has passed. */
const expiredShare = 1 / 8;
/** How soon rows that only time has made dead are looked for again. */
const surveyMs = 60_000;

/** What was found in a part, and the state of everything that it depends on. */
interface Survey {
  readonly dead: DeadRows;
  readonly deaths: number;
  /** Tombstones up to this LSN were looked at. */
  readonly tombstoneLsn: number;
  readonly at: number;
  /** When rows of streams that are gone were first found. */
  readonly goneSince: number | undefined;
}

export function cleaner(options: CleanerOptions): Cleaner {
  const { manifest, state, parts, clock } = options;
  const surveys = new Map<number, Survey>();
  /** Live bytes by workspace, in all parts; undefined until they are asked for. */
  let totals: Map<string, number> | undefined;

  function isCurrent({ record }: Part, now: number, expired: bigint | undefined): boolean {
    const survey = surveys.get(record.number);
    if (survey === undefined || survey.deaths !== state.deaths) return false;
    const mayExpire =
      expired !== undefined && expired > windowStart(record.window) + BigInt(record.minOffset);
    // A clock that went back must not put the next look off.
    if (mayExpire && Math.abs(now - survey.at) >= surveyMs) return false;
    return !isTouchedSince(survey.tombstoneLsn, record);
  }

  /** Whether a newer tombstone may hide rows of a part; the newest tombstones stand last. */
  function isTouchedSince(lsn: number, record: PartRecord): boolean {
    const { all } = state.tombstones;
    for (let i = all.length - 1; i >= 0 && all[i]!.lsn > lsn; i--)
      if (mayConcern(all[i]!, record)) return true;
    return false;
  }

  async function surveyAll(excluded: ReadonlySet<number>): Promise<void> {
    const all = parts.all;
    const known = new Set(all.map(({ record }) => record.number));
    for (const number of surveys.keys()) if (!known.has(number)) surveys.delete(number);
    const now = clock();
    const expired = latestExpiry(state, state.believedTime());
    totals = undefined;
    for (const part of all) {
      const { number } = part.record;
      if (excluded.has(number) || isCurrent(part, now, expired)) continue;
      try {
        surveys.set(number, await surveyPart(part, now));
        totals = undefined;
      } catch (error) {
        options.onFailure(part.record, error);
      }
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  async function surveyPart(part: Part, now: number): Promise<Survey> {
    const { record } = part;
    const { deaths } = state;
    const tombstones = state.tombstones.all;
    const start = windowStart(record.window);
    const believed = state.believedTime();
    const dead = deadRows(await parts.readIndex(part), {
      window: record.window,
      isAlive: (stream) => isAlive(state, stream),
      workspaceOf: (stream) => state.topics[state.streams.topic(stream)]?.workspace,
      keptFrom: (stream) => offsetInWindow(keptFrom(state, stream, believed), start),
      tombstones: tombstones.filter((tombstone) => mayConcern(tombstone, record)),
    });
    const goneSince = dead.gone ? Math.min(surveys.get(record.number)?.goneSince ?? now, now) : undefined;
    return { dead, deaths, tombstoneLsn: tombstones.at(-1)?.lsn ?? 0, at: now, goneSince };
  }

  function deadPart({ record }: Part): DeadPart[] {
    const survey = surveys.get(record.number);
    if (survey === undefined || survey.dead.deadBytes === 0) return [];
    const { dead, goneSince } = survey;
    const leastExpired = Math.max(patienceMs * 1e6, (record.maxOffset - record.minOffset) * expiredShare);
    const dueTimes = dead.tombstones.map(({ arrival }) => arrival + patienceMs);
    if (goneSince !== undefined) dueTimes.push(goneSince + patienceMs);
    if ((dead.expiredFor ?? 0) >= leastExpired) dueTimes.push(survey.at);
    const { bytes, deadBytes } = dead;
    const dueAt = dueTimes.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
    return [{ part: record, bytes, deadBytes, dueAt }];
  }

  async function removeDead(): Promise<boolean> {
    const dead = parts.all.filter(({ record }) => surveys.get(record.number)?.dead.all === true);
    if (dead.length === 0) return false;
    const numbers = dead.map(({ record }) => record.number);
    await manifest.commit(
      numbers.map((number): Change => ({ table: 'parts', key: number, value: undefined })),
    );
    parts.replace(new Set(numbers), []);
    return true;
  }

  async function dropTombstones(): Promise<void> {
    const isClear = (part: PartRecord, tombstone: Tombstone): boolean => {
      const survey = surveys.get(part.number);
      return (
        survey !== undefined &&
        survey.tombstoneLsn >= tombstone.lsn &&
        !survey.dead.tombstones.includes(tombstone)
      );
    };
    const records = parts.all.map(({ record }) => record);
    const obsolete = state.tombstones.obsolete(records, isClear);
    if (obsolete.length === 0) return;
    await manifest.commit(
      obsolete.map(({ lsn }): Change => ({ table: 'masks', key: lsn, value: undefined })),
    );
    state.tombstones.drop(obsolete);
  }

  function sumLiveBytes(): Map<string, number> {
    const sums = new Map<string, number>();
    for (const { dead } of surveys.values()) {
      for (const [workspace, bytes] of dead.liveBytes)
        sums.set(workspace, (sums.get(workspace) ?? 0) + bytes);
    }
    return sums;
  }

  return {
    survey: surveyAll,
    liveBytes(workspace) {
      totals ??= sumLiveBytes();
      return totals.get(workspace) ?? 0;
    },
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

/** Whether a stream exists, or may exist. */
export function isAlive({ streams, unreadable }: CatalogState, stream: number): boolean {
  return streams.isVisible(stream) || unreadable.has(stream);
}
