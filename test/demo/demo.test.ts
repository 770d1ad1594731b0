import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../root.ts';

it('the demo leaves nothing behind where it cannot listen', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-test-'));
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = taken.address() as { readonly port: number };
    const { code, errors } = await new Promise<{ code: unknown; errors: string }>((resolve) => {
      const args = [join(root, 'dist/demo/demo.js'), '--listen', `127.0.0.1:${port}`];
      execFile(process.execPath, args, { env: { ...process.env, TMPDIR: folder } }, (error, _out, errors) =>
        resolve({ code: error?.code, errors }),
      );
    });
    assert.match(errors, /the demo cannot run: .*address already in use/);
    assert.equal(code, 1);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    taken.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
