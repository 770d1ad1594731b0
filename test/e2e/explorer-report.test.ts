import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { channels } from '../../src/demo/channels.ts';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { until } from '../until.ts';
import { drivenStart, serviceWithDriven } from './explorer-driven.ts';
import { browserPages, cellTexts, skip } from './explorer-page.ts';

const water = channels.findIndex(({ id }) => id === 'WaterTemp');

describe("the explorer's report", { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples } = await serviceWithDriven();
  const evening = samples
    .filter(({ lap }) => lap < 3)
    .map((sample) => ({ ...sample, values: sample.values.map((value) => value - 7.25) }));
  await announce(client, 'cars', 'evening', 'Evening', {});
  await writeSamples(client, 'cars', 'evening', evening, drivenStart + 36_000_000_000_000n);
  const open = browserPages();

  /** What a stranger would reckon from the rows. */
  const expected = [samples, evening].flatMap((run, i) =>
    [...new Set(run.map(({ lap }) => lap))].map((lap) => {
      const values = run.filter((sample) => sample.lap === lap).map((sample) => sample.values[water]!);
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const [least, largest] = [Math.min(...values), Math.max(...values)];
      return { run: ['Five laps', 'Evening'][i]!, lap: String(lap), least, largest, mean };
    }),
  );

  async function tableOf(page: Page): Promise<string[][]> {
    await page.locator('.report[aria-busy="false"] .report-table').waitFor();
    return cellTexts(page.locator('.report-table tbody tr'));
  }

  it('has integrals that begin at 0 in each lap', async () => {
    const expression = 'integral(Speed) / 3.6';
    await client.defineCalculated('cars', [{ id: 'Driven', expression, unit: 'm' }]);
    const view = new URLSearchParams([
      ['s', 'cars/driven'],
      ['p', 'Speed'],
      ['m', 'Twice,Driven * 2,m'],
      ['tag', 'lap'],
      ['beside', 'report'],
      ['report', 'Driven,Twice'],
    ]);
    const { page, faults } = await open(service.url, `#${view}`, { token: service.token });
    const table = await tableOf(page);
    for (const [lap, , least, largest, mean, leastTwice, largestTwice] of table) {
      const own = samples.filter((sample) => String(sample.lap) === lap);
      let driven = 0;
      const ways = own.map(({ seconds, values: [speed] }, i) => {
        const before = own[i - 1];
        if (before !== undefined)
          driven += ((seconds - before.seconds) * (speed! + before.values[0]!)) / 2 / 3.6;
        return driven;
      });
      const near = (said: string | undefined, value: number) =>
        assert.ok(Math.abs(Number(said) - value) < 0.01 + 1e-5 * value, `lap ${lap}: ${said} for ${value}`);
      near(least, 0);
      near(largest, driven);
      near(mean, ways.reduce((sum, way) => sum + way, 0) / ways.length);
      near(leastTwice, 0);
      near(largestTwice, 2 * driven);
    }
    assert.equal(table.length, 6);
    assert.deepEqual(faults, []);
  });

  it('has the least water temperature of all laps of both runs, in order and as a file', async () => {
    const { page, faults } = await open(service.url, '#s=cars/driven&s=cars/evening&p=Speed', {
      token: service.token,
    });
    await page.getByRole('button', { name: 'Report', exact: true }).click();
    await page.getByRole('region', { name: 'Report' }).getByLabel('Add').selectOption('WaterTemp');
    await page.waitForURL(/report=WaterTemp(,|%2C)Speed/);
    await page.getByRole('button', { name: 'least of WaterTemp' }).click();
    await page.waitForURL(/reportsort=least/);
    const sorted = expected.toSorted((a, b) => a.least - b.least);
    await until(async () => (await tableOf(page))[0]?.[1] === sorted[0]!.lap);
    const table = await tableOf(page);
    assert.equal(table.length, expected.length);
    for (const [i, [run, lap, , least, largest, mean]] of table.entries()) {
      const own = expected.find((known) => known.run === run && known.lap === lap)!;
      assert.equal(Number(least), sorted[i]!.least, `row ${i}`);
      assert.deepEqual([Number(least), Number(largest)], [own.least, own.largest], `${run} ${lap}`);
      assert.ok(Math.abs(Number(mean) - own.mean) < 1e-3, `${run} ${lap}: ${mean} for ${own.mean}`);
    }
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const text = readFileSync(await (await coming).path(), 'utf8');
    const [head, ...lines] = text.trimEnd().split('\r\n');
    assert.match(head!, /^Topic,Stream,Run,Lap,Time \(s\),WaterTemp least \(°C\),WaterTemp largest/);
    assert.deepEqual(
      lines.map((line) => Number(line.split(',')[5])),
      sorted.map(({ least }) => least),
    );
    // Runs instead of laps; the address has it, and undo takes it back.
    await page.getByRole('region', { name: 'Report' }).getByLabel('Rows').selectOption('runs');
    await until(async () => (await tableOf(page)).length === 2);
    const runs = await tableOf(page);
    const coldest = (run: string) =>
      Math.min(...expected.filter((own) => own.run === run).map(({ least }) => least));
    assert.deepEqual(
      runs.map(([run, least]) => [run, Number(least)]),
      [
        ['Evening', coldest('Evening')],
        ['Five laps', coldest('Five laps')],
      ],
    );
    await page.reload();
    assert.equal((await tableOf(page)).length, 2);
    await page.getByRole('button', { name: 'Take Speed out of the report' }).click();
    await page.waitForURL((url) => !/report=[^&]*Speed/.test(url.hash));
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.waitForURL(/report=[^&]*Speed/);
    assert.deepEqual(faults, []);
  });
});
