import { join } from 'node:path';
import type { Damage } from '../files/damage.ts';
import {
  type CatalogFile,
  type Closed,
  closedName,
  editsName,
  type FolderFiles,
  readClosed,
  type Summary,
  snapshotName,
} from './catalog-files.ts';
import { FrameKind, jsonOf, onlyFrame } from './frames.ts';
import { type Locations, locations } from './locations.ts';
import { missing, readEditsFile, readSnapshotFile, wrongCounts } from './read-files.ts';

/** What the files of a folder say together. */
export interface LoadedFiles {
  readonly locations: Locations;
  /** A snapshot and the edits since, oldest first. */
  readonly files: readonly CatalogFile[];
  /** The last commit. */
  readonly sequence: number;
  readonly damages: readonly Damage[];
  /** Whether entries are lost: what the damaged bytes said is nowhere else. */
  readonly isLossy: boolean;
  /** What an interrupted commit left after the last whole one. */
  readonly cut: Tail | undefined;
  /** The last commit was followed by a clean stop. */
  readonly isClosed: boolean;
  /** Entries of `meta` that are lost, or may be, as the end of the snapshot and the last stop have them. */
  readonly rescued: Readonly<Record<string, unknown>>;
}

export interface Tail {
  readonly file: string;
  readonly from: number;
  readonly to: number;
}

interface Chain {
  readonly locations: Locations;
  readonly files: readonly CatalogFile[];
  readonly sequence: number;
  readonly damages: readonly Damage[];
  readonly cut: Tail | undefined;
  readonly summary: Summary | undefined;
}

export type OpenFile = (path: string, number: number) => CatalogFile;

/**
 * Reads the newest snapshot and the edits since. Where that snapshot is damaged, an earlier one and the edits since may
 * say the same. At least one snapshot has to be there.
 */
export async function loadFiles(
  directory: string,
  { snapshots, edits }: FolderFiles,
  open: OpenFile,
): Promise<LoadedFiles> {
  const closedBytes = await readClosed(directory);
  const closed = closedBytes && parseClosed(closedBytes);
  const closedDamage: Damage[] =
    closedBytes === undefined || closed !== undefined
      ? []
      : [
          {
            file: join(directory, closedName),
            from: 0,
            to: closedBytes.length,
            what: 'the record of the last stop does not have its checksum',
          },
        ];
  const newest = readChain(directory, snapshots.at(-1)!, edits, open, closed);
  let chain = newest;
  for (const number of newest.damages.length === 0 ? [] : snapshots.slice(0, -1).reverse()) {
    const earlier = readChain(directory, number, edits, open, closed);
    if (earlier.damages.length === 0) {
      chain = earlier;
      break;
    }
    for (const file of earlier.files) file.release();
  }
  if (chain !== newest) for (const file of newest.files) file.release();
  const isLossy = chain.damages.length > 0;
  const isCurrent = closed !== undefined && closed.sequence >= chain.sequence;
  return {
    locations: chain.locations,
    files: chain.files,
    sequence: Math.max(chain.sequence, closed?.sequence ?? 0),
    damages: [...newest.damages, ...closedDamage],
    isLossy,
    cut: chain.cut,
    isClosed: isCurrent,
    rescued: isLossy ? rescued(chain, isCurrent ? closed : undefined) : {},
  };
}

function rescued(
  { locations: entries, summary }: Chain,
  closed: Closed | undefined,
): Record<string, unknown> {
  const old = Object.entries(summary?.meta ?? {}).filter(([key]) => entries.get('meta', key) === 0);
  return { ...Object.fromEntries(old), ...closed?.meta };
}

function readChain(
  directory: string,
  number: number,
  edits: readonly number[],
  open: OpenFile,
  closed: Closed | undefined,
): Chain {
  const entries = locations();
  const damages: Damage[] = [];
  const snapshot = open(join(directory, snapshotName(number)), number);
  const files = [snapshot];
  const base = readSnapshotFile(snapshot, entries);
  damages.push(...base.damages);
  const since = edits.filter((other) => other >= number);
  if (since[0] !== number) {
    const file = join(directory, editsName(number));
    damages.push({ file, from: 0, to: 0, what: 'the file is missing' });
  }
  let sequence = base.sequence;
  let cut: Tail | undefined;
  let end = 0;
  let isTailLost = false;
  for (const [i, one] of since.entries()) {
    const file = open(join(directory, editsName(one)), one);
    files.push(file);
    const read = readEditsFile(file, sequence < 0 ? undefined : sequence, entries);
    damages.push(...read.damages);
    sequence = read.sequence;
    end = read.end;
    if (!read.hasTail) continue;
    const tail = { file: file.path, from: read.end, to: file.size() };
    const isInterrupted = i === since.length - 1 && read.end > 0 && (closed?.sequence ?? 0) <= sequence;
    if (isInterrupted) cut = tail;
    else damages.push({ ...tail, what: 'commits of the catalogue do not have their checksum' });
    isTailLost = !isInterrupted;
  }
  const { path } = files.at(-1)!;
  if (closed !== undefined && closed.sequence > sequence && !isTailLost)
    damages.push({ file: path, from: end, to: end, what: missing(sequence + 1, closed.sequence) });
  const wrong =
    closed?.sequence === sequence && damages.length === 0 ? wrongCounts(entries, closed) : undefined;
  if (wrong !== undefined) damages.push({ file: path, from: 0, to: end, what: wrong });
  return { locations: entries, files, sequence, damages, cut, summary: base.summary };
}

function parseClosed(bytes: Buffer): Closed | undefined {
  const frame = onlyFrame(bytes, 0);
  return frame?.kind === FrameKind.End ? (jsonOf(frame) as Closed) : undefined;
}
