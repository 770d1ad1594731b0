import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createClient } from '../../src/client/client.ts';
import { summed } from '../import/position/made-nmea.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

const at = (text: string) => BigInt(Date.parse(text)) * 1_000_000n;

const hasGpsbabel = (() => {
  try {
    return execFileSync('gpsbabel', ['-V'], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
})();

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

  describe('of GPX', () => {
    const gpx = `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="device" xmlns="http://www.topografix.com/GPX/1/1" xmlns:t="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
<metadata><name>Monza</name></metadata>
<wpt lat="1" lon="2"/>
<trk><trkseg>
<trkpt lat="48.1" lon="11.5"><ele>500.5</ele><time>2021-05-08T14:03:10.5Z</time><extensions><t:TrackPointExtension><t:hr>120</t:hr><t:speed>10</t:speed></t:TrackPointExtension><mode>auto</mode></extensions></trkpt>
<trkpt lat="48.2" lon="11.6"><time>2021-05-08T14:03:11Z</time></trkpt>
</trkseg></trk>
</gpx>
`;

    it('brings positions, what devices add, and what the file says of itself', async () => {
      for (const [name, content] of [
        ['ride.gpx', gpx],
        ['ride.gpx.gz', gzipSync(gpx)],
      ] as const) {
        const { code, stdout, stderr } = await load(write(name, content), name);
        assert.equal(code, 0, stderr);
        assert.equal(
          stdout,
          `2 rows of ${name} are in topic cars, stream ${name}: 6 channels; Speed was in m/s and is in km/h here; mode is text ('auto' in line 6); left out, not being read: 1 waypoints (in line 4)\n`,
        );
        const { timestamps, numericValues } = await query(name, 'Latitude', 'Altitude', 'Speed', 'hr');
        assert.deepEqual(timestamps, [at('2021-05-08T14:03:10.5Z'), at('2021-05-08T14:03:11Z')]);
        assert.deepEqual(numericValues, {
          Latitude: [48.1, 48.2],
          Altitude: [500.5, null],
          Speed: [36, null],
          hr: [120, null],
        });
        const [stream] = await client.streams({ streamIds: [name] });
        assert.deepEqual(stream!.metadata, { creator: 'device', name: 'Monza' });
        assert.equal(stream!.timeOfRecording, '2021-05-08T14:03:10.500Z');
      }
      const [hr] = await client.parameters({ parameterIds: ['hr'] });
      assert.equal(hr!.unit, 'bpm');
    });

    it('tells tracks apart that share their times', async () => {
      const of = (name: string, lat: number) =>
        `<trk><name>${name}</name><trkseg><trkpt lat="${lat}" lon="1"><time>2021-05-08T14:03:10Z</time></trkpt></trkseg></trk>`;
      const path = write('cars.gpx', `<gpx>${of('red', 1)}${of('blue', 2)}</gpx>`);
      const { stdout, stderr } = await load(path, 'cars.gpx');
      assert.equal(
        stdout,
        '2 rows of cars.gpx are in topic cars, stream cars.gpx: 2 channels; tags Track\n',
        stderr,
      );
      const answer = await client.query({
        streamIds: ['cars.gpx'],
        numericParameters: [{ parameterName: 'Latitude' }],
        groupBy: ['Track'],
      });
      const latitudes = answer.numericValues['Latitude']!.map((value, i) => [
        answer.tagValues!['Track']![i],
        value,
      ]);
      assert.deepEqual(latitudes.sort(), [
        ['blue', 2],
        ['red', 1],
      ]);
    });

    it('says which points replaced others of their time', async () => {
      const twice = gpx.replace('14:03:11Z', '14:03:10.5Z');
      const { stdout } = await load(write('twice.gpx', twice), 'twice');
      assert.match(
        stdout,
        /1 row has the time of an earlier row and replaced its values of Latitude, Longitude/,
      );
    });

    it('names the line of what is wrong, and makes no stream', async () => {
      const cases: readonly (readonly [string, RegExp])[] = [
        [gpx.replace('48.2', '98.2'), /bad\.gpx: line 7: lat is 98\.2, which is not from -90 to 90\n$/],
        [
          gpx.slice(0, gpx.indexOf('</trkseg>')),
          /bad\.gpx: line 8: the file is cut off: <trkseg> has no end\n$/,
        ],
        [
          gpx.replaceAll(/<time>.*?<\/time>/g, ''),
          /bad\.gpx: there is no point with a time, of a track or a route; /,
        ],
        ['<kml/>', /bad\.gpx: line 1: this is no GPX: its first element is <kml>\n$/],
        [gpx.replace('<gpx', '<!DOCTYPE gpx [<!ENTITY a "a">]><gpx'), /bad\.gpx: line 2: it has a DOCTYPE/],
      ];
      for (const [content, why] of cases) {
        const { code, stderr } = await load(write('bad.gpx', content), 'bad');
        assert.equal(code, 1);
        assert.match(stderr, why);
      }
      assert.deepEqual(await client.streams({ streamIds: ['bad'] }), []);
      const { code, stderr } = await load(write('ride.gpx', gpx), 'bad', '--tags', 'Track');
      assert.equal(code, 2);
      assert.match(stderr, /--tags has no meaning for a logger's file/);
    });
  });

  /** Each is what the other becomes in another program. */
  describe('with GPSBabel of Debian', { skip: hasGpsbabel ? false : 'gpsbabel is not installed' }, () => {
    const sentences = [
      ['140310.00', '4807.038', '022.4', '084.4', '545.4'],
      ['140310.50', '4807.041', '023.6', '084.9', '545.6'],
      ['140311.00', '4807.045', '024.1', '085.3', '545.1'],
    ].flatMap(([clock, lat, knots, course, height]) => [
      `$GPGGA,${clock},${lat},N,01131.000,W,1,08,0.9,${height},M,46.9,M,,`,
      `$GPRMC,${clock},A,${lat},N,01131.000,W,${knots},${course},080521,,`,
    ]);
    const convert = (from: string, path: string, to: string, target: string) => {
      execFileSync('gpsbabel', ['-t', '-i', from, '-f', path, '-o', to, '-F', target]);
      return target;
    };
    const names = ['Latitude', 'Longitude', 'Altitude', 'Speed', 'Course', 'Satellites', 'HDOP'];
    const isSame = async (one: string, other: string, error: number) => {
      const [a, b] = [await query(one, ...names), await query(other, ...names)];
      assert.equal(a.timestamps.length, 3);
      assert.deepEqual(b.timestamps, a.timestamps);
      for (const name of names)
        for (const [i, value] of a.numericValues[name]!.entries()) {
          const found = b.numericValues[name]![i]!;
          assert.ok(Math.abs(found - value!) <= error, `${name} ${i}: ${found} for ${value}`);
        }
    };

    it('says the same of a log of NMEA and of the GPX that is made of it, and back', async () => {
      const log = write('babel.nmea', `${sentences.map(summed).join('\r\n')}\r\n`);
      const gpx = convert('nmea', log, 'gpx', join(folder, 'babel.gpx'));
      const back = convert('gpx', gpx, 'nmea,gpvtg,gpgsa', join(folder, 'back.log'));
      for (const path of [log, gpx, back]) {
        const { code, stdout, stderr } = await load(path, basename(path));
        assert.equal(code, 0, stderr);
        assert.match(stdout, /^3 rows of /);
      }
      await isSame('babel.nmea', 'babel.gpx', 2e-5);
      await isSame('babel.nmea', 'back.log', 1e-2);
    });

    it('reads the extensions of Garmin that it writes', async () => {
      const point = (second: number, rate: number) =>
        `<Trackpoint><Time>2021-05-08T14:03:1${second}Z</Time><Position><LatitudeDegrees>48.${second}</LatitudeDegrees><LongitudeDegrees>11.5</LongitudeDegrees></Position><HeartRateBpm><Value>${rate}</Value></HeartRateBpm><Cadence>80</Cadence></Trackpoint>`;
      const workout = write(
        'ride.tcx',
        `<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities><Activity Sport="Biking"><Id>2021-05-08T14:03:10Z</Id><Lap StartTime="2021-05-08T14:03:10Z"><Track>${point(0, 120)}${point(1, 121)}</Track></Lap></Activity></Activities></TrainingCenterDatabase>`,
      );
      const path = convert('gtrnctr', workout, 'gpx,garminextensions', join(folder, 'garmin.gpx'));
      const { code, stderr } = await load(path, 'garmin');
      assert.equal(code, 0, stderr);
      const { numericValues } = await query('garmin', 'hr', 'cad');
      assert.deepEqual(numericValues, { hr: [120, 121], cad: [80, 80] });
    });
  });
});
