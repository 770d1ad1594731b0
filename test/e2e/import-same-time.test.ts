import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { makeMcap } from '../import/mcap/made-mcap.ts';
import { adminToken, run, send, startService, temporaryFolder } from './service.ts';

const { url } = await startService();
const folder = temporaryFolder();
const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** What elapsed times count from. */
const asTheyStand = ['--start', '1970-01-01T00:00:00Z'];

const lines = (...rows: string[]): string => `${rows.join('\n')}\n`;

/** Imports a file into a stream of its own. */
async function load(stream: string, path: string, ...args: string[]) {
  return await run(['import', path, '--topic', 'meet', '--stream', stream, ...args], env);
}

interface Rows {
  readonly timestamps: string[];
  readonly numericValues: Record<string, (number | null)[]>;
}

/** The rows that a stream has, as `time: value, value`; times are ns. */
async function rowsOf(stream: string, ...names: string[]): Promise<string[]> {
  const body = JSON.stringify({
    topic: 'meet',
    streamIds: [stream],
    numericParameters: names.map((parameterName) => ({ parameterName })),
  });
  const answer = await send(url, '/parameters/data?int64=string', { body });
  const { timestamps, numericValues } = answer.json<Rows>();
  return timestamps.map((time, i) => `${time}: ${names.map((name) => numericValues[name]![i]).join(', ')}`);
}

async function streams(prefix: string): Promise<{ streamId: string; metadata: Record<string, string> }[]> {
  const answer = await send(url, '/streams', { body: '{"topic":"meet"}' });
  return answer
    .json<{ streamId: string; metadata: Record<string, string> }[]>()
    .filter(({ streamId }) => streamId.startsWith(prefix))
    .toSorted((one, other) => (one.streamId < other.streamId ? -1 : 1));
}

/** Times of messages, some of which are one. */
const timesOf = (count: number, together: number): bigint[] =>
  Array.from(
    { length: count },
    (_, i) => 1_700_000_000_000_000_000n + BigInt(i - (i % together)) * 1_000_000n,
  );

/** 100 rows at ten times, ten of each. */
const last = Array.from({ length: 10 }, (_, i) => i * 10 + 9);

