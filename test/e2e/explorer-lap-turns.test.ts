import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, plotted, skip, toTab } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;
const second = 1_000_000_000n;

describe('the explorer with a run of two sessions', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();

  /** Three laps for each session. */
  const sessions = (...of: readonly number[]) => {
    const rows = of.flatMap((session) => Array.from({ length: 300 }, (_, i) => ({ session, i })));
    return {
      timestamps: rows.map(({ session, i }) => start + BigInt(3600 * session + i) * second),
      numericValues: {
        Distance: rows.map(({ i }) => (i % 100) * 10 + 5),
        Speed: rows.map(({ session }) => 100 + 50 * session),
      },
      tagValues: { lap: rows.map(({ i }) => String(1 + Math.floor(i / 100))) },
    };
  };
  const namesOn = (page: Page) => page.locator('.lap-table tbody th').allTextContents();

  it('lists the laps of each, and compares two of one number', async () => {
    await client.writeParameterData('cars', 'sessions', sessions(0, 1));
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

  it('lists those of the second one when it comes while one looks, also where its laps are called like earlier ones', async () => {
    await client.writeParameterData('cars', 'grows', sessions(0));
    const { page, faults } = await open(service.url, '#s=cars/grows&p=Speed', { token: service.token });
    await until(async () => (await namesOn(page)).length === 3);
    await client.writeParameterData('cars', 'grows', sessions(1));
    await until(async () => (await namesOn(page)).length === 6);
    assert.equal((await namesOn(page))[3]?.trim(), '1 (2)');
    assert.deepEqual(faults, []);
  });

  it('compares two of one number where the address says so, and never the rows of both together', async () => {
    await client.writeParameterData('cars', 'addressed', sessions(0, 1));
    const picks = '&pick=cars/addressed/2&pick=cars/addressed/2%20(2)';
    /** What is asked for of rows of the compared laps. */
    const asked: { from: string; to: string; tagFilters: unknown }[] = [];
    const { page, faults } = await open(
      service.url,
      `#s=cars/addressed&p=Speed&mode=overlay&tag=lap${picks}`,
      {
        token: service.token,
        prepare: async (own) => {
          await own.route('**/parameters/data*', async (route) => {
            const body = route.request().postData() ?? '';
            // The list of laps comes late.
            if (body.includes('"groupBy"')) await new Promise((later) => setTimeout(later, 1000));
            else if (/"tagFilters".*"numericParameters":\[\{"parameterName":"Speed"\}\]/.test(body))
              asked.push(JSON.parse(body));
            await route.continue();
          });
        },
      },
    );
    await plotted(page);
    assert.ok(asked.length > 0);
    for (const { from, to, tagFilters } of asked) {
      assert.deepEqual(tagFilters, [{ tag: 'lap', value: '2' }]);
      assert.ok(BigInt(to) - BigInt(from) < 200n * second, `rows of both sessions: ${from} … ${to}`);
    }
    assert.deepEqual(faults, []);
  });

  it('does not take a lap of very few rows for the best one', async () => {
    const rows = Array.from({ length: 602 }, (_, i) => i);
    const lapOf = (i: number) => (i < 300 ? '1' : i === 300 ? '2' : i < 451 ? '3' : '4');
    await client.writeParameterData('cars', 'leaps', {
      timestamps: rows.map((i) => start + BigInt(i) * (second / 10n)),
      numericValues: { Speed: rows.map((i) => 100 + (i % 7)) },
      tagValues: { lap: rows.map(lapOf) },
    });
    const { page, faults } = await open(service.url, '#s=cars/leaps&p=Speed&beside=report', {
      token: service.token,
    });
    const line = (lap: string) => page.locator('.laps .lap-table tbody tr').nth(Number(lap) - 1);
    await line('3').getByText('best', { exact: true }).waitFor();
    const why = line('2').getByText('not whole');
    assert.equal(await why.getAttribute('title'), 'Not whole: it has 1 row, and most laps have about 151.');
    // Nothing says where between two rows the line was.
    await page.locator('.report-table').getByText('≈ 15.000', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });
});
