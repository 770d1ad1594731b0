import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import {
  type ArchiveFile,
  archive,
  archiveBytes,
} from '../../../../src/store/embedded/backup/backup-archive.ts';
import { BackupRefused, readBackup } from '../../../../src/store/embedded/backup/backup-reader.ts';

const part = 'parts/000000000001.part';
const segment = 'log/segment-000000000007.log';

function file(name: string, content: string | Uint8Array): ArchiveFile {
  const bytes = Buffer.from(content);
  return { name, size: bytes.length, read: () => [bytes] };
}

function head(files: readonly ArchiveFile[], fields: object = {}): ArchiveFile {
  const listed = files.map(({ name, size }) => ({ name, size }));
  const text = { format: 2, dataFormat: 2, createdAt: '2030-01-01T00:00:00.000Z', files: listed, ...fields };
  return file('backup.json', JSON.stringify(text));
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const collected: Uint8Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}

function archived(files: readonly ArchiveFile[]): Promise<Buffer> {
  return collect(archive(files, 0, () => undefined));
}

/** What a restore would write. */
async function read(bytes: Buffer): Promise<Record<string, string>> {
  const taken: Record<string, string> = {};
  const source = (async function* () {
    for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
  })();
  await readBackup(source, async ({ name }, chunks) => {
    taken[name] = (await collect(chunks)).toString('latin1');
  });
  return taken;
}

const files = [
  file('catalog/snapshot-000000000001', ''),
  file(segment, 'a log'),
  file(part, 'p'.repeat(1500)),
];
const whole = [head(files), ...files];
const content = { 'catalog/snapshot-000000000001': '', [segment]: 'a log', [part]: 'p'.repeat(1500) };

describe('readBackup', () => {
  it('gives every file of the archive, whose length was known before', async () => {
    const bytes = await archived(whole);
    assert.equal(bytes.length, archiveBytes(whole));
    assert.deepEqual(await read(bytes), content);
  });

  it('refuses an archive that was cut anywhere before the end of its last file', async () => {
    const bytes = await archived(whole);
    const end = bytes.length - 1024;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: end - 512 }), async (length) => {
        await assert.rejects(read(bytes.subarray(0, length)), BackupRefused);
      }),
    );
    await assert.rejects(read(bytes.subarray(0, bytes.indexOf('ppp') + 100)), {
      message: `it is not whole: it breaks off inside ${part}`,
    });
    const behindPart = bytes.indexOf('checksums.json');
    await assert.rejects(read(bytes.subarray(0, behindPart)), {
      message: `it is not whole: it ends after ${part}`,
    });
  });

  it('refuses an archive in which any bit is another, unless nothing was read from it', async () => {
    const bytes = await archived(whole);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: bytes.length - 1 }),
        fc.integer({ min: 0, max: 7 }),
        async (at, bit) => {
          const flipped = Buffer.from(bytes);
          flipped[at]! ^= 1 << bit;
          const taken = await read(flipped).catch((error: unknown) => {
            assert.ok(error instanceof BackupRefused, String(error));
          });
          if (taken !== undefined) assert.deepEqual(taken, content);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('names the file that was altered', async () => {
    const bytes = await archived(whole);
    bytes[bytes.indexOf('ppp')] = 0x71;
    await assert.rejects(read(bytes), { message: `${part} was altered: it is not what was backed up` });
  });

  for (const name of [
    '../escaped',
    '/etc/passwd',
    'parts/../../escaped',
    'parts/1.part',
    'FORMAT',
    'backup.json',
  ]) {
    it(`refuses an archive with a file called ${name}, listed or not`, async () => {
      const strange = file(name, 'x');
      await assert.rejects(read(await archived([head([strange]), strange])), BackupRefused);
      await assert.rejects(read(await archived([...whole, strange])), BackupRefused);
    });
  }

  it('refuses a link in the place of a file', async () => {
    const packed = pack();
    const text = JSON.stringify({
      format: 2,
      dataFormat: 2,
      createdAt: '',
      files: [{ name: part, size: 0 }],
    });
    packed.entry({ name: 'backup.json' }, text);
    packed.entry({ name: part, type: 'symlink', linkname: '/etc/passwd' });
    const sha = (value: string) => createHash('sha256').update(value).digest('hex');
    packed.entry({ name: 'checksums.json' }, JSON.stringify({ 'backup.json': sha(text), [part]: sha('') }));
    packed.finalize();
    await assert.rejects(read(await collect(packed as AsyncIterable<Uint8Array>)), BackupRefused);
  });

  it('refuses files that the list does not have in this order, twice, or with another size', async () => {
    const [catalog, log, one] = files;
    for (const others of [
      [log, catalog, one],
      [catalog, log],
      [catalog, log, one, one],
      [catalog, log, file(part, 'p')],
    ]) {
      await assert.rejects(read(await archived([whole[0]!, ...(others as ArchiveFile[])])), BackupRefused);
    }
    await assert.rejects(read(await archived([head([one!, one!]), one!, one!])), BackupRefused);
  });

  it('refuses what is no backup', async () => {
    await assert.rejects(read(Buffer.alloc(0)), { message: /ends after nothing/ });
    await assert.rejects(read(Buffer.from('hello'.repeat(500))), BackupRefused);
    await assert.rejects(read(await archived([file('readme', 'x')])), {
      message: /no backup of Pitwall.*"readme"/,
    });
  });

  it('refuses a backup of another version, and names both', async () => {
    for (const format of [1, 3]) {
      await assert.rejects(read(await archived([head([], { format })])), {
        message: `it has format ${format} and data of format 2; this version of Pitwall takes format 2 and data of format 2`,
      });
    }
    for (const dataFormat of [1, 3]) {
      await assert.rejects(read(await archived([head([], { dataFormat })])), {
        message: `it has format 2 and data of format ${dataFormat}; this version of Pitwall takes format 2 and data of format 2`,
      });
    }
  });

  it('throws what the source throws, and what the taker throws', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield (await archived(whole)).subarray(0, 1500);
      throw new Error('the disk cannot be read');
    };
    await assert.rejects(
      readBackup(failing(), async () => {}),
      { message: 'the disk cannot be read' },
    );
    const source = (async function* () {
      yield await archived(whole);
    })();
    await assert.rejects(
      readBackup(source, async () => {
        throw new Error('no space');
      }),
      { message: 'no space' },
    );
  });
});
