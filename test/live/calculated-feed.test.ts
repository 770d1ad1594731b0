import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Document } from '../../src/domain/document.ts';
import { isPresent, Kind, type Rows } from '../../src/domain/parameter-data.ts';
import { compareTagSets, noTags, tagSet, tagValue } from '../../src/domain/tags.ts';
import { maxTimestamp } from '../../src/domain/timestamp.ts';
import { isFlaw, parseExpression } from '../../src/expression/parse.ts';
import { calculatedFeed } from '../../src/live/calculated-feed.ts';
import type { Subscriber } from '../../src/live/subscription.ts';
import { subscriptionTree } from '../../src/live/subscription-tree.ts';
import { interpret } from '../expression/reference.ts';
import { cases } from '../extent.ts';
import { noHurry } from './no-hurry.ts';

const place = { topic: 'Cars', streamId: 's' };

interface Row {
  readonly time: number;
  readonly lap: string | undefined;
  readonly a: number | undefined;
  readonly b: number | undefined;
}

describe('calculated parameters for live readers', () => {
  for (const expression of [
    'a / 2 + b',
    'previous(a)',
    "over(sum(a), 'lap') + b",
    "movingMax(a, '3ns')",
    'fill(a) - b',
    'derivative(a) > 0 ? 1 : b',
  ]) {
    it(`are what the plain interpreter says of all rows since the subscription: ${expression}`, () => {
      fc.assert(
        fc.property(packages(), (written) => {
          const { tree, feed } = setUp({ c: expression });
          const reader = subscriber();
          tree.add(reader, { kind: 'parameter', topic: '*', streamId: 's', id: 'c' });
          const given = written.flatMap((rows) => cellsOf([...feed.deliveries(place, [rowsOf(rows)])], rows));
          const parsed = parseExpression(expression);
          assert.ok(!isFlaw(parsed));
          // In order of time, then tags, within each package: packages follow one another.
          const all = written.flatMap((rows) => [...rows].sort(byIdentity));
          const own = all.filter(
            ({ a, b }) => a !== undefined || (b !== undefined && expression.includes('b')),
          );
          const wanted = interpret(
            parsed.root,
            own.map((row) => ({
              time: BigInt(row.time),
              tags: { lap: row.lap },
              values: parsed.parameters.map((name) => row[name as 'a' | 'b']),
            })),
            -1n,
          );
          assert.deepEqual(
            given.toSorted(byIdentity).map(({ value }) => value),
            own
              .map((row, i) => ({ ...row, value: wanted[i] }))
              .filter(({ value }) => value !== undefined)
              .toSorted(byIdentity)
              .map(({ value }) => value),
          );
        }),
        { numRuns: cases(300) },
      );
    });
  }

  it('begin with the subscription of each reader, and anew after it was taken back', () => {
    const { tree, feed } = setUp({ c: 'sum(a)' });
    const [one, two] = [subscriber(), subscriber()];
    const subscription = { kind: 'parameter', topic: 'cars', streamId: '*', id: 'c' } as const;
    const write = (time: number) => {
      const found = [...feed.deliveries(place, [rowsOf([{ time, lap: undefined, a: 1, b: undefined }])])];
      return [one, two].map((reader) => numbersOf(found.find((item) => item?.subscriber === reader)?.rows));
    };
    tree.add(one, subscription);
    assert.deepEqual(write(1), [[1], []]);
    tree.add(two, subscription);
    assert.deepEqual(write(2), [[2], [1]]);
    assert.deepEqual(write(2), [[], []], 'a row that comes again');
    tree.remove(one, subscription);
    feed.forget(one, subscription);
    assert.deepEqual(write(3), [[], [2]]);
    tree.add(one, subscription);
    assert.deepEqual(write(4), [[1], [3]]);
    feed.ended('CARS', 's');
    assert.deepEqual(write(5), [[1], [1]]);
  });

  it('leave out rows that are further ahead than the clock allows where they look along rows, and go on', () => {
    const { tree, feed, clock } = setUp({ c: 'sum(a)', d: 'a * 2' });
    const reader = subscriber();
    for (const id of ['c', 'd']) tree.add(reader, { kind: 'parameter', topic: 'cars', streamId: '*', id });
    clock.last = 100n;
    const write = (...times: number[]) => {
      const rows = rowsOf(times.map((time) => ({ time, lap: undefined, a: 1, b: undefined })));
      const [found] = [...feed.deliveries(place, [rows])].filter((item) => item !== undefined);
      const columns = found!.rows[0]!.columns.filter((column) => column.kind === Kind.Numeric);
      const valueAt = ({ present, values }: (typeof columns)[number]) =>
        times.map((_, i) => (isPresent(present, i) ? values[i] : undefined));
      return Object.fromEntries(columns.map((column) => [column.name, valueAt(column)]));
    };
    assert.deepEqual(write(1), { c: [1], d: [2] });
    assert.deepEqual(write(2, 5000, 100, 101), { c: [2, undefined, 3, undefined], d: [2, 2, 2, 2] });
    assert.equal(clock.ahead, 2);
    clock.last = 200n;
    assert.deepEqual(write(101, 150), { c: [4, 5], d: [2, 2] });
    // The clock was set back.
    clock.last = 50n;
    assert.deepEqual(write(60, 40), { c: [undefined, 1], d: [2, 2] });
    assert.equal(clock.ahead, 3);
  });

  it('go on where a reader takes one of two subscriptions back', () => {
    const { tree, feed } = setUp({ c: 'sum(a)' });
    const reader = subscriber();
    const [wide, narrow] = ['*', 's'].map(
      (streamId) => ({ kind: 'parameter', topic: 'cars', streamId, id: 'c' }) as const,
    );
    const write = (time: number) => {
      const [found] = [
        ...feed.deliveries(place, [rowsOf([{ time, lap: undefined, a: 1, b: undefined }])]),
      ].filter((item) => item !== undefined);
      return numbersOf(found?.rows);
    };
    tree.add(reader, wide!);
    tree.add(reader, narrow!);
    assert.deepEqual(write(1), [1]);
    tree.remove(reader, wide!);
    feed.forget(reader, wide);
    assert.deepEqual(write(2), [2]);
  });

  it('let a value that was written win, and are not there for who wants all that is written', () => {
    const { tree, feed } = setUp({ a: 'b * 2' });
    const [all, own] = [subscriber(), subscriber()];
    tree.add(all, { kind: 'parameter', topic: 'cars', streamId: 's', id: '*' });
    tree.add(own, { kind: 'parameter', topic: 'cars', streamId: 's', id: 'a' });
    const found = [
      ...feed.deliveries(place, [
        rowsOf([
          { time: 1, lap: undefined, a: 7, b: 1 },
          { time: 2, lap: undefined, a: undefined, b: 2 },
        ]),
      ]),
    ].filter((item) => item !== undefined);
    assert.deepEqual(
      found.map(({ subscriber: reader }) => reader === own),
      [true],
    );
    assert.deepEqual(numbersOf(found[0]!.rows), [4]);
    assert.deepEqual([...feed.operands('cars', 's')], ['b']);
    assert.deepEqual([...feed.operands('boats', 's')], []);
  });

  it('have their readers come back where there is no room for what they remember', () => {
    const { tree, feed, room } = setUp({ c: "movingMean(a, '1d')" }, 2000);
    const told: string[] = [];
    const reader = { ...subscriber(), interrupted: () => told.push('come back') };
    tree.add(reader, { kind: 'parameter', topic: 'cars', streamId: 's', id: 'c' });
    const rows = Array.from({ length: 3000 }, (_, time) => ({ time, lap: undefined, a: 1, b: undefined }));
    assert.deepEqual(
      [...feed.deliveries(place, [rowsOf(rows)])].filter((item) => item !== undefined),
      [],
    );
    assert.deepEqual(told, ['come back']);
    assert.equal(room.left, 2000);
  });
});

