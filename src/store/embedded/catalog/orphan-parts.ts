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
  const found: OrphanPart[] = [];
  for (const number of [...present].sort((a, b) => a - b)) {
    if (named.has(number)) continue;
    const record = await describePart(directory, number);
    if (record === undefined) continue;
    const { firstLsn, lastLsn } = record;
    const merged = records.filter(
      (other) => haveWindowTogether(other, record) && other.firstLsn >= firstLsn && other.lastLsn <= lastLsn,
    );
    const isMerge = merged.some((other) => !present.has(other.number));
    if (isMerge || (lastLsn > appliedLsn && !inLog(lastLsn)))
      found.push({ record, merged: isMerge ? merged : [] });
  }
  return found;
}

/** The commit named the last segment too. A spare made of that one must not get its number again, with its old records. */
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
