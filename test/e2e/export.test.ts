import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { endWithTests } from '../end-with-tests.ts';
import { until } from '../until.ts';
import { readArrow, readCsv } from '../wire/read-tables.ts';
import { adminToken, pitwall, run, send, startService, temporaryFolder } from './service.ts';

const { url } = await startService({ args: ['--max-result-bytes', '1MiB'] });
const folder = temporaryFolder();
const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
const start = 1_612_191_099_000_000_000n;

async function write(topic: string, stream: string, body: unknown): Promise<void> {
  const reply = await send(url, `/topics/${topic}/streams/${stream}/parameters/data`, {
    body: JSON.stringify(body),
  });
  assert.equal(reply.status, 200, reply.text);
}

/** Numbers, texts and bytes of every awkward kind; the name Speed is a number and a string; two laps. */
const awkward = {
  timestamps: Array.from({ length: 8 }, (_, i) => String(start + BigInt(i))),
  numericValues: {
    Speed: [1.5, null, 'NaN', 'Infinity', 5e-324, 1e21, -7, 0.1],
    Gear: [1, 2, null, 4, 5, 6, null, 8],
  },
  stringValues: {
    Speed: ['', '12', null, 'a,b', '"q"', 'two\r\nlines', 'ümlaut 😀', 'NaN'],
    Digits: ['1', '2', '3', null, '5', '6', '7', '8'],
  },
  binaryValues: { Raw: ['AP8=', '', null, 'AA==', null, null, '////', 'AQID'] },
  tagValues: {
    lap: ['1', '1', '', null, 'x,y', '2', '2', '02'],
    'a b': ['q"', null, null, null, null, null, null, null],
  },
};

interface Answer {
  readonly timestamps: string[];
  readonly numericValues: Record<string, unknown[]>;
  readonly stringValues: Record<string, unknown[]>;
  readonly binaryValues: Record<string, unknown[]>;
  readonly tagValues: Record<string, unknown[]>;
}

const named = (...names: string[]) => names.map((parameterName) => ({ parameterName }));

async function rowsOf(topic: string, stream: string): Promise<Answer> {
  const body = JSON.stringify({
    topic,
    streamIds: [stream],
    numericParameters: named('Speed', 'Gear'),
    stringParameters: named('Speed', 'Digits'),
    binaryParameters: named('Raw'),
    groupBy: ['lap', 'a b'],
  });
  return (await send(url, '/parameters/data?int64=string', { body })).json<Answer>();
}

const exported = (file: string) => join(folder, file);

