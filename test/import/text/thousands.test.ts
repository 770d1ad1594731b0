import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openText } from '../../../src/import/text/open-text.ts';
import { settleText } from '../../../src/import/text/survey-text.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import { fileOf, readText } from './read-text.ts';

async function faultsOf(text: string, settings: TextSettings = {}): Promise<string[]> {
  const file = fileOf(Buffer.from(text));
  const { survey } = await settleText(file, await openText(file, settings), () => undefined);
  return survey.firstFaults.map(({ line, message }) => `${line}: ${message}`);
}

/** Rows of a second each. */
function table(separator: string, cells: readonly string[]): string {
  const rows = cells.map((cell, i) => `2021-02-01T00:00:0${i}Z${separator}${cell}`);
  return `${['time', 'Rpm'].join(separator)}\n${rows.join('\n')}\n`;
}

const american = ['850', '990', '1,020', '12,345'];
const quoted = ['850', '990', '"1,020"', '"12,345"'];
const german = ['850', '990', '1.020', '12.345'];
const rpm = [850, 990, 1020, 12_345];

describe('thousands that stand apart beside whole numbers without them', () => {
  it('are asked for, for they would be read as decimals', async () => {
    for (const [separator, cells, cell] of [
      ['\t', american, '1,020'],
      [',', quoted, '1,020'],
      [';', german, '1.020'],
    ] as const) {
      assert.deepEqual(await faultsOf(table(separator, cells)), [
        `4: column Rpm: '${cell}' may be 1020 or 1.020: --decimal says whether a point or a comma stands before decimals`,
      ]);
    }
  });

  it('are asked for in quotes between commas, also where all numbers have them', async () => {
    assert.deepEqual(await faultsOf(table(',', ['"1,230"', '"1,231"', '"12,500"'])), [
      "2: column Rpm: '1,230' may be 1230 or 1.230: --decimal says whether a point or a comma stands before decimals",
    ]);
    assert.deepEqual(await faultsOf(table(',', ['"1,230"', '"0,5"'])), []);
    assert.deepEqual(await faultsOf(table(';', ['1,230', '1,231'])), []);
  });

  it('are whole numbers where somebody says which sign stands before decimals', async () => {
    for (const [separator, cells, decimal] of [
      ['\t', american, '.'],
      [',', quoted, '.'],
      [';', german, ','],
    ] as const) {
      const { columns } = await readText(Buffer.from(table(separator, cells)), { decimal });
      assert.deepEqual(columns, { 'Rpm [] number': rpm });
    }
  });

  it('are decimals where somebody says so', async () => {
    const { columns } = await readText(Buffer.from(table('\t', american)), { decimal: ',' });
    assert.deepEqual(columns, { 'Rpm [] number': [850, 990, 1.02, 12.345] });
  });

  it('are texts where the column is text', async () => {
    const { columns } = await readText(Buffer.from(table('\t', ['"850"', '990', '1,020'])));
    assert.deepEqual(columns, { 'Rpm [] text': ['850', '990', '1,020'] });
  });

  it('are decimals where another column has some, and as points between commas', async () => {
    const other = 'time;Rpm;V\n2021-02-01T00:00:00Z;100;0.5\n2021-02-01T00:00:01Z;1.125;1\n';
    assert.deepEqual((await readText(Buffer.from(other))).columns, {
      'Rpm [] number': [100, 1.125],
      'V [] number': [0.5, 1],
    });
    const { columns } = await readText(Buffer.from(table(',', ['100', '1.125', '2.375'])));
    assert.deepEqual(columns, { 'Rpm [] number': [100, 1.125, 2.375] });
  });

  it('are decimals where another cell can be nothing else', async () => {
    for (const [cell, value] of [
      ['0.125', 0.125],
      ['12.5', 12.5],
      ['1.0203', 1.0203],
      ['1500', 1500],
    ] as const) {
      const { columns } = await readText(Buffer.from(table(';', ['850', '1.020', cell])));
      assert.deepEqual(columns, { 'Rpm [] number': [850, 1.02, value] });
    }
  });
});

describe('thousands that stand apart in times', () => {
  const of = (times: readonly string[]) =>
    `time_ms,Speed\n${times.map((time, i) => `${time},${i}.5`).join('\n')}\n`;

  it('are asked for', async () => {
    assert.deepEqual(await faultsOf(of(['998', '999', '"1,000"', '"1,001"'])), [
      "4: column time_ms: '1,000' may be 1000 or 1.000: --decimal says whether a point or a comma stands before decimals",
    ]);
    assert.equal((await faultsOf(of(['"1,000"', '"1,001"', '"1,002"']))).length, 1);
  });

  it('are whole numbers where a point stands before decimals', async () => {
    const { rows } = await readText(Buffer.from(of(['999', '"1,000"', '"12,345,678"'])), { decimal: '.' });
    assert.deepEqual(
      rows.map(({ time }) => time),
      [999_000_000n, 1_000_000_000n, 12_345_678_000_000n],
    );
  });

  it('are decimals of seconds where another time can be nothing else', async () => {
    const { rows } = await readText(Buffer.from('time;Speed\n0,998;1,5\n0,999;1,5\n1,000;1,5\n1,001;1,5\n'));
    assert.deepEqual(
      rows.map(({ time }) => time),
      [998_000_000n, 999_000_000n, 1_000_000_000n, 1_001_000_000n],
    );
  });
});
