import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  browserPages,
  copiedQuery,
  type Opening,
  plotted,
  rangeOf,
  serviceWithCars,
  skip,
  toTab,
} from './explorer-page.ts';

describe('the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, start } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string, opening: Opening = {}) =>
    open(service.url, hash, { token: service.token, ...opening });

  it('finds a stream, plots a parameter of it, and zooms until the rows themselves are seen', async () => {
    const { page, faults } = await signedIn('');
    await page.getByLabel('Search runs').fill('okafor');
    await page.getByText('Another car').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Friday practice/ }).click();
    // What one looks at first is drawn already.
    await page.waitForURL(/p=Speed&p=Throttle&p=Brake/);
    await plotted(page);
    await toTab(page, 'Channels');
    await page.getByLabel('Filter channels').fill('front fl');
    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/parameters/data')) requests.push(request.postData() ?? '');
    });
    await page.getByRole('checkbox', { name: /^TyreTempFL/ }).check();
    await page.getByRole('figure', { name: 'TyreTempFL' }).waitFor();
    await plotted(page);
    assert.ok(requests.some((body) => body.includes('"Max"') && body.includes('timeBucketDuration')));
    requests.length = 0;

    const plot = page.locator('.plot .u-over').first();
    const box = (await plot.boundingBox())!;
    const middle = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width * 0.4, middle);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.42, middle, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.waitForURL(/from=/);
    await plotted(page);
    const { from, to } = rangeOf(page);
    const rows = samples.filter(({ seconds }) => {
      const time = start + BigInt(Math.round(seconds * 1e9));
      return time >= from && time <= to;
    });
    assert.ok(rows.length > 50 && rows.length < 1000, `${rows.length} rows are in the range`);
    // Rows as they are; what is aggregated now says only whether channels leave their limits.
    assert.ok(requests.some((body) => !body.includes('aggregationType')));
    assert.ok(requests.every((body) => !body.includes('timeBucketDuration')));

    // At the cursor stands a value as it was written, with every digit of its time.
    await page.mouse.move(box.x + box.width / 2, middle);
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

    await page.getByRole('button', { name: 'All', exact: true }).click();
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

  it('puts parameters into one plot and apart again, and shows events and bands as text', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed&p=Gear&bands=lap');
    await plotted(page);
    await page.getByLabel('Move Gear', { exact: true }).selectOption('to Speed');
    await page.getByRole('figure', { name: 'Speed, Gear' }).waitFor();
    assert.match(page.url(), /p=Speed%2CGear/);
    await page.getByLabel('Move Speed', { exact: true }).selectOption('to a plot of its own');
    await page.getByRole('figure', { name: 'Gear' }).waitFor();
    await toTab(page, 'Events');
    const lap = page.getByRole('button', { name: /Lap completed: 1:/ }).first();
    const text = (await lap.textContent()) ?? '';
    await lap.click();
    await page.waitForURL(/from=/);
    const box = (await page.locator('.plot .u-over').first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 80);
    const near = await page.locator('.event-reading li').first().textContent();
    assert.equal(near?.trim(), text.trim());
    await toTab(page, 'Runs');
    await page.getByRole('region', { name: 'Open runs' }).getByText('Friday practice').click();
    await page.getByRole('region', { name: 'Open runs' }).getByText('A. Okafor').waitFor();
    assert.deepEqual(faults, []);
  });

  it('says how many events there are where one line stands for several, and what went wrong with them', async () => {
    const times = samples.slice(0, 500).map(({ seconds }) => start + BigInt(Math.round(seconds * 1e9)));
    await client.writeEvents(
      'cars',
      'other',
      times.map((timestamp) => ({ id: 'knock', timestamp, value: '1' })),
    );
    const all = await client.eventData({
      topic: 'cars',
      streamIds: ['other'],
      from: start,
      to: times.at(-1)!,
    });
    const { page } = await signedIn('#s=cars/other&p=Speed&panel=events');
    await plotted(page);
    const said = page.getByRole('region', { name: 'Events' });
    const count = Object.values(all).flat().length;
    await said.getByText(`${count} events; those near each other share a line.`).waitFor();
    assert.ok((await said.locator('ol li').count()) < 400);
    await page.route('**/events/data*', (route) => route.fulfill({ status: 400, body: '{}' }));
    await page.evaluate(`location.hash = '#s=cars/practice&p=Speed&panel=events'`);
    await said.getByRole('alert').first().waitFor();
  });

  it('lays laps over each other, by distance', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await page.getByLabel('Compare lap 2 of Friday practice').check();
    await page.getByLabel('Compare lap 3 of Friday practice').check();
    await page.getByRole('figure', { name: 'Speed: lap 2, lap 3' }).waitFor();
    await page.getByRole('button', { name: 'XY' }).click();
    await page.getByRole('combobox', { name: 'X', exact: true }).selectOption('X');
    await page.getByRole('combobox', { name: 'Y', exact: true }).selectOption('Y');
    await page.getByRole('combobox', { name: 'Colour by' }).selectOption('Speed');
    await page.getByRole('img', { name: /Y over X/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('shows rows, and gives the query to copy and the rows to export', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Gear&mode=table');
    const cells = page.getByRole('region', { name: 'Rows' }).getByRole('row');
    await cells.nth(200).waitFor();
    await page.getByRole('button', { name: 'Next' }).last().click();
    await page.getByText('Rows 201 to 400').waitFor();
    await page.getByText('Export', { exact: true }).click();
    const curl = await copiedQuery(page);
    assert.match(curl, /^curl http.*\/parameters\/data[\s\S]*"streamIds":\["practice"\]/);
    assert.ok(!curl.includes(service.token));
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

  it('tells runs apart in the words of a plot on a phone', async () => {
    const { page } = await open(service.url, '#s=cars/practice&s=cars/other&p=Speed', {
      token: service.token,
      viewport: { width: 390, height: 844 },
    });
    await plotted(page);
    const names = await page
      .locator('.plot-row .reading dt')
      .evaluateAll((all) => all.map((name) => [name.innerText.trim(), name.scrollWidth > name.clientWidth]));
    assert.deepEqual(names, [
      ['Friday practice', false],
      ['Another car', false],
    ]);
  });

  it('draws the run that was opened first where it is, in the strip of all that is open', async () => {
    const second = 1_000_000_000n;
    const seconds = Array.from({ length: 11 }, (_, i) => BigInt(i));
    for (const [streamId, begin] of [
      ['first', 0n],
      ['later', 60n],
    ] as const)
      await client.writeParameterData('cars', streamId, {
        timestamps: seconds.map((own) => start + (begin + own) * second),
        numericValues: { Speed: seconds.map((own) => Number(own)) },
      });
    const { page } = await signedIn('#s=cars/later&s=cars/first&p=Speed');
    await plotted(page);
    const strip = (await page.locator('.strip').boundingBox())!;
    await page.locator('.strip path').waitFor();
    const line = (await page.locator('.strip svg').boundingBox())!;
    const shares = [line.x - strip.x, line.x + line.width - strip.x].map((x) => x / strip.width);
    assert.ok(Math.abs(shares[0]! - 60 / 70) < 0.02 && Math.abs(shares[1]! - 1) < 0.02, String(shares));
  });
});
