import { type EventLevel, eventLevels } from '../../../../src/domain/definition.ts';
import { Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import type { StreamProperties } from '../../../../src/domain/stream.ts';
import type { Batch, Change } from '../../../../src/store/store.ts';
import type { Random } from '../../embedded/random.ts';
import { type Cell, rowsOf } from '../../embedded/rows.ts';

/** Names that SQL, JSON, ClickHouse's escapes and the order of text may trip over. */
export const names = [
  'a',
  'B',
  'b',
  'stream one',
  `'; DROP TABLE streams; --`,
  '`samples`',
  '{p0:String}',
  '\\N',
  `\\'`,
  '%_%',
  '"]],[["',
  '\u{1F600}',
  '\uFFFD',
  'é',
  'ΑΣ',
  'İ',
];
export const topicNames = ['Cars', `tr'ucks`, 'Ünï\\', '😀{p1:Int64}'];
export const locations = ['/', '/one', '/one/', '/one/two', '/one111', '/One', `/o'ne\\/%`];
const texts = ['', 'x', 'Speed of the car', 'line\nbreak\ttab', '\u0000', `quo"te'`, 'ÄÖ ΑΣ', ...names];
export const metadataKeys = ['key', 'Key', `k'ey`, '__proto__', '1'];
export const parameterIds = ['Speed', `Sp'eed`, 'Note', '\\', '{p0:String}', '\u{1F600}', '\uFFFD'];

/** How old rows may be, in minutes. Those that are expired never reach a store. */
export const anyAge = [1, 30, 90, 600, 3000, 40_000];
export const recentAge = [1, 30];

/** A batch as clients may send it, of a few streams and parameters, so that they meet. */
export function randomBatch(
  random: Random,
  workspace: string,
  now: number,
  minutes: readonly number[],
): Batch {
  const ages = minutes.map((minute) => BigInt(minute) * 60_000_000_000n);
  const time = () => BigInt(now) * 1_000_000n - random.pick(ages) - BigInt(random.int(0, 5));
  const changes = Array.from({ length: random.int(1, 4) }, () => randomChange(random, time));
  return { workspace, changes };
}

function randomChange(random: Random, time: () => bigint): Change {
  const topic = random.chance(0.5) ? random.pick(topicNames) : random.pick(topicNames).toUpperCase();
  const stream = { topic, streamId: random.pick(names) };
  switch (random.int(0, 6)) {
    case 0:
      return {
        type: 'stream',
        ...stream,
        ...(random.chance(0.8) && { properties: randomProperties(random) }),
      };
    case 1: {
      const definitions = Array.from({ length: random.int(0, 3) }, () => ({
        id: random.pick(parameterIds),
        ...(random.chance(0.4) && { name: random.pick(texts) }),
        ...(random.chance(0.4) && { description: random.pick(texts) }),
        ...(random.chance(0.4) && { minimumValue: random.pick([0, 0.1, -1e300, 1e21, 5e-324]) }),
        ...(random.chance(0.4) && { maximumValue: random.int(-3, 3) }),
        ...(random.chance(0.4) && { unit: random.pick(texts) }),
        ...(random.chance(0.2) && { format: random.pick(texts) }),
        ...(random.chance(0.2) && { customProperties: random.pick(texts) }),
        ...(random.chance(0.2) && { location: random.pick(locations) }),
      }));
      return { type: 'parameterDefinitions', ...stream, definitions };
    }
    case 2: {
      const definitions = Array.from({ length: random.int(0, 3) }, () => ({
        id: random.pick(parameterIds),
        ...(random.chance(0.4) && { name: random.pick(texts) }),
        ...(random.chance(0.4) && { description: random.pick(texts) }),
        ...(random.chance(0.5) && { level: random.pick<EventLevel>(eventLevels) }),
      }));
      return { type: 'eventDefinitions', ...stream, definitions };
    }
    case 3:
      return { type: 'close', ...stream, endType: random.pick(['Closed', 'Aborted', 'Terminated'] as const) };
    case 4:
      return { type: 'rows', ...stream, rows: random.chance(0.1) ? [] : [randomEvents(random, time)] };
    default:
      return { type: 'rows', ...stream, rows: [randomRows(random, time)] };
  }
}

function randomProperties(random: Random): StreamProperties {
  const metadata: [string, string][] = metadataKeys
    .filter(() => random.chance(0.4))
    .map((key) => [key, random.pick(texts)]);
  return {
    ...(random.chance(0.6) && { name: random.pick([...texts, ...names]) }),
    ...(random.chance(0.7) && { location: random.pick(locations) }),
    ...(random.chance(0.6) && { metadata: Object.fromEntries(metadata) }),
    ...(random.chance(0.5) && { parents: names.filter(() => random.chance(0.1)) }),
    ...(random.chance(0.4) && { timeOfRecording: random.int(-1e12, 1e12) }),
  };
}

function randomTimes(random: Random, time: () => bigint): bigint[] {
  return Array.from({ length: random.int(1, 3) }, time);
}

function randomRows(random: Random, time: () => bigint): Rows {
  const cells: Record<string, Cell> = { [random.pick(parameterIds)]: 2 };
  for (const id of parameterIds) {
    if (random.chance(0.3)) cells[id] = random.pick<Cell>([1, 'text', Buffer.from([0, 255])]);
  }
  return rowsOf(
    randomTimes(random, time).map((at) => ({
      time: at,
      cells,
      ...(random.chance(0.5) && { tags: [['Lap', random.pick(['1', '2', `'`])] as const] }),
    })),
  );
}

function randomEvents(random: Random, time: () => bigint): Rows {
  const id = random.pick(parameterIds);
  const rows = rowsOf(
    randomTimes(random, time).map((at) => ({ time: at, cells: { [id]: random.pick(texts) } })),
  );
  return {
    ...rows,
    columns: rows.columns.map((column) => ({ ...column, kind: Kind.Event }) as typeof column),
  };
}