function setUp(definitions: Record<string, string>, left = 1 << 20) {
  const items: Document[] = Object.entries(definitions).map(([id, expression]) => ({
    kind: 'calculated',
    topic: 'cars',
    id,
    body: JSON.stringify({ expression }),
    updatedAt: 0,
  }));
  const tree = subscriptionTree(noHurry);
  const room = { left };
  const keptOf = (topic: string) => (topic.toLowerCase() === 'cars' ? items : []);
  const clock = { last: maxTimestamp, ahead: 0 };
  const feed = calculatedFeed(tree, keptOf, room, {
    last: () => clock.last,
    onAhead: (rows) => {
      clock.ahead += rows;
    },
  });
  return { tree, room, feed, clock };
}

function subscriber(): Subscriber {
  return { workspace: 'w', deliver: () => assert.fail('the feed delivers nothing by itself') };
}

function rowsOf(rows: readonly Row[]): Rows {
  const base = Math.min(...rows.map(({ time }) => time));
  const sets = [noTags, ...['1', '2'].map((lap) => tagSet([['lap', lap]]))];
  const column = (name: 'a' | 'b') => {
    const present = new Uint8Array((rows.length + 7) >> 3);
    for (const [i, row] of rows.entries()) if (row[name] !== undefined) present[i >> 3]! |= 1 << (i & 7);
    return { kind: Kind.Numeric, name, values: Float64Array.from(rows, (row) => row[name] ?? -99), present };
  };
  return {
    count: rows.length,
    base: BigInt(base),
    offsets: Float64Array.from(rows, ({ time }) => time - base),
    tagSets: sets,
    tagIndex: Uint32Array.from(rows, ({ lap }) => Number(lap ?? 0)),
    columns: [column('a'), column('b')],
  };
}

