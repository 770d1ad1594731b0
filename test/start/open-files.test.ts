import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openFileLimit, shareOpenFiles } from '../../src/start/open-files.ts';

describe('the files that a process may have open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-limits-'));
  after(() => rmSync(folder, { recursive: true }));

  it('are what the system says', { skip: process.platform !== 'linux' && 'Linux tells' }, () => {
    const module = new URL('../../src/start/open-files.js', import.meta.url);
    const program = `import { openFileLimit } from '${module}'; console.log(openFileLimit());`;
    const told = execFileSync('sh', [
      '-c',
      'ulimit -n 300; exec "$0" "$@"',
      process.execPath,
      '--input-type=module',
      '-e',
      program,
    ]);
    assert.equal(told.toString().trim(), '300');
  });

  it('may be without a limit, or not be told', () => {
    const file = join(folder, 'limits');
    writeFileSync(
      file,
      'Limit  Soft Limit  Hard Limit  Units\nMax open files  unlimited  unlimited  files\n',
    );
    assert.equal(openFileLimit(file), Number.POSITIVE_INFINITY);
    writeFileSync(file, 'something else');
    assert.equal(openFileLimit(file), 4096);
    assert.equal(openFileLimit(join(folder, 'absent')), 4096);
  });

  it('are shared out so that neither parts nor connections can take all', () => {
    for (let limit = 160; limit < 2_000_000; limit = Math.ceil(limit * 1.3)) {
      const { parts, connections } = shareOpenFiles(limit);
      assert.ok(parts >= 16 && parts <= 1024 && connections >= 16, `of ${limit}`);
      assert.ok(parts + connections + 60 <= limit, `${parts} and ${connections} of ${limit}`);
    }
    assert.deepEqual(shareOpenFiles(300), { parts: 75, connections: 145 });
    assert.deepEqual(shareOpenFiles(1024), { parts: 256, connections: 688 });
    assert.deepEqual(shareOpenFiles(Number.POSITIVE_INFINITY), {
      parts: 1024,
      connections: Number.POSITIVE_INFINITY,
    });
    assert.deepEqual(shareOpenFiles(20), { parts: 16, connections: 16 });
  });
});
