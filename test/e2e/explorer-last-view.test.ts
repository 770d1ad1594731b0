import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { browserPages, plotted, rangeOf, serviceWithCars, skip } from './explorer-page.ts';

/** What a browser opens when it comes to a topic again. */
describe('the last view of a topic', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, start } = await serviceWithCars();
  await announce(client, 'cars', 'evening', 'Friday evening', {});
  await writeSamples(client, 'cars', 'evening', samples, start + 36_000_000_000_000n);
  await client.writeParameterData('boats', 'regatta', {
    timestamps: [start, start + 60_000_000_000n],
    numericValues: { Speed: [1, 2] },
  });
  const open = browserPages();
  const fieldsOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
  /** As if the page was opened with this address, and nothing more. */
  const openAgain = async (page: Page, hash: string) => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}; location.reload()`);
    await page.locator('main [aria-busy="false"] .plot canvas').first().waitFor();
  };
  const lap = (page: Page, number: number, run: string) =>
    page.getByRole('checkbox', { name: `Compare lap ${number} of ${run}` });

  it('has the range of the same run, and none of another', async () => {
    const { page, faults } = await open(service.url, '#s=cars/practice&p=Speed&p=Fuel', {
      token: service.token,
    });
    await plotted(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.waitForURL(/from=/);
    const zoomed = rangeOf(page);
    await page.getByRole('region', { name: 'Plots' }).focus();
    for (const key of ['ArrowRight', '[']) await page.keyboard.press(key);
    await page.waitForURL(/&a=/);
    const a = fieldsOf(page).get('a');
    await openAgain(page, '#s=cars/practice');
    assert.deepEqual(rangeOf(page), zoomed);
    assert.equal(fieldsOf(page).get('a'), a);
    await openAgain(page, '#s=cars/evening');
    assert.deepEqual(fieldsOf(page).getAll('p'), ['Speed', 'Fuel']);
    for (const name of ['from', 'a']) assert.equal(fieldsOf(page).get(name), null);
    await openAgain(page, '#s=boats/regatta');
    assert.equal(fieldsOf(page).get('from'), null);
    assert.deepEqual(faults, []);
  });

  it('has the laps that were compared, and of another run its best ones', async () => {
    const { page, faults } = await open(service.url, '#s=cars/practice&p=Speed', { token: service.token });
    await plotted(page);
    await lap(page, 1, 'Friday practice').check();
    await lap(page, 3, 'Friday practice').check();
    await page.getByRole('heading', { name: /^Δt/ }).waitFor();
    await openAgain(page, '#s=cars/practice');
    await page.getByRole('heading', { name: /^Δt/ }).waitFor();
    assert.deepEqual(fieldsOf(page).getAll('pick'), ['cars/practice/1', 'cars/practice/3']);

    // Of another run: compared by distance as well, with laps of its own.
    await openAgain(page, '#s=cars/evening');
    await page.getByRole('heading', { name: /^Δt/ }).waitFor();
    assert.equal(fieldsOf(page).get('mode'), 'overlay');
    const best = fieldsOf(page).getAll('pick');
    assert.deepEqual(best.toSorted(), ['cars/evening/1', 'cars/evening/2']);
    // That is so as well where one goes on to another run, and back takes one back.
    await page.getByRole('tab', { name: 'Runs' }).click();
    await page.getByRole('button', { name: /^Friday practice/ }).click();
    await page.waitForURL(/pick=cars%2Fpractice/);
    await page.getByRole('heading', { name: /^Δt/ }).waitFor();
    await page.goBack();
    await page.waitForURL(/pick=cars%2Fevening/);
    // A run without whole laps is drawn over time.
    await page.getByRole('button', { name: /^Another car/ }).click();
    await plotted(page);
    assert.equal(fieldsOf(page).get('mode'), null);
    assert.deepEqual(faults, []);
  });

  it('has its rows, and its clock', async () => {
    const { page } = await open(service.url, '#s=cars/practice&p=Speed', { token: service.token });
    await plotted(page);
    await page.getByLabel('Zone').selectOption('local');
    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    await page.getByText('Rows 1 to 200').waitFor();
    await page.evaluate("location.hash = '#s=cars/practice'; location.reload()");
    await page.getByText('Rows 1 to 200').waitFor();
    assert.equal(fieldsOf(page).get('zone'), 'local');
  });

  it('loses nothing of what was chosen in two tabs', async () => {
    const hash = '#s=cars/practice&p=Speed&beside=sectors';
    const { page, faults } = await open(service.url, hash, { token: service.token });
    const other = await page.context().newPage();
    // It gets the token of the first one.
    await other.goto(`${service.url}/${hash}`);
    for (const tab of [page, other]) {
      await plotted(tab);
      await tab.getByRole('tab', { name: 'Channels' }).click();
    }
    const star = (tab: Page, name: string, isIn: boolean) =>
      tab.getByRole('button', { name: `Favourite: ${name}`, pressed: isIn });
    await star(page, 'Gear', false).click();
    await star(other, 'Gear', true).waitFor();
    await star(other, 'Brake', false).click();
    await star(page, 'Brake', true).waitFor();

    await page.getByLabel('Sectors end at').fill('1000 2000');
    await page.getByLabel('Sectors end at').press('Enter');
    await page.waitForURL(/sectors=/);
    await other.getByRole('button', { name: 'Zoom in' }).click();
    await other.waitForURL(/from=/);
    const zoomed = rangeOf(other);
    await openAgain(other, '#s=cars/practice');
    assert.equal(fieldsOf(other).get('sectors'), fieldsOf(page).get('sectors'));
    assert.deepEqual(rangeOf(other), zoomed);
    await star(other, 'Gear', true).waitFor();
    await star(other, 'Brake', true).waitFor();
    assert.deepEqual(faults, []);
  });
});
