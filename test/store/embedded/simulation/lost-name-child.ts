// A manifest after two faults: a kill before the name of its newest edits was synced, then a power cut after a commit to
// them. Prints the topics that are left. To be started with lossy-disk.js, which has the folder in SIMULATED_DISK.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import type { Random } from '../random.ts';
import { copyAfterCut } from './disk-image.ts';
import { namesNow } from './disk-record.ts';
import { diskVariable, lossyDisk } from './lossy-disk.ts';

const root = process.env[diskVariable]!;
const { record } = lossyDisk!;
/** Loses all that was not synced. */
const unlucky = { chance: () => true, next: () => 1 } as unknown as Random;

const folder = join(root, 'data');
const directory = join(folder, 'catalog');
for (const name of ['catalog', 'log', 'parts']) mkdirSync(join(folder, name), { recursive: true });

const first = await openManifest(directory);
await first.commit([{ table: 'topics', key: 1, value: {} }]);
// The stop writes a snapshot, and begins new edits.
await first.close();
const newest = readdirSync(directory)
  .filter((name) => name.startsWith('edits-'))
  .sort()
  .at(-1)!;
const { [newest]: _unsynced, ...synced } = namesNow(directory);
record.putNames(directory, synced);

const second = await openManifest(directory);
await second.commit([{ table: 'topics', key: 2, value: {} }]);
const next = join(root, 'data-2');
copyAfterCut(folder, next, record, unlucky);
await second.close();

const left = await openManifest(join(next, 'catalog'));
console.log([...left.entries('topics')].map(({ key }) => key).join());
await left.close();
