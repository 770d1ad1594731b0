import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import polars from 'nodejs-polars';
import { contentOf, type Given, openJsonText } from '../tables/read-table.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-json-'));
after(() => rmSync(folder, { recursive: true }));

async function read(text: string, given?: Given) {
  return contentOf(await openJsonText(text, given));
}

const start = 1_612_191_099_000_000_000n;
const second = 1_000_000_000n;

/** What pandas of Debian writes of two rows: the time `t`, `v` with a gap, and the text `w`; undefined without it. */
function pandas(calls: readonly string[]): string[] | undefined {
  const program = `
import json, pandas as pd
df = pd.DataFrame({'t': pd.date_range('2021-02-01 14:51:39', periods=2, freq='s'), 'v': [1.5, float('nan')], 'w': ['a', 'b']})
print(json.dumps([${calls.join(', ')}]))`;
  try {
    return JSON.parse(
      execFileSync('/usr/bin/python3', ['-c', program], { encoding: 'utf8', stdio: 'pipe' }),
    ) as string[];
  } catch {
    return undefined;
  }
}

const orient = (name: string): string => `df.to_json(orient='${name}')`;
const withNames = ['df.to_json()', ...['records', 'split', 'columns', 'index', 'table'].map(orient)];
const calls = [
  ...withNames,
  "df.to_json(orient='records', lines=True)",
  ...['split', 'columns', 'index'].map((name) => orient(name).replace('df.', "df.set_index('t').")),
  orient('values'),
];
const written = pandas(calls);
const ofPandas = (call: string): string => written![calls.indexOf(call)]!;
const withPandas = { skip: written !== undefined ? false : 'python3-pandas is not installed' };

