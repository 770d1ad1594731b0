import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  checkFormat,
  formatVersion,
  unfinishedFormat,
  writeFormat,
} from '../../../../src/store/embedded/files/directory.ts';

const root = mkdtempSync(join(tmpdir(), 'pitwall-format-'));
const path = join(root, 'FORMAT');
after(() => rmSync(root, { recursive: true }));

describe('the format of a data folder', () => {
  it('is what was written', async () => {
    await writeFormat(root, formatVersion);
    assert.equal(await checkFormat(root), formatVersion);
  });

  it('says that a restore works, and nothing else says so by one wrong bit', async () => {
    await writeFormat(root, unfinishedFormat);
    await assert.rejects(checkFormat(root), { message: /holds a restore that was not finished; empty it/ });
    await writeFormat(root, formatVersion);
    const bytes = readFileSync(path);
    let refused = 0;
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      writeFileSync(path, flipped);
      await checkFormat(root).catch(({ message }: Error) => {
        refused++;
        assert.doesNotMatch(message, /not finished; empty it/);
      });
    }
    assert.ok(refused > 50);
  });
});
