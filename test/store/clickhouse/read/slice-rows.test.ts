import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPresent, Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import { compareTagSets, compareText, tagSet, tagSetOfKey } from '../../../../src/domain/tags.ts';
import type { Position } from '../../../../src/query/plan/cursor.ts';
import type { AnswerColumn, NativeAnswerBlock } from '../../../../src/store/clickhouse/read/native-answer.ts';
import { scratchPool } from '../../../../src/store/clickhouse/read/scratch-memory.ts';
import type { Slice } from '../../../../src/store/clickhouse/read/slice.ts';
import { type Alike, sliceBuilder } from '../../../../src/store/clickhouse/read/slice-builder.ts';
import { sliceRows } from '../../../../src/store/clickhouse/read/slice-rows.ts';
import { windowAdder } from '../../../../src/store/clickhouse/read/stored-windows.ts';
import type { RowBlock } from '../../../../src/store/store.ts';
import { cases } from '../../../extent.ts';

interface Value extends Position {
  readonly parameter: number;
  /** Of a number; of a text its digits. */
  readonly number: number;
}

const parameters: readonly ParameterKey[] = [
  { kind: Kind.Numeric, name: 'a' },
  { kind: Kind.Numeric, name: 'b' },
  { kind: Kind.Numeric, name: 'c' },
  { kind: Kind.String, name: 'a' },
];
const differ: Alike = { topic: undefined, streamId: undefined, kind: undefined };
const scratch = scratchPool();
const noPause = () => undefined;

/** A block as ClickHouse answers it: each value is a window of its own. */
function blockOf(values: readonly Value[], alike: Alike, hasTexts: boolean): NativeAnswerBlock {
  const keys = (texts: string[]): AnswerColumn => {
    const distinct = ['', ...new Set(texts)];
    return {
      type: 'keys',
      values: { texts: distinct, index: Uint8Array.from(texts, (text) => distinct.indexOf(text)) },
    };
  };
  const strings = (texts: readonly string[]): AnswerColumn => {
    const bytes = texts.map((text) => Buffer.from(text));
    let end = 0;
    const ends = Uint32Array.from(bytes, ({ length }) => (end += length));
    return { type: 'strings', values: { bytes: Buffer.concat(bytes), ends } };
  };
  const ends = Uint32Array.from(values, (_, i) => i + 1);
  const lists = (elements: AnswerColumn): AnswerColumn => ({ type: 'lists', values: { ends, elements } });
  const times: AnswerColumn = {
    type: 'integers',
    values: BigInt64Array.from(values, ({ timestamp }) => timestamp),
  };
  const kindOf = ({ parameter }: Value) => parameters[parameter]!.kind;
  const columns: AnswerColumn[] = [
    lists(times),
    lists({
      type: 'doubles',
      values: Float64Array.from(values, (value) => (kindOf(value) === Kind.Numeric ? value.number : 0)),
    }),
    lists(strings(values.map(({ tags }) => tags))),
    lists(times),
    lists(times),
    lists({ type: 'integers', values: new BigInt64Array(values.length) }),
    lists({ type: 'counts', values: new Uint32Array(values.length).fill(1) }),
    { type: 'bytes', values: new Uint8Array(values.length) },
    keys(values.map(({ parameter }) => parameters[parameter]!.name)),
  ];
  if (alike.topic === undefined) columns.push(keys(values.map(({ topic }) => topic)));
  if (alike.streamId === undefined) columns.push(keys(values.map(({ streamId }) => streamId)));
  if (alike.kind === undefined) columns.push({ type: 'bytes', values: Uint8Array.from(values, kindOf) });
  if (hasTexts) {
    const texts = values.map((value) => (kindOf(value) === Kind.Numeric ? '' : String(value.number)));
    columns.push(lists(strings(texts)));
  }
  return { rows: values.length, columns };
}

/** The slice of some blocks. */
function sliceOf(
  blocks: readonly (readonly Value[])[],
  alike: Alike = differ,
  asked: readonly ParameterKey[] = parameters,
): Slice {
  const memory = scratch.open();
  const builder = sliceBuilder(asked, memory);
  const wanted = { fromOf: () => -(2n ** 63n), to: 2n ** 63n - 1n, tags: undefined };
  const add = windowAdder(builder.draft, asked, alike, wanted, memory);
  for (const block of blocks)
    if (block.length > 0) add(blockOf(block, alike, asked.length === parameters.length));
  return builder.build();
}

async function rowsOf(
  blocks: readonly (readonly Value[])[],
  order: 'Asc' | 'Desc',
  {
    after,
    alike = differ,
    asked = parameters,
  }: { after?: Position; alike?: Alike; asked?: typeof parameters },
): Promise<string[]> {
  const rows: string[] = [];
  for await (const block of sliceRows(
    sliceOf(blocks, alike, asked),
    { parameters: asked, order, after },
    noPause,
  )) {
    rows.push(...printed(block));
  }
  return rows;
}

function printed({
  count,
  base,
  offsets,
  streams,
  streamIndex,
  tagSets,
  tagIndex,
  columns,
}: RowBlock): string[] {
  return Array.from({ length: count }, (_, row) => {
    const { topic, streamId } = streams[streamIndex?.[row] ?? 0]!;
    const values = columns.map((column) => {
      if (column === undefined || !isPresent(column.present, row)) return '-';
      if (column.kind === Kind.Numeric) return String(column.values[row]);
      const { bytes, ends } = column;
      return Buffer.from(bytes.subarray(row === 0 ? 0 : ends[row - 1]!, ends[row])).toString();
    });
    const time = base + BigInt(offsets[row]!);
    return [time, streamId, topic, tagSets[tagIndex?.[row] ?? 0]!.key, ...values].join(' ');
  });
}

