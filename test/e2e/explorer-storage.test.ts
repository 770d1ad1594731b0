import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { launchKeepingNothing } from './browser.ts';
import { browserPages, plotted, serviceWithCars, skip, toTab } from './explorer-page.ts';
import { temporaryFolder } from './service.ts';

/** Firefox, told the same, lets a page hear no other tab either. */
const noChannels = `Object.assign(window, {
  BroadcastChannel: function () { throw new DOMException('The operation is insecure.', 'SecurityError'); },
});`;

/** Leaves no room for a letter. */
const fillStorage = `{
  localStorage.setItem('other.page', '');
  for (let size = 2 ** 24; size >= 1; size = size >> 1)
    try {
      localStorage.setItem('other.page', localStorage.getItem('other.page') + 'x'.repeat(size));
    } catch {}
}`;

describe('the explorer where the browser keeps nothing', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await serviceWithCars();
  const open = browserPages();

  /** All that the page would have kept. */
  async function useAll(page: Page): Promise<void> {
    await plotted(page);
    await toTab(page, 'Channels');
    await page.getByRole('button', { name: '/Chassis' }).click();
    await page.getByRole('button', { name: '/Chassis', expanded: false }).waitFor();
    await page.getByRole('button', { name: 'Favourite: Gear' }).click();
    await page.getByRole('button', { name: 'Favourites' }).waitFor();
    await page.getByRole('separator', { name: 'Width of runs and channels' }).press('ArrowRight');
    await page.getByRole('button', { name: 'Remove Speed' }).click();
    await page.getByRole('button', { name: 'Histogram' }).click();
    await page.waitForURL(/beside=histogram/);
    await page.getByText('Friday practice').first().waitFor();
  }

  /** The link stays open where the page is loaded anew, as one has changed what it shows, until it ends. */
  async function opensLink(page: Page): Promise<void> {
    const explorer = 's=cars/practice&p=Speed&p=Throttle';
    await client.putView('linked', {
      name: 'Linked',
      topic: 'cars',
      streamIds: ['practice'],
      state: { explorer },
    });
    const { token } = await client.share('linked');
    await page.evaluate(`location.hash = 'view=linked&token=${token}'`);
    await page.getByText('Shared, read only').waitFor();
    await plotted(page);
    assert.doesNotMatch(page.url(), /token/);
    await page.getByRole('button', { name: 'Remove Speed' }).click();
    await page.getByRole('figure', { name: 'Speed' }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Shared, read only').waitFor();
    await page.getByRole('figure', { name: 'Throttle' }).waitFor();
    assert.equal(await page.getByRole('figure', { name: 'Speed' }).count(), 0);
    // From elsewhere: a page that hears of it loads itself anew, at any moment.
    await page.goto('about:blank');
    await client.revokeShares('linked');
    await page.goBack({ waitUntil: 'commit' });
    await page.getByText('This link has ended.').waitFor();
  }

  it('works without: one signs in, and looks, and what one has chosen holds until the page is gone', async () => {
    const context = await launchKeepingNothing(temporaryFolder());
    try {
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      await page.addInitScript(noChannels);
      await page.goto(`${service.url}/#s=cars/practice&p=Speed&p=Throttle`);
      await page.getByText('it is asked again when the page is loaded anew').waitFor();
      await page.getByLabel('Token').fill(service.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await useAll(page);
      assert.equal(
        await page.evaluate(`{ try { localStorage } catch (error) { error.name } }`),
        'SecurityError',
      );
      await opensLink(page);
      assert.deepEqual(faults, []);
    } finally {
      await context.close();
    }
  });

  it('works where there is no room', async () => {
    const { page, faults } = await open(service.url, '#s=cars/practice&p=Speed&p=Throttle', {
      token: service.token,
      script: fillStorage,
    });
    await useAll(page);
    assert.equal(await page.evaluate('Object.keys(localStorage).join()'), 'other.page');
    assert.deepEqual(faults, []);
  });
});
