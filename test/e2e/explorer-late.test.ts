import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserPages, holdBack, plotted, serviceWithCars, skip } from './explorer-page.ts';

const lateFile = '**/assets/late-*.js';
/** What is loaded at rest, and what is loaded when it is opened. */
const lateFiles = '**/assets/{late,panels}-*.js';
const shown = '#s=cars/practice&p=Speed&p=Gear';

describe('parts of the explorer that the first picture does not need', { skip }, async () => {
  if (skip !== false) return;
  const { service } = await serviceWithCars();
  const open = browserPages();

  /** A page whose parts come when `goOn` is called. */
  async function withoutParts(hash: string) {
    const { page, faults } = await open(service.url, '', { token: service.token });
    await page.goto('about:blank');
    const { goOn } = await holdBack(page, lateFiles);
    await page.goto(`${service.url}/${hash}`);
    await plotted(page);
    return { page, faults, goOn };
  }

  it('are there when the page is at rest, although nobody asked for them', async () => {
    const { page, faults } = await open(service.url, shown, { token: service.token });
    await page.getByRole('region', { name: 'Laps' }).waitFor();
    await page.getByRole('button', { name: 'Remove Speed' }).waitFor();
    await page.getByRole('region', { name: 'Channels' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('do not lose what the service said before they came', async () => {
    const { page, faults } = await open(service.url, '', { token: service.token });
    await page.goto('about:blank');
    const { goOn } = await holdBack(page, '**/assets/page-*.js');
    const warned = page.waitForResponse((response) => response.headers()['pitwall-warning'] !== undefined);
    await page.goto(`${service.url}/#s=cars/practice&p=Speed&p=Sped`);
    await warned;
    // The page has the answer when a task that came behind it has run.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
    await goOn();
    await page.getByText('The channel "Sped" was chosen').waitFor();
    assert.deepEqual(faults, []);
  });

  it('come with the click that was made before they were there', async () => {
    const { page, faults, goOn } = await withoutParts(shown);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByRole('button', { name: 'Histogram', exact: true }).click();
    assert.equal(await page.getByRole('dialog', { name: 'Views' }).count(), 0);
    await goOn();
    await page.getByRole('dialog', { name: 'Views' }).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('form', { name: 'New channel' }).waitFor();
    await page.getByRole('region', { name: 'Histogram' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('come to a menu that was opened before they were there', async () => {
    const { page, faults, goOn } = await withoutParts(shown);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    assert.equal(await page.getByRole('button', { name: 'Download CSV' }).count(), 0);
    await goOn();
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('come with a key', async () => {
    const { page, faults, goOn } = await withoutParts(shown);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('n');
    await page.keyboard.press('?');
    // Keys and gestures are no such part.
    await page
      .getByRole('dialog', { name: 'Keys and gestures' })
      .getByRole('button', { name: 'Close' })
      .click();
    assert.equal(await page.getByRole('textbox', { name: 'Text' }).count(), 0);
    await goOn();
    await page.getByRole('textbox', { name: 'Text' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('are what the address names', async () => {
    const { page, faults } = await open(service.url, `${shown}&mode=table`, { token: service.token });
    await page.getByRole('region', { name: 'Rows' }).waitFor();
    const { page: second } = await open(service.url, `${shown}&beside=xy&panel=map`, {
      token: service.token,
    });
    await second.getByRole('region', { name: 'Map' }).waitFor();
    await second.getByRole('button', { name: 'Close XY' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('say when they cannot be loaded, and the page begins anew', async () => {
    const { page } = await open(service.url, '', { token: service.token });
    await page.goto('about:blank');
    await page.route(lateFile, (route) => route.fulfill({ status: 404 }));
    await page.goto(`${service.url}/${shown}`);
    await page.getByText('A part of the page could not be loaded.').waitFor();
    await page.unroute(lateFile);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Laps' }).waitFor();
  });
});
