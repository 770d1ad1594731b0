import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, plotted, skip, toTab } from './explorer-page.ts';
import { peek, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;

describe('names for numbers in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const rows = Array.from({ length: 300 }, (_, i) => i);
  await client.writeParameterData('pits', 'outing', {
    timestamps: rows.map((i) => start + BigInt(i) * 100_000_000n),
    numericValues: { Mode: rows.map((i) => Math.floor(i / 100)), Valve: rows.map((i) => (i < 150 ? 4 : 7)) },
    tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 150))) },
  });
  await client.defineParameters('pits', 'outing', [
    { id: 'Mode', valueNames: { 0: 'PIT', 1: 'OUT' }, description: 'Where the car is' },
  ]);
  const open = browserPages();
  const textsOf = async (page: Page, plot: number) =>
    (await peek(page)).plots[plot]!.texts.map(({ text }) => text);

  it('are drawn as bands of full height, and read with their numbers wherever values are told', async () => {
    const { page, faults } = await open(service.url, '#s=pits/outing&p=Valve', {
      token: service.token,
      script: watchCanvases,
    });
    await plotted(page);
    // Names of states make a channel a strip when it is plotted.
    await page.getByRole('checkbox', { name: /^Mode/ }).check();
    await page.waitForURL(/states=Mode/);
    await until(
      async () => (await peek(page)).plots.length === 2 && (await textsOf(page, 1)).includes('PIT'),
    );
    assert.deepEqual(
      (await textsOf(page, 1)).filter((text) => ['PIT', 'OUT', '2', '0', '1'].includes(text)),
      ['PIT', 'OUT', '2'],
    );
    const share = await page.evaluate(`(() => {
      const canvas = document.querySelectorAll('.plot canvas')[1];
      const over = document.querySelectorAll('.plot .u-over')[1];
      const x = Math.round((over.offsetLeft + over.offsetWidth * 0.25) * devicePixelRatio);
      const { data, height } = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height);
      let filled = 0;
      for (let y = 0; y < height; y++) if (data[4 * y + 3] > 30) filled++;
      return filled / (over.offsetHeight * devicePixelRatio);
    })()`);
    assert.ok(Number(share) > 0.6, `${share} of the height`);
    const frame = (await page.locator('.plot .u-over').nth(1).boundingBox())!;
    await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height / 2);
    await until(async () => /^OUT \(1\) /.test((await peek(page)).plots[1]!.readings[0] ?? ''));
    await toTab(page, 'Measure');
    const measure = page.getByRole('region', { name: 'Measure', exact: true });
    await measure.getByText('PIT (0)').first().waitFor();
    await page.getByRole('button', { name: 'Report', exact: true }).click();
    await page
      .getByRole('region', { name: 'Values of laps and runs' })
      .getByText('PIT (0)')
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    await page.getByRole('region', { name: 'Rows' }).getByText('PIT (0)').first().waitFor();
    assert.deepEqual(faults, []);
  });

  it('can be given on the page, and are kept for the topic, in the address and by undo', async () => {
    const { page, faults } = await open(service.url, '#s=pits/outing&p=Valve', {
      token: service.token,
      script: watchCanvases,
    });
    await plotted(page);
    await page.getByRole('button', { name: 'Look of Valve' }).click();
    const menu = page.getByRole('dialog', { name: 'Look of Valve' });
    await menu.getByLabel('Names').fill('four');
    await menu.getByLabel('Names').press('Enter');
    assert.equal(await menu.locator('input:invalid').count(), 1);
    await page.keyboard.press('Escape');
    await page.getByText('“four” was not taken. Type numbers and their names').waitFor();
    await page.getByRole('button', { name: 'Hide this warning' }).click();
    await page.getByRole('button', { name: 'Look of Valve' }).click();
    await menu.getByLabel('Names').fill('7 = open; 4 = closed, locked');
    await menu.getByLabel('Names').press('Enter');
    await page.waitForURL(/names=Valve/);
    await page.keyboard.press('Escape');
    const frame = (await page.locator('.plot .u-over').boundingBox())!;
    await page.mouse.move(frame.x + frame.width / 4, frame.y + frame.height / 2);
    const says = (text: string) =>
      until(async () => (await peek(page)).plots[0]!.readings[0]!.startsWith(text));
    await says('closed, locked (4)');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.mouse.move(frame.x + frame.width / 4 + 3, frame.y + frame.height / 2);
    await says('4 ');
    await page.getByRole('button', { name: 'Redo', exact: true }).click();
    await page.evaluate("location.hash = '#s=pits/outing'; location.reload()");
    await page.waitForURL(/names=Valve/);
    await plotted(page);
    await page.mouse.move(frame.x + (frame.width * 3) / 4, frame.y + frame.height / 2);
    await says('open (7)');
    assert.deepEqual(faults, []);
  });
});
