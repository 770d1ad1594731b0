import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, copiedQuery, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;
const second = 1_000_000_000n;

/** Three runs that are as fast as each other, and say so in different units. */
describe('a channel that was written in several units', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const rows = Array.from({ length: 20 }, (_, i) => i);
  const runs = [
    ['cars', 'one', 'km/h', 3.6],
    ['boats', 'two', 'm/s', 1],
    ['cars', 'three', 'm/s', 1],
  ] as const;
  for (const [topic, id, unit, factor] of runs) {
    await client.writeParameterData(topic, id, {
      timestamps: rows.map((i) => start + BigInt(i) * second),
      numericValues: { Speed: rows.map((i) => 10 * i * factor), Load: rows },
    });
    await client.defineParameters(topic, id, [
      { id: 'Speed', unit },
      { id: 'Load', unit: topic === 'cars' ? 'kg' : 'V' },
    ]);
  }
  const hash = `#${runs.map(([topic, id]) => `s=${topic}/${id}`).join('&')}&p=Speed`;
  const signedIn = (more: string) => open(service.url, hash + more, { token: service.token });

  it('is shown in one unit: in plots, rows and the report, and counted so', async () => {
    const at = start + 5n * second;
    const { page, faults } = await signedIn(`&a=${at}&beside=report,histogram`);
    await plotted(page);
    const flags = page.locator('.flag-values').first();
    await until(async () => (await flags.innerText()).match(/180/g)?.length === 3);
    const report = page.getByRole('region', { name: 'Report' });
    await until(async () => (await report.innerText()).match(/684/g)?.length === 3);
    const histogram = page.getByRole('region', { name: 'Histogram' });
    const bin = histogram.getByRole('slider');
    await bin.press('Home');
    const said = '0 … 50 km/h: one: 2 rows, 10 %; two: 2 rows, 10 %; three: 2 rows, 10 %';
    await until(async () => (await page.getByLabel('Rows of the bin').innerText()) === said);
    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    await page.getByText('Rows 1 to 60').waitFor();
    const cells = await page.locator('.rows tbody tr').allInnerTexts();
    assert.deepEqual(
      cells.slice(0, 6).map((text) => text.split('\t').at(-1)),
      ['0', '0', '0', '36', '36', '36'],
    );
    assert.match(await page.locator('.rows thead').innerText(), /Speed km\/h/);
    assert.deepEqual(faults, []);
  });

  it('is so in another unit that was chosen, and in files', async () => {
    const { page, faults } = await signedIn('&units=mph&mode=table');
    await page.getByText('Rows 1 to 60').waitFor();
    const cells = await page.locator('.rows tbody tr').allInnerTexts();
    const values = cells.map((text) => Number(text.split('\t').at(-1)));
    for (const [i, value] of values.entries())
      assert.ok(Math.abs(value - (Math.floor(i / 3) * 10) / 0.44704) < 1e-6, `row ${i}: ${value}`);
    await page.getByText('Export', { exact: true }).click();
    assert.match(await copiedQuery(page), /Speed \(mph\)/);
    await page.getByText('Runs were written in different units').waitFor();
    const files: string[] = [];
    page.on('download', async (download) => {
      files.push(readFileSync(await download.path(), 'utf8'));
    });
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await until(() => files.length === 3);
    for (const file of files) {
      const [head = '', , row = ''] = file.split(/\r?\n/);
      assert.match(head, /Speed \(mph\)/);
      assert.ok(Math.abs(Number(row.split(',')[1]) - 10 / 0.44704) < 1e-6, row);
    }
    assert.deepEqual(faults, []);
  });

  it('names both units where they do not convert', async () => {
    const { page } = await signedIn('&p=Load');
    await plotted(page);
    await page.getByText('kg, V', { exact: true }).first().waitFor();
  });
});
