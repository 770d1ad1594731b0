import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, following, plotted, serviceWithCars, skip, toTab } from './explorer-page.ts';

/** Changes of what is seen, taken back and made again. */
describe('undo in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, start } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string, options: Parameters<typeof open>[2] = {}) =>
    open(service.url, hash, { token: service.token, ...options });
  const hashOf = (page: Page) => decodeURIComponent(new URL(page.url()).hash);
  const fieldsOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
  const button = (page: Page, name: 'Undo' | 'Redo') => page.getByRole('button', { name, exact: true });
  const isFree = (page: Page, name: 'Undo' | 'Redo') => button(page, name).isEnabled();

  it('takes back each change in turn, and makes it again', async () => {
    const { page, faults } = await signedIn('');
    await plotted(page);
    // What the page chose by itself is no change of anybody's.
    assert.deepEqual([await isFree(page, 'Undo'), await isFree(page, 'Redo')], [false, false]);
    const hashes = [hashOf(page)];
    const done = async (pattern: RegExp) => {
      await page.waitForURL(pattern);
      hashes.push(hashOf(page));
    };
    await page.getByRole('button', { name: 'Remove Brake' }).click();
    await page.waitForURL((url) => !url.hash.includes('p=Brake'));
    hashes.push(hashOf(page));
    const plots = page.getByRole('region', { name: 'Plots' });
    await plots.focus();
    // One hand zooms several times; the address follows it.
    for (const key of ['+', '+', '+']) {
      const before = page.url();
      await page.keyboard.press(key);
      await page.waitForURL((url) => url.href !== before);
    }
    await done(/from=/);
    for (const key of ['ArrowRight', '[']) await page.keyboard.press(key);
    await done(/&a=/);
    await page.getByRole('button', { name: 'XY', exact: true }).click();
    await done(/beside=xy/);
    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    await done(/mode=table/);

    for (const hash of hashes.slice(0, -1).reverse()) {
      await button(page, 'Undo').click();
      await until(async () => hashOf(page) === hash);
    }
    assert.equal(await isFree(page, 'Undo'), false);
    await page.getByRole('figure', { name: 'Brake' }).waitFor();
    for (const hash of hashes.slice(1)) {
      await button(page, 'Redo').click();
      await until(async () => hashOf(page) === hash);
    }
    assert.equal(await isFree(page, 'Redo'), false);
    await page.getByText('Rows 1 to 200').waitFor();
    // A reload has the picture, and no steps.
    await button(page, 'Undo').click();
    await page.reload();
    await plotted(page);
    assert.equal(hashOf(page), hashes.at(-2));
    assert.equal(await isFree(page, 'Undo'), false);
    assert.deepEqual(faults, []);
  });

  it('has keys, which leave text that is typed and what a dialog asks alone', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&p=Gear');
    await plotted(page);
    const before = hashOf(page);
    await page.getByRole('button', { name: 'Remove Gear' }).click();
    await page.waitForURL((url) => !url.hash.includes('p=Gear'));
    const after = hashOf(page);
    const press = async (keys: string, hash: string) => {
      await page.keyboard.press(keys);
      await until(async () => hashOf(page) === hash);
    };
    await press('Control+z', before);
    await press('Control+Shift+z', after);
    await press('Meta+z', before);
    await press('Control+y', after);
    await toTab(page, 'Channels');
    const filter = page.getByLabel('Filter channels');
    await filter.focus();
    await page.keyboard.type('x');
    await page.keyboard.press('Control+z');
    await until(async () => (await filter.inputValue()) === '');
    assert.equal(hashOf(page), after);
    await filter.blur();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Ctrl + Z', { exact: true }).waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(hashOf(page), after);
    await press('Control+z', before);
  });

  it('goes back to the runs, the live data and the channels of before', async () => {
    const { page, faults } = await signedIn(
      `#s=cars/practice&p=Speed&from=${start}&to=${start + 9_000_000_000n}`,
    );
    await plotted(page);
    const zoomed = hashOf(page);
    await page.getByRole('button', { name: 'Follow live' }).click();
    await following(page);
    await button(page, 'Undo').click();
    await until(async () => hashOf(page) === zoomed);
    await plotted(page);
    await toTab(page, 'Runs');
    await page.getByRole('button', { name: /^Another car/ }).click();
    await page.waitForURL(/s=cars%2Fother/);
    await plotted(page);
    // The back button is another way to change what is seen: that can be taken back, too.
    await page.goBack();
    await until(async () => hashOf(page) === zoomed);
    await button(page, 'Undo').click();
    await page.waitForURL(/s=cars%2Fother/);
    await button(page, 'Undo').click();
    await until(async () => hashOf(page) === zoomed);
    // A channel that one types and cancels leaves nothing to take back.
    await toTab(page, 'Channels');
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill('Speed / 2');
    await page.getByRole('figure', { name: 'Math 1' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await until(async () => hashOf(page) === zoomed);
    assert.equal(await isFree(page, 'Undo'), false);
    assert.deepEqual(faults, []);
  });

  it('leaves a saved view that is open the one to save, in its newest state', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Speed');
    await page.getByRole('button', { name: 'Save as a new view' }).click();
    await page.getByText('Saved “Speed”.').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const { id } = (await client.views())[0]!;
    await page.getByRole('button', { name: 'Histogram', exact: true }).click();
    await page.waitForURL(/beside=histogram/);
    const save = async () => {
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      await page.getByRole('button', { name: 'Save changes to “Speed”' }).click();
      await page.getByText('Saved “Speed”.').waitFor();
      await page.getByRole('button', { name: 'Close', exact: true }).click();
    };
    await save();
    assert.match(JSON.stringify((await client.view(id)).state), /histogram/);
    await button(page, 'Undo').click();
    await page.waitForURL((url) => !url.hash.includes('histogram'));
    assert.equal(fieldsOf(page).get('view'), id);
    await save();
    assert.doesNotMatch(JSON.stringify((await client.view(id)).state), /histogram/);
    assert.deepEqual(faults, []);
  });

  it('is there for a finger', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&p=Gear', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await plotted(page);
    await page.getByRole('button', { name: 'Remove Gear' }).tap();
    await page.getByRole('figure', { name: 'Gear' }).waitFor({ state: 'detached' });
    await button(page, 'Undo').tap();
    await page.getByRole('figure', { name: 'Gear' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  });
});
