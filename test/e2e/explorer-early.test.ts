import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, type HeldBack, holdBack, plotted, serviceWithCars, skip } from './explorer-page.ts';

describe('what the explorer asks for before its files are there', { skip }, async () => {
  if (skip !== false) return;
  const { service } = await serviceWithCars();
  const open = browserPages();

  /** Opens an address and holds its files back until `wanted` requests are on their way. Gives what is asked of the service. */
  async function openLate(hash: string, wanted: number, token = service.token) {
    const asked: string[] = [];
    let held: HeldBack | undefined;
    const opened = open(service.url, hash, {
      token,
      prepare: async (page) => {
        page.on('request', (request) => {
          if (request.method() === 'POST')
            asked.push(`${new URL(request.url()).pathname} ${request.postData()}`);
        });
        held = await holdBack(page, '**/assets/index-*.js');
      },
    });
    await until(() => held !== undefined);
    await held!.asked();
    await until(() => asked.length >= wanted);
    const early = [...asked];
    await held!.goOn();
    return { ...(await opened), early, asked };
  }
  const times = (asked: readonly string[], wanted: string) => asked.filter((one) => one === wanted).length;

  it('are the runs that the address names and their channels, which are asked for once', async () => {
    const { page, faults, early, asked } = await openLate('#s=cars/practice&s=cars/other', 2);
    assert.deepEqual(early, [
      '/streams {"streamIds":["practice","other"]}',
      '/parameters {"topic":"cars","streamIds":["practice","other"]}',
    ]);
    await plotted(page);
    for (const one of early) assert.equal(times(asked, one), 1, one);
    assert.deepEqual(faults, []);
  });

  it('are the newest runs where the address names none', async () => {
    const { page, faults, early, asked } = await openLate('#topic=cars', 1);
    const [newest = ''] = early;
    assert.equal(early.length, 1);
    assert.match(newest, /^\/streams {"topic":"cars","ordering":.*"length":10}}$/);
    await plotted(page);
    assert.equal(times(asked, newest), 1);
    assert.deepEqual(faults, []);
  });

  it('are nothing of a saved view, which says itself what it shows, and nothing without a token', async () => {
    const saved = await openLate('#view=none', 0);
    await saved.page.locator('.app').waitFor();
    assert.equal(saved.asked.filter((one) => one.endsWith('"length":10}}')).length, 0);
    const { page, asked } = await openLate('#s=cars/practice', 0, '');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.deepEqual(asked, []);
  });

  it('lead to signing in where the service does not know the token', async () => {
    const { page } = await openLate('#s=cars/practice', 2, 'of-yesterday');
    await page.getByText('The service does not know your token any more.').waitFor();
    assert.match(page.url(), /#s=cars\/practice$/);
  });
});
