import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, plotted, skip, toTab } from './explorer-page.ts';
import { peek, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const topic = 'odd';
const second = 1_000_000_000n;
/** 2026-10-25 00:30 UTC: in Berlin an hour comes twice from 01:00 UTC on. */
const start = BigInt(Date.UTC(2026, 9, 25, 0, 30)) * 1_000_000n;

describe('what is odd in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const signedIn = async (hash: string, options: Parameters<typeof open>[2] = {}) => {
    const tab = await open(service.url, hash, { token: service.token, script: watchCanvases, ...options });
    tab.page.setDefaultTimeout(15_000);
    return tab;
  };
  const rows = Array.from({ length: 60 }, (_, i) => i);
  await client.writeParameterData(topic, 'one', {
    timestamps: rows.map((i) => start + BigInt(i) * 60n * second),
    numericValues: {
      Plain: rows,
      Infinite: rows.map((i) =>
        i === 7 ? Number.POSITIVE_INFINITY : i === 9 ? Number.NEGATIVE_INFINITY : i % 10,
      ),
      Huge: rows.map((i) => (i % 2 === 0 ? 1e300 : -1e300)),
      Close: rows.map((i) => 1_000_000 + i / 1e5),
    },
  });

  it('a number and a text of one name are told apart', async () => {
    await client.writeParameterData(topic, 'twins', {
      timestamps: [start, start + second, start + 2n * second],
      numericValues: { Mode: [1, 2, 3] },
      stringValues: { Mode: ['warm', 'push', 'cool'] },
    });
    const { page, faults } = await signedIn(`#s=${topic}/twins&p=Mode`);
    await plotted(page);
    await toTab(page, 'Channels');
    const lines = page.locator('.channel');
    await lines.nth(1).waitFor();
    await until(async () => (await lines.filter({ hasText: 'String' }).innerText()).includes('cool'));
    const ticks = await page
      .locator('.channel input')
      .evaluateAll((all) => all.map((own) => [own.matches(':checked'), own.matches(':disabled')].join()));
    assert.deepEqual(ticks.toSorted(), ['false,true', 'true,false']);
    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    await page.getByText('Rows 1 to 3').waitFor();
    const cells = await page.locator('.rows tbody tr').last().locator('td').allInnerTexts();
    assert.deepEqual(cells, ['3', 'cool']);
    assert.deepEqual(faults, []);
  });

  it('an empty range says so, has no axis of its own making, and leads back', async () => {
    const from = start + 7200n * second;
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Plain&from=${from}&to=${from + 60n * second}`);
    await page.getByText('No rows in this range').waitFor();
    const { plots } = await peek(page);
    assert.deepEqual(
      plots[0]!.texts.filter(({ text }) => /\d/.test(text)),
      [],
    );
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.waitForURL((url) => !url.hash.includes('from='));
    await plotted(page);
    await until(async () => (await peek(page)).plots[0]!.texts.some(({ text }) => text === '40'));
    assert.equal(await page.getByText('No rows in this range').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('what is from before is said to be, and one press tries again all that failed', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Plain&panel=measure&beside=histogram`);
    await plotted(page);
    const statistics = page.locator('.measure .statistics');
    await statistics.getByText('60', { exact: true }).waitFor();
    await page.locator('.histogram[aria-busy="false"] .chart-room svg').waitFor();
    await page.route('**/parameters/data*', (route) => route.fulfill({ status: 500, body: 'broken' }));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const before = page.getByText('What you see here is from before.');
    await until(async () => (await before.count()) === 2);
    await page.unroute('**/parameters/data*');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await before.first().waitFor({ state: 'detached' });
    await until(async () => (await page.getByRole('button', { name: 'Try again' }).count()) === 0);
    await statistics.getByText('30', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('infinities are counted, and leave bins to all others', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Infinite&beside=histogram`);
    await page.getByText('2 rows are infinite, and in no bin.').waitFor();
    const bin = page.getByRole('slider', { name: 'Bin of the histogram of Infinite' });
    await bin.press('Home');
    await until(async () =>
      (await page.getByLabel('Rows of the bin').innerText()).startsWith('0 … 1: 6 rows'),
    );
    assert.deepEqual(faults, []);
  });

  it('an axis tells values that are huge, or close to each other', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Huge&p=Close`);
    await plotted(page);
    const said = async (plot: number) => {
      const { texts, box } = (await peek(page)).plots[plot]!;
      return texts.filter(({ x }) => x < box.left).map(({ text }) => text);
    };
    await until(async () => (await said(0)).length > 2);
    assert.ok(
      (await said(0)).includes('1e300') && (await said(0)).includes('-1e300'),
      (await said(0)).join(),
    );
    const close = await said(1);
    assert.ok(close.length > 2 && close.every((text) => !text.includes('…')), close.join());
    assert.ok(close.includes('1,000,000') && close.some((text) => /^\.0/.test(text)), close.join());
    assert.deepEqual(faults, []);
  });

  it('the hour that comes twice has its offset, and a local zone its name; so has the range at 1024 pixels', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Plain&zone=local`, {
      timezoneId: 'Europe/Berlin',
    });
    await page.setViewportSize({ width: 1024, height: 768 });
    await plotted(page);
    await page.getByText('UTC+02:00 → UTC+01:00').waitFor();
    assert.equal(
      await page.getByLabel('Zone').locator('option:checked').innerText(),
      'local (Europe/Berlin)',
    );
    assert.ok(await page.getByLabel('From (local time)').isVisible());
    const { x, y, width } = (await page.locator('.plot .u-over').boundingBox())!;
    const at = async (share: number) => {
      await page.mouse.move(x + width * share, y + 30);
      return page.getByLabel('Time at the cursor').innerText();
    };
    assert.match(await at(0.1), /02:3\d:.* UTC\+02:00$/s);
    assert.match(await at(0.9), /02:2\d:.* UTC\+01:00$/s);
    assert.deepEqual(faults, []);
  });
});
