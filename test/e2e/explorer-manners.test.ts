import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { root } from '../root.ts';
import { browserPages, type Opening, plotted, rangeOf, serviceWithCars, skip } from './explorer-page.ts';
import { adminToken } from './service.ts';

describe("the explorer's manners", { skip }, async () => {
  if (skip !== false) return;
  const { service } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string, opening: Opening = {}) =>
    open(service.url, hash, { token: adminToken, ...opening });

  it('can be used by keyboard alone', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('+');
    await page.waitForURL(/from=/);
    const zoomed = rangeOf(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => !url.hash.includes(`from=${zoomed.from}`));
    assert.ok(rangeOf(page).from > zoomed.from);
    await page.keyboard.press('0');
    await page.waitForURL((url) => !url.hash.includes('from='));
    await page.getByLabel('Search streams').focus();
    const reached = new Set<string>();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate("document.activeElement?.closest('section, header, nav, aside, main')?.tagName"),
      );
    }
    for (const place of ['SECTION', 'NAV']) assert.ok(reached.has(place), `${place} cannot be reached`);
  });

  it('tells its keys', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys and gestures' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Search streams').press('?');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('fits a phone', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed', {
      viewport: { width: 390, height: 800 },
      hasTouch: true,
    });
    await plotted(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    // The plot is seen at once; the streams come when they are asked for.
    await page.getByLabel('Search streams').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Streams', exact: true }).click();
    await page.getByLabel('Search streams').waitFor();
  });

  it('has no serious fault of accessibility, in light and in dark', async () => {
    const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const views = [
      '#s=cars/practice&p=Speed,Gear&bands=lap',
      '#s=cars/practice&p=Speed&mode=overlay&tag=lap&value=2&value=3&by=Distance',
      '#s=cars/practice&mode=xy&xy=X,Y,Speed',
      '#s=cars/practice&mode=table&p=Speed',
    ];
    const check = async (page: Page, what: string) => {
      // The page's policy lets nothing in; the browser itself may.
      await page.evaluate(axe);
      const found = (await page.evaluate(
        "axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))",
      )) as string[];
      assert.deepEqual(found, [], what);
    };
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await signedIn(views[0]!, { colorScheme });
      for (const view of views) {
        await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
        await page.locator('main [aria-busy="false"]').first().waitFor();
        await check(page, `${view} in ${colorScheme}`);
      }
      await page.getByLabel('CSV file to import').setInputFiles({
        name: 'run.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('time,v,lap\n1,2,3\n'),
      });
      await page.getByRole('dialog').getByText('1 row').waitFor();
      await check(page, `importing in ${colorScheme}`);
    }
  });

  it('loads in less than 200 KB and nothing from elsewhere', async () => {
    const { page } = await open(service.url);
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.reload();
    await page.getByLabel('Token').waitFor();
    const bytes = await page.evaluate(
      "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).reduce((sum, { transferSize }) => sum + transferSize, 0)",
    );
    assert.ok(Number(bytes) < 200_000, `${bytes} bytes`);
    assert.deepEqual([...hosts], [new URL(service.url).host]);
  });
});
