import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;
const long = 'SuspensionDamperPositionRearLeft';

describe("the explorer's tree of channels", { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const names = ['CAN1.Engine.Speed', 'CAN1.Engine.Temp', 'Tyre/FL', 'Tyre/FR', long, 'Plain'];
  await client.writeParameterData('trees', 'run', {
    timestamps: [0, 1, 2, 3].map((i) => start + BigInt(i) * 1_000_000_000n),
    numericValues: Object.fromEntries(names.map((name, i) => [name, [1, 2, 3, i]])),
  });
  const open = browserPages();

  it('has branches that a click or a key closes, also for the next time, and a side that can be wider', async () => {
    const { page, faults } = await open(service.url, '#s=trees/run&p=Plain', { token: service.token });
    await plotted(page);
    const list = page.getByRole('list', { name: 'Channels found' });
    const branch = list.locator('button.group', { hasText: 'CAN1.Engine' });
    const speed = page.getByRole('checkbox', { name: 'CAN1.Engine.Speed' });
    await speed.check();
    await page.waitForURL(/p=CAN1\.Engine\.Speed/);
    assert.equal(
      await list
        .locator('.name', { hasText: /Speed$/ })
        .locator('.cut')
        .textContent(),
      'Speed',
    );
    await branch.press('Enter');
    await speed.waitFor({ state: 'detached' });
    assert.equal(await branch.getAttribute('aria-expanded'), 'false');
    await page.reload();
    await branch.waitFor();
    assert.equal(await speed.count(), 0);
    // What is looked for is shown.
    await page.getByRole('searchbox', { name: 'Filter channels' }).fill('speed');
    await speed.waitFor();
    await page.getByRole('searchbox', { name: 'Filter channels' }).fill('');

    // A long name keeps its end, and has more of its middle where the side is wider.
    const own = list.locator('.parameter', { hasText: 'Suspension' });
    const head = own.locator('.head');
    const isCut = () => head.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    assert.equal(await isCut(), true);
    assert.equal(await own.locator('.end').textContent(), long.slice(-6));
    const edge = page.getByRole('separator', { name: 'Width of runs and channels' });
    const box = (await edge.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 180, box.y + 200, { steps: 4 });
    await page.mouse.up();
    assert.equal(await isCut(), false);
    const wide = Number(await edge.getAttribute('aria-valuenow'));
    assert.ok(wide > 400, `${wide} px`);
    await edge.press('ArrowLeft');
    await page.reload();
    await plotted(page);
    assert.equal(Number(await edge.getAttribute('aria-valuenow')), wide - 16);
    await edge.dblclick();
    assert.equal(Number(await edge.getAttribute('aria-valuenow')), 280);
    assert.deepEqual(faults, []);
  });
});
