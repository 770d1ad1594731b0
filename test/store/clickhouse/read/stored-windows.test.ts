import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPresent, Kind, type ParameterKey } from '../../../../src/domain/parameter-data.ts';
import { compareTagSets, compareText, tagSet, tagSetOfKey } from '../../../../src/domain/tags.ts';
import type { AnswerColumn, NativeAnswerBlock } from '../../../../src/store/clickhouse/read/native-answer.ts';
import { scratchPool } from '../../../../src/store/clickhouse/read/scratch-memory.ts';
import { type Alike, sliceBuilder } from '../../../../src/store/clickhouse/read/slice-builder.ts';
import { sliceRows } from '../../../../src/store/clickhouse/read/slice-rows.ts';
import { windowAdder } from '../../../../src/store/clickhouse/read/stored-windows.ts';
import { windowStart } from '../../../../src/store/clickhouse/server/window-lengths.ts';

/** What one request wrote of one tag set, or, without times, a delete. */
interface Piece {
  readonly version: bigint;
  readonly tags: string;
  readonly first: bigint;
  readonly last: bigint;
  readonly times: readonly bigint[];
}

/** A row of the table `windows`. */
interface Row {
  readonly topic: string;
  readonly stream: string;
  readonly parameter: number;
  readonly level: number;
  readonly pieces: readonly Piece[];
}

const parameters: readonly ParameterKey[] = [
  { kind: Kind.Numeric, name: 'a' },
  { kind: Kind.Numeric, name: 'b' },
  { kind: Kind.String, name: 'a' },
];
const differ: Alike = { topic: undefined, streamId: undefined, kind: undefined };
const scratch = scratchPool();

/** The value of a time in a piece: no two are alike. */
const numberOf = (piece: Piece, i: number): number => Number(piece.version) * 100 + i;

function endsOf(counts: readonly number[]): Uint32Array {
  let end = 0;
  return Uint32Array.from(counts, (count) => (end += count));
}

/** A block of rows as ClickHouse answers it. */
function blockOf(rows: readonly Row[], hasTexts: boolean): NativeAnswerBlock {
  const pieces = rows.flatMap((row) => row.pieces);
  const values = rows.flatMap(({ parameter, pieces: own }) =>
    own.flatMap((piece) =>
      piece.times.map((time, i) => ({
        time,
        value: numberOf(piece, i),
        isText: parameters[parameter]!.kind !== Kind.Numeric,
      })),
    ),
  );
  const ofValues = endsOf(
    rows.map(({ pieces: own }) => own.reduce((sum, { times }) => sum + times.length, 0)),
  );
  const ofPieces = endsOf(rows.map(({ pieces: own }) => own.length));
  const lists = (ends: Uint32Array, elements: AnswerColumn): AnswerColumn => ({
    type: 'lists',
    values: { ends, elements },
  });
  const keys = (texts: readonly string[]): AnswerColumn => {
    const distinct = [...new Set(texts)];
    const index = Uint8Array.from(texts, (text) => distinct.indexOf(text));
    return { type: 'keys', values: { texts: distinct, index } };
  };
  const strings = (texts: readonly string[]): AnswerColumn => {
    const bytes = Buffer.from(texts.join(''));
    return { type: 'strings', values: { bytes, ends: endsOf(texts.map((text) => Buffer.byteLength(text))) } };
  };
  const integers = (all: readonly bigint[]): AnswerColumn => ({
    type: 'integers',
    values: BigInt64Array.from(all),
  });
  const ofEach = (wanted: (piece: Piece) => bigint) => lists(ofPieces, integers(pieces.map(wanted)));
  const columns = [
    lists(ofValues, integers(values.map(({ time }) => time))),
    lists(ofValues, {
      type: 'doubles',
      values: Float64Array.from(values, ({ value, isText }) => (isText ? 0 : value)),
    }),
    lists(ofPieces, strings(pieces.map(({ tags }) => tags))),
    ofEach(({ first }) => first),
    ofEach(({ last }) => last),
    ofEach(({ version }) => version),
    lists(ofPieces, { type: 'counts', values: Uint32Array.from(pieces, ({ times }) => times.length) }),
    { type: 'bytes' as const, values: Uint8Array.from(rows, ({ level }) => level) },
    keys(rows.map(({ parameter }) => parameters[parameter]!.name)),
    keys(rows.map(({ topic }) => topic)),
    keys(rows.map(({ stream }) => stream)),
    {
      type: 'bytes' as const,
      values: Uint8Array.from(rows, ({ parameter }) => parameters[parameter]!.kind),
    },
  ];
  if (hasTexts)
    columns.push(lists(ofValues, strings(values.map(({ value, isText }) => (isText ? String(value) : '')))));
  return { rows: rows.length, columns };
}