describe('an import whose rows meet earlier ones', () => {
  it('tells of a Parquet file how many rows are stored, and keeps all where that is wanted', async () => {
    const path = join(folder, 'x.parquet');
    const duckdb = await (await DuckDBInstance.create()).connect();
    await duckdb.run(
      `COPY (SELECT TIMESTAMP '2021-02-01 14:51:39'+to_seconds(r//10) AS "Timestamp", r::DOUBLE v FROM range(100) t(r)) TO '${path}'`,
    );
    duckdb.closeSync();
    const { code, stdout, stderr } = await load('parquet', path);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^10 rows of x\.parquet are in topic meet, stream parquet \(100 were read\): .*; 90 rows have the time of an earlier row and replaced its values of v, first in row 2, at 2021-02-01T14:51:39Z: v is 1 and was 0 in row 1/,
    );
    const began = 1_612_191_099_000_000_000n;
    assert.deepEqual(
      await rowsOf('parquet', 'v'),
      last.map((v, i) => `${began + BigInt(i) * 1_000_000_000n}: ${v}`),
    );

    const kept = await load('parquet-kept', path, '--same-time', 'keep');
    assert.match(
      kept.stdout,
      /^100 rows of x\.parquet are in .*; 90 rows had the time of an earlier row and went on by a nanosecond or more, until their times were free, by 9 ns at most/,
    );
    const all = await rowsOf('parquet-kept', 'v');
    assert.equal(all.length, 100);
    assert.equal(all[99], `${began + 9_000_000_009n}: 99`);
  });

  it('tells of a JSON file, of rows that come back and of others', async () => {
    const began = 1_612_191_099_000_000_000n;
    const rows = Array.from(
      { length: 100 },
      (_, r) => `{"Timestamp":${began + BigInt(r % 10)},"v":${r},"w":1}`,
    );
    const { code, stdout } = await load('json', file('x.json', `[${rows.join()}]`));
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^10 rows of x\.json are in .* \(100 were read\): .*; 90 rows have the time of an earlier row and replaced its values of v, first in row 11, .*: v is 10 and was 0 in row 1/,
    );
    assert.equal((await rowsOf('json', 'v')).length, 10);
    const page = `{"timestamps":[${began},${began},${began}],"numericValues":{"v":[1,1,null],"w":[null,null,2]}}`;
    const answer = await load('page', file('page.json', page));
    assert.match(
      answer.stdout,
      /^1 rows of page\.json are in .* \(3 were read\): .*; 1 row repeats an earlier one .*; 1 row has the time of an earlier row and added values of other channels to it;/,
    );
    assert.deepEqual(await rowsOf('page', 'v', 'w'), [`${began}: 1, 2`]);
  });

  it('refuses messages of one topic at one log time, unless it is said what is meant', async () => {
    const messages = Array.from({ length: 100 }, (_, i) => Buffer.from(`{"v":${i}}`));
    const bytes = await makeMcap([{ topic: '/t', encoding: 'json', messages }], undefined, {
      logTimes: timesOf(100, 10),
    });
    const path = file('x.mcap', bytes);
    const refused = await load('mcap', path);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(
      refused.stderr,
      /x\.mcap: 90 of 100 messages have the time of an earlier one of their topic and would replace its values of \/t\.v, first in message 2 of \/t, .*--message-time .*--same-time keep/,
    );
    assert.deepEqual(await streams('mcap'), []);
    const kept = await load('mcap-keep', path, '--same-time', 'keep');
    assert.match(kept.stdout, /^100 rows of x\.mcap are in .*90 rows had the time of an earlier row/);
    assert.equal((await rowsOf('mcap-keep', '/t.v')).length, 100);
    const replaced = await load('mcap-last', path, '--same-time', 'replace');
    assert.match(replaced.stdout, /^10 rows of x\.mcap are in .* \(100 were read\)/);
    assert.deepEqual(
      (await rowsOf('mcap-last', '/t.v')).map((row) => row.replace(/.* /, '')),
      last.map(String),
    );
  });

  it('refuses messages that say the same again only where they differ', async () => {
    const messages = Array.from({ length: 20 }, () => Buffer.from('{"v":1}'));
    const bytes = await makeMcap([{ topic: '/t', encoding: 'json', messages }], undefined, {
      logTimes: timesOf(20, 2),
    });
    const { code, stdout } = await load('latched', file('latched.mcap', bytes));
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^10 rows of latched\.mcap are in .* \(20 were read\): .*10 rows repeat an earlier one/,
    );
  });

  it('tells of text with the lines, also where tags tell rows apart and where clocks go back by an hour', async () => {
    const dated = lines(
      'time,Speed,Note,Lap',
      '2021-05-08T10:00:00Z,1,a,1',
      '2021-05-08T10:00:01Z,2,b,1',
      '2021-05-08T10:00:00Z,3,c,2',
      '',
      '2021-05-08T10:00:00Z,4,a,1',
      '2021-05-08T10:00:02Z,,,1',
    );
    const { stdout } = await load('text', file('dated.csv', dated));
    assert.match(
      stdout,
      /^3 rows of dated\.csv are in .* \(5 were read\): .*; 1 row has the time and the tags of an earlier row and replaced its values of Speed, first in line 6, at 2021-05-08T10:00:00Z: Speed is 4 and was 1 in line 2 .*; 1 row without a value, not stored/,
    );
    assert.equal((await rowsOf('text', 'Speed')).length, 3);

    const clock = (hour: number, minute: number) =>
      `2020-10-25 0${hour}:${String(minute).padStart(2, '0')}:00`;
    const hours = [1, 2, 2, 3].flatMap((hour) =>
      [0, 10, 20, 30, 40, 50].map((minute) => clock(hour, minute)),
    );
    const autumn = lines('time,v', ...hours.map((time, i) => `${time},${i}`));
    const told = await load('autumn', file('autumn.csv', autumn));
    assert.equal(told.code, 0, told.stderr);
    assert.match(
      told.stdout,
      /^18 rows .* \(24 were read\): .*; 6 rows have the time of an earlier row .*; the clock goes back by an hour in line 14, from 2020-10-25T02:50:00Z to 2020-10-25T02:00:00Z, as local clocks do in autumn: 6 rows stand in an hour that was there before/,
    );
  });
});

