import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { namesIn } from '../files/files.ts';
import { lostEntries, type Manifest } from '../manifest/manifest.ts';
import { openPartFile } from '../parts/part-file.ts';
import { windowsOfIndex } from '../parts/part-index.ts';
import type { PartRecord } from '../parts/part-record.ts';
import { partName } from '../parts/part-set.ts';

export interface KnownParts {
  readonly records: readonly PartRecord[];
  /** Of these the ones that no entry names: what takes the place of lost entries. */
  readonly made: readonly PartRecord[];
  /** Files that may be such parts, and are damaged. */
  readonly unreadable: readonly number[];
  /** No part has had this number or a higher one. */
  readonly nextPart: number;
}

/**
 * The parts that the manifest names. Files that no entry names are what a stop left of unfinished or merged parts, and
 * go; but where entries are lost these parts may have been named, and tell about themselves in their footers.
 */
export async function loadParts(
  manifest: Manifest,
  directory: string,
  report: (problem: string) => void,
): Promise<KnownParts> {
  const records = [...manifest.entries('parts')].map(({ value }) => value as PartRecord);
  const named = new Set(records.map(({ number }) => number));
  const present = await partFiles(directory);
  for (const number of named)
    if (!present.has(number)) report(`${join(directory, partName(number))} is missing`);
  const unnamed = [...present].filter((number) => !named.has(number));
  const lost = lostEntries(manifest);
  const made: PartRecord[] = [];
  const unreadable: number[] = [];
  for (const number of unnamed) {
    if (lost?.settled !== false) {
      if (lost?.parts?.includes(number) !== true) await unlink(join(directory, partName(number)));
      continue;
    }
    const found = await describePart(directory, number);
    report(`the catalogue's entry of part ${number} is lost${found === undefined ? '' : '; made anew'}`);
    if (found === undefined) unreadable.push(number);
    else made.push(found);
  }
  let highest = 0;
  for (const numbers of [named, present]) {
    for (const number of numbers) highest = Math.max(highest, number);
  }
  return { records: [...records, ...made], made, unreadable, nextPart: 1 + highest };
}

/** The numbers of all part files of a folder. */
export async function partFiles(directory: string): Promise<Set<number>> {
  const names = await namesIn(directory);
  return new Set(
    names.filter((name) => /^\d{12}\.part$/.test(name)).map((name) => Number(name.slice(0, 12))),
  );
}

/** What the manifest should say about a part, but for its level: it is merged as one that never was. */
export async function describePart(directory: string, number: number): Promise<PartRecord | undefined> {
  try {
    const { file, reader, close } = await openPartFile(join(directory, partName(number)));
    const windows = await reader.readIndex().then(windowsOfIndex).finally(close);
    const { window, firstLsn, lastLsn, rows, samples, minOffset, maxOffset } = reader.footer;
    return {
      number,
      window,
      ...(windows.length > 1 && { windows }),
      firstLsn,
      lastLsn,
      rows,
      samples,
      bytes: file.size,
      minOffset,
      maxOffset,
      level: 0,
    };
  } catch {
    return undefined;
  }
}