describe('a table of JSON', () => {
  it('has the doubles that Python writes bare, and its booleans are 1 and 0', async () => {
    const { columns } = await read(
      `[{"Timestamp": ${start}, "a": NaN, "b": true}, {"Timestamp": ${start + 1n}, "a": -Infinity, "b": false}]`,
    );
    assert.deepEqual(columns, { a: [Number.NaN, Number.NEGATIVE_INFINITY], b: [1, 0] });
  });

  it('tells of texts of times without a zone', async () => {
    const notes = async (texts: readonly string[], given: Given = { timestamp: 't' }) =>
      (await openJsonText(JSON.stringify(texts.map((t) => ({ t, a: 1 }))), given)).notes.slice(1);
    assert.deepEqual(await notes(['2021-02-01T14:51:39Z', '2021-02-01 14:51:40']), [
      "times without a zone, taken for UTC, first in row 2: '2021-02-01 14:51:40'",
    ]);
    assert.deepEqual(await notes(['2021-02-01T14:51:39+01:00']), []);
    assert.deepEqual(await notes(['14:51:39'], { timestamp: 't', timeForm: 'clock', start }), []);
  });

  it('tells of times that are finer than a nanosecond', async () => {
    const rounded = async (rows: string, given?: Given) =>
      (await openJsonText(rows, given)).notes.filter((note) => note.includes('finer'));
    const texts = ['2021-02-01T14:51:39.123456789Z', '2021-02-01T14:51:40.1234567894Z'];
    const table = JSON.stringify(texts.map((t) => ({ t, a: 1 })));
    assert.deepEqual(await rounded(table, { timestamp: 't' }), [
      "times finer than a nanosecond, rounded: 1 (row 2: '2021-02-01T14:51:40.1234567894Z')",
    ]);
    assert.deepEqual((await read(table, { timestamp: 't' })).times, [
      start + 123_456_789n,
      start + second + 123_456_789n,
    ]);
    assert.deepEqual(
      await rounded(
        '[{"t":1612191099.1234567894,"a":1},{"t":1612191100.5,"a":1},{"t":1612191101.1234567894,"a":1}]',
        { timestamp: 't', timeForm: 's' },
      ),
      ["times finer than a nanosecond, rounded: 2 (row 1: '1612191099.1234567894')"],
    );
    // Dates beside numbers have the decimals of seconds.
    const mixed = `[{"t":1612191099123000000,"a":1},{"t":"${texts[0]}","a":1}]`;
    assert.deepEqual(await rounded(mixed, { timestamp: 't' }), []);
  });

  it('is refused with the place of a number beyond a double', async () => {
    await assert.rejects(
      openJsonText(`[{"Timestamp": ${start}, "a": 1},\n {"Timestamp": ${start}, "a": 1e400}]`),
      /element 2, line 2: it is not valid JSON: the number 1e400 is larger than any double at character 43/,
    );
  });

  it('may be lines, whatever the file is called', async () => {
    const text = `{"Timestamp":${start},"a":1}\r\n\r\n{"Timestamp":${start + 1n},"b":"x"}`;
    const { times, columns } = await read(text);
    assert.deepEqual([times, columns], [[start, start + 1n], { a: [1, null], b: [null, 'x'] }]);
    await assert.rejects(
      openJsonText(`${text}\n{"Timestamp":1,}`),
      /element 3, line 4: it is not valid JSON/,
    );
    await assert.rejects(openJsonText(`${text}\n7`), /row 3 is a number, not an object of cells/);
    await assert.rejects(openJsonText(`${text}\n{"Timestamp":1`), /what begins in line 4 does not end/);
  });

  it('as DuckDB and polars write lines of it', async () => {
    const path = join(folder, 'lines.json');
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(
      `COPY (SELECT TIMESTAMP '2021-02-01 14:51:39' + to_seconds(i) AS "Timestamp", i * 1.5 AS a, 'x' AS b FROM range(2) t(i)) TO '${path}' (FORMAT json)`,
    );
    connection.closeSync();
    const expected = [[start, start + second], { a: [0, 1.5], b: ['x', 'x'] }];
    const ofDuckDb = await read(readFileSync(path, 'utf8'));
    assert.deepEqual([ofDuckDb.times, ofDuckDb.columns], expected);
    const frame = polars.DataFrame({
      Timestamp: [Number(start / second), Number(start / second) + 1],
      a: [0, 1.5],
      b: ['x', 'x'],
    });
    frame.writeJSON(path, { format: 'lines' });
    const ofPolars = await read(readFileSync(path, 'utf8'), { timeForm: 's' });
    assert.deepEqual([ofPolars.times, ofPolars.columns], expected);
  });

  it('of pandas is read in every orient that has names, once the unit is confirmed', withPandas, async () => {
    const expected = [[start, start + second], { v: [1.5, null], w: ['a', 'b'] }];
    for (const call of [...withNames, "df.to_json(orient='records', lines=True)"]) {
      const text = ofPandas(call);
      const isTable = call.includes('table');
      const given: Given = { timestamp: 't', ...(isTable ? { skip: ['index'] } : { timeForm: 'ms' }) };
      if (!isTable)
        await assert.rejects(
          openJsonText(text, { timestamp: 't' }),
          /times of t .* look like milliseconds since 1970/,
          call,
        );
      const { times, columns } = await read(text, given);
      assert.deepEqual([times, columns], expected, call);
    }
    await assert.rejects(
      openJsonText(ofPandas(orient('values')), { timestamp: 't' }),
      /row 1 is an array, not an object of cells: rows need names/,
    );
  });

  it('of pandas is refused where two columns have one name: one would be lost', async () => {
    const text = '{"columns":["Timestamp","a","a"],"index":[0],"data":[[1612191099000000001,1,9]]}';
    await assert.rejects(read(text), /two columns are called a$/);
  });

  it('of pandas keeps a column that is called as the labels of rows', async () => {
    const moment = 1_612_191_099_000_000_001n;
    for (const text of [
      `{"columns":["Timestamp","index"],"index":[7],"data":[[${moment},1]]}`,
      `{"Timestamp":{"7":${moment}},"index":{"7":1}}`,
      `{"7":{"Timestamp":${moment},"index":1}}`,
    ]) {
      const { columns } = await read(text);
      assert.deepEqual(columns, { index: [1], 'index (2)': [7] });
    }
  });

  it('of pandas has the times of an index', withPandas, async () => {
    for (const call of calls.filter((one) => one.includes('set_index'))) {
      const text = ofPandas(call);
      const { times, columns } = await read(text, { timestamp: 'index', timeForm: 'ms' });
      assert.deepEqual([times, columns], [[start, start + second], { v: [1.5, null], w: ['a', 'b'] }], call);
    }
  });

  it('has names of fields and short arrays inside of others', async () => {
    const text = `[{"Timestamp": ${start}, "pos": {"x": 1.5, "deep": {"y": [1, 2]}}, "none": null, "empty": {}},
      {"Timestamp": ${start + 1n}, "pos": null, "none": {"z": "a"}, "empty": []}]`;
    const { columns, uses } = await read(text);
    assert.deepEqual(columns, {
      ...{ 'pos.x': [1.5, null], 'pos.deep.y[0]': [1, null], 'pos.deep.y[1]': [2, null] },
      ...{ empty: [null, null], 'none.z': [null, 'a'] },
    });
    assert.equal(uses['empty'], 'empty');
    assert.deepEqual((await read(text, { skip: ['pos', 'none', 'empty'] })).columns, {});
    assert.deepEqual(Object.keys((await read(text, { skip: ['pos.deep'] })).columns), [
      'pos.x',
      'empty',
      'none.z',
    ]);
  });

  it('is refused where an array is long, or two values have one name, unless they are left out', async () => {
    const long = `[{"Timestamp": ${start}, "a": [${Array.from({ length: 17 }, (_, i) => i)}], "b": 1}]`;
    await assert.rejects(
      openJsonText(long),
      /row 1, column a is an array of 17 elements, and 16 are read at most; --skip/,
    );
    assert.deepEqual((await read(long, { skip: ['a'] })).columns, { b: [1] });
    await assert.rejects(
      openJsonText(`[{"Timestamp": ${start}, "a": {"b": 1}, "a.b": 2}]`),
      /row 1 has two values called a\.b/,
    );
    await assert.rejects(openJsonText(long, { skip: ['a', 'none'] }), /there is no column none/);
  });

  it('that has small numbers as times lands in 1970 only where somebody says so', async () => {
    const text = '[{"Timestamp": 1, "a": 1}, {"Timestamp": 2, "a": 2}]';
    await assert.rejects(
      openJsonText(text),
      /Timestamp \(from 1 to 2\) count from a start in nanoseconds .*--start TIME/,
    );
    assert.deepEqual((await read(text, { start: 0n })).times, [1n, 2n]);
    assert.deepEqual((await read(text, { start, timeForm: 'ms' })).times, [
      start + 1_000_000n,
      start + 2_000_000n,
    ]);
    const doubles = '[{"t": 1612191099.5, "a": 1}]';
    assert.deepEqual((await read(doubles, { timestamp: 't', timeForm: 's' })).times, [start + 500_000_000n]);
    const clocks = '[{"t": "14:51:39", "a": 1}]';
    await assert.rejects(
      openJsonText(clocks, { timestamp: 't' }),
      /only with --time-format clock and --start DAY/,
    );
    const day = 1_612_137_600_000_000_000n;
    assert.deepEqual((await read(clocks, { timestamp: 't', timeForm: 'clock', start: day })).times, [start]);
  });

  it('is refused where a row has no time', async () => {
    await assert.rejects(
      openJsonText(`[{"Timestamp": ${start}, "a": 1}, {"a": 1}]`),
      /row 2, column Timestamp: there is no timestamp/,
    );
    await assert.rejects(
      openJsonText('[{"a": 1}]'),
      /there is no column Timestamp; the file has a; --timestamp names/,
    );
    await assert.rejects(
      openJsonText(`[{"Timestamp": "soon", "a": 1}]`),
      /row 1, column Timestamp: 'soon' is neither a number nor a time/,
    );
  });
});

