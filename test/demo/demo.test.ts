import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../root.ts';

/** Runs the demo to its end, with its temporary files in the folder. */
function runDemo(folder: string, ...args: string[]): Promise<{ code: unknown; out: string; errors: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, TMPDIR: folder };
    execFile(process.execPath, [join(root, 'dist/demo/demo.js'), ...args], { env }, (error, out, errors) =>
      resolve({ code: error === null ? 0 : error.code, out, errors }),
    );
  });
}

it('the demo ends with 2 for a setting that is wrong, as serve does, and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-test-'));
  try {
    for (const [args, message] of [
      [['--nope'], /--nope is not a setting/],
      [['--listen', 'x'], /--listen must be HOST:PORT/],
    ] as const) {
      const { code, errors } = await runDemo(folder, ...args);
      assert.match(errors, message);
      assert.equal(code, 2);
    }
    const { code, out } = await runDemo(folder, '-h');
    assert.match(out, /^npm run demo/);
    assert.equal(code, 0);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the demo leaves nothing behind where it cannot listen', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-test-'));
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = taken.address() as { readonly port: number };
    const { code, errors } = await runDemo(folder, '--listen', `127.0.0.1:${port}`);
    assert.match(errors, /the demo cannot run: .*address already in use/);
    assert.equal(code, 1);
    assert.deepEqual(readdirSync(folder), []);
  } finally {
    taken.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
