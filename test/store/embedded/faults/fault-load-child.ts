// Writes to a folder until it is killed, and tells each acknowledged request.

import { seededRandom } from '../random.ts';
import { faultTime, loadChanges, openFaultStore } from './fault-folder.ts';

const [dataDir, seed] = process.argv.slice(2);
const random = seededRandom(Number(seed));
// Quiet moments, so that parts are made and merged between the writes.
const store = await openFaultStore(dataDir!, { quietMs: 20, longRecordBytes: 512 });
for (let round = 0; ; round++) {
  for (let full = store.room(); full !== undefined; full = store.room()) await full;
  const writes = Array.from({ length: random.int(1, 4) }, () =>
    store.append({ workspace: 'default', changes: loadChanges(random, round), onCopied: () => undefined }),
  );
  await Promise.all(writes);
  if (random.chance(0.1)) {
    const filter = { streamIds: [`s${random.int(0, 30)}`] };
    await store.changeStreams({ workspace: 'default', action: 'hardDelete', filter, now: faultTime });
  }
  process.send!('done');
  if (random.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, random.int(0, 80)));
}
