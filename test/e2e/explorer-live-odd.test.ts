import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, following, skip } from './explorer-page.ts';
import { peek, timeOf, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const topic = 'live';
const second = 1_000_000_000n;
const year = 365n * 86_400n * second;

describe('the explorer while odd runs are followed', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const now = () => BigInt(Date.now()) * 1_000_000n;
  const write = (streamId: string, rows: readonly (readonly [time: bigint, Speed: number])[]) =>
    client.writeParameterData(topic, streamId, {
      timestamps: rows.map(([time]) => time),
      numericValues: { Speed: rows.map(([, value]) => value) },
    });
  const follow = async (streamId: string) => {
    const { page, faults } = await open(service.url, `#s=${topic}/${streamId}&p=Speed&live=1`, {
      token: service.token,
      script: watchCanvases,
    });
    await following(page);
    return { page, faults };
  };
  const shown = async (page: Page) =>
    Number((await page.locator('.now-values dd').first().textContent())?.trim());
  const shows = (page: Page, value: number) => until(async () => (await shown(page)) === value);
  const leftOut = (page: Page, count: string) =>
    page.locator('.live-text').getByText(`${count} ahead of the clock and not shown`).waitFor();

  it('shows the rows that come with and after one of in a year, and says what it leaves out', async () => {
    await write('one', [[now(), 1]]);
    const { page, faults } = await follow('one');
    await shows(page, 1);
    for (const [value, told] of [
      [2, '1 row is'],
      [3, '2 rows are'],
    ] as const) {
      await write('one', [
        [now(), value],
        [now() + year, 99],
      ]);
      await shows(page, value);
      await leftOut(page, told);
    }
    await write('one', [[now(), 4]]);
    await shows(page, 4);
    assert.deepEqual(faults, []);
  });

  it('goes from a row of in a year to those that come, and shows what was written before them', async () => {
    const begin = now() - 5n * second;
    await write('before', [
      [begin, 1],
      [begin + second, 2],
      [begin + year, 99],
    ]);
    const { page, faults } = await follow('before');
    await shows(page, 99);
    await write('before', [[now(), 100]]);
    await shows(page, 100);
    assert.ok(timeOf((await peek(page)).range[1]!) < now());
    // Only beside the first rows the axis has half of it.
    await until(async () => (await peek(page)).plots[0]!.texts.some(({ text }) => text === '50'));
    assert.deepEqual(faults, []);
  });

  it('goes to rows that come, where one of before was later than they are', async () => {
    const begin = now() - year;
    await write('behind', [
      [begin, 1],
      [begin + second, 2],
      [begin + 3600n * second, 99],
    ]);
    const { page } = await follow('behind');
    await shows(page, 99);
    let written = 0n;
    await until(async () => {
      await write('behind', [[begin + 2n * second + ++written * 1_000_000n, 100]]);
      return (await shown(page)) === 100;
    });
    assert.ok(timeOf((await peek(page)).range[1]!) < begin + 3600n * second);
    await until(async () => (await peek(page)).plots[0]!.texts.some(({ text }) => text === '50'));
  });

  it('follows a run that is written faster than time goes', async () => {
    const begin = now();
    await write('fast', [[begin, 0]]);
    const { page } = await follow('fast');
    await shows(page, 0);
    for (let part = 0; part < 20; part++) {
      const rows = Array.from({ length: 20 }, (_, i) => 20 * part + i + 1);
      await write(
        'fast',
        rows.map((row) => [begin + BigInt(row) * 10n * second, row]),
      );
    }
    await shows(page, 400);
    assert.equal(timeOf((await peek(page)).range[1]!), begin + 4000n * second);
    assert.equal(await page.getByText('ahead of the clock and not shown').count(), 0);
  });

  it('follows a run whose rows are all ahead of the clock', async () => {
    const begin = now() + year;
    await write('ahead', [[begin, 1]]);
    const { page } = await follow('ahead');
    await shows(page, 1);
    await write('ahead', [[begin + second, 2]]);
    await shows(page, 2);
    await page.locator('.behind', { hasText: ' ahead' }).waitFor();
  });
});