function byIdentity(left: Row, right: Row): number {
  const set = ({ lap }: Row) => (lap === undefined ? noTags : tagSet([['lap', lap]]));
  return left.time - right.time || compareTagSets(set(left), set(right));
}

type Delivered = { readonly rows: readonly Rows[] } | undefined;

/** Rows of a package with what came for them. */
function cellsOf(deliveries: readonly Delivered[], written: readonly Row[]) {
  const found: (Row & { readonly value: number })[] = [];
  for (const { rows } of deliveries.filter((item) => item !== undefined)) {
    const [only] = rows;
    assert.ok(only !== undefined && rows.length === 1);
    const [column] = only.columns;
    assert.ok(column !== undefined && 'values' in column);
    for (const [i, row] of written.entries()) {
      assert.equal(tagValue(only.tagSets[only.tagIndex![i]!]!, 'lap'), row.lap);
      if (isPresent(column.present, i)) found.push({ ...row, value: column.values[i]! });
    }
  }
  return found;
}

function numbersOf(rows: readonly Rows[] = []): number[] {
  return rows.flatMap(({ columns: [column], count }) => {
    assert.ok(column !== undefined && 'values' in column);
    return [...column.values.subarray(0, count)].filter((_, i) => isPresent(column.present, i));
  });
}

/** Packages that follow one another in time; the rows of each stand in any order, each identity once. */
function packages(): fc.Arbitrary<Row[][]> {
  const row = fc.record({
    step: fc.nat(4),
    lap: fc.constantFrom(undefined, '1', '2'),
    a: fc.option(fc.integer({ min: -4, max: 4 }), { nil: undefined }),
    b: fc.option(fc.integer({ min: -4, max: 4 }), { nil: undefined }),
  });
  const one = fc.uniqueArray(row, {
    minLength: 1,
    maxLength: 400,
    selector: ({ step, lap }) => `${step} ${lap}`,
  });
  return fc
    .array(one, { minLength: 1, maxLength: 4 })
    .map((all) => all.map((rows, i) => rows.map(({ step, ...rest }) => ({ ...rest, time: 10 * i + step }))));
}