describe('exporting', () => {
  it('and importing again gives the same rows, in every form that can be imported', async () => {
    await write('cars', 'awkward', awkward);
    const rows = await rowsOf('cars', 'awkward');
    assert.equal(rows.timestamps.length, 8);
    for (const form of ['csv', 'parquet', 'json']) {
      const path = exported(`awkward.${form}`);
      const args = [
        'export',
        '--out',
        path,
        '--topic',
        'cars',
        '--stream',
        'awkward',
        '--group-by',
        'lap,a b',
      ];
      const done = await run(args, env);
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stderr, /awkward\.\w+ is whole: streams 1, parameters 5, bytes \d+/);
      const back = ['import', path, '--topic', 'back', '--stream', form];
      const loaded = await run(form === 'csv' ? [...back, '--binaries', 'Raw'] : back, env);
      assert.equal(loaded.code, 0, loaded.stderr);
      assert.match(loaded.stdout, /8 rows of .* 2 numeric, 2 string and 1 binary columns; tags lap, a b/);
      assert.deepEqual(await rowsOf('back', form), rows, form);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('.part')),
      [],
    );
  });

  it('and importing again gives the same names, whatever they look like', async () => {
    const [one, two] = [
      [1, null],
      [null, 2],
    ];
    await write('cars', 'names', {
      timestamps: [1, 2],
      numericValues: {
        TAG__x: one,
        TAG__lap: two,
        '(number) TAG__x': one,
        a: two,
        'a (string)': one,
        ' a': two,
        Timestamp: one,
        'Timestamp (number)': two,
      },
      stringValues: { TAG__x: ['x', null], a: [null, 'y'], 'TAG__x (number)': ['z', null] },
      tagValues: { lap: ['1', '2'], 'x (number)': ['p', 'q'] },
    });
    const namesOf = async (topic: string, stream: string) => {
      const body = JSON.stringify({ topic, streamIds: [stream] });
      const found = (await send(url, '/parameters', { body })).json<
        { parameterId: string; type: string }[]
      >();
      const numeric = found
        .flatMap(({ parameterId, type }) => (type === 'Numeric' ? [parameterId] : []))
        .sort();
      const texts = found.flatMap(({ parameterId, type }) => (type === 'String' ? [parameterId] : [])).sort();
      const rows = await send(url, '/parameters/data', {
        body: JSON.stringify({
          topic,
          streamIds: [stream],
          numericParameters: named(...numeric),
          stringParameters: named(...texts),
          groupBy: ['lap', 'x (number)'],
        }),
      });
      return rows.text;
    };
    const rows = await namesOf('cars', 'names');
    for (const form of ['csv', 'parquet', 'json']) {
      const path = exported(`names.${form}`);
      const args = ['--out', path, '--topic', 'cars', '--stream', 'names', '--group-by', 'lap,x (number)'];
      const done = await run(['export', ...args], env);
      assert.equal(done.code, 0, done.stderr);
      const loaded = await run(['import', path, '--topic', 'names', '--stream', form], env);
      assert.equal(loaded.code, 0, loaded.stderr);
      assert.equal(await namesOf('names', form), rows, form);
    }
  });

  it('and importing keeps apart the rows of several streams', async () => {
    const values = (n: number) => ({ timestamps: [1, 2, 3], numericValues: { a: [n, n + 1, n + 2] } });
    await write('fleet', 'one', values(1));
    await write('fleet', 'two', values(10));
    await write('fleet', 'three, "3"', values(100));
    for (const form of ['csv', 'parquet', 'json']) {
      const path = exported(`fleet.${form}`);
      const done = await run(['export', '--out', path, '--topic', 'fleet'], env);
      assert.equal(done.code, 0, done.stderr);
      const loaded = await run(['import', path, '--topic', `again-${form}`], env);
      assert.deepEqual([loaded.code, loaded.stderr.includes('100 % 9 of 9 rows')], [0, true], loaded.stderr);
      const ask = (topic: string) =>
        send(url, '/parameters/data', {
          body: JSON.stringify({ topic, numericParameters: named('a'), groupBy: ['streamId'] }),
        });
      assert.equal((await ask(`again-${form}`)).text, (await ask('fleet')).text);
    }
  });

  it('takes times as nanoseconds and as ISO 8601, exact and inclusive', async () => {
    const path = exported('part.csv');
    const args = ['export', '--out', path, '--stream', 'awkward', '--parameters', 'Gear'];
    const range = ['--from', '2021-02-01T14:51:39.000000001Z', '--to', String(start + 4n)];
    const done = await run([...args, ...range], env);
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(readCsv(readFileSync(path)), {
      names: ['Timestamp', 'Gear'],
      rows: [
        [String(start + 1n), '2'],
        [String(start + 3n), '4'],
        [String(start + 4n), '5'],
      ],
    });
  });

  it('has columns that are calculated, in every form', async () => {
    const values = { timestamps: ['1', '2', '3'], numericValues: { v: [36, null, 72] } };
    await write('reckoned', 'r', values);
    const options = ['--calculated', 'm/s = v / 3.6', '--calculated', 'high=v == 72'];
    const columns = [
      ['1', '10', '0'],
      ['3', '20', '1'],
    ];
    for (const form of ['csv', 'parquet', 'arrow', 'json']) {
      const path = exported(`reckoned.${form}`);
      const done = await run(['export', '--out', path, '--topic', 'reckoned', ...options], env);
      assert.equal(done.code, 0, done.stderr);
      assert.match(done.stderr, /streams 1, parameters 2, bytes/);
    }
    assert.deepEqual(readCsv(readFileSync(exported('reckoned.csv'))), {
      names: ['Timestamp', 'm/s', 'high'],
      rows: columns,
    });
    const [page] = JSON.parse(readFileSync(exported('reckoned.json'), 'utf8')) as Answer[];
    assert.deepEqual(page?.numericValues, { 'm/s': [10, 20], high: [0, 1] });
    assert.deepEqual(readArrow(readFileSync(exported('reckoned.arrow'))).rows, columns);
    const beside = ['--parameters', 'v', ...options.slice(0, 2)];
    const done = await run(['export', '--out', exported('both.csv'), '--topic', 'reckoned', ...beside], env);
    assert.equal(done.code, 0, done.stderr);
    assert.deepEqual(readCsv(readFileSync(exported('both.csv'))).names, ['Timestamp', 'v', 'm/s']);
  });

  it('has nothing that is calculated under a name that was written too, unless it is named', async () => {
    await send(url, '/topics/both/calculated', {
      method: 'PUT',
      body: JSON.stringify([{ id: 'twice', expression: 'v * 2' }]),
    });
    const timestamps = ['1', '2'];
    await write('both', 'a', { timestamps, numericValues: { v: [1, 2] } });
    await write('both', 'b', { timestamps, numericValues: { v: [1, 2], twice: [100, null] } });
    const rowsWith = async (...options: string[]) => {
      const path = exported('both.csv');
      const done = await run(['export', '--out', path, '--topic', 'both', ...options], env);
      assert.equal(done.code, 0, done.stderr);
      return readCsv(readFileSync(path)).rows.map(([, ...cells]) => cells.join());
    };
    assert.deepEqual(await rowsWith(), [',1,a', '100,1,b', ',2,a', ',2,b']);
    assert.deepEqual(await rowsWith('--parameters', 'v,twice'), ['1,2,a', '1,100,b', '2,4,a', '2,4,b']);
  });

  it('tells of tags that no column shows', async () => {
    const args = ['export', '--out', exported('tags.csv'), '--topic', 'cars', '--stream', 'awkward'];
    const done = await run(args, env);
    assert.match(done.stderr, /^not in it: the tags a b, lap \(--group-by names tags\)$/m);
    assert.doesNotMatch(done.stderr, /no row/);
    const one = await run([...args, '--group-by', 'lap'], env);
    assert.match(one.stderr, /^not in it: the tags a b \(/m);
    const all = await run([...args, '--group-by', 'lap,a b'], env);
    assert.doesNotMatch(all.stderr, /not in it/);
    const mistyped = await run([...args, '--group-by', 'Lap,a b,streamId,topic'], env);
    assert.match(mistyped.stderr, /^no row has the tags Lap\nnot in it: the tags lap \(/m);
  });

  it('says that there are no rows of the time that is named', async () => {
    const args = ['export', '--out', exported('of-no-time.csv'), '--topic', 'cars', '--stream', 'awkward'];
    for (const range of [
      ['--to', '1612191100'],
      ['--from', String(start + 8n)],
    ]) {
      const { code, stderr } = await run([...args, ...range], env);
      assert.equal(code, 0);
      assert.match(
        stderr,
        /^there are no rows of that time: those of the streams are from 2021-02-01T14:51:39\.000000000Z to 2021-02-01T14:51:39\.000000007Z$/m,
      );
    }
  });

  it('says what is wrong with a calculation', async () => {
    const of = (calculation: string) =>
      run(['export', '--out', exported('x.csv'), '--stream', 'awkward', '--calculated', calculation], env);
    for (const text of ['Speed / 3.6', '=Speed', 'x=', 'x == 3']) {
      const done = await of(text);
      assert.deepEqual(
        [done.code, done.stderr.includes('--calculated is a name, =')],
        [2, true],
        done.stderr,
      );
    }
    const done = await of('x=Speed /');
    assert.equal(done.code, 1);
    assert.match(done.stderr, /at character 8: expected a value/);
  });

  it('writes many pages as one document, and many rows in every form', async () => {
    const count = 80_000;
    const timestamps = Array.from({ length: count }, (_, i) => String(start + BigInt(i) * 1000n));
    await write('big', 'b', { timestamps, numericValues: { a: timestamps.map((_, i) => i / 4) } });
    for (const form of ['json', 'csv', 'parquet', 'arrow']) {
      const done = await run(['export', '--out', exported(`big.${form}`), '--topic', 'big'], env);
      assert.equal(done.code, 0, done.stderr);
    }
    const pages = JSON.parse(readFileSync(exported('big.json'), 'utf8')) as Answer[];
    assert.ok(pages.length > 2);
    const values = pages.flatMap(({ numericValues }) => numericValues['a'] as number[]);
    assert.equal(values.length, count);
    assert.ok(values.every((value, i) => value === i / 4));
    const csv = readCsv(readFileSync(exported('big.csv')));
    assert.deepEqual(readArrow(readFileSync(exported('big.arrow'))).rows, csv.rows);
    assert.deepEqual(csv.rows.at(-1), [timestamps.at(-1), '19999.75']);
    const duckdb = await (await DuckDBInstance.create()).connect();
    const sums = await duckdb.runAndReadAll(
      `SELECT count(*)::INT, sum(a), max("Timestamp")::VARCHAR FROM '${exported('big.parquet')}'`,
    );
    assert.deepEqual(sums.getRows(), [[count, 799_990_000, '2021-02-01 14:51:39.079999']]);
    duckdb.closeSync();
  });

  it('is what the service points to where JSON is too large', async () => {
    const reply = await send(url, '/parameters/data', {
      body: JSON.stringify({ topic: 'big', numericParameters: named('a') }),
    });
    const { code, detail } = reply.json<{ code: string; detail: string }>();
    assert.deepEqual([reply.status, code], [400, 'result_too_large']);
    for (const type of ['text/csv', 'vnd.apache.parquet', 'vnd.apache.arrow.stream'])
      assert.ok(detail.includes(type));
  });

  it('goes to standard output', async () => {
    const { code, stdout } = await run(
      ['export', '--out', '-', '--format', 'csv', '--topic', 'fleet', '--stream', 'one', '--parameters', 'a'],
      env,
    );
    assert.deepEqual([code, stdout], [0, 'Timestamp,a\r\n1,1\r\n2,2\r\n3,3\r\n']);
  });

  it('ends without a word where what reads it has left', async () => {
    const words = ['export', '--out', '-', '--format', 'csv', '--topic', 'fleet', '--stream', 'one'];
    const child = endWithTests(
      spawn(process.execPath, [pitwall, ...words], { env: { ...process.env, ...env } }),
    );
    child.stdout.destroy();
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 1);
    assert.doesNotMatch(said, /pitwall|whole/);
  });

  it('takes back what it has begun when it is interrupted', async () => {
    // What the service says, but for rows: of these it begins an answer.
    const slow = createServer((request, response) => {
      if (request.url === '/parameters/data')
        return void response.writeHead(200, { 'Content-Type': 'text/csv' }).write('Timestamp,a\r\n1,1\r\n');
      const { method, headers } = request;
      request.pipe(
        ask(`${url}${request.url}`, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        }),
      );
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    try {
      const args = ['export', '--out', exported('half.csv'), '--topic', 'fleet', '--stream', 'one'];
      const { port } = slow.address() as AddressInfo;
      const child = endWithTests(
        spawn(process.execPath, [pitwall, ...args], {
          env: { PATH: process.env['PATH'], ...env, PITWALL_URL: `http://127.0.0.1:${port}` },
          stdio: ['ignore', 'ignore', 'pipe'],
        }),
      );
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      const ended = once(child, 'close');
      const begun = () => readdirSync(folder).some((name) => name.startsWith('half.csv.'));
      await until(begun);
      child.kill('SIGINT');
      assert.deepEqual(await ended, [1, null], stderr);
      assert.match(stderr, /^pitwall: the export broke off: interrupted$/m);
      assert.equal(begun(), false);
    } finally {
      slow.closeAllConnections();
      slow.close();
    }
  });

  it('says what is wrong, and leaves no file', async () => {
    const cases: [args: string[], code: number, message: RegExp][] = [
      [['--topic', 'cars'], 2, /where to\?/],
      [['--out', exported('x.dat')], 2, /in which form\?/],
      [['--out', exported('x.csv'), '--format', 'xml'], 2, /--format is csv, parquet, arrow or json/],
      [['--out', exported('x.csv'), '--from', 'soon'], 2, /--from: 'soon' is neither nanoseconds nor/],
      [['--out', exported('x.csv'), '--from', '5', '--to', '4'], 2, /--from is after --to/],
      [['--out', exported('x.csv'), 'y'], 2, /a word too many: 'y'/],
      ...['topic', 'stream', 'parameters', 'string-parameters', 'binary-parameters'].map(
        (name): [string[], number, RegExp] => [
          ['--out', exported('x.csv'), ...(name === 'topic' ? [] : ['--topic', 'fleet']), `--${name}=`],
          2,
          new RegExp(`--${name} must not be empty`),
        ],
      ),
      [['--out', exported('x.csv'), '--stream', 'nobody'], 1, /there is no stream nobody/],
      [['--out', exported('x.csv'), '--topic', 'nothing'], 1, /there are no streams in topic nothing/],
      [
        ['--out', join(folder, 'none', 'x.csv'), '--topic', 'fleet', '--parameters', 'a'],
        1,
        /broke off: ENOENT/,
      ],
    ];
    for (const [args, code, message] of cases) {
      const done = await run(['export', ...args], env);
      assert.deepEqual([done.code, done.stdout], [code, ''], done.stderr);
      assert.match(done.stderr, message);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('x.')),
      [],
    );
  });
});

