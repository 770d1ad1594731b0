import type { Damage } from '../files/damage.ts';
import type { CatalogFile, Summary } from './catalog-files.ts';
import { walkEntries } from './entries.ts';
import { type Frame, FrameKind, frameHeaderBytes, jsonOf, scanFrames } from './frames.ts';
import { type Locations, locationOf } from './locations.ts';

/** What a file of the manifest gave. */
export interface ReadFile {
  readonly damages: readonly Damage[];
  /** The last commit that it knows of. */
  readonly sequence: number;
}

export interface ReadSnapshot extends ReadFile {
  readonly summary: Summary | undefined;
}

export interface ReadEdits extends ReadFile {
  /** Where the last frame ends. */
  readonly end: number;
  /** Whether bytes follow that are no frame: what an interrupted commit left, or damage. */
  readonly hasTail: boolean;
}

/** Reads a snapshot whole and says where its entries stand. */
export function readSnapshotFile(file: CatalogFile, locations: Locations): ReadSnapshot {
  const damages: Damage[] = [];
  const damage = (from: number, to: number, what: string) =>
    damages.push({ file: file.path, from, to, what });
  let expected = 0;
  let sequence = -1;
  let summary: Summary | undefined;
  for (const found of scanFrames(file.peek, file.size(), file.number)) {
    if ('from' in found) {
      damage(found.from, found.to, 'entries of the catalogue do not have their checksum');
      // The frames that stood there are not missed a second time.
      expected = -1;
      continue;
    }
    const isInOrder = summary === undefined && (expected < 0 || found.sequence === expected);
    if (!isInOrder) damage(found.at, found.at, 'entries of the catalogue are missing');
    expected = found.sequence + 1;
    if (found.kind === FrameKind.Head) ({ sequence } = jsonOf(found) as { sequence: number });
    else if (found.kind === FrameKind.End) summary = jsonOf(found) as Summary;
    else applyFrame(file, found, locations);
  }
  const size = file.size();
  if (damages.length === 0 && summary === undefined)
    damage(size, size, 'the end of the catalogue is missing');
  if (damages.length === 0) {
    const wrong = wrongCounts(locations, summary!);
    if (wrong !== undefined) damage(0, size, wrong);
  }
  return { damages, sequence, summary };
}

/**
 * Reads a file of edits and applies its commits, which should follow the one of number `before`; undefined where
 * that is not known.
 */
export function readEditsFile(
  file: CatalogFile,
  before: number | undefined,
  locations: Locations,
): ReadEdits {
  const damages: Damage[] = [];
  const damage = (from: number, to: number, what: string) =>
    damages.push({ file: file.path, from, to, what });
  let last = before;
  let end = 0;
  let isNoted = false;
  let tail: { readonly from: number; readonly to: number } | undefined;
  for (const found of scanFrames(file.peek, file.size(), file.number)) {
    if (tail !== undefined) damage(tail.from, tail.to, 'commits of the catalogue do not have their checksum');
    tail = undefined;
    if ('from' in found) {
      tail = found;
      isNoted = true;
      continue;
    }
    const expected = last === undefined ? undefined : last + (found.kind === FrameKind.Head ? 0 : 1);
    if (!isNoted && expected !== undefined && found.sequence !== expected)
      damage(found.at, found.at, missing(expected, found.sequence - 1));
    isNoted = false;
    last = Math.max(last ?? 0, found.sequence);
    end = found.end;
    if (found.kind === FrameKind.Entries) applyFrame(file, found, locations);
  }
  return { damages, sequence: last ?? -1, end, hasTail: tail !== undefined };
}

export function missing(from: number, to: number): string {
  return from === to
    ? `commit ${from} of the catalogue is missing`
    : `commits ${from} to ${to} of the catalogue are missing`;
}

function applyFrame(file: CatalogFile, frame: Frame, locations: Locations): void {
  const first = locationOf(file.slot, frame.at + frameHeaderBytes);
  let withStreams = false;
  walkEntries(
    frame.body,
    (stream, start) => {
      withStreams = true;
      locations.set('streams', stream, first + start);
    },
    ({ table, key, isRemoved, start }) => locations.set(table, key, isRemoved ? 0 : first + start),
  );
  file.note(frame.at, withStreams);
}

/** What is wrong where the entries are not as many as they were. */
export function wrongCounts(locations: Locations, { counts }: Pick<Summary, 'counts'>): string | undefined {
  const wrong = Object.entries(counts).find(
    ([table, count]) => locations.count(table as Parameters<Locations['count']>[0]) !== count,
  );
  return wrong && `the catalogue should have ${wrong[1]} entries in ${wrong[0]}, and has not`;
}
