import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { CannotOpen } from '../../../../src/store/cannot-open.ts';
import { DirectoryLocked, lockDirectory } from '../../../../src/store/embedded/files/directory-lock.ts';
import { checkSocketName } from '../../../../src/store/embedded/files/lock-refusals.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'pitwall-lock-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Leaves what a process leaves that held the lock and was killed. */
function killHolder(): void {
  const script = `require('net').createServer().listen('lock', () => process.kill(process.pid, 'SIGKILL'))`;
  const { signal } = spawnSync(process.execPath, ['-e', script], { cwd: directory });
  assert.equal(signal, 'SIGKILL');
  assert.ok(existsSync(join(directory, 'lock')));
}

describe('the lock of a directory', () => {
  it('is held by one, until it is released', async () => {
    const lock = await lockDirectory(directory);
    await assert.rejects(lockDirectory(directory), DirectoryLocked);
    await lock.release();
    const again = await lockDirectory(directory);
    await again.release();
    assert.ok(!existsSync(join(directory, 'lock')));
  });

  it('ends with the process that held it, however that ended', async () => {
    killHolder();
    const lock = await lockDirectory(directory);
    await assert.rejects(lockDirectory(directory), DirectoryLocked);
    await lock.release();
  });

  it('goes to one of several that find a dead one', async () => {
    for (let round = 0; round < 5; round++) {
      killHolder();
      const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
      const taken = attempts.filter((attempt) => attempt.status === 'fulfilled');
      assert.equal(taken.length, 1);
      await taken[0]!.value.release();
    }
  });

  it('holds against one that may not connect to it', async () => {
    const lock = await lockDirectory(directory);
    chmodSync(directory, 0o777);
    chmodSync(join(directory, 'lock'), 0);
    // For the superuser everything is allowed, so it steps back.
    const superuser = process.getuid?.() === 0;
    if (superuser) process.seteuid!(65_534);
    try {
      await assert.rejects(lockDirectory(directory), DirectoryLocked);
    } finally {
      if (superuser) process.seteuid!(0);
    }
    await lock.release();
  });

  it('is refused where the address of its socket would be cut', () => {
    const directory = `/data/${'x'.repeat(80)}`;
    checkSocketName('/proc/self/fd/20/lock-0123456789abcdef', directory);
    assert.throws(
      () => checkSocketName(`${directory}/lock-0123456789abcdef`, directory),
      (error) => error instanceof CannotOpen && /too long .* --data-dir$/.test(error.message),
    );
  });

  it('works below a path that is too long for the address of a socket', async () => {
    const long = join(directory, 'x'.repeat(120), 'y'.repeat(120));
    mkdirSync(long, { recursive: true });
    const lock = await lockDirectory(long);
    await assert.rejects(lockDirectory(long), DirectoryLocked);
    await lock.release();
  });
});
