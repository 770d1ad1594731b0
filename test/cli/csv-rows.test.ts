import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { CommandError } from '../../src/cli/command.ts';
import { readCsv } from '../../src/cli/csv-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'pitwall-csv-'));
after(() => rmSync(folder, { recursive: true }));

async function read(content: string | Uint8Array): Promise<[number, string[]][]> {
  const path = join(folder, 'file.csv');
  writeFileSync(path, content);
  const rows: [number, string[]][] = [];
  for await (const { line, cells } of readCsv(path)) rows.push([line, [...cells]]);
  return rows;
}

describe('reading a CSV file', () => {
  it('gives cells as they stand with the lines that they stand on', async () => {
    assert.deepEqual(await read('t,a\n1, 1.50 \n\n2,"x, ""y"""\r\n'), [
      [1, ['t', 'a']],
      [2, ['1', ' 1.50 ']],
      [4, ['2', 'x, "y"']],
    ]);
  });

  it('tells which cells stand in quotes', async () => {
    const path = join(folder, 'quotes.csv');
    writeFileSync(path, 'a,"b"\n\n"1",\n2,""\n');
    const quoted: (readonly boolean[])[] = [];
    for await (const row of readCsv(path)) quoted.push(row.quoted);
    assert.deepEqual(quoted, [
      [false, true],
      [true, false],
      [false, true],
    ]);
  });

  it('drops a byte order mark and needs no line end at the end', async () => {
    assert.deepEqual(await read('\uFEFFt,ä\n1,2'), [
      [1, ['t', 'ä']],
      [2, ['1', '2']],
    ]);
  });

  it('gives rows of any length, for the caller to judge', async () => {
    assert.deepEqual(
      (await read('a,b\n1\n1,2,3\n')).map(([, cells]) => cells.length),
      [2, 1, 3],
    );
  });

  it('refuses bytes that are not UTF-8 rather than change them', async () => {
    await assert.rejects(read(Buffer.from([0x61, 0xff, 0x62])), CommandError);
  });

  it('refuses broken quotes and a file that is not there', async () => {
    await assert.rejects(read('a,b\n"x,2\n'), CommandError);
    await assert.rejects(readCsv(join(folder, 'none.csv')).next(), /none.csv cannot be read/);
  });
});
