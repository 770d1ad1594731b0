import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

describe('importing a text file', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
  const folder = temporaryFolder();
  const start = 1_612_191_099_000_000_000n;
  const from = ['--start', String(start)];

  const load = (name: string, lines: readonly string[], ...args: string[]) => {
    const path = join(folder, `${name}.csv`);
    writeFileSync(path, `${lines.join('\n')}\n`);
    return run(['import', path, '--topic', 'cars', '--stream', name, ...args], env);
  };
  const streams = async () => (await client.streams({})).map(({ streamId }) => streamId);

  it('takes the unit of times from their name', async () => {
    const { code, stderr } = await load('logic', ['nanoseconds,D0', '0,1', '83,0'], ...from);
    assert.equal(code, 0, stderr);
    const { timestamps, numericValues } = await client.query({
      streamIds: ['logic'],
      numericParameters: [{ parameterName: 'D0' }],
    });
    assert.deepEqual(
      [timestamps, numericValues['D0']],
      [
        [start, start + 83n],
        [1, 0],
      ],
    );
  });

  it('refuses times that are hardly seconds until their unit is confirmed', async () => {
    const lines = ['timestamp,x', '112500000,1', '112504000,2', '112508000,3'];
    const refused = await load('px4', lines, ...from);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /px4\.csv: line 1: the times of timestamp .* hardly seconds; --time-format us takes them for microseconds/,
    );
    assert.ok(!(await streams()).includes('px4'));
    const { code, stderr, stdout } = await load('px4', lines, ...from, '--time-format', 'us');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /times of timestamp, microseconds from 2021-02-01T14:51:39\.000Z/);
    const { timestamps } = await client.query({
      streamIds: ['px4'],
      numericParameters: [{ parameterName: 'x' }],
    });
    assert.deepEqual(
      timestamps.map((time) => time - start),
      [112_500_000_000n, 112_504_000_000n, 112_508_000_000n],
    );
  });

  it('tells which columns became text and why, what was left out, and what was rounded', async () => {
    const { code, stderr, stdout } = await load('told', [
      'time,state,id,ok',
      '2021-02-01T14:51:39.1234567891Z,on,007,True',
      '# a pause',
      '2021-02-01T14:51:40Z,off,8,False',
    ]);
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout,
      "2 rows of told.csv are in topic cars, stream told: 1 numeric and 2 string columns; text columns: state (line 2: 'on'), id (line 2: '007', zeros in front); booleans, 1 for true and 0 for false: ok (line 2: 'True'); comments among the rows, left out: 1 (line 3: '# a pause'); times finer than a nanosecond, rounded: 1 (line 2: '2021-02-01T14:51:39.1234567891Z'); times of time, date and time (2021-05-08 14:03:10)\n",
    );
  });

  it('tells of days beside clocks, commas and letters how they were taken, and leaves out nothing', async () => {
    const { code, stderr, stdout } = await load('days', ['Tag;Zeit;v', '1.2.2021;14:03:10;1,5']);
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /: 1 numeric and 0 string columns; times without a zone, taken for UTC, first in line 2: '14:03:10'; a comma before decimals; times of Zeit/,
    );
    assert.match(stdout, /of the days of Tag, day first\n$/);
  });

  it('refuses one text among numbers where all cells stand in quotes, and changes nothing', async () => {
    const { code, stderr } = await load(
      'quoted',
      ['"Time","RPM"', '"0.1","800"', '"0.2","810"', '"0.3","ERR"'],
      ...from,
    );
    assert.equal(code, 1);
    assert.match(
      stderr,
      /quoted\.csv: line 4: column RPM: 'ERR' is not a number, as most cells of the column are/,
    );
    assert.ok(!(await streams()).includes('quoted'));
  });
});
