import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { until } from '../until.ts';
import { browserPages, following, plotted, rangeOf, serviceWithCars, skip, toTab } from './explorer-page.ts';
import { endsAt } from './explorer-peek.ts';
import { adminToken, type RunningService, send, startService, temporaryFolder } from './service.ts';

describe('the explorer, signing in and following', { skip }, async () => {
  if (skip !== false) return;
  const { service } = await serviceWithCars();
  const open = browserPages();

  it('asks for a token, refuses a wrong one, and keeps the right one in no address and on no disk', async () => {
    const { page, faults } = await open(service.url);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not know this token').waitFor();
    await page.getByLabel('Token').fill(service.token);
    await page.getByLabel('Token').press('Enter');
    await page.getByText('Friday practice').first().waitFor();
    await page.reload();
    await page.getByText('Friday practice').first().waitFor();
    assert.ok(!page.url().includes(service.token));
    assert.equal(await page.evaluate('localStorage.length + document.cookie.length'), 0);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    assert.equal(await page.evaluate('sessionStorage.length'), 0);
    assert.deepEqual(faults, []);
  });

  it('is signed in in every tab of the browser, until one signs out or closes the last', async () => {
    // A context of its own, for it has several tabs.
    const { page, faults } = await open(service.url, '', { colorScheme: 'light' });
    await page.getByLabel('Token').fill(service.token);
    await page.getByLabel('Token').press('Enter');
    await page.locator('.app').waitFor();
    const other = await page.context().newPage();
    await other.goto(`${service.url}/#s=cars/practice&p=Speed`);
    await plotted(other);
    assert.equal(await other.evaluate('localStorage.length + document.cookie.length'), 0);
    // It holds on its own now, without the tab that it came from.
    await page.close();
    await other.reload();
    await plotted(other);
    const third = await other.context().newPage();
    await third.goto(service.url);
    await third.locator('.app').waitFor();
    await third.getByRole('button', { name: 'More', exact: true }).click();
    await third.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [third, other]) {
      await tab.getByLabel('Token').waitFor();
      assert.equal(await tab.evaluate('sessionStorage.length'), 0);
    }
    await third.reload();
    await third.getByLabel('Token').waitFor();
    assert.deepEqual(faults, []);
  });

  it('follows live data, pauses, and reads what it missed while the service was away', async () => {
    const dataDir = temporaryFolder();
    let live: RunningService = await startService({ dataDir });
    const port = new URL(live.url).port;
    const writer = createClient({ url: live.url, token: adminToken });
    const now = BigInt(Date.now()) * 1_000_000n;
    const write = (second: number) =>
      writer.writeParameterData('cars', 'live', {
        timestamps: [now + BigInt(second) * 1_000_000_000n],
        numericValues: { Speed: [second] },
      });
    await write(0);
    const { page } = await open(live.url, '#s=cars/live&p=Speed&live=1', { token: adminToken });
    await following(page);
    await write(1);
    await page.locator('.plot canvas').waitFor();
    await live.stop();
    await page.getByText('connecting…').waitFor();
    live = await startService({ dataDir, args: ['--listen', `127.0.0.1:${port}`] });
    await write(2);
    await following(page);
    await write(3);
    // The newest row has arrived when the window ends with it.
    await until(() => endsAt(page, now + 3_000_000_000n));
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForURL(/to=/);
    assert.equal(rangeOf(page).to, now + 3_000_000_000n);
    await plotted(page);
  });

  it('leads back to signing in when the token is revoked, and says why', async () => {
    const made = await send(service.url, '/admin/tokens', {
      body: JSON.stringify({ scopes: ['read'] }),
      token: service.token,
    });
    const { id, token } = made.json<{ id: string; token: string }>();
    const { page, faults } = await open(service.url, '#s=cars/practice&p=Speed', { token });
    await plotted(page);
    const revoked = await send(service.url, `/admin/tokens/${id}`, {
      method: 'DELETE',
      token: service.token,
    });
    assert.equal(Math.floor(revoked.status / 100), 2);
    // Unless the page has noticed by itself, with a request of its own.
    const told = page.getByText('does not know your token any more');
    await Promise.race([told.waitFor(), page.getByRole('button', { name: 'Zoom in' }).click()]);
    await told.waitFor();
    await page.getByLabel('Token').fill(service.token);
    await page.getByLabel('Token').press('Enter');
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('says what it means that nothing was written to a run for a while, and shows no fault', async () => {
    const quiet = await startService({ args: ['--interrupted-after', '1ms'] });
    await createClient({ url: quiet.url, token: adminToken }).writeParameterData('cars', 'left', {
      timestamps: [1_800_000_000_000_000_000n, 1_800_000_001_000_000_000n],
      numericValues: { Speed: [1, 2] },
    });
    const { page } = await open(quiet.url, '#s=cars/left&p=Speed', { token: adminToken });
    await plotted(page);
    await toTab(page, 'Runs');
    const status = page.locator('.status', { hasText: 'Interrupted' });
    await status.nth(1).waitFor();
    const soft = await page.locator('.run .detail').first().evaluate('(one) => getComputedStyle(one).color');
    for (const one of await status.all()) {
      assert.match(
        (await one.getAttribute('title'))!,
        /^No rows for a while, and nobody said that it is finished/,
      );
      assert.equal(await one.evaluate('(one) => getComputedStyle(one).color'), soft);
    }
    await quiet.stop();
  });

  it('keeps what is seen when one pauses while the service is away', async () => {
    const away = await startService();
    const now = BigInt(Date.now()) * 1_000_000n;
    await createClient({ url: away.url, token: adminToken }).writeParameterData('cars', 'gone', {
      timestamps: [now - 2_000_000_000n, now - 1_000_000_000n, now],
      numericValues: { Speed: [1, 2, 3] },
    });
    const { page, faults } = await open(away.url, '#s=cars/gone&p=Speed&live=1', { token: adminToken });
    await following(page);
    await page.locator('.plot canvas').waitFor();
    await away.stop();
    await page.getByText('cannot be reached').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Follow live' }).waitFor();
    assert.equal(await page.locator('.plot canvas').count(), 1);
    assert.deepEqual(faults, []);
  });

  it('says that the service is away, keeps what is seen, and goes on by itself', async () => {
    const dataDir = temporaryFolder();
    let away: RunningService = await startService({ dataDir });
    const { port } = new URL(away.url);
    await createClient({ url: away.url, token: adminToken }).writeParameterData('cars', 'short', {
      timestamps: [1n, 1_000_000_000n, 2_000_000_000n],
      numericValues: { Speed: [1, 2, 3] },
    });
    const { page, faults } = await open(away.url, '#s=cars/short&p=Speed', { token: adminToken });
    await plotted(page);
    await away.stop();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByText('cannot be reached').waitFor();
    assert.equal(await page.locator('.plot canvas').count(), 1);
    away = await startService({ dataDir, args: ['--listen', `127.0.0.1:${port}`] });
    await page.getByText('cannot be reached').waitFor({ state: 'detached' });
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('says in a panel that has nothing yet that the service is away, and fills it by itself', async () => {
    const dataDir = temporaryFolder();
    const first = await startService({ dataDir });
    const { port } = new URL(first.url);
    const rows = Array.from({ length: 200 }, (_, i) => i);
    await createClient({ url: first.url, token: adminToken }).writeParameterData('cars', 'short', {
      timestamps: rows.map((i) => BigInt(i) * 10_000_000n),
      numericValues: { Speed: rows.map((i) => Math.sin(i)), Gear: rows.map((i) => i % 7) },
    });
    const { page, faults } = await open(first.url, '#s=cars/short&p=Speed', { token: adminToken });
    await plotted(page);
    // With the first panel the code of all of them is there.
    await page.getByRole('button', { name: 'Histogram', exact: true }).click();
    await page.locator('.histogram .chart-room svg').waitFor();
    await first.stop();
    await page.getByRole('button', { name: 'Spectrum', exact: true }).click();
    await page.locator('.spectrum').getByText('The service is away.').waitFor();
    await page.getByText('cannot be reached').waitFor();
    await startService({ dataDir, args: ['--listen', `127.0.0.1:${port}`] });
    await page.locator('.spectrum .chart-room svg').waitFor();
    assert.equal(await page.getByText('The service is away.').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('keeps in its lists what they had while the service is away, and fills them anew when it is back', async () => {
    const dataDir = temporaryFolder();
    const first = await startService({ dataDir });
    const { port } = new URL(first.url);
    const writer = createClient({ url: first.url, token: adminToken });
    const rows = Array.from({ length: 300 }, (_, i) => i);
    for (const run of ['one', 'two'])
      await writer.writeParameterData('cars', run, {
        timestamps: rows.map((i) => BigInt(i + 1) * 10_000_000n),
        numericValues: { Speed: rows.map((i) => i % 40) },
        tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 100))) },
      });
    const { page, faults } = await open(first.url, '#s=cars/one&p=Speed', { token: adminToken });
    const { page: table } = await open(first.url, '#s=cars/one&p=Speed&mode=table', { token: adminToken });
    await plotted(page);
    for (const own of [page, table]) await own.getByLabel('Compare lap 3 of one').waitFor();
    await toTab(page, 'Runs');
    await page.getByLabel('Show two too').waitFor();
    await table.getByText('Rows 1 to 200').waitFor();
    await first.stop();

    for (const [own, list, ask] of [
      [page, '.laps', page.getByLabel('Show two too')],
      [table, '.rows', table.getByRole('button', { name: 'Next' })],
    ] as const) {
      const begun = own.locator(`${list}[aria-busy="true"]`).waitFor();
      await Promise.all([begun, ask.click()]);
      await own.getByText('cannot be reached').waitFor();
      // It is asked for, and has failed.
      await own.locator(`${list}[aria-busy="false"]`).waitFor();
    }
    assert.ok(await page.getByLabel('Compare lap 3 of one').isVisible());
    const openRuns = page.getByRole('region', { name: 'Open runs' });
    assert.deepEqual(await openRuns.locator('summary').allTextContents(), ['one Open', 'two Open']);
    await toTab(page, 'Channels');
    await page.getByRole('checkbox', { name: 'Speed' }).waitFor();
    // It tells which rows are seen, not which ones were asked for.
    await table.getByText('Rows 1 to 200').waitFor();
    assert.equal(await table.locator('.rows tr').count(), 201);
    for (const own of [page, table]) assert.equal(await own.getByText('The service is away.').count(), 0);

    await startService({ dataDir, args: ['--listen', `127.0.0.1:${port}`] });
    await page.getByLabel('Compare lap 3 of two').waitFor();
    await table.getByText('Rows 201 to 300').waitFor();
    assert.deepEqual(faults, []);
  });
});
