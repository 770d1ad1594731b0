import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { addGroup, addPacked, header, makeMdf4 } from '../import/mdf4/made-mdf4.ts';
import { adminToken, run, startService, temporaryFolder } from './service.ts';

describe('importing an MDF4 file', async () => {
  const { url } = await startService();
  const client = createClient({ url, token: adminToken });
  const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
  const folder = temporaryFolder();
  const start = 1_612_709_499_000_000_000n;

  /** Seconds as a byte, then a byte of value; compressed. */
  const make = (name: string, records: number): string => {
    const file = makeMdf4(start);
    const data = addPacked(file, Uint8Array.of(0, 10, 1, 11, 3, 12));
    const channels = [
      { name: 'time', type: 2, kind: 0, byte: 0, bits: 8 },
      { name: 'Speed', unit: 'm/s', kind: 0, byte: 1, bits: 8 },
      { name: 'Note', kind: 10, byte: 0, bits: 8 },
    ];
    file.link(header, 0, addGroup(file, { channels, records, recordBytes: 2, data }));
    const path = join(folder, name);
    writeFileSync(path, file.bytes());
    return path;
  };

  it('brings numbers with their times and units, and names what it leaves out', async () => {
    const args = ['import', make('good.mf4', 3), '--topic', 'cars', '--stream', 'bench'];
    const { code, stdout, stderr } = await run(args, env);
    assert.equal(code, 0, stderr);
    assert.equal(
      stdout,
      '3 rows of good.mf4 are in topic cars, stream bench: 1 channels; left out, not being read: Note (bytes)\n',
    );
    const { timestamps, numericValues } = await client.query({
      streamIds: ['bench'],
      numericParameters: [{ parameterName: 'Speed' }],
    });
    assert.deepEqual(timestamps, [start, start + 1_000_000_000n, start + 3_000_000_000n]);
    assert.deepEqual(numericValues['Speed'], [10, 11, 12]);
    const [parameter] = await client.parameters({ parameterIds: ['Speed'] });
    assert.equal(parameter!.unit, 'm/s');
  });

  it('says so where the system cannot read the file', async () => {
    const path = join(folder, 'folder.mf4');
    mkdirSync(path);
    const { code, stderr } = await run(['import', path, '--topic', 'cars', '--stream', 'bench'], env);
    assert.equal(code, 1);
    assert.match(stderr, /^pitwall: .*folder\.mf4 cannot be read: it is a folder or a pipe\n$/);
  });

  it('imports nothing of a file with a fault in its records', async () => {
    const args = ['import', make('bad.mf4', 4), '--topic', 'bad', '--stream', 'bench'];
    const { code, stderr } = await run(args, env);
    assert.equal(code, 1);
    assert.match(stderr, /bad\.mf4: byte \d+: there are 3 records of 4/);
    assert.deepEqual(await client.streams({ topic: 'bad' }), []);
  });
});
