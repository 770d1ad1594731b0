import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { filePool } from '../../../../src/store/embedded/parts/file-pool.ts';
import { seededRandom } from '../random.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-pool-'));
after(() => rmSync(folder, { recursive: true }));

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Files `0` to `count - 1`, each with its number in it. */
function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const path = join(folder, String(i));
    writeFileSync(path, String(i));
    return path;
  });
}

const textOf = async (handle: FileHandle) => {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
  return buffer.toString('utf8', 0, bytesRead);
};
const itself = async (handle: FileHandle) => handle;

describe('a pool of files', () => {
  it('reads many files at once with few open, each as it is', async () => {
    const random = seededRandom(1);
    const pool = filePool(5);
    const files = numbered(60).map(pool.file);
    let most = 0;
    const reads = Array.from({ length: 3000 }, async () => {
      const number = random.int(0, files.length - 1);
      if (random.chance(0.3)) await turn();
      const text = await files[number]!.use(async (handle) => {
        most = Math.max(most, pool.open);
        if (random.chance(0.2)) await turn();
        return textOf(handle);
      });
      assert.equal(text, String(number));
    });
    await Promise.all(reads);
    assert.equal(most, 5);
    for (const file of files) await file.close();
    assert.equal(pool.open, 0);
  });

  it('closes the file that nobody has used for longest', async () => {
    const pool = filePool(2);
    const [a, b, c] = numbered(3).map(pool.file) as [File, File, File];
    const first = await a.use(itself);
    const second = await b.use(itself);
    assert.equal(await a.use(itself), first);
    await c.use(itself);
    assert.equal(await a.use(itself), first, 'used last, so it stayed open');
    assert.notEqual(await b.use(itself), second);
    for (const file of [a, b, c]) await file.close();
  });

  it('closes no file under a use of it, however long that takes', async () => {
    const pool = filePool(2);
    const paths = numbered(6);
    const [a, ...others] = paths.map(pool.file) as [File, ...File[]];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const long = a.use(async (handle) => {
      await ended;
      return textOf(handle);
    });
    for (const [i, file] of others.entries()) assert.equal(await file.use(textOf), String(i + 1));
    const closing = a.close();
    unlinkSync(paths[0]!);
    await assert.rejects(a.use(textOf), /is closed/);
    end();
    assert.equal(await long, '0');
    await closing;
    for (const file of others) await file.close();
    assert.equal(pool.open, 0);
  });

  it('is closed when no file is open: those of begun uses at their end, and none is opened any more', async () => {
    const pool = filePool(2);
    const [a, b, c, d] = numbered(4).map(pool.file) as [File, File, File, File];
    await a.use(textOf);
    const begun = b.use(textOf);
    let isOpened = false;
    for (const file of [c, d]) void file.use(async () => (isOpened = true));
    const closing = pool.close();
    assert.equal(await begun, '1');
    await Promise.all([closing, pool.close()]);
    assert.equal(pool.open, 0);
    void d.use(async () => (isOpened = true));
    await turn();
    assert.equal(pool.open, 0);
    assert.equal(isOpened, false);
    await pool.close();
  });

  it('keeps no room for a file that cannot be opened, and tries it again', async () => {
    const pool = filePool(1);
    const path = join(folder, 'later');
    const file = pool.file(path);
    const uses = [1, 2, 3].map(() => file.use(textOf));
    for (const use of uses) await assert.rejects(use, { code: 'ENOENT' });
    assert.equal(pool.open, 0);
    writeFileSync(path, 'there');
    assert.equal(await file.use(textOf), 'there');
    await file.close();
  });

  it('gives back what nobody uses where the process has no file left', () => {
    const [a, b] = numbered(2);
    const program = `
      import { openSync } from 'node:fs';
      import { filePool } from '${new URL('../../../../src/store/embedded/parts/file-pool.js', import.meta.url)}';
      const pool = filePool(10);
      const [a, b] = [pool.file('${a}'), pool.file('${b}')];
      await a.use(async () => undefined);
      try { for (;;) openSync('/dev/null'); } catch (error) { console.log(error.code); }
      await b.use(async () => console.log('b'));
      await a.use(async () => {
        console.log('a');
        await b.use(async () => undefined).catch((error) => console.log(error.code));
      });
      await b.use(async () => console.log('b again', pool.open));
    `;
    const args = [process.execPath, '--input-type=module', '-e', program];
    const told = execFileSync('sh', ['-c', 'ulimit -n 60; exec "$0" "$@"', ...args]);
    assert.deepEqual(told.toString().trim().split('\n'), ['EMFILE', 'b', 'a', 'EMFILE', 'b again 1']);
  });
});

type File = ReturnType<ReturnType<typeof filePool>['file']>;
