import { Kind, type Rows } from '../../../../src/domain/parameter-data.ts';
import { maxTimestamp, minTimestamp } from '../../../../src/domain/timestamp.ts';
import type { Change } from '../../../../src/store/store.ts';
import type { Random } from '../random.ts';
import { type Cell, rowsOf, type TestRow } from '../rows.ts';
import { eventMark, type PlainChange } from './plain-store.ts';

export const workspaceNames = ['default', 'default', 'default', 'other', 'third'] as const;
export const topicNames = ['cars', 'Bikes', 'trains'] as const;
const second = 10n ** 9n;
const yearNs = 365n * 86_400n * second;

/** Ids of a few streams that are written to again and again, and of many that are seldom. */
export function randomStreamId(random: Random): string {
  return random.chance(0.75) ? random.pick(['a', 'b', 'é', 'Z']) : `s${random.int(0, 300)}`;
}

export const tagSets: TestRow['tags'][] = [
  undefined,
  [['lap', '1']],
  [['lap', '2']],
  [
    ['driver', 'J'],
    ['lap', '1'],
  ],
  [['', '']],
];

/** A place in time near which rows are written and read: places come again. */
export function randomAnchor(random: Random, now: number): bigint {
  const today = BigInt(now) * 1_000_000n;
  return random.pick([
    today,
    today,
    // Of the age that a retention may have.
    today - BigInt(random.int(0, 40)) * 86_400n * second,
    today - BigInt(random.int(0, 40)) * 86_400n * second,
    17n * 10n ** 17n,
    // Around the border of two windows, which are 2^50 ns long.
    1509n * 2n ** 50n,
    0n,
    today - (BigInt(random.int(0, 20)) * yearNs) / 2n,
    minTimestamp + 500n,
    maxTimestamp - 3_000_000n,
  ]);
}

export function clamp(time: bigint): bigint {
  if (time < minTimestamp) return minTimestamp;
  return time > maxTimestamp ? maxTimestamp : time;
}

/** What one request changes, without what only an administrator does. */
export function randomChanges(random: Random, now: number): PlainChange[] {
  const count = random.chance(0.75) ? 1 : random.int(2, 5);
  return Array.from({ length: count }, () => randomChange(random, now));
}

function randomChange(random: Random, now: number): PlainChange {
  const topic = random.pick([...topicNames, 'CARS']);
  const streamId = randomStreamId(random);
  const chance = random.next();
  if (chance < 0.04)
    return { type: 'close', topic, streamId, endType: random.pick(['Closed', 'Aborted'] as const) };
  if (chance < 0.06) return { type: 'stream', topic, streamId };
  if (chance < 0.1) {
    const properties = {
      name: `name ${random.int(0, 9)}`,
      location: random.pick(['/x', '/x/y']),
      metadata: { driver: random.pick(['J', 'K']), long: 'x'.repeat(random.int(0, 200)) },
      parents: random.chance(0.3) ? ['a'] : [],
    };
    return { type: 'stream', topic, streamId, properties };
  }
  if (chance < 0.14) {
    const id = random.pick(['speed', 'gear', `p${random.int(0, 20)}`]);
    const definitions = [{ id, name: `Speed ${random.int(0, 3)}`, unit: random.pick(['km/h', 'mph']) }];
    return { type: 'parameterDefinitions', topic, streamId, definitions };
  }
  if (chance < 0.17) {
    const name = { kind: 'view', topic: random.pick([undefined, topic]), id: `${random.int(0, 5)}` } as const;
    const body = JSON.stringify('x'.repeat(random.int(0, 300)));
    return random.chance(0.7) ? { type: 'keep', ...name, body } : { type: 'forget', ...name };
  }
  return { type: 'rows', topic, streamId, rows: randomRows(random, now) };
}

/** Rows of one of the shapes that clients send. */
function randomRows(random: Random, now: number): TestRow[] {
  const anchor = randomAnchor(random, now);
  const shape = random.next();
  // One channel a payload, with a rate of its own.
  if (shape < 0.25) return oneChannel(random, anchor);
  // Rows all over ten years.
  if (shape < 0.32) return scattered(random, now);
  if (shape < 0.37) return wide(random, anchor);
  return mixed(random, anchor);
}

