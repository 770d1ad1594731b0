import type { RecoveredLog } from '../log/log-recovery.ts';
import { type LostEntries, lostEntries, type Manifest, type ManifestChange } from '../manifest/manifest.ts';
import { haveWindowTogether, type PartRecord } from '../parts/part-record.ts';
import { describePart, partFiles } from './known-parts.ts';

/**
 * A commit of the manifest that a kill broke off looks like one that was damaged after the kill. What it named tells them
 * apart: a segment of the log is used again, and the parts that a merge read are removed, only when the commit is on disk.
 */
export interface OrphanPart {
  /** What the commit said of the part. */
  readonly record: PartRecord;
  /** Entries that the commit took away: of parts that were merged into this one. */
  readonly merged: readonly PartRecord[];
}

/**
 * Parts that no entry names and that hold what stands nowhere else, as far as their files can be read.
 *
 * @param records what the manifest names
 * @param appliedLsn records up to here stand in parts that have entries
 */
export async function orphanParts(
  records: readonly PartRecord[],
  directory: string,
  appliedLsn: number,
  { slabs }: Pick<RecoveredLog, 'slabs'>,
): Promise<OrphanPart[]> {
  const named = new Set(records.map(({ number }) => number));
  const present = await partFiles(directory);
  const inLog = (last: number) =>
    slabs.some((slab) => slab.records.some(({ lsn }) => lsn > appliedLsn && lsn <= last));
  const unnamed: OrphanPart[] = [];
  for (const number of [...present].sort((a, b) => a - b)) {
    if (named.has(number)) continue;
    const record = await describePart(directory, number);
    if (record !== undefined)
      unnamed.push({ record, merged: records.filter((other) => mayStandIn(other, record)) });
  }
  for (let rest = unnamed; ; ) {
    const merges = mergesAmong(rest, present);
    const found = rest.flatMap(({ record, merged }) => {
      if (merges.has(record.number)) return [{ record, merged }];
      const isSealed = record.lastLsn > appliedLsn && !inLog(record.lastLsn);
      return isSealed ? [{ record, merged: [] }] : [];
    });
    const later = new Set(
      found.filter((orphan) => isMadeOf(orphan, found)).map(({ record }) => record.number),
    );
    if (later.size === 0) return found;
    rest = rest.filter(({ record }) => !later.has(record.number));
  }
}

/**
 * Whether a merge made a part of earlier orphans: it was under way when the process ended. Parts of one commit have no
 * window and LSN in common.
 */
function isMadeOf({ record }: OrphanPart, orphans: readonly OrphanPart[]): boolean {
  return orphans.some((other) => other.record.number < record.number && mayStandIn(other.record, record));
}

/** Whether the rows of a part may all stand in another one and in those that were made with it. */
function mayStandIn(part: PartRecord, other: PartRecord): boolean {
  return part.firstLsn >= other.firstLsn && part.lastLsn <= other.lastLsn && haveWindowTogether(part, other);
}

/**
 * Numbers of the parts that a merge made whose sources are not all there any more. A merge may make several parts. All of
 * them come back: where one takes the entry of a source away, the other rows of that source stand in the others.
 */
function mergesAmong(unnamed: readonly OrphanPart[], present: ReadonlySet<number>): ReadonlySet<number> {
  const found = new Set<number>();
  const taken = new Set<number>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const { record, merged } of unnamed) {
      if (!merged.some(({ number }) => !present.has(number) || taken.has(number))) continue;
      found.add(record.number);
      for (const { number } of merged) taken.add(number);
    }
  }
  return found;
}

/**
 * The sequences that are left out after the last known one: the commit named the last segment too, and a spare made
 * of it must not get its number again, with its old records.
 */
const skippedSequences = 1000;

/** Gives the parts entries again. Deletes that the commit held may be lost: that is told from now on. */
export async function nameOrphans(
  manifest: Manifest,
  orphans: readonly OrphanPart[],
  appliedLsn: number,
  report: (problem: string) => void,
): Promise<void> {
  const lost: LostEntries = lostEntries(manifest) ?? { told: [], settled: true };
  const numbers = orphans.map(({ record }) => record.number).join(', ');
  const what = `the last commit of the catalogue is damaged: it named the parts ${numbers}, which are found, and deletes of it may be lost`;
  report(what);
  const changes = orphans.flatMap(({ record, merged }): ManifestChange[] => [
    ...merged.map(({ number }): ManifestChange => ({ table: 'parts', key: number, value: undefined })),
    { table: 'parts', key: record.number, value: record },
  ]);
  const lsn = Math.max(appliedLsn, ...orphans.map(({ record }) => record.lastLsn));
  await manifest.commit([
    ...changes,
    { table: 'meta', key: 'lsn', value: lsn },
    {
      table: 'meta',
      key: 'sequence',
      value: Number(manifest.read('meta', 'sequence') ?? 0) + skippedSequences,
    },
    { table: 'meta', key: 'damage', value: { ...lost, told: [...lost.told, what] } },
  ]);
}