describe('importing', () => {
  for (const codec of ['gzip', 'zstd'])
    it(`takes Parquet of other writers, in ${codec}: times of other units, integers, booleans, dates`, async () => {
      const path = exported('other.parquet');
      const duckdb = await (await DuckDBInstance.create()).connect();
      await duckdb.run(
        `COPY (SELECT make_timestamp_ms(1600000000000 + i) AS "when", i::BIGINT AS whole, 9007199254740993 + i AS serial,
         i % 2 = 0 AS flag, DATE '2024-05-31' AS day, CASE WHEN i > 0 THEN 'text ' || i END AS note,
         (i * 1.25)::DECIMAL(10, 2) AS price, encode('x')::BLOB AS raw, TIMESTAMP_NS '2024-05-31 00:00:00.000000007' AS seen
       FROM range(3) t(i)) TO '${path}' (FORMAT parquet, COMPRESSION ${codec})`,
      );
      duckdb.closeSync();
      const done = await run(['import', path, '--topic', codec, '--stream', 'p', '--timestamp', 'when'], env);
      assert.equal(done.code, 0, done.stderr);
      const body = JSON.stringify({
        topic: codec,
        numericParameters: named('whole', 'flag', 'price'),
        stringParameters: named('serial', 'day', 'note', 'seen'),
        binaryParameters: named('raw'),
      });
      const answer = (await send(url, '/parameters/data?int64=string', { body })).json<Answer>();
      assert.deepEqual(answer, {
        timestamps: ['1600000000000000000', '1600000000001000000', '1600000000002000000'],
        numericValues: { whole: [0, 1, 2], flag: [1, 0, 1], price: [0, 1.25, 2.5] },
        stringValues: {
          serial: ['9007199254740993', '9007199254740994', '9007199254740995'],
          day: ['2024-05-31', '2024-05-31', '2024-05-31'],
          note: [null, 'text 1', 'text 2'],
          seen: new Array(3).fill('2024-05-31T00:00:00.000000007Z'),
        },
        binaryValues: { raw: ['eA==', 'eA==', 'eA=='] },
        tagValues: {},
      });
    });

  it('takes row objects, with exact integers', async () => {
    const path = exported('rows.json');
    writeFileSync(
      path,
      `[{"Timestamp": 1612191099000000001, "Speed": 1.50, "serial": 9007199254740993, "TAG__lap": "1"},
        {"Timestamp": "1612191099000000002", "Speed": "NaN", "Note": "a [b] \\"c\\" {", "extra": null},
        {"Timestamp": "2021-02-01T14:51:39.000000003Z", "Speed": null, "Note": "12", "flag": true}]`,
    );
    const done = await run(['import', path, '--topic', 'other', '--stream', 'j'], env);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /2 numeric and 2 string columns; tags lap; left out, being empty: extra/);
    const body = JSON.stringify({
      topic: 'other',
      streamIds: ['j'],
      numericParameters: named('Speed', 'flag'),
      stringParameters: named('Note', 'serial'),
      groupBy: ['lap'],
    });
    const answer = (await send(url, '/parameters/data?int64=string', { body })).json<Answer>();
    assert.deepEqual(answer, {
      timestamps: ['1612191099000000001', '1612191099000000002', '1612191099000000003'],
      numericValues: { Speed: [1.5, 'NaN', null], flag: [null, null, 1] },
      stringValues: { Note: [null, 'a [b] "c" {', '12'], serial: ['9007199254740993', null, null] },
      binaryValues: {},
      tagValues: { lap: ['1', null, null] },
    });
  });

  it('sends nothing of a file with a fault, and names the place', async () => {
    const nested = exported('nested.parquet');
    const hollow = exported('hollow.parquet');
    const duckdb = await (await DuckDBInstance.create()).connect();
    await duckdb.run(
      `COPY (SELECT 1::BIGINT AS "Timestamp", [1, 2] AS pair) TO '${nested}' (FORMAT parquet)`,
    );
    await duckdb.run(
      `COPY (SELECT CASE WHEN i < 5000 THEN i END AS "Timestamp", 1 AS a FROM range(5001) t(i)) TO '${hollow}' (FORMAT parquet)`,
    );
    duckdb.closeSync();
    const pipe = exported('pipe.csv');
    execFileSync('mkfifo', [pipe]);
    const json = (name: string, text: string): string => {
      writeFileSync(exported(name), text);
      return exported(name);
    };
    const cases: [path: string, message: RegExp][] = [
      [nested, /the column pair is nested \(a list\); --skip pair leaves it out/],
      [hollow, /row 5001, column Timestamp: there is no timestamp/],
      [json('a.parquet', 'PAR1'), /a\.parquet: it cannot be read as Parquet/],
      [json('b.parquet', ''), /b\.parquet: it cannot be read as Parquet: it has 0 bytes/],
      [exported('none.csv'), /none\.csv cannot be read/],
      [pipe, /pipe\.csv cannot be read: it is a folder or a pipe/],
      [
        json('1.json', '[{"Timestamp":1,"a":1},{"Timestamp":1.5,"a":1}]'),
        /Timestamp \(from 1 to 1\.5\) count from a start in seconds/,
      ],
      [json('2.json', '[{"Timestamp":1,"a":1},{"a":1}]'), /row 2, column Timestamp: there is no timestamp/],
      [json('3.json', '[{"Timestamp":1,"a":{"b":1}}]'), /Timestamp \(1\) count from a start in nanoseconds/],
      [json('4.json', '[{"Timestamp":1,"a":1},7]'), /row 2 is a number, not an object/],
      [
        json('5.json', '[{"Timestamp":1,"a":1},{"Timestamp":2,"a":]'),
        /5\.json: it is not valid JSON: the array does not end/,
      ],
      [
        json('6.json', '{"timestamps":[1,2],"numericValues":{"a":[1]}}'),
        /element 1, numericValues\.a is not an array of 2 values/,
      ],
      [
        json('7.json', '[{"timestamps":[1],"numericValues":{"a":[1]}},{"timestamps":[9223372036854775808]}]'),
        /element 2, timestamps\[0\]/,
      ],
      [json('8.json', ''), /8\.json: it is not valid JSON: it is empty/],
      [
        json('11.json', '{"a":1}\n{"a":}'),
        /element 2, line 2: it is not valid JSON: no value before "}" at character 6/,
      ],
      [json('9.json', '[]'), /9\.json: it has no rows/],
      [json('10.json', '[{"b\\u001b[2J":1}]'), /there is no column Timestamp; the file has b\ufffd\[2J/],
    ];
    for (const [path, message] of cases) {
      const { code, stdout, stderr } = await run(
        ['import', path, '--topic', 'cars', '--stream', 'fault'],
        env,
      );
      assert.deepEqual([code, stdout], [1, ''], stderr);
      assert.match(stderr, message);
    }
    const told = json('12.json', '{"timestamps":[1],"numericValues":{"a":[1]}}');
    const table = json('13.json', '[{"Timestamp":1,"a":1}]');
    const options: [path: string, args: string[], code: number, message: RegExp][] = [
      [told, ['--tags', 'a'], 1, /--tags has no meaning for parameter data/],
      [told, ['--timestamp', 'a'], 1, /--timestamp has no meaning for parameter data/],
      [
        table,
        ['--tags', 'a', '--texts', 'a'],
        2,
        /the column a cannot be tag, binary, text or left out at once/,
      ],
      [table, ['--decimal', 'comma'], 2, /--decimal has a meaning for text files only/],
    ];
    for (const [path, args, code, message] of options) {
      const done = await run(['import', path, '--topic', 'cars', '--stream', 'fault', ...args], env);
      assert.deepEqual([done.code, done.stdout], [code, ''], done.stderr);
      assert.match(done.stderr, message);
    }
    const unknown = await run(['import', 'rows.xlsx', '--topic', 'cars', '--stream', 'fault'], env);
    assert.deepEqual(
      [
        unknown.code,
        /none of \.csv, .*\.mcap, .*\.parquet, \.json, \.ndjson, \.jsonl, \.arrow/.test(unknown.stderr),
      ],
      [2, true],
    );
    assert.equal((await send(url, '/streams', { body: '{"streamIds":["fault"]}' })).text, '[]');
  });
});
