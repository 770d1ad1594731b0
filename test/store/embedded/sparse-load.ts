/**
 * A process of its own on a store, whose memory is its own too. `write` appends a stream of many channels, each with
 * times that no other has, says so and waits for its end; `read` waits until all is in parts and tells what it found.
 */
import { existsSync, readFileSync } from 'node:fs';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { noTags } from '../../../src/domain/tags.ts';
import { maxTimestamp, minTimestamp } from '../../../src/domain/timestamp.ts';
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/store/embedded/store.ts';
import type { Change } from '../../../src/store/store.ts';
import { until } from '../../until.ts';
import { readRows } from './read-rows.ts';
import { channelOffset, channelValue, type Found, load } from './sparse-channels.ts';

const [, , dataDir, task] = process.argv;
const store = await openEmbeddedStore({
  dataDir: dataDir!,
  headBytes: 128 << 20,
  interruptedAfterMs: 60_000,
  log: { info() {}, warn() {}, error: (_, message) => console.error(message) },
});
if (task === 'write') await write(store);
else await read(store);

function rowsOfChannel(channel: number): Change {
  const { rows } = load;
  const at = (of: (channel: number, row: number) => number) =>
    Float64Array.from({ length: rows }, (_, row) => of(channel, row));
  const column = { kind: Kind.Numeric, name: `ch${channel}`, values: at(channelValue), present: undefined };
  const payload = {
    count: rows,
    base: load.base,
    offsets: at(channelOffset),
    tagSets: [noTags],
    tagIndex: undefined,
    columns: [column],
  };
  return { type: 'rows', topic: 'plant', streamId: 'line-1', rows: [payload] };
}

/** Of this process alone: what the system counts for it begins with what the process that started it had. */
function mostMemoryKiB(): number {
  const path = '/proc/self/status';
  if (!existsSync(path)) return process.resourceUsage().maxRSS;
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(path, 'utf8'))![1]);
}

async function write(to: EmbeddedStore): Promise<void> {
  for (let first = 0; first < load.channels; first += 100) {
    const changes = Array.from({ length: 100 }, (_, i) => rowsOfChannel(first + i));
    await to.append({ workspace: 'default', changes });
  }
  console.log('written');
  setInterval(() => undefined, 1000);
}

async function read(from: EmbeddedStore): Promise<void> {
  await until(() => from.health().headBytes === 0);
  const rows = await readRows(from, {
    workspace: 'default',
    streamIds: ['line-1'],
    topic: undefined,
    from: minTimestamp,
    to: maxTimestamp,
    parameters: [{ kind: Kind.Numeric, name: `ch${load.asked}` }],
    tagFilters: [],
    order: 'Asc',
    limit: undefined,
    after: undefined,
  });
  const found: Found = {
    offsets: rows.map(({ timestamp }) => Number(timestamp - load.base)),
    values: rows.map(({ cells }) => cells[0] as number),
    maxRssKiB: mostMemoryKiB(),
  };
  await from.close();
  console.log(JSON.stringify(found));
}
