// Makes files in a folder that another thread makes files in, and says of how many the name was not synced when it should have
// been. To be started as a worker with the name of its files, the folder and that of the record.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { diskRecord } from './disk-record.ts';

const { own, folder, synced } = workerData as Record<'own' | 'folder' | 'synced', string>;
const record = diskRecord(synced);
let lost = 0;
for (let i = 0; i < 200; i++) {
  const name = `${own}-${i}`;
  writeFileSync(join(folder, name), '');
  record.folderSynced(folder);
  if (record.namesOf(folder)?.[name] === undefined) lost++;
  rmSync(join(folder, `${own}-${i - 40}`), { force: true });
}
parentPort!.postMessage(lost);
