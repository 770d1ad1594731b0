import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { openText } from '../../../src/import/text/open-text.ts';
import { surveyText } from '../../../src/import/text/survey-text.ts';

function fileOf(text: string): FileBytes {
  const bytes = Buffer.from(text);
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
}

describe('text files with long lines', () => {
  // Read with spaces between cells, a row of it would have more cells than a row may have.
  const comments = fileOf(
    `Time,Comment\n${Array.from({ length: 300 }, (_, i) => `${i},"${'to be, or; not '.repeat(2000)}"\n`).join('')}`,
  );

  it('have cells with other separators in them', async () => {
    const layout = await openText(comments, {});
    assert.equal(layout.separator, ',');
    const { rows, faults } = await surveyText(comments, layout, () => undefined);
    assert.deepEqual([rows, faults], [300, 0]);
  });

  it('are opened and surveyed piece by piece, with turns for others between', async () => {
    let pieces = 0;
    const pace = () => {
      pieces++;
      return undefined;
    };
    const layout = await openText(comments, {}, pace);
    const whole = comments.size / 65_536;
    assert.ok(pieces > 2 * whole, `${pieces} pieces of ${comments.size} bytes`);
    pieces = 0;
    await surveyText(comments, layout, () => undefined, { pace });
    assert.ok(pieces >= 300, `${pieces} pieces of 300 rows`);
  });

  it('are gone through once, whatever stands in them: as the square of their length these would take hours', async () => {
    const long = 1_000_000;
    const digits = fileOf(`Time,a\n0,1\n1,${'1'.repeat(long)}x\n2,3\n3,4\n4,5\n`);
    const { columns } = await openText(digits, {});
    assert.deepEqual(
      columns.map(({ role }) => role),
      ['time', 'auto'],
    );
    const above = fileOf(`Driver: A${';'.repeat(long)}x\n\nTime,a\n0,1\n1,2\n2,3\n`);
    const { metadataNotes } = await openText(above, {});
    assert.match(metadataNotes.join(), /driver \(1000002 bytes/);
    const trailing = fileOf(`Driver: A${',;'.repeat(100)}\n\nTime,a\n0,1\n1,2\n2,3\n`);
    assert.equal((await openText(trailing, {})).metadata['driver'], 'A');
  });

  it('are opened by their first rows alone', async () => {
    const cells = Array.from({ length: 100 }, (_, i) => i).join();
    const file = fileOf(
      `t,${cells}\n${Array.from({ length: 20_000 }, (_, i) => `${i},${cells}\n`).join('')}`,
    );
    let pieces = 0;
    await openText(file, {}, () => {
      pieces++;
      return undefined;
    });
    assert.ok(pieces < 5000, `${pieces} pieces`);
  });
});

describe('what is said of a text file', () => {
  it('has no characters that a terminal would obey, and names few of very many columns', async () => {
    const file = fileOf('t,v\n1,2\n2,3\n\u001b[2J,4\n');
    const { firstFaults } = await surveyText(file, await openText(file, {}), () => undefined);
    assert.deepEqual(
      firstFaults.map(({ message }) => message),
      ["column t: '\ufffd[2J' is no time as seconds"],
    );
    const wide = fileOf(`${Array.from({ length: 500 }, (_, i) => `c${i}`).join()}\n`);
    await assert.rejects(
      openText(wide, { time: 'when' }),
      /there is no column when; the file has c0, .* and 470 more$/,
    );
  });
});