const sets = [
  [],
  [['lap', '1']],
  [
    ['lap', 'ü'],
    ['x', ''],
  ],
] as const;
/** Also on both sides of a border of the windows of a slice, and before zero. */
const starts = [0n, 2n ** 52n - 4n, -(2n ** 60n), 2n ** 63n - 10n];
const time = fc.tuple(fc.constantFrom(...starts), fc.nat(8)).map(([start, step]) => start + BigInt(step));
const tags = fc.constantFrom(...sets.map((pairs) => tagSet(pairs).key));
const rows = fc
  .array(
    fc.record({
      topic: fc.constantFrom('t', 'u'),
      stream: fc.constantFrom('s', 'r'),
      parameter: fc.nat(parameters.length - 1),
      level: fc.constantFrom(0, 1, 32),
      pieces: fc.array(
        fc.record({
          tags,
          isDelete: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
          times: fc.uniqueArray(time, { minLength: 1, maxLength: 8 }),
          version: fc.nat(1000),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    { maxLength: 12, size: 'max' },
  )
  .map((made) => {
    let count = 0;
    return made.map((row) => ({
      ...row,
      pieces: row.pieces.map(({ tags: set, isDelete, times, version }): Piece => {
        const sorted = [...times].sort((a, b) => (a < b ? -1 : 1));
        return {
          // No two are alike, and an order of their own.
          version: BigInt(version * 1000 + count++),
          tags: set,
          first: sorted[0]!,
          last: sorted.at(-1)!,
          times: isDelete ? [] : sorted,
        };
      }),
    }));
  });

/** What counts, by what makes it: found one by one. */
function expected(
  all: readonly Row[],
  fromOf: (topic: string) => bigint,
  to: bigint,
  isWanted: (key: string) => boolean,
) {
  const found = new Map<string, { version: bigint; value: number }>();
  for (const { topic, stream, parameter, pieces, level } of all) {
    /** Deletes take what is in their own window. */
    const deletes = all
      .filter(
        (other) =>
          other.topic === topic &&
          other.stream === stream &&
          other.parameter === parameter &&
          other.level === level,
      )
      .flatMap((other) => other.pieces.filter(({ times }) => times.length === 0));
    for (const piece of pieces) {
      piece.times.forEach((at, i) => {
        if (at < fromOf(topic) || at > to || !isWanted(piece.tags)) return;
        const isDeleted = deletes.some(
          ({ tags: set, first, last, version }) =>
            set === piece.tags &&
            at >= first &&
            at <= last &&
            piece.version <= version &&
            windowStart(first, level) === windowStart(at, level),
        );
        if (isDeleted) return;
        const key = JSON.stringify([String(at), stream, topic, piece.tags, parameter]);
        const known = found.get(key);
        if (known !== undefined && known.version > piece.version) return;
        found.set(key, { version: piece.version, value: numberOf(piece, i) });
      });
    }
  }
  return new Map([...found].map(([key, { value }]) => [key, value]));
}

test('rows of windows become the values that count, whatever overlaps, is deleted, cut and filtered', async () => {
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.nat(20),
      fc.tuple(time, time, time),
      fc.boolean(),
      fc.boolean(),
      async (all, place, [from, oldest, to], isOpen, isFiltered) => {
        const fromOf = (topic: string) =>
          isOpen ? -(2n ** 63n) : topic === 't' && oldest > from ? oldest : from;
        const until = isOpen ? 2n ** 63n - 1n : to;
        const isWanted = (key: string) => !isFiltered || key !== '[]';
        const builder = sliceBuilder(parameters, scratch.open());
        const wanted = {
          fromOf,
          to: until,
          tags: isFiltered ? ({ key }: { key: string }) => isWanted(key) : undefined,
        };
        const add = windowAdder(builder.draft, parameters, differ, wanted, scratch.open());
        const cut = place % (all.length + 1);
        for (const part of [all.slice(0, cut), all.slice(cut)]) if (part.length > 0) add(blockOf(part, true));

        const actual = new Map<string, number>();
        let before: readonly [bigint, string, string, string] | undefined;
        const order = { parameters, order: 'Asc' as const, after: undefined };
        for await (const block of sliceRows(builder.build(), order, () => undefined)) {
          for (let row = 0; row < block.count; row++) {
            const { topic, streamId } = block.streams[block.streamIndex?.[row] ?? 0]!;
            const set = block.tagSets[block.tagIndex?.[row] ?? 0]!.key;
            const at = block.base + BigInt(block.offsets[row]!);
            const now = [at, streamId, topic, set] as const;
            if (before !== undefined) assert.ok(compare(before, now) < 0, 'rows are in order');
            before = now;
            block.columns.forEach((column, parameter) => {
              if (column === undefined || !isPresent(column.present, row)) return;
              const value =
                column.kind === Kind.Numeric
                  ? column.values[row]!
                  : Number(
                      Buffer.from(
                        column.bytes.subarray(row === 0 ? 0 : column.ends[row - 1]!, column.ends[row]),
                      ).toString(),
                    );
              actual.set(JSON.stringify([String(at), streamId, topic, set, parameter]), value);
            });
          }
        }
        assert.deepEqual(
          new Map([...actual].sort()),
          new Map([...expected(all, fromOf, until, isWanted)].sort()),
        );
      },
    ),
    { numRuns: 300 },
  );
});

type Place = readonly [time: bigint, stream: string, topic: string, tags: string];

function compare(a: Place, b: Place): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  return (
    compareText(a[1], b[1]) || compareText(a[2], b[2]) || compareTagSets(tagSetOfKey(a[3]), tagSetOfKey(b[3]))
  );
}
