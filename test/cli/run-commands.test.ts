import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { pitwall } from '../e2e/service.ts';

describe('a command', { skip: !existsSync('/dev/full') }, () => {
  it('fails where its output finds no room on the disk', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [pitwall, 'token', '--help'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    assert.match(stderr, /^pitwall: the output was not written: ENOSPC[^\n]*\n$/);
    assert.equal(status, 1);
  });
});
