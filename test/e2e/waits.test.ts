import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { until } from '../until.ts';
import { smallDisk } from './faulty-disk.ts';
import { adminToken, isOnClickHouse, launch, launchService, send, temporaryFolder } from './service.ts';

const rows = 5000;
/** More than the disk has room for, whatever merging frees of it meanwhile. */
const imported = 200_000;
const columns = [...'abcdefgh'];

describe('commands that wait for a full disk', {
  skip: isOnClickHouse && 'its disk is that of ClickHouse',
}, () => {
  it('say what they wait for, end with the first Ctrl+C, and say what is in', async (t) => {
    const disk = smallDisk(24);
    if (disk === undefined) return t.skip('this user may not mount a small disk');
    const service = await launchService(join(disk.path, 'data'), { args: ['--head-bytes', '8MiB'] });
    try {
      const { url } = service;
      const env = { PITWALL_URL: url, PITWALL_TOKEN: adminToken };
      const timestamps = Array.from({ length: 3600 }, (_, i) => BigInt(i) * 1_000_000_000n);
      await createClient({ url, token: adminToken }).writeParameterData('cars', 'lap-7', {
        timestamps,
        numericValues: { Speed: timestamps.map((_, i) => i) },
      });
      const place = ['--topic', 'cars', '--stream', 'lap-7', '--to-topic', 'again'];
      const replay = launch(['replay', ...place, '--speed', '10'], env);
      await until(() => /rows\/s/.test(replay.stderr()));

      let written = 0;
      let many = rows;
      /** Writes numbers that cannot be packed: fewer where so many have no room. */
      const fill = async (): Promise<number> => {
        const times = Array.from({ length: many }, (_, i) => written * rows + i);
        const numericValues = { a: times.map(Math.random), b: times.map(Math.random) };
        const body = JSON.stringify({ timestamps: times, numericValues });
        const { status } = await send(url, `/topics/t/streams/s${written++ % 4}/parameters/data`, { body });
        assert.ok(status === 200 || status === 503, String(status));
        if (status === 503) many = Math.ceil(many / 2);
        return status;
      };
      const isWaiting = async ({ stderr }: typeof replay): Promise<boolean> => {
        while ((await fill()) === 200);
        return /waiting, to ask again: 503 .*disk/i.test(stderr());
      };
      const isInterrupted = async (command: typeof replay, told: RegExp): Promise<void> => {
        await until(() => isWaiting(command), 10);
        command.child.kill('SIGINT');
        const { code, stderr } = await command.finished;
        assert.equal(code, 1, stderr);
        assert.match(stderr, told);
      };
      await isInterrupted(
        replay,
        /interrupted: 503 .*disk.* \(\d+ rows and 0 events went to topic again, stream lap-7, which stays open\)\n$/i,
      );

      const path = join(temporaryFolder(), 'run.csv');
      const values = () => columns.map(Math.random).join();
      const lines = Array.from({ length: imported }, (_, i) => `${i},${values()}`);
      writeFileSync(path, [`Timestamp,${columns}`, ...lines].join('\n'));
      const loading = launch(['import', path, '--topic', 'cars', '--stream', 'run'], env);
      await isInterrupted(
        loading,
        /interrupted: 503 .*disk.* \((?:no row is in|\d+ of \d+ rows are in; running it again goes on without harm)\)\n$/i,
      );
    } finally {
      await service.stop('SIGKILL');
      disk.remove();
    }
  });
});
