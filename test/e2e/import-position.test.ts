import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createClient } from '../../src/client/client.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;

describe('importing positions', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
  const folder = temporaryFolder();
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const load = (path: string, stream: string, ...more: readonly string[]) =>
    run(['import', path, '--topic', 'cars', '--stream', stream, ...more], env);
  const query = (stream: string, ...names: readonly string[]) =>
    client.query({
      streamIds: [stream],
      numericParameters: names.map((parameterName) => ({ parameterName })),
    });

  describe('of NMEA', () => {
    const gga = '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47';
    const rmc = '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A';

    it('brings position and speed, whatever the name of the log, and says what was left out', async () => {
      const log = `${gga}\r\n${rmc}\r\n$GPGSV,1,1,00*79\r\n`;
      for (const [name, content] of [
        ['drive.nmea', log],
        ['drive.log', log],
        ['drive.txt.gz', gzipSync(log)],
      ] as const) {
        const { code, stdout, stderr } = await load(write(name, content), name);
        assert.equal(code, 0, stderr);
        assert.equal(
          stdout,
          `1 rows of ${name} are in topic cars, stream ${name}: 9 channels; left out, not being read: 1 sentences GSV (in line 3)\n`,
        );
        const { timestamps, numericValues } = await query(name, 'Latitude', 'Speed');
        assert.deepEqual(timestamps, [at('1994-03-23T12:35:19Z')]);
        assert.deepEqual(numericValues, { Latitude: [48 + 7.038 / 60], Speed: [41.4848] });
      }
      const units = await client.parameters({ parameterIds: ['Speed'] });
      assert.equal(units[0]!.unit, 'km/h');
    });

    it('asks for the day where no sentence has a date', async () => {
      const path = write('undated.nmea', `${gga}\n`);
      const without = await load(path, 'undated');
      assert.equal(without.code, 1);
      assert.match(
        without.stderr,
        /undated\.nmea: its clocks have no date; --start says the day, such as --start 2021-05-08T00:00:00Z\n$/,
      );
      const noon = await load(path, 'undated', '--start', '2021-05-08T12:00:00Z');
      assert.equal(noon.code, 1);
      assert.match(noon.stderr, /undated\.nmea: its clocks are UTC, so --start is a midnight/);
      assert.deepEqual(await client.streams({ streamIds: ['undated'] }), []);
      const { stdout } = await load(path, 'undated', '--start', '2021-05-08T00:00:00Z');
      assert.match(stdout, /no sentence has a date, the start says it/);
      const { timestamps } = await query('undated', 'Latitude');
      assert.deepEqual(timestamps, [at('2021-05-08T12:35:19Z')]);
    });

    it('says which rows replaced others where a receiver is faster than its clock', async () => {
      const moved = rmc.replace('4807', '4808').replace('*6A', '*65');
      const { code, stdout } = await load(write('fast.nmea', `${rmc}\n${moved}\n`), 'fast');
      assert.equal(code, 0);
      assert.match(stdout, /1 row has the time of an earlier row and replaced its values of Latitude,/);
      const kept = await load(write('fast.nmea', `${rmc}\n${moved}\n`), 'kept', '--same-time', 'keep');
      assert.match(kept.stdout, /^2 rows/);
    });

    it('refuses what has no position, and makes no stream', async () => {
      const { code, stderr } = await load(write('none.nmea', '$GPGSV,1,1,00*79\nhello\n'), 'none');
      assert.equal(code, 1);
      assert.match(
        stderr,
        /none\.nmea: there is no position in the log; 1 sentences GSV \(in line 1\); 1 lines that are no sentence \(in line 2\)\n$/,
      );
      assert.deepEqual(await client.streams({ streamIds: ['none'] }), []);
    });
  });
});