function comparePositions(a: Position, b: Position): number {
  return (
    Number(a.timestamp - b.timestamp) ||
    compareText(a.streamId, b.streamId) ||
    compareText(a.topic, b.topic) ||
    compareTagSets(tagSetOfKey(a.tags), tagSetOfKey(b.tags))
  );
}

/** Rows as they should be, made the plain way. */
function expectedRows(values: readonly Value[], order: 'Asc' | 'Desc', after?: Position): string[] {
  const sorted = [...values].sort(comparePositions);
  if (order === 'Desc') sorted.reverse();
  const rows: { position: Position; cells: string[] }[] = [];
  for (const value of sorted) {
    if (after !== undefined) {
      const step = comparePositions(value, after);
      if (order === 'Desc' ? step >= 0 : step <= 0) continue;
    }
    const last = rows.at(-1);
    const isNew = last === undefined || comparePositions(last.position, value) !== 0;
    const row = isNew ? { position: value, cells: parameters.map(() => '-') } : last;
    if (isNew) rows.push(row);
    row.cells[value.parameter] = String(value.number);
  }
  return rows.map(({ position: { timestamp, streamId, topic, tags }, cells }) =>
    [timestamp, streamId, topic, tags, ...cells].join(' '),
  );
}

/** In the order of the table's key. */
function byKey(values: readonly Value[]): Value[] {
  const key = ({ topic, streamId, parameter }: Value) =>
    [topic, streamId, parameters[parameter]!.name].join();
  const compare = (a: Value, b: Value) =>
    compareText(key(a), key(b)) || a.parameter - b.parameter || comparePositions(a, b);
  return [...values].sort(compare);
}

function inBlocks(values: readonly Value[], cuts: readonly number[]): Value[][] {
  const ends = [...new Set([...cuts.map((cut) => cut % (values.length + 1)), values.length])];
  ends.sort((a, b) => a - b);
  return ends.map((end, i) => values.slice(ends[i - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

const tagKeys = [
  [],
  [['lap', '1']],
  [['lap', '10']],
  [
    ['lap', '1'],
    ['x', ''],
  ],
] as const;
/** Windows of 2^52 ns that lie far apart, also before zero. */
const starts = [0n, 1_700_000_000_000_000_000n, -(2n ** 60n), 2n ** 52n - 3n, -(2n ** 63n), 2n ** 63n - 9n];
const position = fc.record({
  timestamp: fc.tuple(fc.constantFrom(...starts), fc.nat(8)).map(([start, step]) => start + BigInt(step)),
  topic: fc.constantFrom('t', 'u'),
  streamId: fc.constantFrom('s', 'S', 'ü'),
  tags: fc.constantFrom(...tagKeys.map((pairs) => tagSet(pairs).key)),
});
/** Rows have most parameters, as devices write them, so that tables have several columns. */
const values = fc
  .array(
    fc.record({
      position,
      has: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean()),
      all: fc.boolean(),
    }),
    { maxLength: 60 },
  )
  .map((rows) => {
    const distinct = new Map<string, Value>();
    rows.forEach(({ position: at, has, all }, row) => {
      parameters.forEach((_, parameter) => {
        if (!all && !has[parameter]) return;
        const key = [at.timestamp, at.topic, at.streamId, at.tags, parameter].join(' ');
        distinct.set(key, { ...at, parameter, number: 10 * row + parameter });
      });
    });
    return [...distinct.values()];
  });
const cuts = fc.array(fc.nat(300), { maxLength: 6 });
const directions = fc.constantFrom('Asc' as const, 'Desc' as const);

test('puts values together to rows, however blocks are cut', async () => {
  await fc.assert(
    fc.asyncProperty(values, cuts, directions, fc.boolean(), async (all, places, order, turned) => {
      const blocks = inBlocks(byKey(all), places);
      // Parts of the table are read side by side.
      if (turned) blocks.reverse();
      assert.deepEqual(await rowsOf(blocks, order, {}), expectedRows(all, order));
    }),
    { numRuns: cases(300) },
  );
});

test('leaves out what is not behind a cursor', async () => {
  await fc.assert(
    fc.asyncProperty(values, cuts, directions, position, async (all, places, order, after) => {
      const found = await rowsOf(inBlocks(byKey(all), places), order, { after });
      assert.deepEqual(found, expectedRows(all, order, after));
    }),
    { numRuns: cases(300) },
  );
});

test('does without columns in which all values are alike', async () => {
  const asked = parameters.slice(0, 3);
  const alike: Alike = { topic: 't', streamId: 's', kind: Kind.Numeric };
  await fc.assert(
    fc.asyncProperty(values, cuts, async (all, places) => {
      const some = all.filter(
        ({ topic, streamId, parameter }) => topic === 't' && streamId === 's' && parameter < 3,
      );
      const found = await rowsOf(inBlocks(byKey(some), places), 'Asc', { alike, asked });
      assert.deepEqual(
        found,
        expectedRows(some, 'Asc').map((row) => row.slice(0, -2)),
      );
    }),
  );
});

test('cuts blocks by rows, and by bytes of texts', async () => {
  const at = (row: number, parameter: number, number = row): Value => {
    return { timestamp: BigInt(row), topic: 't', streamId: 's', tags: '[]', parameter, number };
  };
  const numbers = Array.from({ length: 20_000 }, (_, row) => [at(row, 0), at(row, 1)]).flat();
  const slice = sliceOf([byKey(numbers)]);
  const counts: number[] = [];
  for await (const block of sliceRows(slice, { parameters, order: 'Asc', after: undefined }, noPause)) {
    counts.push(block.count);
  }
  assert.deepEqual(counts, [8192, 8192, 3616]);
});
