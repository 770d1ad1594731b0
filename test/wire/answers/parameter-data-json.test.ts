import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Kind, type ParameterKey, type Rows } from '../../../src/domain/parameter-data.ts';
import type { ResultBlock } from '../../../src/domain/result.ts';
import { tagValue } from '../../../src/domain/tags.ts';
import { encodeParameterData } from '../../../src/wire/answers/parameter-data-json.ts';
import { ParameterDataDecoder } from '../../../src/wire/rows/parameter-data.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { bytesOf } from '../faults.ts';
import { expectedRows, farTimes, type PlainPayload, payloads, spell, spellings } from '../payloads.ts';

const plain = { int64AsString: false };
const empty = { columns: [], groupBy: [] };
const textOf = (chunks: Iterable<Uint8Array>) => Buffer.concat([...chunks]).toString();

function blockOf(rows: Rows, parameters: readonly ParameterKey[], groupBy: readonly string[]): ResultBlock {
  const columns = parameters.map(({ kind, name }) =>
    rows.columns.find((c) => c.kind === kind && c.name === name),
  );
  const tags = groupBy.map((tag) => ({
    index: rows.tagIndex,
    texts: rows.tagSets.map((set) => tagValue(set, tag)),
  }));
  return { count: rows.count, base: rows.base, offsets: rows.offsets, columns, tags };
}

function parametersOf(payload: PlainPayload): ParameterKey[] {
  const groups = [payload.numericValues, payload.stringValues, payload.binaryValues] as const;
  return groups.flatMap((group, kind) => [...group.keys()].map((name) => ({ kind: kind as Kind, name })));
}

function numericBlock(values: readonly number[]): ResultBlock {
  return {
    count: values.length,
    base: 0n,
    offsets: Float64Array.from(values, (_, i) => i),
    tags: [],
    columns: [{ kind: Kind.Numeric, name: 'a', values: Float64Array.from(values), present: undefined }],
  };
}

const numeric = { columns: [{ kind: Kind.Numeric, name: 'a' }], groupBy: [] };

/** The texts of the only column of an answer. */
function cellsOf(values: readonly number[]): string[] {
  const text = textOf(encodeParameterData([numericBlock(values)], numeric, plain));
  return /"numericValues":\{"a":\[(.*?)\]\}/.exec(text)![1]!.split(',');
}

test('writes what was decoded, so that JSON.parse and the decoder read it back', () => {
  const decoder = new ParameterDataDecoder(defaultPayloadLimits);
  fc.assert(
    fc.property(payloads(farTimes, 20), spellings, fc.boolean(), (payload, spelling, int64AsString) => {
      const parameters = parametersOf(payload);
      const tags = [...payload.tagValues.keys()].filter((tag) => tag !== 'streamId' && tag !== 'topic');
      const blocks = decoder
        .decode(bytesOf(spell(payload, spelling)))
        .map((rows) => blockOf(rows, parameters, tags));
      const text = textOf(
        encodeParameterData(blocks, { columns: parameters, groupBy: tags }, { int64AsString }),
      );
      const answer = JSON.parse(text) as Record<string, Record<string, unknown[]>>;

      // Parts come one after the other: find each row of the answer among the expected ones.
      const count = blocks.reduce((sum, block) => sum + block.count, 0);
      const groups = ['numericValues', 'stringValues', 'binaryValues'];
      const timeTexts = /"timestamps":\[(.*?)\]/
        .exec(text)![1]!
        .split(',')
        .filter((part) => part !== '');
      const found = Array.from({ length: count }, (_, row) => {
        const values = parameters.flatMap(({ kind, name }) => {
          const value = answer[groups[kind]!]![name]![row]!;
          return value === null ? [] : [[`${kind}:${name}`, String(value)]];
        });
        const rowTags = tags.flatMap((tag) => {
          const value = answer['tagValues']![tag]![row]!;
          return value === null ? [] : [[tag, value]];
        });
        return JSON.stringify([timeTexts[row], rowTags, values]);
      });
      const quote = int64AsString ? '"' : '';
      const expected = expectedRows(payload).map(({ time, tags: key, values }) => {
        const own = new Map(JSON.parse(key) as [string, string][]);
        return JSON.stringify([
          `${quote}${time}${quote}`,
          tags.flatMap((tag) => (own.has(tag) ? [[tag, own.get(tag)]] : [])),
          parameters.flatMap(({ kind, name }) =>
            Object.hasOwn(values, `${kind}:${name}`)
              ? [[`${kind}:${name}`, String(values[`${kind}:${name}`])]]
              : [],
          ),
        ]);
      });
      assert.deepEqual(found.sort(), expected.sort());
      assert.deepEqual(Object.keys(answer), ['timestamps', ...groups, 'tagValues']);
    }),
    { numRuns: 300 },
  );
});

