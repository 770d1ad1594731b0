import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';

/** Reads blocks of 1000 bytes of one part, and tells of each whether it was loaded. */
function reader(limit: number) {
  const cache = partCache(limit);
  const file = cache.ofPart();
  const isLoaded = async (number: number): Promise<boolean> => {
    let loaded = false;
    await file.read(number * 1000, 1000, async () => {
      loaded = true;
      return Buffer.allocUnsafeSlow(1000);
    });
    return loaded;
  };
  return { cache, file, isLoaded };
}

describe('the cache of parts', () => {
  it('keeps what was asked for since it was passed over, and lets go of the rest', async () => {
    const { cache, isLoaded } = reader(10_000);
    assert.ok(await isLoaded(0));
    for (let number = 1; number < 100; number++) {
      assert.ok(await isLoaded(number));
      assert.ok(!(await isLoaded(0)));
      assert.ok(cache.bytes <= 10_000);
    }
    assert.ok(await isLoaded(1));
  });

  it('keeps nothing without memory', async () => {
    const { cache, isLoaded } = reader(0);
    assert.ok(await isLoaded(1));
    assert.ok(await isLoaded(1));
    assert.equal(cache.bytes, 0);
  });

  it('keeps a mark of bytes while they are kept', async () => {
    const { file, isLoaded } = reader(10_000);
    await isLoaded(3);
    const head = file.held(3000, 1000)!;
    file.markOf(3000, head)!.isChecked = true;
    assert.equal(file.markOf(3000, head)!.isChecked, true);
    assert.equal(file.markOf(3000, Buffer.from(head)), undefined, 'other bytes of that place');
    for (let other = 4; other < 30; other++) await isLoaded(other);
    assert.ok(await isLoaded(3), 'it went meanwhile');
    assert.equal(file.markOf(3000, file.held(3000, 1000)!)!.isChecked, false);
  });

  it('takes bytes that were read otherwise, as a copy', async () => {
    const { cache, file } = reader(10_000);
    const span = Buffer.alloc(5000, 1);
    const kept = file.put(3000, span.subarray(1000, 2000));
    span.fill(2);
    assert.ok(kept.equals(Buffer.alloc(1000, 1)));
    assert.equal(file.held(3000, 1000), kept);
    assert.equal(file.put(3000, span.subarray(1000, 2000)), kept, 'what is there stays');
    assert.ok(cache.bytes > 1000 && cache.bytes < 2000);
  });

  it('forgets what it has of a part that is closed', async () => {
    const { cache, file, isLoaded } = reader(100_000);
    await isLoaded(1);
    file.close();
    assert.equal(cache.bytes, 0);
    assert.ok(await isLoaded(1));
    assert.equal(cache.bytes, 0);
  });
});

const filler = fileURLToPath(new URL('./part-cache-memory.js', import.meta.url));

const shapes = ['small', 'wide', 'large', 'tiny', 'views', 'ownLargeMemory'];
shapes.push('manyIndexes', 'largeIndex', 'wideIndex', 'searchedIndex');

describe('what the cache of parts counts', () => {
  for (const shape of shapes) {
    it(`is what memory grows by, to a half: ${shape}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [filler, shape]);
      const { grown, counted } = JSON.parse(stdout) as { grown: number; counted: number };
      assert.ok(grown > 1 << 20, stdout);
      assert.ok(counted > grown / 1.5 && counted < grown * 1.5, stdout);
    });
  }
});
