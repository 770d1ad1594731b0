import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, plotted, serviceWithCars, skip, toTab } from './explorer-page.ts';

describe('a channel that is plotted beside others', { skip }, async () => {
  if (skip !== false) return;
  const { service } = await serviceWithCars();
  const open = browserPages();

  for (const how of ['', '&mode=overlay&tag=lap&pick=cars/practice/1&pick=cars/practice/2&by=Distance'])
    it(`is seen, also where not all plots fit${how === '' ? '' : ', over distance'}`, async () => {
      const { page, faults } = await open(service.url, `#s=cars/practice&p=Speed&p=Brake${how}`, {
        token: service.token,
        viewport: { width: 1024, height: 600 },
      });
      await plotted(page);
      await toTab(page, 'Channels');
      const rows = page.locator('.stack > div');
      const others = await rows.count();
      const added = ['Throttle', 'EngineRPM', 'Steering', 'Fuel', 'OilTemp'];
      for (const [i, name] of added.entries()) {
        await page.getByRole('searchbox', { name: 'Filter channels' }).fill(name);
        await page.getByRole('checkbox', { name: new RegExp(`^${name}`) }).check();
        await until(async () => (await rows.count()) === others + i + 1);
        const room = (await page.locator('.stack').boundingBox())!;
        await until(async () => {
          const figure = page.getByRole('figure', { name: new RegExp(`^${name}`) });
          const box = (await rows.filter({ has: figure }).boundingBox())!;
          return box.y >= room.y - 1 && box.y + box.height <= room.y + room.height + 1;
        });
      }
      const heights = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
      assert.ok(Math.min(...heights) >= 92, heights.join());
      // From then on the plots stay where one scrolls to.
      await page.mouse.move(500, 300);
      await page.locator('.stack').evaluate((stack) => stack.scrollTo(0, 0));
      await page.mouse.move(500, 310);
      assert.equal(await page.locator('.stack').evaluate((stack) => stack.scrollTop), 0);
      assert.deepEqual(faults, []);
    });
});