test('writes doubles as JSON.stringify does', () => {
  const decimals = fc.tuple(fc.integer(), fc.integer({ min: 0, max: 12 })).map(([m, k]) => m / 10 ** k);
  const longDecimals = fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 15 }))
    .map(([m, k]) => m / 10 ** k);
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    decimals,
    longDecimals,
    fc.float({ noNaN: true, noDefaultInfinity: true }),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 30 }), (values) => {
      assert.deepEqual(
        cellsOf(values),
        values.map((v) => (Object.is(v, -0) ? '-0' : JSON.stringify(v))),
      );
    }),
    { numRuns: 1000 },
  );
});

test('writes the doubles at the edges of its shortcuts as JSON.stringify does', () => {
  const edges = [
    0,
    1e-6,
    1e-7,
    9.99999e-7,
    0.000001234,
    1e-9,
    1e15,
    999999999999999,
    99999999999999.9,
    1e16,
    1e21,
    123456789012345680000,
    0.1 + 0.2,
    1 / 3,
    5e-324,
    1.7976931348623157e308,
    2251799813685248.5,
    9007199254740992,
    9007199254740994,
    0.30000000000000004,
    1.005,
    999999999.999999,
    1e9,
    1000000000.5,
    2147483648,
    4294967295.25,
    100,
    0.5,
    1.1,
    1.2,
    123.000000001,
  ];
  for (const value of edges.flatMap((v) => [v, -v])) {
    assert.deepEqual(cellsOf([0.123456789, value]), [
      '0.123456789',
      Object.is(value, -0) ? '-0' : JSON.stringify(value),
    ]);
    assert.deepEqual(cellsOf([0.1, value])[1], Object.is(value, -0) ? '-0' : JSON.stringify(value));
  }
});

test('writes what JSON has no number for as strings, and -0 as -0', () => {
  assert.deepEqual(cellsOf([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0]), [
    '"NaN"',
    '"Infinity"',
    '"-Infinity"',
    '-0',
  ]);
});

test('writes timestamps exactly, also with negative and descending offsets', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const offset = fc.maxSafeInteger();
  fc.assert(
    fc.property(
      int64,
      fc.array(offset, { minLength: 1, maxLength: 10 }),
      fc.boolean(),
      (base, offsets, int64AsString) => {
        const within = offsets.filter(
          (o) => base + BigInt(o) >= -(2n ** 63n) && base + BigInt(o) < 2n ** 63n,
        );
        const block = { ...numericBlock(within), base, offsets: Float64Array.from(within) };
        const text = textOf(encodeParameterData([block], empty, { int64AsString }));
        const expected = within.map((o) =>
          int64AsString ? `"${base + BigInt(o)}"` : String(base + BigInt(o)),
        );
        assert.ok(text.startsWith(`{"timestamps":[${expected}],`), text);
      },
    ),
    { numRuns: 1000 },
  );
});

test('writes timestamps whose division rounds up, and those around zero', () => {
  for (const [base, offset] of [
    [0n, 9007198999999999],
    [1n, 8999999999999999],
    [-1n, 1],
    [-1_000_000_000n, 0],
    [-1_000_000_001n, 0],
    [5n, -6],
    [0n, -1_000_000_000],
    [2n ** 63n - 1n, 0],
    [-(2n ** 63n), 0],
  ] as const) {
    const block = { ...numericBlock([1]), base, offsets: Float64Array.of(offset) };
    assert.ok(
      textOf(encodeParameterData([block], empty, plain)).startsWith(
        `{"timestamps":[${base + BigInt(offset)}],`,
      ),
    );
  }
});

