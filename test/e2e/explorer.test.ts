import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createClient } from '../../src/client/client.ts';
import { drive, type Sample } from '../../src/demo/drive.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { makeTrack } from '../../src/demo/track.ts';
import { root } from '../root.ts';
import { adminToken, type RunningService, startService, temporaryFolder } from './service.ts';

const browserPath = '/usr/bin/chromium';
const skip = existsSync(browserPath) ? false : `there is no browser at ${browserPath}`;
const start = 1_800_000_000_000_000_001n;

/** A page and what went wrong in it: errors and violations of the Content-Security-Policy. */
interface Tab {
  readonly page: Page;
  readonly faults: string[];
}

describe('the explorer', { skip }, async () => {
  if (skip !== false) return;
  const service = await startService();
  const client = createClient({ url: service.url, token: adminToken });
  const samples: Sample[] = [];
  for (const sample of drive(makeTrack(), 50, seededRandom(1))) {
    if (sample.lap > 3) break;
    samples.push(sample);
  }
  await announce(client, 'cars', 'practice', 'Friday practice', { driver: 'A. Okafor' });
  await writeSamples(client, 'cars', 'practice', samples, start);
  await announce(client, 'cars', 'other', 'Another car', {});
  await writeSamples(client, 'cars', 'other', samples.slice(0, 500), start);
  let browser: Browser | undefined;
  after(() => browser?.close());

  const open = async (
    url: string,
    hash = '',
    options: BrowserContextOptions = {},
    token?: string,
  ): Promise<Tab> => {
    browser ??= await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    after(() => context.close());
    // As if one had signed in before in this tab.
    if (token !== undefined)
      await context.addInitScript(`sessionStorage.setItem('pitwall.token', ${JSON.stringify(token)})`);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) faults.push(message.text());
    });
    await page.goto(`${url}/${hash}`);
    return { page, faults };
  };

  const signedIn = async (
    hash: string,
    options: BrowserContextOptions = {},
    url = service.url,
  ): Promise<Tab> => {
    const tab = await open(url, hash, options, adminToken);
    await tab.page.getByRole('region', { name: 'Streams' }).waitFor();
    return tab;
  };

  const plotted = (page: Page) => page.locator('.plots[aria-busy="false"] .plot canvas').first().waitFor();
  const rangeOf = (page: Page) => {
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    return { from: BigInt(fields.get('from')!), to: BigInt(fields.get('to')!) };
  };

  it('asks for a token, refuses a wrong one, and keeps the right one for the tab alone', async () => {
    const { page, faults } = await open(service.url);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('does not know this token').waitFor();
    await page.getByLabel('Token').fill(adminToken);
    await page.getByLabel('Token').press('Enter');
    await page.getByText('Friday practice').waitFor();
    await page.reload();
    await page.getByText('Friday practice').waitFor();
    assert.ok(!page.url().includes(adminToken));
    assert.equal(await page.evaluate('localStorage.length + document.cookie.length'), 0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    assert.deepEqual(faults, []);
  });

  it('finds a stream, plots a parameter of it, and zooms until the rows themselves are seen', async () => {
    const { page, faults } = await signedIn('');
    await page.getByLabel('Search streams').fill('okafor');
    await page.getByText('Another car').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Friday practice/ }).click();
    await page.getByLabel('Filter parameters').fill('Speed');
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/parameters/data')) requests.push(request.postData() ?? '');
    });
    await page.getByRole('checkbox', { name: /^Speed/ }).check();
    await plotted(page);
    assert.ok(requests.some((body) => body.includes('"Max"') && body.includes('timeBucketDuration')));
    requests.length = 0;

    const plot = page.locator('.plot .u-over').first();
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.4, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.42, box.y + 50, { steps: 5 });
    await page.mouse.up();
    await page.waitForURL(/from=/);
    await plotted(page);
    const { from, to } = rangeOf(page);
    const rows = samples.filter(({ seconds }) => {
      const time = start + BigInt(Math.round(seconds * 1e9));
      return time >= from && time <= to;
    });
    assert.ok(rows.length > 50 && rows.length < 1000, `${rows.length} rows are in the range`);
    assert.ok(requests.length > 0 && requests.every((body) => !body.includes('aggregationType')));

    // At the cursor stands a value as it was written, with every digit of its time.
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    const reading = await page.locator('.readings dd').first().textContent();
    const [value, time] =
      /^(\S+) \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.(\d{9})$/.exec(reading ?? '')?.slice(1) ?? [];
    assert.ok(
      rows.some(({ values, seconds }) => {
        const digits = String((start + BigInt(Math.round(seconds * 1e9))) % 1_000_000_000n).padStart(9, '0');
        return String(values[0]) === value && digits === time;
      }),
      String(reading),
    );

    await page.getByRole('button', { name: 'All' }).click();
    await page.waitForURL((url) => !url.hash.includes('from='));
    await page.goBack();
    assert.deepEqual(rangeOf(page), { from, to });
    assert.deepEqual(faults, []);
  });

  it('asks for no more than the plot is wide, however much there is', async () => {
    const { page } = await signedIn('');
    const sizes: Promise<number>[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/parameters/data')) {
        // A request that the page cancelled has no body.
        const count = response.body().then((body) => JSON.parse(body.toString()).timestamps.length);
        sizes.push(count.catch(() => 0));
      }
    });
    await page.evaluate("location.hash = 's=cars/practice&p=Speed'");
    await plotted(page);
    const rows = await Promise.all(sizes);
    assert.ok(samples.length > 10_000);
    assert.ok(
      rows.some((count) => count > 0) && rows.every((count) => count <= 4000),
      `answers of ${rows.join(', ')} rows`,
    );
  });

  it('lays laps over each other, by distance', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByLabel('Tag', { exact: true }).fill('lap');
    await page.getByLabel('Tag', { exact: true }).press('Enter');
    await page.getByRole('checkbox', { name: '2', exact: true }).check();
    await page.getByRole('checkbox', { name: '3', exact: true }).check();
    await page.getByLabel('Aligned by').selectOption('Distance');
    await page.getByRole('img', { name: 'Speed: lap 2, lap 3' }).waitFor();
    await page.getByRole('button', { name: 'XY' }).click();
    await page.getByRole('combobox', { name: 'Across' }).selectOption('X');
    await page.getByRole('combobox', { name: 'Up' }).selectOption('Y');
    await page.getByRole('combobox', { name: 'Colour' }).selectOption('Speed');
    await page.getByRole('img', { name: /Y over X/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('shows rows, and gives the query to copy and the rows to take away', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Gear&mode=table');
    const cells = page.getByRole('region', { name: 'Rows' }).getByRole('row');
    await cells.nth(200).waitFor();
    await page.getByRole('button', { name: 'Next' }).last().click();
    await page.getByText('Rows 201 to 400').waitFor();
    await page.getByText('Take away').click();
    const curl = await page.locator('.take pre').textContent();
    assert.match(curl ?? '', /^curl http.*\/parameters\/data[\s\S]*"streamIds":\["practice"\]/);
    assert.ok(!curl!.includes(adminToken));
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const download = await coming;
    assert.equal(download.suggestedFilename(), 'practice.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split(/\r?\n/);
    assert.equal(lines.length, samples.length + 1);
    assert.equal(lines[0], 'Timestamp,Gear');
    assert.equal(lines[1], `${start},${samples[0]!.values[2]}`);
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
    const { page } = await signedIn('#s=cars/live&p=Speed&live=1', {}, live.url);
    await page.getByText('connected', { exact: true }).waitFor();
    await write(1);
    await page.locator('.plot canvas').waitFor();
    await live.stop();
    await page.getByText('connecting…').waitFor();
    live = await startService({ dataDir, args: ['--listen', `127.0.0.1:${port}`] });
    await write(2);
    await page.getByText('connected', { exact: true }).waitFor();
    await write(3);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    // The newest row has arrived when the window ends with it.
    await page.waitForTimeout(300);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForURL(/to=/);
    assert.equal(rangeOf(page).to, now + 3_000_000_000n);
    await plotted(page);
  });

  it('can be used by keyboard alone', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('+');
    await page.waitForURL(/from=/);
    const zoomed = rangeOf(page);
    await page.keyboard.press('ArrowRight');
    await page.waitForURL((url) => !url.hash.includes(`from=${zoomed.from}`));
    assert.ok(rangeOf(page).from > zoomed.from);
    await page.keyboard.press('0');
    await page.waitForURL((url) => !url.hash.includes('from='));
    await page.getByLabel('Search streams').focus();
    const reached = new Set<string>();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate("document.activeElement?.closest('section, header, nav, aside, main')?.tagName"),
      );
    }
    for (const place of ['SECTION', 'NAV']) assert.ok(reached.has(place), `${place} cannot be reached`);
  });

  it('fits a phone', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed', {
      viewport: { width: 390, height: 800 },
      hasTouch: true,
    });
    await plotted(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  });

  it('has no serious fault of accessibility, in light and in dark', async () => {
    const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    const views = [
      '#s=cars/practice&p=Speed&bands=lap',
      '#s=cars/practice&p=Speed&mode=overlay&tag=lap&value=2',
      '#s=cars/practice&mode=table&p=Speed',
    ];
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await signedIn(views[0]!, { colorScheme });
      for (const view of views) {
        await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
        await page.locator('main [aria-busy="false"]').first().waitFor();
        // The page's policy lets nothing in; the browser itself may.
        await page.evaluate(axe);
        const found = (await page.evaluate(
          "axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' | ')))",
        )) as string[];
        assert.deepEqual(found, [], `${view} in ${colorScheme}`);
      }
    }
  });

  it('loads in less than 200 KB and nothing from elsewhere', async () => {
    const { page } = await open(service.url);
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    await page.reload();
    await page.getByLabel('Token').waitFor();
    const bytes = await page.evaluate(
      "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).reduce((sum, { transferSize }) => sum + transferSize, 0)",
    );
    assert.ok(Number(bytes) < 200_000, `${bytes} bytes`);
    assert.deepEqual([...hosts], [new URL(service.url).host]);
  });
});
