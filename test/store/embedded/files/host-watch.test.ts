import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  DirectoryLocked,
  lockDirectory,
  usedBy,
} from '../../../../src/store/embedded/files/directory-lock.ts';
import { type Host, holderName, watchHosts } from '../../../../src/store/embedded/files/host-watch.ts';
import { sharedFileSystem, sharedType } from '../../../../src/store/embedded/files/network-folders.ts';
import { until } from '../../../until.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pitwall-hosts-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const north: Host = { name: 'north', boot: 'boot of north' };
const south: Host = { name: 'south', boot: 'boot of south' };

/** Takes the lock as a process of that machine does, where several machines have the folder. */
function lockFrom(host: Host) {
  return lockDirectory(directory, () =>
    watchHosts(directory, { host, beatMs: 50 }, (name) => usedBy(directory, name)),
  );
}

describe('a folder that several machines have mounted', () => {
  it('is kept by a machine that is seen to live, though its socket is dead for others', async () => {
    const lock = await lockFrom(north);
    // Where a process of another machine listens nobody answers.
    rmSync(join(directory, 'lock'));
    await assert.rejects(
      lockFrom(south),
      (error) => error instanceof DirectoryLocked && /^a process on the host north uses /.test(error.message),
    );
    await lock.release();
    const again = await lockFrom(south);
    await again.release();
    assert.ok(!existsSync(join(directory, holderName)));
  });

  it('goes to another machine when its holder does not write any more', async () => {
    writeFileSync(join(directory, holderName), '{"host":"north","boot":"boot of north","id":"1","beat":7}\n');
    const lock = await lockFrom(south);
    const { host } = JSON.parse(readFileSync(join(directory, holderName), 'utf8')) as { host: string };
    assert.equal(host, 'south');
    await lock.release();
  });

  it('goes to one of two that find nobody', async () => {
    const attempts = await Promise.allSettled([lockFrom(north), lockFrom(south)]);
    const taken = attempts.filter((attempt) => attempt.status === 'fulfilled');
    assert.equal(taken.length, 1);
    await taken[0]!.value.release();
  });

  it('stays with its process when a second one of the same machine is refused', async () => {
    const lock = await lockFrom(north);
    await assert.rejects(lockFrom(north), DirectoryLocked);
    await assert.rejects(lockFrom(south), DirectoryLocked);
    await lock.release();
  });
});

describe('what a holder writes', () => {
  const watch = () => watchHosts(directory, { host: north, beatMs: 10 }, (name) => usedBy(directory, name));
  const unfinished = () => readdirSync(directory).filter((name) => name.endsWith('.new'));

  it('leaves nothing behind when it gets no name', async () => {
    const held = await watch();
    const path = join(directory, holderName);
    rmSync(path);
    // A file does not take the place of a folder.
    mkdirSync(join(path, 'in the way'), { recursive: true });
    const { mtimeMs } = statSync(directory);
    await until(() => statSync(directory).mtimeMs > mtimeMs);
    await held.release();
    assert.deepEqual(unfinished(), []);
  });

  it('goes with the next holder where a process was killed while it wrote', async () => {
    const left = join(directory, 'holder-0123456789abcdef.new');
    const other = join(directory, 'holder-fedcba9876543210.new');
    writeFileSync(left, '{');
    utimesSync(left, 1, 1);
    // One that another process may be writing just now.
    writeFileSync(other, '{');
    utimesSync(other, Date.now() / 1000 + 60, Date.now() / 1000 + 60);
    const held = await watch();
    await held.release();
    assert.deepEqual(unfinished(), ['holder-fedcba9876543210.new']);
  });
});

describe('the type of a file system', () => {
  it('is known of those that several machines mount', async () => {
    assert.equal(sharedType(0x6969), 'NFS');
    assert.equal(sharedType(0xff534d42), 'CIFS');
    assert.equal(sharedType(0xef53), undefined);
    assert.equal(await sharedFileSystem(tmpdir()), undefined);
    assert.equal(await sharedFileSystem(join(directory, 'missing')), undefined);
  });
});
