import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeGroup, openPart } from '../../../src/store/embedded/parts/part-reader.ts';
import { maxGroupBytes, placeBytes } from '../../../src/store/embedded/rows/row-group.ts';
import { endWithTests } from '../../end-with-tests.ts';
import { channelOffset, channelValue, type Found, load } from './sparse-channels.ts';

const program = fileURLToPath(new URL('./sparse-load.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pitwall-sparse-'));
const dataDir = join(folder, 'data');
after(() => rmSync(folder, { recursive: true }));

function start(task: string): ChildProcess {
  return endWithTests(
    spawn(process.execPath, [program, dataDir, task], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
}

/** The first that a process says. */
async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout!.setEncoding('utf8');
  for await (const piece of child.stdout!) {
    text += piece;
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error('the process ended and said nothing');
}

describe('a stream of thousands of channels with times of their own', () => {
  it('is sealed and read in bounded memory, also by a start behind kill -9', async () => {
    const writer = start('write');
    const gone = once(writer, 'exit');
    assert.equal(await firstLine(writer), 'written');
    writer.kill('SIGKILL');
    await gone;

    const found = JSON.parse(await firstLine(start('read'))) as Found;
    const rows = Array.from({ length: load.rows }, (_, row) => row);
    assert.deepEqual(
      found.offsets,
      rows.map((row) => channelOffset(load.asked, row)),
    );
    assert.deepEqual(
      found.values,
      rows.map((row) => channelValue(load.asked, row)),
    );
    const places = 8 * load.channels * load.channels * load.rows;
    assert.ok(places > 6 * 2 ** 30, 'one place for each row and channel would take far more');
    assert.ok(found.maxRssKiB < 512 * 1024, `${found.maxRssKiB} KiB`);
  });

  it('has row groups that take no more memory than others', async () => {
    const names = readdirSync(join(dataDir, 'parts'));
    let rows = 0;
    let groups = 0;
    for (const name of names) {
      const file = await open(join(dataDir, 'parts', name));
      const { size } = await file.stat();
      const read = async (position: number, length: number) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
        return buffer.subarray(0, bytesRead);
      };
      const part = await openPart({ name, size, read });
      for await (const stored of part.storedGroups()) {
        const group = decodeGroup(name, stored);
        assert.ok(placeBytes(group) <= maxGroupBytes);
        rows += group.count;
        groups++;
      }
      await file.close();
    }
    assert.equal(rows, load.channels * load.rows);
    assert.equal(groups, load.channels, 'each channel has a row group of its own');
  });
});
