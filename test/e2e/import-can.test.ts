import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { vehicle } from '../import/can/made-can.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

describe('importing a log of a CAN bus', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
  const folder = temporaryFolder();
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const dbc = write('vehicle.dbc', vehicle);
  const place = ['--topic', 'cars', '--stream'];
  const candump = [
    '(1709528767.000000001) can0 064#0400800200000000',
    '(1709528767.5) can0 064#0800800000000000',
    '(1709528767.75) can0 7FF#00',
    '',
  ].join('\n');

  it('brings signals with their times and units, and says what it took for granted and left out', async () => {
    const path = write('drive.log', candump);
    const { code, stdout, stderr } = await run(['import', path, '--dbc', dbc, ...place, 'drive'], env);
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout,
      '2 rows of drive.log are in topic cars, stream drive: 4 channels; times are seconds since 1970; left out, not being read: 1 frames of 1 ids that no DBC has: 0x7FF\n',
    );
    const speed = 'Engine.EngineSpeedOfTheVeryLongNameThatIsHere';
    const start = 1_709_528_767_000_000_001n;
    const { timestamps, numericValues, stringValues } = await client.query({
      streamIds: ['drive'],
      numericParameters: [{ parameterName: speed }],
      stringParameters: [{ parameterName: 'Engine.Gear' }],
    });
    assert.deepEqual(timestamps, [start, start + 499_999_999n]);
    assert.deepEqual(numericValues[speed], [1, 2]);
    assert.deepEqual(stringValues['Engine.Gear'], ['Second', 'Neutral']);
    const [parameter] = await client.parameters({ parameterIds: [speed] });
    assert.equal(parameter!.unit, 'rpm');
  });

  it('says where --start moves times that the log has', async () => {
    const path = write('moved.log', candump);
    const start = ['--start', '2026-01-01T00:00:00Z'];
    const { code, stdout, stderr } = await run(
      ['import', path, '--dbc', dbc, ...place, 'moved', ...start],
      env,
    );
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /since 1970; moved by --start, from 2024-03-04T05:06:07\.000000001Z to 2026-01-01T00:00:00\.000000000Z;/,
    );
    const [{ dataStart } = {}] = await client.streams({ streamIds: ['moved'] });
    assert.equal(dataStart, 1_767_225_600_000_000_000n);
  });

  it('refuses raw frames without a DBC, and makes no stream', async () => {
    for (const name of ['raw.log', 'raw.txt', 'raw.asc', 'raw.candump']) {
      const content = name.endsWith('.asc') ? 'base hex timestamps absolute\n0.1 1 64 Rx d 1 04\n' : candump;
      const { code, stderr } = await run(
        ['import', write(name, content), '--topic', 'raw', '--stream', 'x'],
        env,
      );
      assert.equal(code, 1, name);
      assert.match(
        stderr,
        /raw\.\w+: these are raw frames of a CAN bus; a DBC file says what they mean: --dbc FILE/,
      );
    }
    assert.deepEqual(await client.streams({ topic: 'raw' }), []);
  });

  it('names the line where log or DBC are wrong', async () => {
    const log = write('bad.log', `${candump}(1709528768.0) can0 064#040\n`);
    const bad = await run(['import', log, '--dbc', dbc, '--topic', 'bad', '--stream', 'x'], env);
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /bad\.log: line 4: '064#040' is no frame of candump\n$/);
    const faulty = write('faulty.dbc', 'BO_ 1 A: 8 E\n SG_ S 0|8@1+\n');
    const other = await run(['import', log, '--dbc', faulty, '--topic', 'bad', '--stream', 'x'], env);
    assert.equal(other.code, 1);
    assert.match(other.stderr, /faulty\.dbc, line 2: a name was expected, and there is '0'\n$/);
    assert.deepEqual(await client.streams({ topic: 'bad' }), []);
    const missing = await run(['import', log, '--dbc', join(folder, 'no.dbc'), ...place, 'x'], env);
    assert.match(missing.stderr, /no\.dbc cannot be read/);
  });

  it('takes a DBC for nothing else, and tables with the same endings as before', async () => {
    const table = write('table.asc', 'Timestamp\tSpeed\n1\t5\n2\t6\n');
    const useless = await run(['import', table, '--dbc', dbc, ...place, 'table'], env);
    assert.equal(useless.code, 2);
    assert.match(useless.stderr, /--dbc has a meaning for logs of CAN buses and MDF4 only/);
    const { code, stdout } = await run(['import', table, ...place, 'table'], env);
    assert.equal(code, 0);
    assert.match(stdout, /^2 rows of table\.asc are in topic cars, stream table/);
  });
});
