import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holds, overPlaces, readingsOf } from './explorer-cursor.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { seededService, seedStart, topic } from './explorer-seed.ts';

const second = 1_000_000_000n;
const half = 50_000_000n;

describe("the explorer's channels that are smoothed without delay", { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await seededService();
  const open = browserPages();
  const to = seedStart + 20n * second;
  const shown = (more: string) =>
    open(service.url, `#s=${topic}/one${more}&from=${seedStart}&to=${to}`, { token: service.token });

  it('have the mean of the time around each row, at 200 places', async () => {
    const { page, faults } = await shown('&p=Fast');
    await plotted(page);
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill("smooth(Fast, '100ms')");
    await page.getByLabel('Name', { exact: true }).fill('Calm');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: '+ channel' }).waitFor();
    await page.getByRole('figure', { name: 'Calm' }).waitFor();
    await plotted(page);
    const numericParameters = [{ parameterName: 'Fast' }];
    const { timestamps, numericValues } = await client.query({
      topic,
      streamIds: ['one'],
      from: seedStart,
      to: to + half,
      numericParameters,
    });
    const values = numericValues['Fast']!;
    const rows = timestamps.map((time) => {
      const around = values.filter((_, i) => timestamps[i]! >= time - half && timestamps[i]! <= time + half);
      const mean = around.reduce<number>((sum, value) => sum + value!, 0) / around.length;
      return { time, value: Number(mean.toPrecision(9)), lap: '' };
    });
    let read = 0;
    for (const { plots, cursor } of await overPlaces(page, 1)) {
      const [own] = readingsOf(plots[1]!, 1);
      if (own === undefined) continue;
      read++;
      holds(own, rows, `at ${cursor}`);
    }
    assert.ok(read > 190, `${read} readings`);
    assert.deepEqual(faults, []);
  });

  it('cannot be kept for a topic, and say why', async () => {
    const { page, faults } = await shown('&p=Fast');
    await plotted(page);
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill("smooth(Fast, '100ms')");
    await page.getByLabel('Name', { exact: true }).fill('Calm');
    await page.getByLabel(/^Keep for all/).check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/has smooth: what a topic keeps is calculated live, too/).waitFor();
    assert.deepEqual(await client.calculated(topic), []);
    await page.getByLabel(/^Keep for all/).uncheck();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('figure', { name: 'Calm' }).waitFor();
    assert.deepEqual(faults, []);
  });
});
