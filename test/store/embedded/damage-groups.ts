import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPartFile } from '../../../src/store/embedded/parts/part-file.ts';
import { allGroups } from '../../../src/store/embedded/parts/part-index.ts';

/** Flips a bit in the middle of the row groups at some places of each part of a folder: who reads one finds out. */
export async function damageGroups(folder: string, isDamaged: (place: number) => boolean): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const { reader, close } = await openPartFile(path);
    const groups = [...allGroups(await reader.readIndex())];
    await close();
    const bytes = readFileSync(path);
    for (const [place, { position, length }] of groups.entries())
      if (isDamaged(place)) bytes[position + (length >> 1)]! ^= 1;
    writeFileSync(path, bytes);
  }
}
