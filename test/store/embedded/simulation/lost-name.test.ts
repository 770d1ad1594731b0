import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { diskVariable } from './lossy-disk.ts';

const programs = ['./lossy-disk.js', './lost-name-child.js'].map((name) =>
  fileURLToPath(new URL(name, import.meta.url)),
);

describe('a manifest that a killed process left', () => {
  it('keeps what is committed to a file whose name was in memory only', () => {
    const root = mkdtempSync(join(tmpdir(), 'pitwall-name-'));
    try {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ['--enable-source-maps', '--import', programs[0]!, programs[1]!],
        { encoding: 'utf8', env: { ...process.env, [diskVariable]: root } },
      );
      assert.equal(status, 0, stderr);
      assert.equal(stdout, '1,2\n');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
