import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const topic = 'cars';
const start = 1_800_000_000_000_000_000n;

/** What the page plots by itself of a run that is opened. */
describe('what is plotted of a run that is opened', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const rows = Array.from({ length: 100 }, (_, i) => i);
  const write = (streamId: string, name: string) =>
    client.writeParameterData(topic, streamId, {
      timestamps: rows.map((i) => start + BigInt(i) * 100_000_000n),
      numericValues: { [`${name} one`]: rows.map((i) => i % 7), [`${name} two`]: rows },
    });
  await write('engine', 'Oil');
  await write('chassis', 'Damper');
  const shownIn = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).getAll('p');
  const refused = (route: Route) =>
    route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{"title":"out of order"}' });
  /** Has the page be told once that something failed, where it asks for something of a run. */
  const refuseOnce = async (page: Page, address: RegExp, streamId: string) => {
    let refusals = 0;
    await page.route(address, (route) => {
      const isOfRun = `${route.request().url()} ${route.request().postData()}`.includes(streamId);
      return isOfRun && refusals++ === 0 ? refused(route) : route.continue();
    });
    return () => refusals;
  };

  const reads = {
    'the list of channels': /\/parameters(\?|$)/,
    'the look at the channels': /\/parameters\/data/,
    'the run': /\/streams(\?|$)/,
  };
  for (const [what, address] of Object.entries(reads)) {
    it(`is chosen though ${what} could not be read at first`, async () => {
      let refusals = () => 0;
      const { page, faults } = await open(service.url, `#s=${topic}/chassis`, {
        token: service.token,
        prepare: async (fresh) => {
          refusals = await refuseOnce(fresh, address, 'chassis');
        },
      });
      await plotted(page);
      assert.ok(refusals() > 0);
      assert.deepEqual(faults, []);
    });

    it(`is chosen behind another run though ${what} could not be read at first`, async () => {
      const { page, faults } = await open(service.url, `#s=${topic}/engine`, { token: service.token });
      await plotted(page);
      const refusals = await refuseOnce(page, address, 'chassis');
      await page.evaluate(`location.hash = '#s=${topic}/chassis'`);
      await until(() => shownIn(page).some((name) => name.startsWith('Damper')));
      await plotted(page);
      assert.ok(refusals() > 0);
      assert.deepEqual(faults, []);
    });
  }

  it('is seen over time, and whole, where one looks at what was imported', async () => {
    const { page, faults } = await open(service.url, `#s=${topic}/engine&p=Oil one`, {
      token: service.token,
    });
    await plotted(page);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    await page.getByText('Rows 1 to').waitFor();
    await page.getByLabel('File to import').setInputFiles({
      name: 'evening.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('time,Oil one\n2027-01-15T08:00:00Z,1\n2027-01-15T08:00:09Z,2\n'),
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill(topic);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await plotted(page);
    assert.deepEqual(shownIn(page), ['Oil one']);
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    assert.deepEqual([fields.get('mode'), fields.get('from')], [null, null]);
    assert.deepEqual(faults, []);
  });
});
