import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { openPartFile } from '../parts/part-file.ts';
import type { PartRecord } from '../parts/part-record.ts';
import { partName } from '../parts/part-set.ts';
import type { Manifest } from './manifest.ts';

export interface KnownParts {
  readonly records: readonly PartRecord[];
  /** No part has had this number or a higher one. */
  readonly nextPart: number;
}

/**
 * The parts that the manifest names. A part whose entry is damaged tells about itself in its footer, and its entry
 * is written again. Files that no entry names are what a stop left of unfinished or merged parts, and go.
 */
export async function loadParts(
  manifest: Manifest,
  directory: string,
  report: (problem: string) => void,
): Promise<KnownParts> {
  const damaged: number[] = [];
  const records = [...manifest.entries('parts', (key) => damaged.push(Number(key)))].map(
    ({ value }) => value as PartRecord,
  );
  const numbers = new Set([...records.map(({ number }) => number), ...damaged]);
  const present = await removeOrphans(directory, numbers);
  for (const number of numbers) {
    if (!present.has(partName(number))) report(`${join(directory, partName(number))} is missing`);
  }
  for (const number of damaged) {
    const found = await describePart(directory, number);
    report(`the catalogue's entry of part ${number} is damaged${found === undefined ? '' : '; made anew'}`);
    if (found === undefined) continue;
    records.push(found);
    // Where the disk takes none the store is read all the same, and the next start makes the entry anew.
    await manifest.commit([{ table: 'parts', key: number, value: found }]).catch(() => undefined);
  }
  let highest = 0;
  for (const number of numbers) highest = Math.max(highest, number);
  return { records, nextPart: 1 + highest };
}

/** The names of the files that stay. */
async function removeOrphans(directory: string, numbers: ReadonlySet<number>): Promise<Set<string>> {
  const known = new Set([...numbers].map(partName));
  const present = new Set<string>();
  for (const name of await readdir(directory)) {
    if (known.has(name)) present.add(name);
    else if (/^\d{12}\.part$/.test(name)) await unlink(join(directory, name));
  }
  return present;
}

/** What the manifest should say about a part, but for its level: it is merged as one that never was. */
async function describePart(directory: string, number: number): Promise<PartRecord | undefined> {
  try {
    const { file, reader, close } = await openPartFile(join(directory, partName(number)));
    await close();
    const { window, firstLsn, lastLsn, rows, samples, minOffset, maxOffset } = reader.footer;
    return {
      number,
      window,
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
