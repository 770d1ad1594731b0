import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browserPages, plotted, serviceWithCars, skip } from './explorer-page.ts';

describe('sheets of the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await serviceWithCars();
  const open = browserPages();
  const fieldsOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
  const names = (page: Page) => page.locator('.sheet-tabs > button:not([aria-label])').allTextContents();

  it('are pages of one view: added, named, moved, chosen by a key, saved with it, and taken back', async () => {
    const { page, faults } = await open(service.url, '#s=cars/practice&p=Speed&p=Brake', {
      token: service.token,
    });
    await plotted(page);
    await page.getByRole('button', { name: '+ sheet' }).click();
    await page.getByRole('button', { name: 'Sheet 2', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove Brake' }).click();
    await page.getByRole('button', { name: 'Histogram', exact: true }).click();
    await page.getByRole('region', { name: 'Histogram' }).waitFor();
    await page.getByRole('button', { name: 'Change Sheet 2' }).click();
    await page.getByRole('dialog', { name: 'Change Sheet 2' }).getByLabel('Name').fill('Pace');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Pace', exact: true }).waitFor();
    await page.keyboard.press('Escape');

    // Keys choose them; runs and range are the same on both.
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('+');
    await page.waitForURL(/from=/);
    const from = fieldsOf(page).get('from');
    await page.keyboard.press('1');
    await page.getByRole('figure', { name: 'Brake' }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Histogram' }).count(), 0);
    assert.equal(fieldsOf(page).get('from'), from);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('region', { name: 'Histogram' }).waitFor();
    await page.keyboard.press('1');
    await page.getByRole('figure', { name: 'Brake' }).waitFor();

    // Where one types, a digit is a digit.
    await page.getByRole('searchbox', { name: 'Filter channels' }).fill('');
    await page.getByRole('searchbox', { name: 'Filter channels' }).press('2');
    assert.equal(await page.getByRole('figure', { name: 'Brake' }).count(), 1);
    await page.getByRole('searchbox', { name: 'Filter channels' }).fill('');

    // One saved view has both.
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Two pages');
    await page.getByRole('button', { name: 'Save as a new view' }).click();
    await page.getByText('Saved “Two pages”.').waitFor();
    const [saved] = await client.views();
    await page.goto('about:blank');
    await page.goto(`${service.url}/#view=${saved!.id}`);
    await page.getByRole('figure', { name: 'Brake' }).waitFor();
    await page.keyboard.press('2');
    await page.getByRole('region', { name: 'Histogram' }).waitFor();
    assert.deepEqual(await names(page), ['Sheet 1', 'Pace', '+ sheet']);

    await page.getByRole('button', { name: 'Change Pace' }).click();
    await page.getByRole('button', { name: '← Move' }).click();
    await page.waitForURL((url) => !url.hash.includes('sheetat'));
    assert.deepEqual(await names(page), ['Pace', 'Sheet 1', '+ sheet']);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('figure', { name: 'Brake' }).waitFor();
    assert.deepEqual(await names(page), ['+ sheet']);
    assert.deepEqual(faults, []);
  });

  it('are made and removed in menus that close then', async () => {
    const { page } = await open(service.url, '#s=cars/practice&p=Speed', { token: service.token });
    await plotted(page);
    for (const made of ['Sheet 2', 'Sheet 3']) {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('dialog', { name: 'More' }).getByRole('button', { name: 'New sheet' }).click();
      await page.getByRole('button', { name: made, exact: true }).waitFor();
      assert.equal(await page.locator('.popup:popover-open').count(), 0, `${made} is made`);
    }
    await page.getByRole('button', { name: 'Change Sheet 3' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Sheet 3', exact: true }).waitFor({ state: 'detached' });
    assert.equal(await page.locator('.popup:popover-open').count(), 0, 'its sheet is gone');
  });
});
