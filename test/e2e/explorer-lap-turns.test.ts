import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, skip, toTab } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;
const second = 1_000_000_000n;

describe('the explorer with a run of two sessions', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();

  it('lists the laps of each, and compares two of one number', async () => {
    const rows = [0, 1].flatMap((session) =>
      Array.from({ length: 300 }, (_, i) => ({
        time: start + BigInt(3600 * session + i) * second,
        lap: String(1 + Math.floor(i / 100)),
        Distance: (i % 100) * 10 + 5,
        Speed: 100 + 50 * session,
      })),
    );
    await client.writeParameterData('cars', 'sessions', {
      timestamps: rows.map(({ time }) => time),
      numericValues: {
        Distance: rows.map(({ Distance }) => Distance),
        Speed: rows.map(({ Speed }) => Speed),
      },
      tagValues: { lap: rows.map(({ lap }) => lap) },
    });
    const { page, faults } = await open(service.url, '#s=cars/sessions&p=Speed', { token: service.token });
    const names = page.locator('.lap-table tbody th');
    await until(async () => (await names.count()) === 6);
    assert.deepEqual(
      (await names.allTextContents()).map((text) => text.trim()),
      ['1', '2', '3', '1 (2)', '2 (2)', '3 (2)'],
    );
    await page.getByRole('checkbox', { name: 'Compare lap 2 of sessions', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Compare lap 2 (2) of sessions', exact: true }).check();
    await toTab(page, 'Measure');
    for (const [lap, speed] of [
      ['2', 100],
      ['2 (2)', 150],
    ] as const) {
      const part = page.locator('.measure .values').filter({
        has: page.getByRole('heading', { name: new RegExp(`^Speed .*lap ${lap.replace(/[()]/g, '\\$&')}$`) }),
      });
      const said = part.locator('.statistics dd');
      await until(async () => (await said.count()) > 5);
      const [least, largest, count] = await Promise.all(
        [0, 1, 5].map((place) => said.nth(place).getAttribute('title')),
      );
      assert.deepEqual([least, largest, count].map(Number), [speed, speed, 100], lap);
    }
    assert.deepEqual(faults, []);
  });
});
