import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

describe('the explorer of a service without data', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });

  it('says so, and draws the first run as soon as there is one', async () => {
    const { page: empty, faults } = await signedIn('');
    await empty.getByRole('main').getByText('the first run opens by itself').waitFor();
    assert.equal(await empty.getByText('Choose one under Runs').count(), 0);
    assert.equal(await empty.locator('.strip').isVisible(), false);
    // Where no run has a name, the page has its own.
    const title = (await empty.getByRole('heading', { name: 'Pitwall', exact: true }).boundingBox())!;
    assert.ok(title.width > 40, `${title.width} px`);
    const phone = { width: 390, height: 844 };
    const { page: touched } = await open(service.url, '', {
      token: service.token,
      viewport: phone,
      hasTouch: true,
      isMobile: true,
    });
    await touched.getByRole('main').getByText('Import a file under Runs').waitFor();

    await client.updateStream('rig', 'planned', { name: 'Planned run' });
    const { page: named } = await signedIn('#s=rig/planned&beside=xy,histogram,spectrum');
    await named.getByText('What is written to this run appears here by itself.').waitFor();
    assert.equal(await named.locator('.beside').count(), 0);
    await named.getByRole('button', { name: 'Distance', exact: true }).click();
    await named.getByText('What is written to this run appears here by itself.').waitFor();
    await named.getByRole('button', { name: 'Time', exact: true }).click();

    const rows = Array.from({ length: 100 }, (_, i) => i);
    await client.writeParameterData('rig', 'planned', {
      timestamps: rows.map((i) => 1_800_000_000_000_000_000n + BigInt(i) * 10_000_000n),
      numericValues: { Load: rows.map((i) => Math.sin(i)) },
    });
    for (const page of [empty, named]) {
      await page.getByRole('figure', { name: 'Load' }).waitFor();
      await plotted(page);
    }
    assert.match(empty.url(), /s=rig%2Fplanned/);
    await named.locator('.spectrum .chart-room svg').waitFor();
    assert.deepEqual(faults, []);
  });

  it('shows one of the menus at the top at a time', async () => {
    const { page } = await signedIn('#s=rig/planned&p=Load');
    await plotted(page);
    await page.getByText('Export', { exact: true }).click();
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('link', { name: 'API' }).waitFor();
    await page.getByRole('button', { name: 'Download CSV' }).waitFor({ state: 'hidden' });
  });
});
