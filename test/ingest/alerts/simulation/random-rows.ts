import { maxTimestamp } from '../../../../src/domain/timestamp.ts';
import type { Random } from '../../../store/embedded/random.ts';
import type { PlainRow } from './plain-expressions.ts';
import type { Kinds } from './random-rules.ts';

/** How far each parameter of a stream has come: they have clocks of their own. */
export type Clocks = Map<string, bigint>;

const together: readonly (readonly string[])[] = [
  ['a', 'b'],
  ['a', 'b'],
  ['a', 'b'],
  ['a', 'b'],
  ['a'],
  ['b'],
  ['odd name'],
  ['a', 'odd name'],
];

/** Rows of a stream, mostly newer ones. */
export function randomRows(random: Random, { hasTies }: Kinds, clocks: Clocks, begin: bigint): PlainRow[] {
  const names = random.chance(0.02) ? ['a', 'x'] : random.pick(together);
  let time = names.reduce((latest, name) => later(latest, clocks.get(name) ?? begin), begin);
  if (random.chance(0.15)) time -= BigInt(random.int(1, 25));
  if (random.chance(0.05)) time += random.pick([1000n, 2n ** 54n]);
  // So that rules are true for a while, and then are not.
  const [least, most] = random.pick([
    [0, 9],
    [0, 9],
    [6, 9],
    [0, 4],
  ] as const);
  const randomValue = () =>
    hasTies && random.chance(0.05) ? random.pick([Number.NaN, Infinity, -Infinity]) : random.int(least, most);
  const rows = Array.from({ length: random.int(1, 7) }, (): PlainRow => {
    time += BigInt(hasTies ? random.int(0, 2) : random.int(1, 3));
    const isTagged = hasTies ? random.chance(0.3) : time % 5n === 0n;
    const values = names.flatMap((name) => (random.chance(0.15) ? [] : [[name, randomValue()] as const]));
    return {
      time,
      tag: isTagged ? random.pick(hasTies ? ['p', 'q'] : ['p']) : '',
      values: Object.fromEntries(values),
    };
  });
  for (const name of names) clocks.set(name, later(clocks.get(name) ?? begin, time));
  if (random.chance(0.3)) shuffle(random, rows);
  return rows;
}

/** Rows that stand among others: they are further ahead than the service's clock allows, or just not. */
export function rowsOfFuture(random: Random, allowed: bigint): PlainRow[] {
  const far = BigInt(Date.parse('2100-01-01T00:00:00Z')) * 1_000_000n;
  return Array.from({ length: random.int(1, 3) }, () => ({
    time: random.pick([
      allowed + 1n,
      allowed + 1_000_000_000n,
      far,
      far,
      far + BigInt(random.int(1, 9)),
      maxTimestamp,
    ]),
    tag: '',
    values: { [random.pick(['a', 'a', 'b', 'odd name'])]: random.int(0, 9) },
  }));
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function shuffle<Item>(random: Random, items: Item[]): void {
  for (let i = items.length - 1; i > 0; i--) {
    const other = random.int(0, i);
    [items[i], items[other]] = [items[other]!, items[i]!];
  }
}

/** A body, in which each row has the number of the request: so that it shows whether the request was taken. */
export function payloadOf(rows: readonly PlainRow[]): object {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const column = (name: string) =>
    rows.map(({ values }) => {
      const value = values[name];
      return value === undefined || Number.isFinite(value) ? (value ?? null) : String(value);
    });
  return {
    timestamps: rows.map(({ time }) => time),
    numericValues: Object.fromEntries(names.map((name) => [name, column(name)])),
    stringValues: { a: rows.map(({ values }) => (values[request]! % 5 === 0 ? 'text' : null)) },
    tagValues: { tag: rows.map(({ tag }) => (tag === '' ? null : tag)) },
  };
}

/** The parameter that no rule names. */
export const request = 'request';

export function marked(rows: readonly PlainRow[], number: number): PlainRow[] {
  return rows.map((row) => ({ ...row, values: { ...row.values, [request]: number } }));
}

export const parametersOfRows = ['a', 'b', 'odd name', 'x', request];