test('has every map and every parameter, also without rows', () => {
  const parameters = [
    { kind: Kind.Numeric, name: 'a' },
    { kind: Kind.Binary, name: 'a' },
    { kind: Kind.String, name: '__proto__ "' },
  ];
  assert.equal(
    textOf(encodeParameterData([], { columns: parameters, groupBy: ['lap', 'topic'] }, plain)),
    '{"timestamps":[],"numericValues":{"a":[]},"stringValues":{"__proto__ \\"":[]},"binaryValues":{"a":[]},"tagValues":{"lap":[],"topic":[]}}',
  );
  assert.equal(
    textOf(encodeParameterData([], empty, plain)),
    '{"timestamps":[],"numericValues":{},"stringValues":{},"binaryValues":{},"tagValues":{}}',
  );
});

test('writes a parameter that no row has as nulls, across blocks', () => {
  const blocks = [numericBlock([1, 2]), { ...numericBlock([3]), columns: [undefined] }, numericBlock([4])];
  const answer = JSON.parse(textOf(encodeParameterData(blocks, numeric, plain)));
  assert.deepEqual(answer.numericValues.a, [1, 2, null, 4]);
});

test('writes the tags of groupBy row by row', () => {
  const block: ResultBlock = {
    ...numericBlock([1, 2, 3]),
    tags: [
      { texts: ['1', 'é\n"'], index: Uint32Array.of(1, 0, 1) },
      { texts: [undefined], index: undefined },
      { texts: ['cars', undefined], index: Uint32Array.of(0, 1, 1) },
    ],
  };
  const shape = { ...numeric, groupBy: ['lap', 'car', 'topic'] };
  const answer = JSON.parse(textOf(encodeParameterData([block], shape, plain)));
  assert.deepEqual(answer.tagValues, {
    lap: ['é\n"', '1', 'é\n"'],
    car: [null, null, null],
    topic: ['cars', null, null],
  });
});

test('hands out chunks of bounded size that stay as they are', () => {
  const values = Array.from({ length: 100_000 }, (_, i) => i / 7);
  const chunks = [...encodeParameterData([numericBlock(values)], numeric, plain)];
  assert.ok(chunks.length > 10);
  for (const chunk of chunks) assert.ok(chunk.length <= 64 * 1024);
  assert.deepEqual(JSON.parse(textOf(chunks)).numericValues.a, values);
});

test('writes values larger than a chunk', () => {
  const text = '\u0001"é'.repeat(50_000);
  const bytes = Buffer.from(text);
  const block: ResultBlock = {
    ...numericBlock([1]),
    columns: [
      { kind: Kind.String, name: 's', bytes, ends: Uint32Array.of(bytes.length), present: undefined },
      { kind: Kind.Binary, name: 'b', bytes, ends: Uint32Array.of(bytes.length), present: undefined },
    ],
  };
  const parameters = [
    { kind: Kind.String, name: 's' },
    { kind: Kind.Binary, name: 'b' },
  ];
  const answer = JSON.parse(
    textOf(encodeParameterData([block], { columns: parameters, groupBy: [] }, plain)),
  );
  assert.equal(answer.stringValues.s[0], text);
  assert.equal(answer.binaryValues.b[0], bytes.toString('base64'));
});

test('makes one chunk of what fits into one, and several of what does not', () => {
  const chunksOf = (rows: number) => {
    const block = numericBlock(Array.from({ length: rows }, (_, i) => i / 1000));
    return [...encodeParameterData([block], numeric, plain)];
  };
  assert.equal(chunksOf(10).length, 1);
  assert.equal(chunksOf(8000).length, 1);
  const many = chunksOf(40_000);
  assert.ok(many.length > 3);
  assert.ok(many.every(({ length }) => length <= 64 * 1024));
  assert.equal(JSON.parse(textOf(many)).timestamps.length, 40_000);
});
