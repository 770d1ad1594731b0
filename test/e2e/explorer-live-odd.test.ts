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
  const follow = async (streamId: string, mode = '') => {
    const { page, faults } = await open(service.url, `#s=${topic}/${streamId}&p=Speed&live=1${mode}`, {
      token: service.token,
      script: watchCanvases,
    });
    await following(page);
    return { page, faults };
  };
  const shows = (page: Page, value: number) =>
    until(async () => (await page.locator('.now-values dd').first().textContent())?.trim() === String(value));
  const leftOut = (page: Page, count: string) =>
    page.locator('.live-text').getByText(`${count} ahead of the clock and not shown`).waitFor();

  it('shows the rows that come with and after one of in a year, and says what it leaves out', async () => {
    await write('one', [[now(), 1]]);
    const { page, faults } = await follow('one');
    await shows(page, 1);
    await write('one', [
      [now(), 2],
      [now() + year, 99],
    ]);
    await shows(page, 2);
    await leftOut(page, '1 row is');
    await write('one', [[now() + 2n * year, 99]]);
    await leftOut(page, '2 rows are');
    await write('one', [[now(), 3]]);
    await shows(page, 3);
    assert.deepEqual(faults, []);
  });

  it('shows the last rows of a run that has one of in a year, and those that come', async () => {
    const begin = now() - 5n * second;
    await write('before', [
      [begin, 1],
      [begin + second, 2],
      [begin + year, 99],
    ]);
    const { page, faults } = await follow('before');
    await shows(page, 2);
    await write('before', [[now(), 3]]);
    await shows(page, 3);
    const { range } = await peek(page);
    assert.ok(timeOf(range[1]!) < now());
    const { page: table } = await follow('before', '&mode=table');
    await until(async () => (await table.locator('.rows tbody tr td').allTextContents()).join() === '3,2,1');
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
      return (await page.locator('.now-values dd').first().textContent())?.trim() === '100';
    });
    const { range } = await peek(page);
    assert.ok(timeOf(range[1]!) < begin + 3600n * second);
    // What was written before they came is read again.
    await until(async () => (await peek(page)).plots[0]!.texts.some(({ text }) => text === '50'));
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

  it('shows the rows of a run that comes back from the bin', async () => {
    await write('bin', [[now(), 7]]);
    await client.deleteStreams({ topic, streamIds: ['bin'] });
    const { page } = await follow('bin');
    await page.getByText('“bin”: no such run. It may have been deleted.').waitFor();
    await client.restoreStreams({ topic, streamIds: ['bin'] });
    await shows(page, 7);
  });
});
