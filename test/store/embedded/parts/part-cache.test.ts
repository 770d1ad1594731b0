import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { GroupLayout } from '../../../../src/store/embedded/codecs/row-group-codec.ts';
import { partCache } from '../../../../src/store/embedded/parts/part-cache.ts';

const block = { position: 0, length: 0, checksum: undefined };
const column = {
  parameter: 1,
  kind: 0,
  presenceForm: 0,
  present: 1,
  values: block,
  statistics: undefined,
} as const;

function layout(columns: number, isPartial = false): GroupLayout {
  return {
    timesForm: 0,
    times: block,
    tagsForm: 0,
    tags: block,
    columns: new Array<typeof column>(columns).fill(column),
    isPartial,
  };
}

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

  it('decodes a directory once while its head is kept, and counts it', async () => {
    const { cache, file, isLoaded } = reader(100_000);
    await isLoaded(3);
    const head = file.held(3000, 1000)!;
    const { bytes } = cache;
    const decoded = layout(100);
    assert.equal(
      file.layout(3000, head, () => decoded),
      decoded,
    );
    assert.ok(cache.bytes > bytes + 100 * 100);
    assert.equal(
      file.layout(3000, head, () => layout(1)),
      decoded,
    );
  });

  it('lets go of a head with its directory', async () => {
    const { cache, file, isLoaded } = reader(10_000);
    await isLoaded(3);
    file.layout(3000, file.held(3000, 1000)!, () => layout(1000));
    assert.ok(await isLoaded(4));
    assert.equal(file.held(3000, 1000), undefined);
    assert.ok(cache.bytes < 10_000);
  });

  it('does not keep a layout from which columns are left out', async () => {
    const { file, isLoaded } = reader(100_000);
    await isLoaded(3);
    const head = file.held(3000, 1000)!;
    file.layout(3000, head, () => layout(1, true));
    assert.equal(file.layout(3000, head, () => layout(2)).columns.length, 2);
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
    it(`is what memory grows by, to a third: ${shape}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', filler, shape]);
      const { grown, counted } = JSON.parse(stdout) as { grown: number; counted: number };
      assert.ok(grown > 1 << 20, stdout);
      assert.ok(counted > grown / 1.33 && counted < grown * 1.33, stdout);
    });
  }
});
