import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { editsName, listFiles, snapshotName } from '../../../src/store/embedded/manifest/catalog-files.ts';
import { entryAt } from '../../../src/store/embedded/manifest/entries.ts';
import { FrameKind, frameHeaderBytes, scanFrames } from '../../../src/store/embedded/manifest/frames.ts';
import type { TableName } from '../../../src/store/embedded/manifest/manifest.ts';

/**
 * Flips a bit in the entries of a table, in the newest snapshot of a store that was stopped. Without what stands
 * before it, so that nothing gives these entries once more, unless `keepEarlier`.
 */
export async function damageTable(dataDir: string, table: TableName, keepEarlier = false): Promise<void> {
  const directory = join(dataDir, 'catalog');
  const { edits, snapshots } = await listFiles(directory);
  const newest = snapshots.at(-1)!;
  if (!keepEarlier) {
    for (const number of snapshots) if (number < newest) rmSync(join(directory, snapshotName(number)));
    for (const number of edits) if (number < newest) rmSync(join(directory, editsName(number)));
  }
  const path = join(directory, snapshotName(newest));
  const bytes = readFileSync(path);
  for (const found of scanFrames((at, length) => bytes.subarray(at, at + length), bytes.length, newest)) {
    if ('from' in found || found.kind !== FrameKind.Entries) continue;
    if (entryAt(found.body, 0).table === table) bytes[found.at + frameHeaderBytes + 3]! ^= 1;
  }
  writeFileSync(path, bytes);
}