function oneChannel(random: Random, anchor: bigint): TestRow[] {
  const channel = `c${random.int(0, 30)}`;
  const step = random.pick([1n, 1_000n, 10_000_000n, second]);
  const shift = BigInt(random.int(0, 5000));
  const tags = random.pick(tagSets);
  return Array.from({ length: random.int(1, 150) }, (_, i) => ({
    time: clamp(anchor + shift + BigInt(i) * step),
    cells: { [channel]: random.pick([i, i / 10, 7, random.next()]) },
    ...(tags && { tags }),
  }));
}

function scattered(random: Random, now: number): TestRow[] {
  return Array.from({ length: random.int(1, 40) }, () => ({
    time: BigInt(now) * 1_000_000n - BigInt(random.int(0, 3650 * 86_400)) * second,
    cells: { speed: random.int(0, 1000) / 8 },
  }));
}

function wide(random: Random, anchor: bigint): TestRow[] {
  const names = Array.from({ length: random.int(20, 60) }, (_, i) => `w${i}`);
  return Array.from({ length: random.int(1, 20) }, (_, i) => ({
    time: clamp(anchor + BigInt(i) * second),
    cells: Object.fromEntries(names.map((name) => [name, random.chance(0.1) ? null : random.int(0, 9)])),
  })).filter(({ cells }) => Object.values(cells).some((cell) => cell !== null));
}

type MakeCell = (random: Random) => Cell;
/** `x` is written as a number and as a string: two parameters of one name. */
const columns: readonly (readonly [name: string, MakeCell])[] = [
  ['speed', (random) => numberCell(random)],
  ['x', (random) => numberCell(random)],
  ['x', (random) => textCell(random)],
  ['gear', (random) => textCell(random)],
  ['frame', (random) => random.bytes(random.int(0, 20))],
  [`${eventMark}pit`, (random) => textCell(random)],
];

function mixed(random: Random, anchor: bigint): TestRow[] {
  // Few places close together, so that identities come again; sometimes over a border or two.
  const spread = random.pick([6, 6, 40, 100_000, 2 ** 51]);
  const used = columns.filter(() => random.chance(0.4));
  const kinds = new Map(used.length === 0 ? [columns[0]!] : used);
  return Array.from({ length: random.chance(0.93) ? random.int(1, 12) : random.int(100, 400) }, () => {
    const cells: Record<string, Cell> = {};
    for (const [name, make] of kinds) cells[name] = random.chance(0.2) ? null : make(random);
    if (Object.values(cells).every((cell) => cell === null)) {
      const [[name, make]] = [...kinds] as [[string, MakeCell]];
      cells[name] = make(random);
    }
    const tags = random.pick(tagSets);
    return { time: clamp(anchor + BigInt(random.int(-spread, spread))), cells, ...(tags && { tags }) };
  });
}

function numberCell(random: Random): number {
  return random.pick([
    random.int(0, 100),
    random.int(0, 100),
    random.int(-1e6, 1e6) / 1000,
    Number.NaN,
    -0,
    1e100,
    5e-324,
    2 ** 53 + 2,
    random.next(),
  ]);
}

function textCell(random: Random): string {
  return random.pick(['', 'N', 'é\u0000', `gear ${random.int(0, 20)}`, 'long '.repeat(random.int(0, 60))]);
}

/** The same as a request of the store has it. */
export function changeOf(change: PlainChange): Change {
  if (change.type === 'rows') {
    return { ...change, rows: change.rows.length === 0 ? [] : inSpans(change.rows).map(asRows) };
  }
  if (change.type === 'workspace') {
    const { name, createdAt, retention } = change;
    return {
      type: 'workspace',
      workspace: { name, createdAt, ...(retention !== undefined && { retention }) },
    };
  }
  return change;
}

/** Rows of one payload are less than 2^53 ns apart; others come as several. Their order stays within each. */
function inSpans(rows: readonly TestRow[]): TestRow[][] {
  const spans = new Map<bigint, TestRow[]>();
  for (const row of rows) {
    const span = row.time >> 52n;
    const own = spans.get(span);
    if (own === undefined) spans.set(span, [row]);
    else own.push(row);
  }
  return [...spans.values()];
}

function asRows(rows: readonly TestRow[]): Rows {
  const made = rowsOf(rows);
  return {
    ...made,
    columns: made.columns
      // Of a span of rows no column is without any value.
      .filter(({ name }) => rows.some(({ cells }) => (cells[name] ?? null) !== null))
      .map((column) =>
        column.name.startsWith(eventMark) && column.kind !== Kind.Numeric
          ? { ...column, kind: Kind.Event }
          : column,
      ),
  };
}
