import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { writeAtomically } from '../../src/cli/atomic-write.ts';

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pitwall-write-'));
});

after(() => rmSync(folder, { recursive: true }));

const save = (text: string) => (into: Writable) => pipeline(Readable.from([text]), into);

describe('a file that a command writes', () => {
  it('replaces an older one when it is whole, and leaves it as it was where it is not', async () => {
    const file = join(folder, 'rows.csv');
    writeFileSync(file, 'old');
    await assert.rejects(
      writeAtomically(file, () => Promise.reject(new Error('no more'))),
      /no more/,
    );
    assert.equal(readFileSync(file, 'utf8'), 'old');
    await writeAtomically(file, save('new'));
    assert.equal(readFileSync(file, 'utf8'), 'new');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['rows.csv']);
  });

  it('is written to where it is a pipe or a device, which stays what it is', async () => {
    const file = join(folder, 'pipe');
    execFileSync('mkfifo', [file]);
    const read = readFile(file, 'utf8');
    await writeAtomically(file, save('rows'));
    assert.equal(await read, 'rows');
    assert.ok(statSync(file).isFIFO());
  });

  it('is that which a link names', async () => {
    const link = join(folder, 'latest.csv');
    symlinkSync(join(folder, 'rows.csv'), link);
    await writeAtomically(link, save('newer'));
    assert.equal(readFileSync(join(folder, 'rows.csv'), 'utf8'), 'newer');
    assert.ok(
      readdirSync(folder, { withFileTypes: true })
        .find(({ name }) => name === 'latest.csv')
        ?.isSymbolicLink(),
    );
  });

  it('is no folder, which is said before anything is asked for', async () => {
    let isAsked = false;
    const wanted = writeAtomically(folder, async () => {
      isAsked = true;
    });
    await assert.rejects(wanted, /is a folder/);
    assert.equal(isAsked, false);
  });
});
