import assert from 'node:assert/strict';
import { cpSync, lstatSync, readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { verifyStore } from '../../../src/store/embedded/verify.ts';
import { until } from '../../until.ts';
import { everything } from './everything.ts';
import { readRows } from './read-rows.ts';
import { rowsOf } from './rows.ts';
import { storeFolder } from './store-folder.ts';

const folder = storeFolder('lost-commit');

const plan = {
  ...everything,
  parameters: [{ kind: Kind.Numeric, name: 'speed' }],
  order: 'Asc',
  limit: undefined,
  after: undefined,
} as const;

/** The folder of a store that was killed when its rows were in parts, without the end of the catalogue's last commit. */
async function killedWithoutLastCommit(): Promise<string> {
  const store = await folder.open({ quietMs: 5 });
  const rows = [rowsOf([1n, 2n].map((time) => ({ time, cells: { speed: Number(time) } })))];
  const change = { type: 'rows', topic: 'cars', streamId: 'a', rows } as const;
  await store.append({ workspace: 'default', changes: [change] });
  // The commit is followed by the end of the segment that the part was made of.
  const log = join(folder.directory, 'log');
  await until(() => !readdirSync(log).some((name) => name.startsWith('segment-')));
  const copy = `${folder.directory}-killed`;
  cpSync(folder.directory, copy, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
  const catalog = join(copy, 'catalog');
  const edits = readdirSync(catalog).filter((name) => name.startsWith('edits-'));
  const last = join(catalog, edits.sort().at(-1)!);
  truncateSync(last, statSync(last).size - 3);
  return copy;
}

describe('the last commit of the catalogue, damaged after a kill', () => {
  it('takes no rows away that it named: their part is found, and the damage is told', async () => {
    const dataDir = await killedWithoutLastCommit();
    const damages: string[] = [];
    for await (const { file, what } of verifyStore(dataDir)) damages.push(`${file}: ${what}`);
    assert.equal(damages.length, 1, damages.join('\n'));
    assert.match(damages[0]!, /\.part: the catalogue does not name this part$/);
    const store = await folder.open({ dataDir });
    const rows = await readRows(store, plan);
    assert.deepEqual(
      rows.map(({ timestamp }) => timestamp),
      [1n, 2n],
    );
    assert.match(
      store.health().problems.join('\n'),
      /the last commit of the catalogue is damaged: it named the parts \d+, which are found/,
    );
    // What is written then comes after them, also when the log is replayed.
    const later = [rowsOf([{ time: 2n, cells: { speed: 20 } }])];
    const change = { type: 'rows', topic: 'cars', streamId: 'a', rows: later } as const;
    await store.append({ workspace: 'default', changes: [change] });
    await folder.close(store);
    const again = await folder.open({ dataDir });
    const speeds = (await readRows(again, plan)).map(({ cells }) => cells[0]);
    assert.deepEqual(speeds, [1, 20]);
    assert.match(again.health().problems.join(), /the last commit of the catalogue is damaged/);
  });
});
