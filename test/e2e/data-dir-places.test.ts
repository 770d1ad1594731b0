import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { smallDisk } from './faulty-disk.ts';
import { launchService, run, temporaryFolder } from './service.ts';

const folder = temporaryFolder();
const fifo = join(folder, 'fifo');
spawnSync('mkfifo', [fifo]);

async function isRefused(place: string, why: RegExp): Promise<void> {
  const { code, stderr } = await run(['serve', '--listen', '127.0.0.1:0', '--data-dir', place]);
  assert.match(stderr, why);
  assert.equal(code, 1, place);
}

describe('a start of which the data folder cannot be', () => {
  it('ends with what is wrong of it below /proc', { skip: !existsSync('/proc/self') }, async () => {
    await isRefused(
      '/proc/pitwall',
      /^pitwall: cannot start: \/proc\/pitwall cannot be made: \/proc takes no folders\n$/,
    );
    await isRefused('/proc/pitwall/data', /\/proc\/pitwall cannot be made: \/proc takes no folders\n$/);
  });

  it('ends with what is wrong of it below a file, a device, or a pipe', async () => {
    await isRefused('/dev/null/data', /is not a directory\n$/);
    await isRefused('/dev/full', /is not a directory\n$/);
    await isRefused(fifo, /is not a directory\n$/);
    await isRefused(join(fifo, 'data'), /is not a directory\n$/);
  });

  it('ends with what is wrong of it on a disk that is read only', async (t) => {
    const disk = smallDisk(16);
    if (disk === undefined) return t.skip('this user may not mount a small disk');
    try {
      spawnSync('mount', ['-o', 'remount,ro', disk.path]);
      await isRefused(disk.path, /cannot be written: .*EROFS/);
      await isRefused(join(disk.path, 'data'), /cannot be written: .*EROFS/);
    } finally {
      disk.remove();
    }
  });

  it('makes all folders above it, and itself for its owner alone', async () => {
    const place = join(folder, 'a', 'b', 'data');
    const service = await launchService(place);
    assert.ok(readdirSync(place).includes('FORMAT'));
    assert.equal(statSync(place).mode & 0o777, 0o700);
    await service.stop('SIGKILL');
  });
});
