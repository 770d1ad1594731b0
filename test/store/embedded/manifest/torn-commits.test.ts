import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { ManifestChange } from '../../../../src/store/embedded/manifest/manifest.ts';
import { openManifest, readManifest } from '../../../../src/store/embedded/manifest/open-manifest.ts';
import { seededRandom } from '../random.ts';

const pageBytes = 4096;

/** A commit that a power cut broke off: any page that it wrote to may hold anything. */
describe('a torn commit of the manifest', () => {
  let root = '';
  let directory = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'pitwall-torn-'));
    directory = join(root, 'catalog');
    cpSync(mkdtempSync(join(root, 'empty-')), directory, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const topic = (key: number, length: number): ManifestChange => ({
    table: 'topics',
    key,
    value: { name: 'x'.repeat(length) },
  });

  function newestEdits(folder: string): string {
    const names = readdirSync(folder).filter((name) => name.startsWith('edits-'));
    return join(folder, names.sort().at(-1)!);
  }

  /** What a kill leaves. */
  function copyNow(name: string): string {
    const copy = join(root, name);
    cpSync(directory, copy, { recursive: true });
    return copy;
  }

  /** Garbage in each page of `after` that is not as it was before. */
  function tear(before: Buffer, after: Buffer): Buffer {
    const random = seededRandom(1);
    const torn = Buffer.from(after);
    for (let at = 0; at < after.length; at += pageBytes) {
      const page = after.subarray(at, at + pageBytes);
      if (!page.equals(before.subarray(at, at + page.length))) torn.set(random.bytes(page.length), at);
    }
    return torn;
  }

  async function topicsIn(folder: string): Promise<{ keys: unknown[]; problems: string[] }> {
    const problems: string[] = [];
    const manifest = await openManifest(folder, { report: (problem) => problems.push(problem) });
    const keys = [...manifest.entries('topics')].map(({ key }) => key);
    await manifest.close();
    return { keys, problems };
  }

  it('takes nothing away from those before it', async () => {
    const manifest = await openManifest(directory);
    // Of all lengths: shorter than a page, just as long, longer.
    const lengths = [3, 4000, 4016, 4024, 4032, 4048, 4064, 9000, 17];
    const expected: number[] = [];
    for (const [i, length] of lengths.entries()) {
      const before = readFileSync(newestEdits(directory));
      await manifest.commit([topic(i + 1, length)]);
      const copy = copyNow(`copy-${i}`);
      writeFileSync(newestEdits(copy), tear(before, readFileSync(newestEdits(copy))));
      assert.deepEqual(await topicsIn(copy), { keys: expected, problems: [] }, `a commit of ${length} bytes`);
      expected.push(i + 1);
    }
    await manifest.close();
  });

  it('is read as before by who changes nothing', async () => {
    const manifest = await openManifest(directory);
    for (let key = 1; key <= 3; key++) await manifest.commit([topic(key, 100)]);
    const read = await readManifest(directory);
    assert.deepEqual(
      [...read.entries('topics')].map(({ key }) => key),
      [1, 2, 3],
    );
    assert.deepEqual(read.damages, []);
    read.close();
    await manifest.close();
  });
});
