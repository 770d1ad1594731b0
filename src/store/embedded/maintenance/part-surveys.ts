import { paceReads } from '../../../query/bounds/pace.ts';
import { neverAborted } from '../../../turns/pace.ts';
import { nextTurn } from '../../../turns/rest.ts';
import { atPace } from '../../../turns/steps.ts';
import { type CatalogState, mayExist } from '../catalog/catalog-state.ts';
import { latestExpiry, retainedFrom } from '../catalog/retention.ts';
import { allGroups } from '../parts/part-index.ts';
import type { Part } from '../parts/part-readers.ts';
import { cleanLsnOf, type PartRecord } from '../parts/part-record.ts';
import type { PartSet } from '../parts/part-set.ts';
import { offsetInWindow, windowStart } from '../rows/windows.ts';
import { mayConcern } from '../tombstones/tombstone.ts';
import { type DeadRows, deadRows } from './dead-rows.ts';

/** What is known of the dead rows of each part, as of its last survey. */
export interface PartSurveys {
  /** Looks at parts that are new, and at those that something may have happened to. */
  renew(excluded: ReadonlySet<number>): Promise<void>;
  /** Undefined for a part that was not surveyed. */
  of(part: PartRecord): Survey | undefined;
  /** Bytes of a workspace's rows in parts; dead ones do not count. */
  liveBytes(workspace: string): number;
}

/** What was found in a part, and the state of everything that it depends on. */
export interface Survey {
  readonly dead: DeadRows;
  /** Tombstones up to this LSN were looked at. */
  readonly tombstoneLsn: number;
  /** When (ms since the Unix epoch) the part was surveyed. */
  readonly at: number;
  /** When rows of streams that are gone were first found. */
  readonly goneSince: number | undefined;
  /** When the oldest tombstone arrived that reached a row group. */
  readonly touchedSince: number | undefined;
  /** Which streams it has. */
  readonly streams: StreamSketch;
  /** `CatalogState.removals` then. */
  removals: number;
}

export interface PartSurveysOptions {
  readonly state: CatalogState;
  readonly parts: Pick<PartSet, 'all' | 'readIndex'>;
  /** Milliseconds since the Unix epoch; rows expire by the believed time of `state` instead. */
  readonly clock: () => number;
  /** A part could not be read; it is excluded from now on, or the error is thrown again. */
  readonly onFailure: (part: PartRecord, error: unknown) => void;
}

/** Tells of most streams that a part does not have them, in little memory. */
interface StreamSketch {
  mayHave(stream: number): boolean;
}

/** The bits of the sketch of a part's streams: with many times more streams a part may have any. */
const sketchBits = 8192;

function streamSketch(streams: Uint32Array): StreamSketch {
  const bits = new Uint8Array(sketchBits / 8);
  const place = (stream: number) => stream % sketchBits;
  for (const stream of streams) bits[place(stream) >> 3]! |= 1 << (stream & 7);
  return { mayHave: (stream) => ((bits[place(stream) >> 3]! >> (stream & 7)) & 1) === 1 };
}

/** How soon rows that only time has made dead are looked for again. */
const expirySurveyMs = 60_000;

export function partSurveys({ state, parts, clock, onFailure }: PartSurveysOptions): PartSurveys {
  const surveys = new Map<number, Survey>();
  /** Live bytes by workspace, in all parts; undefined until they are asked for. */
  let totals: Map<string, number> | undefined;
  const pace = paceReads(neverAborted);

  function isCurrent({ record }: Part, now: number, expired: bigint | undefined): boolean {
    const survey = surveys.get(record.number);
    // A clock that went back must not put off what is due.
    if (survey === undefined || survey.at > now || mayHaveLost(survey)) return false;
    const mayExpire =
      expired !== undefined && expired > windowStart(record.window) + BigInt(record.minOffset);
    if (mayExpire && now - survey.at >= expirySurveyMs) return false;
    return !isTouchedSince(survey.tombstoneLsn, record);
  }

  /** Whether streams of a part may have gone since its survey. */
  function mayHaveLost(survey: Survey): boolean {
    const { count } = state.removals;
    if (survey.removals === count) return false;
    const gone = state.removals.since(survey.removals);
    if (gone === undefined || gone.some((stream) => survey.streams.mayHave(stream))) return true;
    survey.removals = count;
    return false;
  }

  /** Whether a newer tombstone may hide rows of a part; the newest tombstones stand last. */
  function isTouchedSince(lsn: number, record: PartRecord): boolean {
    const { all } = state.tombstones;
    for (let i = all.length - 1; i >= 0 && all[i]!.lsn > lsn; i--)
      if (mayConcern(all[i]!, record)) return true;
    return false;
  }

  async function surveyPart(part: Part, now: number): Promise<Survey> {
    const { record } = part;
    const removals = state.removals.count;
    const index = await parts.readIndex(part);
    const tombstones = state.tombstones.all;
    const believed = state.believedTime();
    const steps = deadRows(allGroups(index), {
      isAlive: (stream) => mayExist(state, stream),
      workspaceOf: (stream) => state.topics[state.streams.topic(stream)]?.workspace,
      retainedFrom: (stream, window) =>
        offsetInWindow(retainedFrom(state, stream, believed), windowStart(window)),
      tombstones,
      cleanLsn: cleanLsnOf(record),
    });
    const dead = await atPace(steps, pace);
    const goneSince = dead.gone ? Math.min(surveys.get(record.number)?.goneSince ?? now, now) : undefined;
    let touchedSince = surveys.get(record.number)?.touchedSince;
    for (const { arrival } of dead.tombstones) touchedSince = Math.min(touchedSince ?? now, arrival, now);
    const tombstoneLsn = tombstones.at(-1)?.lsn ?? 0;
    const streams = streamSketch(index.runs.streams);
    return { dead, streams, removals, tombstoneLsn, at: now, goneSince, touchedSince };
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
    async renew(excluded) {
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
          onFailure(part.record, error);
        }
        await nextTurn();
      }
    },
    of: ({ number }) => surveys.get(number),
    liveBytes(workspace) {
      totals ??= sumLiveBytes();
      return totals.get(workspace) ?? 0;
    },
  };
}
