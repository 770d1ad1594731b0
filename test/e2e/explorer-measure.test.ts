import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serviceWithDriven, drivenStart as start } from './explorer-driven.ts';
import { browserPages, plotted, skip, toTab } from './explorer-page.ts';
import { adminToken } from './service.ts';

describe('measuring in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples } = await serviceWithDriven();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: adminToken });

  it('gives statistics that are those of the service, from A to B, and differences those of rows', async () => {
    const [a, b] = [start + 20_000_000_000n, start + 22_000_000_000n];
    const range = { from: a - 1_000_000_000n, to: b + 1_000_000_000n };
    const { page, faults } = await signedIn(
      `#s=cars/driven&p=Speed&p=Brake&panel=measure&a=${a}&b=${b}&from=${range.from}&to=${range.to}`,
    );
    await plotted(page);
    await page.locator('.measure[aria-busy="false"] .statistics').nth(1).waitFor();
    const inside = samples.filter(({ seconds }) => {
      const time = start + BigInt(Math.round(seconds * 1e9));
      return time >= a && time <= b;
    });
    for (const [i, [name, channel]] of [['Speed', 0] as const, ['Brake', 4] as const].entries()) {
      const aggregations = ['Min', 'Max', 'Mean', 'StdDev', 'P95', 'Count'] as const;
      const { numericValues } = await client.query({
        topic: 'cars',
        streamIds: ['driven'],
        from: a,
        to: b,
        numericParameters: aggregations.map((aggregationType) => ({ parameterName: name, aggregationType })),
      });
      const own = page.locator('.measure .values').nth(i);
      const cells = await own.locator('.statistics dd').all();
      const said = await Promise.all(cells.map(async (cell) => Number(await cell.getAttribute('title'))));
      const told = aggregations.map((of) => numericValues[`${of.toLowerCase()}(${name})`]![0]);
      assert.deepEqual(said, told, name);
      assert.equal(said[5], inside.length);
      const [first, last] = [inside[0]!.values[channel]!, inside.at(-1)!.values[channel]!];
      const values = await own.locator('.pairs dd').allTextContents();
      assert.match(values[1]!, new RegExp(`^${String(first).replace('.', '\\.')} `));
      const difference = Number(values.at(-1)!.trim().split(' ')[0]!);
      assert.ok(Math.abs(difference - (last - first)) < 1e-9, `${difference} for ${last - first}`);
    }
    assert.deepEqual(faults, []);
  });

  it('goes by keyboard: arrows move the cursor by a row, brackets set A and B', async () => {
    const from = start + 30_000_000_000n;
    const { page } = await signedIn(
      `#s=cars/driven&p=Speed&panel=measure&from=${from}&to=${from + 2_000_000_000n}`,
    );
    await plotted(page);
    const plots = page.getByRole('region', { name: 'Plots' });
    await plots.focus();
    const cursor = page.getByLabel('Time at the cursor');
    const seen: string[] = [];
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('ArrowRight');
      seen.push((await cursor.textContent()) ?? '');
    }
    const expected = samples.flatMap(({ seconds }) => {
      const time = start + BigInt(Math.round(seconds * 1e9));
      return time > from + 1_000_000_000n ? [String(time).slice(-9)] : [];
    });
    assert.deepEqual(
      seen.map((text) => text.slice(-9)),
      expected.slice(0, 5),
    );
    await page.keyboard.press('[');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press(']');
    await page.waitForURL(/a=\d+&b=\d+/);
    await page.getByText('-20 ms').waitFor();
    await plots.press('Escape');
    await page.waitForURL((url) => !url.hash.includes('a='));
    await toTab(page, 'Laps');
  });
});
