import { Kind } from '../../../src/domain/parameter-data.ts';
import type { TagPair } from '../../../src/domain/tags.ts';
import type { CalculatingQuery } from '../../../src/expression/calculation.ts';
import { isFlaw, parseExpression } from '../../../src/expression/parse.ts';
import type { Expression } from '../../../src/expression/syntax.ts';
import type { Random } from '../embedded/random.ts';
import type { TestRow } from '../embedded/rows.ts';

export const names = ['A', 'B', 'Oil Temp'];
const written = ['A', 'B', '"Oil Temp"'];
export const streamIds = ['a', 'b', 'c'];
const second = 1_000_000_000n;
const start = 1_700_000_000n * second;
const seconds = 60;

export function randomTime(random: Random): bigint {
  return start + (BigInt(random.int(0, 2 * seconds)) * second) / 2n;
}

/** Rows in any order, some of equal times, some that were written before. */
export function randomRows(random: Random): TestRow[] {
  if (random.chance(0.25)) return regularRows(random);
  const used = names.filter(() => random.chance(0.7));
  if (used.length === 0) used.push('A');
  return Array.from({ length: random.int(1, 60) }, () => {
    const tags: TagPair[] = [];
    if (random.chance(0.7)) tags.push(['Lap', random.pick(['1', '2', '3'])]);
    if (random.chance(0.2)) tags.push(['Car', 'x']);
    const cells = used.map((name, at) => [name, at > 0 && random.chance(0.4) ? null : randomNumber(random)]);
    return { time: randomTime(random), tags, cells: Object.fromEntries(cells) as TestRow['cells'] };
  });
}

/** Rows of a clock, each with all columns, laps one after another: row groups of these are taken as they are stored. */
function regularRows(random: Random): TestRow[] {
  const step = random.pick([100_000_000n, 333_333_333n]);
  const first = randomTime(random) + BigInt(random.int(1, 1000));
  const lapRows = random.int(20, 60);
  return Array.from({ length: random.int(40, 160) }, (_, i) => ({
    time: first + BigInt(i) * step,
    tags: [['Lap', String(1 + Math.floor(i / lapRows))]],
    cells: Object.fromEntries(names.map((name) => [name, randomNumber(random)])),
  }));
}

/** Small whole numbers: sums of them are exact in any order. */
function randomNumber(random: Random): number {
  if (random.chance(0.03))
    return random.pick([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  return random.int(-6, 6);
}

/** Each stays away from where another order of adding, or a filter that has forgotten, would tell. */
export function randomExpression(random: Random, looksAlong = random.chance(0.6)): Expression {
  for (;;) {
    const parsed = parseExpression(text(random, random.int(0, 3), looksAlong));
    if (!isFlaw(parsed) && parsed.parameters.length > 0) return parsed;
  }
}

function text(random: Random, depth: number, looksAlong: boolean): string {
  const inner = () => text(random, depth - 1, looksAlong);
  if (depth <= 0) return random.pick([...written, ...written, '2']);
  const shapes = [
    () => `(${inner()} ${random.pick(['+', '-', '*', '&&', '||', '<', '>=', '=='])} ${inner()})`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => `max(${inner()}, ${inner()})`,
    () => `abs(${inner()})`,
    () => `-${inner()}`,
  ];
  const along = [
    () => `${random.pick(['previous', 'difference', 'fill', 'sum'])}(${inner()})`,
    () => `derivative(${inner()})`,
    () => `integral(${random.pick(written)})`,
    () => `${random.pick(['movingMin', 'movingMax'])}(${inner()}, '${random.pick(['1s', '2.5s', '7s'])}')`,
    () => `over(${inner()}, '${random.pick(['Lap', 'Car'])}')`,
    () =>
      `smooth(${random.pick([...written, 'difference(A)', 'sum(B)', 'max(A, B)'])}, '${random.pick(['1ns', '1s', '5s', '40s'])}')`,
  ];
  return random.pick(looksAlong ? [...shapes, ...along, ...along] : shapes)();
}

/** @param looksAlong whether expressions may look along rows; by chance unless given */
export function randomQuery(random: Random, looksAlong?: boolean): CalculatingQuery {
  const columns = names.filter(() => random.chance(0.2));
  const [one, other] = [randomTime(random), randomTime(random)];
  return {
    parameters: columns.map((name) => ({ kind: Kind.Numeric, name, aggregation: 'None' })),
    calculated: Array.from({ length: random.int(1, 3) }, (_, i) => ({
      name: `C${i}`,
      expression: randomExpression(random, looksAlong),
      aggregation: 'None' as const,
    })),
    ...(random.chance(0.6) && { from: one < other ? one : other }),
    ...(random.chance(0.3) && { to: one < other ? other : one }),
    ...(random.chance(0.4) && { streamIds: streamIds.filter(() => random.chance(0.6)) }),
    ...(random.chance(0.3) && {
      tagFilters: [{ tag: 'Lap', operator: random.pick(['Equal', 'NotEqual'] as const), values: ['2'] }],
    }),
    ...(random.chance(0.4) && { order: 'Desc' as const }),
  };
}
