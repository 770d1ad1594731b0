import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { adminToken, launch, run, send, startService, temporaryFolder } from './service.ts';

const { url } = await startService();
const folder = temporaryFolder();
const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };

function file(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** A run of a car: numbers of many shapes, text, gaps, and timestamps that stand twice, in two laps. */
function drive(rows: number): { header: string[]; cells: string[][] } {
  const header = ['Time', 'Speed', 'Gear', 'Tiny', 'Note', 'Lap'];
  let seed = 42;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const start = 1_612_191_099_000_000_000n;
  const cells = Array.from({ length: rows }, (_, i) => {
    const twice = i % 100 === 99 ? 1n : 0n;
    return [
      String(start + (BigInt(i) - twice) * 1_000_000_007n),
      String(random() * 300),
      i % 7 === 0 ? '' : String(Math.floor(random() * 8)),
      i % 3 === 0 ? '' : (random() / 2 ** 1000).toString(),
      i % 5 === 0 ? '' : `corner "${i}", ümlaut`,
      String(1 + Math.floor((i + 1) / 100)),
    ];
  });
  return { header, cells };
}

const quoted = (cell: string): string => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

interface Rows {
  readonly timestamps: string[];
  readonly numericValues: Record<string, (number | null)[]>;
  readonly stringValues: Record<string, (string | null)[]>;
  readonly tagValues: Record<string, (string | null)[]>;
}

async function readBack(streamId: string): Promise<Rows> {
  const body = JSON.stringify({
    streamIds: [streamId],
    numericParameters: ['Speed', 'Gear', 'Tiny'].map((parameterName) => ({ parameterName })),
    stringParameters: [{ parameterName: 'Note' }],
    groupBy: ['Lap'],
  });
  return (await send(url, '/parameters/data?int64=string', { body })).json<Rows>();
}

/** Takes times that count from a start as they stand. */
const asTheyStand = ['--start', '1970-01-01T00:00:00Z'];

describe('importing a CSV file', () => {
  it('loads every cell bit for bit, and twice changes nothing', async () => {
    const { header, cells } = drive(2345);
    const path = file(
      'drive.csv',
      [header, ...cells].map((row) => row.map(quoted).join(',')),
    );
    const args = [
      'import',
      path,
      '--topic',
      'cars',
      '--stream',
      'run',
      '--timestamp',
      'Time',
      '--tags',
      'Lap',
    ];
    const first = await run(args, env);
    assert.deepEqual([first.code, /100 % 2345 of 2345 rows/.test(first.stderr)], [0, true], first.stderr);
    assert.match(
      first.stdout,
      /^2345 rows of drive\.csv are in topic cars, stream run: 3 numeric and 1 string/,
    );

    const rows = await readBack('run');
    const expected = cells
      .map(([time, speed, gear, tiny, note, lap]) => ({
        time: time!,
        speed: Number(speed),
        gear: gear === '' ? null : Number(gear),
        tiny: tiny === '' ? null : Number(tiny),
        note: note === '' ? null : note!,
        lap: lap!,
      }))
      .sort((a, b) => Number(BigInt(a.time) - BigInt(b.time)) || (a.lap < b.lap ? -1 : 1));
    assert.equal(new Set(rows.timestamps).size, 2345 - 23);
    assert.deepEqual(
      rows.timestamps,
      expected.map(({ time }) => time),
    );
    assert.deepEqual(
      rows.numericValues['Speed'],
      expected.map(({ speed }) => speed),
    );
    assert.deepEqual(
      rows.numericValues['Gear'],
      expected.map(({ gear }) => gear),
    );
    assert.deepEqual(
      rows.numericValues['Tiny'],
      expected.map(({ tiny }) => tiny),
    );
    assert.deepEqual(
      rows.stringValues['Note'],
      expected.map(({ note }) => note),
    );
    assert.deepEqual(
      rows.tagValues['Lap'],
      expected.map(({ lap }) => lap),
    );

    const streams = await send(url, '/streams?int64=string', { body: '{"streamIds":["run"]}' });
    const [stream] = streams.json<{ dataStart: string; dataEnd: string }[]>();
    assert.deepEqual([stream!.dataStart, stream!.dataEnd], [rows.timestamps[0], rows.timestamps.at(-1)]);

    assert.equal((await run(args, env)).code, 0);
    assert.deepEqual(await readBack('run'), rows);
  });

  it('sends nothing of a file with a fault, and names line and column', async () => {
    const good = Array.from({ length: 1500 }, (_, i) => `${i},1`);
    const faults: [lines: string[], message: RegExp][] = [
      [['Time,Speed', ...good, '1501,1,2'], /line 1502: 3 cells; the header has 2/],
      [['Time,Speed', ...good, 'soon,1'], /line 1502: column Time: 'soon' is no time as seconds/],
      [['Zeit,Speed', ...good], /no column Time/],
    ];
    for (const [lines, message] of faults) {
      const path = file('fault.csv', lines);
      const { code, stdout, stderr } = await run(
        ['import', path, '--topic', 'cars', '--stream', 'fault', '--timestamp', 'Time'],
        env,
      );
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
    }
    assert.equal((await send(url, '/streams', { body: '{"streamIds":["fault"]}' })).text, '[]');
  });

  it('puts no rows into 1970 unless somebody says so, and proposes the last change of the file', async () => {
    const args = ['--topic', 'cars', '--stream', 'unsaid'];
    const elapsed = file('elapsed.csv', ['t [s],Speed', '0,1', '2.5,2']);
    const clocks = file('clocks.csv', ['Time,Speed', '14:00:00,1', '14:00:01,2']);
    for (const path of [elapsed, clocks]) utimesSync(path, 1_780_000_000, 1_780_000_000);
    const refused: Record<string, RegExp> = {
      [elapsed]:
        /elapsed\.csv: the times of t \[s\] count from a start .*--start TIME says it \(2026-05-28T20:26:37\.500Z puts the last row at the last change/,
      [clocks]:
        /the times of Time are clocks of a day .*--start TIME says it \(2026-05-\d\dT00:00:00\.000Z puts/,
    };
    for (const [path, pattern] of Object.entries(refused)) {
      const { code, stdout, stderr } = await run(['import', path, ...args], env);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, pattern);
    }
    assert.equal((await send(url, '/streams', { body: '{"streamIds":["unsaid"]}' })).text, '[]');
    const said = await run(['import', elapsed, ...args, ...asTheyStand], env);
    assert.match(said.stdout, /^2 rows/, said.stderr);
  });

  it('prints what the service warns of, and loads the rows', async () => {
    const path = file('milliseconds.csv', ['Time,Speed', '1780272000000,1', '1780272000001,2']);
    const args = [
      'import',
      path,
      '--topic',
      'cars',
      '--stream',
      'möwe\u202e',
      '--time-format',
      'ns',
      ...asTheyStand,
    ];
    const { code, stdout, stderr } = await run(args, env);
    assert.equal(code, 0);
    assert.match(stdout, /^2 rows/);
    assert.match(stderr, /^warning: The timestamp 1780272000000 of the stream "möwe\?" .* milliseconds/m);
  });

  it('says how many rows replaced an earlier one', async () => {
    for (const time of ['Time', 'Timestamp']) {
      const path = file('twice.csv', [`${time},Speed`, '1,1', '1,2', '2,3', '2,4', '3,5']);
      const start = time === 'Time' ? asTheyStand : [];
      const { stdout } = await run(['import', path, '--topic', 'cars', '--stream', 'twice', ...start], env);
      assert.match(
        stdout,
        /^3 rows .* \(5 were read\): .*; 2 rows have the time of an earlier row and replaced/,
      );
    }
  });

  it('says of rows of several streams, which have one time each, only where they go to one stream', async () => {
    const path = file('streams.csv', ['Timestamp,Speed,TAG__streamId', '1,1,a', '1,2,b', '2,3,b', '2,4,b']);
    const apart = await run(['import', path, '--topic', 'cars'], env);
    assert.match(
      apart.stdout,
      /^3 rows .* \(4 were read\): .*; 1 row has the time and the tags of an earlier/,
    );
    const together = await run(['import', path, '--topic', 'cars', '--stream', 'both'], env);
    assert.match(together.stdout, /^2 rows .* \(4 were read\): .*; 2 rows have the time of an earlier row/);
  });

  it('says what the service refuses', async () => {
    const path = file('small.csv', ['Time,Speed', '1,2']);
    const args = ['import', path, '--topic', 'cars', '--stream', 'x', '--timestamp', 'Time', ...asTheyStand];
    const { code, stderr } = await run(args, { ...env, PITWALL_TOKEN: 'wrong' });
    assert.equal(code, 1);
    assert.match(stderr, /^pitwall: 401 /);
  });

  it('says that an address cannot have a stream that is called as a step in a path', async () => {
    const args = [
      'import',
      file('small.csv', ['Time,Speed', '1,2']),
      '--topic',
      'cars',
      '--stream',
      '..',
      ...asTheyStand,
    ];
    const { code, stderr } = await run(args, env);
    assert.equal(code, 2);
    assert.match(stderr, /^pitwall: the name '\.\.' cannot stand in an address/m);
  });

  it('says among which rows the service refuses one, as of a text that is too long', async () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `${i},${i === 4500 ? 'x'.repeat(70_000) : 'some'}`);
    const args = [
      'import',
      file('note.csv', ['Time,Note', ...texts]),
      '--topic',
      'cars',
      '--stream',
      'note',
      ...asTheyStand,
    ];
    const { code, stderr } = await run(args, env);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^pitwall: 400 .*stringValues\.Note\[500\] has 70000 bytes.*, among the rows 4001 to 5000 \(4000 of 5000 rows are in\)$/m,
    );
  });

  it('says how many rows are in where one ends it early, and goes on from there when it runs again', async () => {
    const count = 200_000;
    const path = file('long.csv', [
      'Time,Speed',
      ...Array.from({ length: count }, (_, i) => `${i},${i % 7}`),
    ]);
    const args = [
      'import',
      path,
      '--topic',
      'cars',
      '--stream',
      'long',
      '--timestamp',
      'Time',
      ...asTheyStand,
    ];
    const rowsIn = async () => {
      const numericParameters = [{ parameterName: 'Speed', aggregationType: 'Count' }];
      const body = JSON.stringify({ topic: 'cars', streamIds: ['long'], numericParameters });
      const found = (await send(url, '/parameters/data', { body })).json<Rows>();
      return found.numericValues['count(Speed)']?.[0] ?? 0;
    };
    const { child, finished } = launch(args, env);
    await until(async () => (await rowsIn()) > 0);
    child.kill('SIGINT');
    const { code, stderr } = await finished;
    assert.equal(code, 1, stderr);
    const [, sent] = /interrupted \((\d+) of 200000 rows are in; running it again goes on/.exec(stderr) ?? [];
    assert.equal(await rowsIn(), Number(sent), stderr);
    assert.ok(Number(sent) < count);
    assert.equal((await run(args, env)).code, 0);
    assert.equal(await rowsIn(), count);
  });
});