describe('parameter data', () => {
  it('say themselves what is what', async () => {
    const text = `[{"epoch": ${start}, "timestamps": [0, "1"], "numericValues": {"a": [1, "NaN"]}, "stringValues": {"a": ["x", null]}},
      {"timestamps": [1612191099000000002.0, "2021-02-01T14:51:39.000000003Z"], "tagValues": {"lap": ["1", "2"]}}]`;
    const table = await openJsonText(text);
    assert.deepEqual(table.columns, [
      { name: 'Timestamp', use: 'timestamp' },
      { name: 'a', use: 'numeric' },
      { name: 'a', use: 'string' },
      { name: 'lap', use: 'tag' },
    ]);
    const rows = [];
    for await (const cells of table.read()) rows.push(cells);
    assert.deepEqual(rows, [
      [start, { text: '1', value: 1 }, 'x', null],
      [start + 1n, Number.NaN, null, null],
      [start + 2n, null, null, '1'],
      [start + 3n, null, null, '2'],
    ]);
    for (const [given, name] of [
      [{ skip: ['a'] }, 'skip'],
      [{ timeForm: 'ms' }, 'time-format'],
      [{ start }, 'start'],
    ] as const)
      await assert.rejects(
        openJsonText(text, given),
        new RegExp(`--${name} has no meaning for parameter data`),
      );
  });

  it('of small numbers are what they say', async () => {
    const { times } = await read('{"timestamps": [1, 2], "numericValues": {"a": [1, 2]}}');
    assert.deepEqual(times, [1n, 2n]);
  });

  it('are refused where a value does not fit', async () => {
    for (const [values, message] of [
      ['"numericValues": {"a": ["x"]}', /element 1, numericValues\.a\[0\] is a string, not a number/],
      ['"stringValues": {"a": [1]}', /element 1, stringValues\.a\[0\] is a number, not a string/],
      ['"binaryValues": {"a": ["x"]}', /row 1, column a is not base64/],
      ['"numericValues": {"a": [1, 2]}', /numericValues\.a is not an array of 1 values/],
      ['"numericValues": 1', /numericValues is a number, not an object/],
    ] as const)
      await assert.rejects(openJsonText(`{"timestamps": [1], ${values}}`), message);
    await assert.rejects(
      openJsonText('{"timestamps": [1.5]}'),
      /timestamps\[0\]: 1\.5 is no timestamp of whole/,
    );
    await assert.rejects(
      openJsonText('{"timestamps": [9223372036854775808]}'),
      /timestamps\[0\]: 9223372036854775808 is/,
    );
  });
});
