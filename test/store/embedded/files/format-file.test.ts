import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { readFormat, writeFormat } from '../../../../src/store/embedded/files/format-file.ts';

const root = mkdtempSync(join(tmpdir(), 'pitwall-format-'));
const path = join(root, 'FORMAT');
after(() => rmSync(root, { recursive: true }));

function sealed(checked: string): string {
  return `${checked},"checksum":"${crc32(checked).toString(16).padStart(8, '0')}"}\n`;
}

async function whatOf(bytes: string | Uint8Array): Promise<string | undefined> {
  writeFileSync(path, bytes);
  return (await readFormat(root))?.what;
}

describe('FORMAT', () => {
  it('is JSON of the version with a checksum', async () => {
    await writeFormat(root);
    assert.equal(await readFormat(root), undefined);
    const text = readFileSync(path, 'utf8');
    assert.equal(text, sealed('{"format":2'));
    assert.deepEqual(Object.keys(JSON.parse(text)), ['format', 'checksum']);
  });

  it('is damaged with any bit another, cut anywhere, longer, or empty', async () => {
    await writeFormat(root);
    const bytes = readFileSync(path);
    const what = 'it does not have its checksum';
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(await whatOf(flipped), what, `bit ${bit}`);
    }
    for (let length = 0; length < bytes.length; length++)
      assert.equal(await whatOf(bytes.subarray(0, length)), what, `${length} bytes`);
    assert.equal(await whatOf(Buffer.concat([bytes, bytes])), what);
    assert.equal(await whatOf(Buffer.alloc(4096)), what);
  });

  it('is damaged without a checksum, whatever it says', async () => {
    for (const text of ['{"format":2}\n', '{"format":3}\n', 'null', '{}', '[]'])
      assert.equal(await whatOf(text), 'it does not have its checksum', text);
  });

  it('of another version is refused with both numbers, whatever else it says', async () => {
    for (const [checked, format] of [
      ['{"format":1', 1],
      ['{"format":3', 3],
      ['{"format":20,"more":["x",{"y":1}]', 20],
    ] as const) {
      await assert.rejects(whatOf(sealed(checked)), {
        message: `${root} has format ${format}; this version of Pitwall takes format 2`,
      });
    }
  });

  it('that is missing, or no file, is told as such', async () => {
    rmSync(path);
    assert.deepEqual(await readFormat(root), {
      file: path,
      from: 0,
      to: 0,
      what: 'the file is missing',
      isMissing: true,
    });
    mkdirSync(path);
    assert.match((await readFormat(root))!.what, /^it cannot be read: EISDIR/);
  });
});