describe('an import of elapsed times that begin anew', () => {
  const back = lines('time,v', '0.0,1', '0.1,2', '0.0,3', '0.1,4');

  it('is refused with the line and the choices, and changes nothing', async () => {
    const { code, stdout, stderr } = await load('back', file('back.csv', back));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /back\.csv: line 4: times begin anew, 0 s after 0\.1 s\. --restarts says what is meant: streams .*append .*replace/,
    );
    assert.deepEqual(await streams('back'), []);
  });

  it('replaces earlier rows where that is wanted, and tells it', async () => {
    const { stdout } = await load('as-is', file('as-is.csv', back), '--restarts', 'replace', ...asTheyStand);
    assert.match(
      stdout,
      /^2 rows of as-is\.csv are in .* \(4 were read\): .*; 2 rows have the time of an earlier row and replaced its values of v, first in line 4, at 0 s: v is 3 and was 1 in line 2 .*; times begin anew in line 4, and stand as the file has them/,
    );
    assert.deepEqual(await rowsOf('as-is', 'v'), ['0: 3', '100000000: 4']);
  });

  it('puts runs behind one another, by the usual step', async () => {
    const { stdout } = await load(
      'append',
      file('append.csv', back),
      '--restarts',
      'append',
      '--start',
      '1970-01-01T00:00:10Z',
    );
    assert.match(stdout, /^4 rows of append\.csv are in .*; times begin anew in line 4: .* first by 0\.2 s/);
    assert.deepEqual(await rowsOf('append', 'v'), [
      '10000000000: 1',
      '10100000000: 2',
      '10200000000: 3',
      '10300000000: 4',
    ]);
  });

  it('tells where a stream of a later run was there before', async () => {
    const text = lines('time [s],v', '0.0,1', '0.1,2', '0.0,3', '0.1,4', '0.0,5', '0.1,6');
    const rows = [0, 1, 0, 1].map((time, i) => ({ Timestamp: time * 1e8, v: i }));
    await load('taken-2', file('one.csv', lines('time [s],v', '7.0,9', '8.0,9')), ...asTheyStand);
    const again = ['--restarts', 'streams', ...asTheyStand];
    const { stdout, stderr } = await load('taken', file('taken.csv', text), ...again);
    assert.match(stdout, /; the stream taken-2 was there before: rows of this file were added/, stderr);
    assert.deepEqual(await rowsOf('taken-2', 'v'), [
      '0: 3',
      '100000000: 4',
      '7000000000: 9',
      '8000000000: 9',
    ]);
    const twice = await load('taken', file('taken.csv', text), ...again);
    assert.match(twice.stdout, /; 2 streams, taken-2 to taken-3, were there before/, twice.stderr);
    const binned = await send(url, '/streams/delete', { body: '{"streamIds":["taken-2"]}' });
    assert.equal(binned.status, 200);
    const json = file('taken.json', JSON.stringify(rows));
    const inJson = await load('taken', json, '--time-format', 'ns', ...again);
    assert.match(inJson.stdout, /; the stream taken-2 was there before/, inJson.stderr);
    const fresh = await load('fresh', file('fresh.csv', text), ...again);
    assert.doesNotMatch(fresh.stdout, /there before/);
  });

  it('makes streams of runs, each described like the first', async () => {
    const rows = [1, 2, 3, 4, 5, 6].map((v, i) => `0.${i % 2},${v}`);
    const text = lines('Driver,Ann', '', 'time [s],v [km/h]', ...rows);
    const { stdout, stderr } = await load(
      'runs',
      file('runs.csv', text),
      '--restarts',
      'streams',
      ...asTheyStand,
    );
    assert.match(
      stdout,
      /^6 rows of runs\.csv are in .*; times begin anew in line 6 and 1 more place: /,
      stderr,
    );
    assert.deepEqual(
      (await streams('runs')).map(({ streamId, metadata }) => [streamId, metadata['driver']]),
      ['runs', 'runs-2', 'runs-3'].map((id) => [id, 'Ann']),
    );
    assert.deepEqual(await rowsOf('runs-3', 'v'), ['0: 5', '100000000: 6']);
    const [parameter] = (await send(url, '/parameters', { body: '{"streamIds":["runs-2"]}' })).json<
      { unit: string }[]
    >();
    assert.equal(parameter!.unit, 'km/h');
  });

  it('is told where tags change that tell the rows apart', async () => {
    const laps = lines('time,v,Lap', '0.0,1,1', '0.1,2,1', '0.0,3,2', '0.1,4,2');
    const { code, stdout } = await load('laps', file('laps.csv', laps), ...asTheyStand);
    assert.equal(code, 0);
    assert.match(stdout, /^4 rows of laps\.csv are in .*; times begin anew in line 4, where tags change/);
  });

  it('is refused of Parquet and of JSON too', async () => {
    const rows = [0, 100, 0, 100].map((time, v) => `{"Timestamp":${time},"v":${v}}`);
    const json = await load(
      'json-back',
      file('back.json', `[${rows.join()}]`),
      '--start',
      '1970-01-01T00:00:10Z',
    );
    assert.deepEqual([json.code, json.stdout], [1, '']);
    assert.match(json.stderr, /row 3: times begin anew/);
  });

  it('refuses words that it does not know', async () => {
    const { code, stderr } = await load('back', file('back.csv', back), '--restarts', 'merge');
    assert.equal(code, 2);
    assert.match(stderr, /--restarts is one of streams, append, replace; 'merge' is none/);
    assert.equal((await load('back', file('back.csv', back), '--same-time', 'both')).code, 2);
  });
});
