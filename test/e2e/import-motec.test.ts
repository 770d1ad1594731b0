import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { makeLd, makeLdx } from '../import/motec/made-ld.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

describe('importing a MoTeC log', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
  const path = join(temporaryFolder(), 'monza.ld');
  const start = BigInt(Date.UTC(2021, 1, 7, 14, 51, 39)) * 1_000_000n;
  const place = ['--topic', 'cars', '--stream', 'monza'];
  const speed = Uint8Array.of(0xe8, 0x03, 0xf2, 0x03, 0xfc, 0x03);
  const throttle = Uint8Array.of(0, 0, 0, 0x3f, 0, 0, 0xc0, 0x7f);

  it('brings channels, units, laps, and what it says of the recording; twice changes nothing', async () => {
    writeFileSync(
      path,
      makeLd(
        [
          { name: 'Ground Speed', unit: 'km/h', kind: [3, 2], rate: 10, samples: speed, places: 1 },
          { name: 'Throttle', kind: [7, 4], rate: 5, samples: throttle },
        ],
        { 158: 'Lewis' },
      ),
    );
    writeFileSync(`${path}x`, makeLdx(['1.5e+05']));
    for (let time = 0; time < 2; time++) {
      const { code, stdout, stderr } = await run(['import', path, ...place], env);
      assert.equal(code, 0, stderr);
      assert.equal(
        stdout,
        '5 rows of monza.ld are in topic cars, stream monza: 2 channels; tags LapNumber; the clock of the log names no zone, taken for UTC\n',
      );
      const data = await client.query({
        streamIds: ['monza'],
        numericParameters: [{ parameterName: 'Ground Speed' }, { parameterName: 'Throttle' }],
        groupBy: ['LapNumber'],
      });
      assert.deepEqual(data, {
        timestamps: [start, start + 100_000_000n, start + 200_000_000n],
        numericValues: { 'Ground Speed': [100, 101, 102], Throttle: [0.5, null, Number.NaN] },
        stringValues: {},
        binaryValues: {},
        tagValues: { LapNumber: ['1', '1', '2'] },
      });
    }
    const [parameter] = await client.parameters({ parameterIds: ['Ground Speed'] });
    assert.equal(parameter!.unit, 'km/h');
    const [stream] = await client.streams({ streamIds: ['monza'] });
    assert.deepEqual(stream!.metadata, { driver: 'Lewis' });
    assert.equal(stream!.timeOfRecording, '2021-02-07T14:51:39.000Z');
  });

  it('leaves the other properties of a stream as they are', async () => {
    await client.createStream('cars', {
      streamId: 'named',
      name: 'Q3',
      location: '/it',
      metadata: { wet: 'no' },
    });
    const { code, stderr } = await run(['import', path, '--topic', 'cars', '--stream', 'named'], env);
    assert.equal(code, 0, stderr);
    const [stream] = await client.streams({ streamIds: ['named'] });
    assert.deepEqual(
      [stream!.name, stream!.location, stream!.metadata],
      ['Q3', '/it', { wet: 'no', driver: 'Lewis' }],
    );
  });

  it('says where a file is wrong, and imports nothing of it', async () => {
    const wrong = async (code: number, message: RegExp, ...args: string[]) => {
      const done = await run(['import', ...args], env);
      assert.equal(done.code, code, done.stderr);
      assert.match(done.stderr, message);
    };
    const bad = join(temporaryFolder(), 'bad.ld');
    const log = makeLd([{ name: 'Speed', kind: [3, 2], rate: 10, samples: speed }]);
    writeFileSync(bad, log.subarray(0, log.length - 1));
    await wrong(1, /bad\.ld: byte \d+: channel Speed has 3 samples/, bad, '--topic', 'bad', '--stream', 'b');
    await wrong(2, /to which stream\? --stream/, path, '--topic', 'bad');
    await wrong(2, /--tags has no meaning for a logger's file/, path, ...place, '--tags', 'a');
    await wrong(1, /none\.ld cannot be read/, join(bad, '../none.ld'), ...place);
    assert.deepEqual(await client.streams({ topic: 'bad' }), []);
  });
});
