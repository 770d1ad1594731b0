import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadParts } from '../../../../src/store/embedded/catalog/known-parts.ts';
import { memoryManifest } from '../memory-manifest.ts';

describe('the parts that a start knows', () => {
  it('may be hundreds of thousands', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'pitwall-known-'));
    try {
      const manifest = memoryManifest();
      const entries = manifest.tables.get('parts')!;
      for (let number = 1; number <= 300_000; number++) entries.set(number, { number });
      let missing = 0;
      const { records, nextPart } = await loadParts(manifest, directory, () => missing++);
      assert.deepEqual([records.length, missing, nextPart], [300_000, 300_000, 300_001]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
