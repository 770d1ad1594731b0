import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, holdBack, plotted, rangeOf, serviceWithCars, skip, toTab } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

describe("the explorer's layout", { skip }, async () => {
  if (skip !== false) return;
  const { service, samples, start } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string, options: Parameters<typeof open>[2] = {}) =>
    open(service.url, hash, { token: service.token, ...options });

  it('is drawn when it opens: the newest run that has something to show, what one looks at first', async () => {
    const { page, faults } = await signedIn('');
    await plotted(page);
    // The other car was written later, but for ten seconds only.
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    assert.deepEqual(fields.getAll('s'), ['cars/practice']);
    assert.deepEqual(fields.getAll('p'), ['Speed', 'Throttle', 'Brake', 'Gear', 'EngineRPM', 'Steering']);
    assert.equal(await page.evaluate('localStorage.length'), 0);
    assert.deepEqual(faults, []);
  });

  it('asks for what it draws before the rest of the page has come, for as many pixels as there will be', async () => {
    for (const [width, height] of [
      [1440, 900],
      [1280, 720],
      [390, 844],
    ] as const) {
      const { page, faults } = await signedIn('', { viewport: { width, height } });
      await page.goto('about:blank');
      const asked: string[] = [];
      page.on('request', (request) => {
        const body = request.postData() ?? '';
        // The table of laps counts by laps.
        const isOfPlots = body.includes('"Count"') && !body.includes('"groupBy"');
        if (request.url().includes('/parameters/data') && isOfPlots) asked.push(body);
      });
      const { goOn } = await holdBack(page, '**/assets/page-*.js');
      await page.goto(`${service.url}/#s=cars/practice&p=Speed`, { waitUntil: 'commit' });
      await until(() => asked.length > 0);
      assert.equal(await page.locator('.app').count(), 0);
      await goOn();
      await plotted(page);
      const drawn = await page.evaluate("document.querySelector('.plot .u-over').clientWidth");
      const { from, to, groupByTime } = JSON.parse(asked[0]!);
      const pixels = BigInt(Number(drawn));
      assert.equal(BigInt(groupByTime.timeBucketDuration), (BigInt(to) - BigInt(from)) / pixels + 1n);
      assert.equal(asked.length, 1);
      assert.deepEqual(faults, []);
      await page.close();
    }
  });

  it('is there soon, however long the service takes to say what the address names', async () => {
    const { page, faults } = await signedIn('');
    await page.goto('about:blank');
    const { goOn } = await holdBack(page, '**/streams*');
    await page.goto(`${service.url}/#s=cars/practice&p=Speed`);
    await page.locator('.app').waitFor();
    await goOn();
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('has the ways to look in one line', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    const height = await page.evaluate("document.querySelector('.tools').clientHeight");
    assert.ok(Number(height) < 45, `${height} px`);
  });

  it('moves nothing in a narrow plot while the cursor moves', async () => {
    const [a, b] = [start + 60_000_000_000n, start + 90_000_000_000n];
    const { page } = await signedIn(`#s=cars/practice&p=Speed&a=${a}&b=${b}`, {
      viewport: { width: 1024, height: 768 },
    });
    await plotted(page);
    const values = page.locator('.flag-values');
    await values.waitFor();
    const before = await values.boundingBox();
    const plot = (await page.locator('.plot .u-over').boundingBox())!;
    await page.mouse.move(plot.x + plot.width / 3, plot.y + 200);
    await page.locator('.reading dd').getByText('…').waitFor();
    assert.deepEqual(await values.boundingBox(), before);
  });

  it('scrolls the values at A and B by keys where they are wider than the plot', async () => {
    const [a, b] = [start + 60_000_000_000n, start + 90_000_000_000n];
    const { page } = await signedIn(`#s=cars/practice&p=Speed&a=${a}&b=${b}&panel=measure`, {
      viewport: { width: 800, height: 768 },
    });
    await plotted(page);
    const values = page.getByRole('list', { name: 'Values at A and B' });
    await values.focus();
    assert.equal(await values.evaluate((list) => list.scrollWidth > list.clientWidth), true);
    await page.keyboard.press('ArrowRight');
    await until(async () => (await values.evaluate((list) => list.scrollLeft)) > 0);
  });

  it('remembers what one has chosen of a topic until one signs out', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&p=Gear');
    await plotted(page);
    await toTab(page, 'Channels');
    await page.getByRole('checkbox', { name: /^Gear/ }).uncheck();
    await page.getByRole('checkbox', { name: /^Fuel/ }).check();
    await page.waitForURL(/p=Speed&p=Fuel$/);
    await page.evaluate("location.hash = ''; location.reload()");
    await page.waitForURL(/p=Speed&p=Fuel$/);
    await plotted(page);
    await toTab(page, 'Measure');
    await page.getByRole('button', { name: 'Histogram', exact: true }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.waitForURL(/from=/);
    const zoomed = rangeOf(page);
    await page.evaluate("location.hash = ''; location.reload()");
    await page.waitForURL(/p=Speed&p=Fuel&from=\d+&to=\d+&beside=histogram&panel=measure$/);
    assert.deepEqual(rangeOf(page), zoomed);
    await page.getByRole('region', { name: 'Histogram' }).waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    assert.equal(await page.evaluate('localStorage.length'), 0);
  });

  it('asks once for the sparks of all channels, whose last values are those of the last row', async () => {
    const { page } = await signedIn('');
    await plotted(page);
    // What the first opening asks is over, also on a busy machine.
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    page.on('request', (request) => {
      if ((request.postData() ?? '').includes('"Last"')) asked.push(request.postData()!);
    });
    await page.reload();
    await plotted(page);
    await toTab(page, 'Channels');
    await page.locator('.spark').nth(5).waitFor();
    assert.equal(asked.length, 1);
    const rows = await page.locator('.parameter').all();
    const texts = await Promise.all(
      rows.map(async (row) => [
        await row.locator('.name').textContent(),
        ((await row.locator('.value').textContent()) ?? '').split(' ')[0],
      ]),
    );
    const said = new Map(texts as [string, string][]);
    const last = samples.at(-1)!.values;
    for (const [i, name] of ['Speed', 'EngineRPM', 'Gear', 'Throttle'].entries())
      assert.equal(said.get(name), String(last[i]), name);
  });

  it('shares the height between plots, which a splitter changes by mouse and by keyboard', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&p=Gear&p=Brake');
    await plotted(page);
    const heights = async () =>
      Promise.all(
        (await page.locator('.plot').all()).map(async (plot) => (await plot.boundingBox())!.height),
      );
    const [first, second, third] = (await heights()) as [number, number, number];
    assert.ok(Math.abs(first - second) <= 1 && Math.abs(second - third) <= 1, `${first} ${second} ${third}`);
    const axis = (await page.locator('.axis').boundingBox())!;
    const last = (await page.locator('.plot').last().boundingBox())!;
    assert.ok(last.y + last.height <= axis.y && axis.y + axis.height <= 801, 'all of it is seen');
    const splitter = page.getByRole('separator', { name: 'Height of Speed' });
    const box = (await splitter.boundingBox())!;
    await page.mouse.move(box.x + 200, box.y + 3);
    await page.mouse.down();
    await page.mouse.move(box.x + 200, box.y + 63, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/h=/);
    await until(async () => Math.abs((await heights())[0]! - first - 60) <= 2);
    assert.ok(Math.abs((await heights())[2]! - third) <= 1);
    await splitter.press('ArrowUp');
    await until(async () => Math.abs((await heights())[0]! - first - 44) <= 2);
    await page.reload();
    await plotted(page);
    assert.ok(Math.abs((await heights())[0]! - first - 44) <= 2);
  });

  it('has a strip of all of the run, with a window that is drawn, dragged and moved by keys', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    const box = (await page.locator('.strip').boundingBox())!;
    const drag = async (from: number, to: number) => {
      await page.mouse.move(box.x + box.width * from, box.y + 15);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * to, box.y + 15, { steps: 5 });
      await page.mouse.up();
    };
    const span = Number(samples.at(-1)!.seconds) * 1e9;
    const shares = () => {
      const { from, to } = rangeOf(page);
      return [Number(from - start) / span, Number(to - start) / span] as const;
    };
    const near = (wanted: readonly [number, number]) =>
      until(async () => shares().every((share, i) => Math.abs(share - wanted[i]!) < 0.02));
    await drag(0.4, 0.6);
    await page.waitForURL(/from=/);
    await near([0.4, 0.6]);
    await drag(0.5, 0.7);
    await near([0.6, 0.8]);
    await page.getByRole('slider', { name: 'What is seen of the run' }).press('ArrowLeft');
    await near([0.58, 0.78]);
    // At the end of the run it is as wide as it was.
    await drag(0.68, 1.3);
    await near([0.8, 1]);
    const before = page.url();
    await page.mouse.click(box.x + box.width * 0.3, box.y + 15);
    // A drag that the browser takes away, as to scroll, ends there.
    await page.mouse.move(box.x + box.width * 0.9, box.y + 15);
    await page.mouse.down();
    await page.locator('.strip').dispatchEvent('pointercancel');
    await page.mouse.move(box.x + box.width * 0.5, box.y + 15, { steps: 3 });
    await page.mouse.up();
    assert.equal(page.url(), before);
  });

  it('tells times by the clock of the place as well', async () => {
    const { page } = await signedIn(`#s=cars/practice&p=Speed&from=${start}&to=${start + 60_000_000_000n}`, {
      timezoneId: 'Asia/Kolkata',
    });
    await plotted(page);
    // 2027-01-15 08:00:00 UTC.
    const from = page.getByRole('textbox', { name: /^From/ });
    assert.equal(await from.inputValue(), '2027-01-15 08:00:00.000');
    // Who has no mouse goes there to have every digit.
    await from.focus();
    await until(async () => (await from.inputValue()) === '2027-01-15 08:00:00.000000001');
    // As everywhere, the keys that come first write over it.
    assert.equal(await page.evaluate('getSelection().toString()'), '2027-01-15 08:00:00.000000001');
    await from.blur();
    await until(async () => (await from.inputValue()) === '2027-01-15 08:00:00.000');
    await page.getByLabel('Zone').selectOption('local');
    await page.waitForURL(/zone=local/);
    assert.equal(await from.inputValue(), '2027-01-15 13:30:00.000');
    assert.equal(await from.getAttribute('title'), '2027-01-15 13:30:00.000000001');
    assert.equal((await page.locator('.tick').first().textContent())?.slice(0, 5), '13:30');
    await from.fill('2027-01-15 13:30:10');
    await from.press('Enter');
    await until(async () => rangeOf(page).from === 1_800_000_010_000_000_000n);
    // What is typed and taken back does not stay in the field while the plots go on.
    await from.focus();
    await page.keyboard.press('End');
    await page.keyboard.type('7');
    await page.keyboard.press('Backspace');
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('PageDown');
    await until(async () => (await from.inputValue()) === '2027-01-15 13:30:35.000');
  });
});

describe('the explorer with very many runs and channels', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const streams = 1500;
  const channels = 200;
  const names = Array.from({ length: channels }, (_, i) => `Channel${i}`);
  await client.writeParameterData('many', 'wide', {
    timestamps: [1n, 2n, 3n],
    numericValues: Object.fromEntries(names.map((name, i) => [name, [i, i + 1, i]])),
  });
  const writer = client.writer('many');
  for (let i = 0; i < streams; i++)
    await writer.write(`run-${i}`, { timestamp: BigInt(i), numeric: { v: i } });
  await writer.close();
  const open = browserPages();

  it('has no more of them in the page than are seen, in the same nodes, and all of them when one scrolls', async () => {
    const { page, faults } = await open(service.url, '#s=many/wide', { token: service.token });
    await plotted(page);
    await toTab(page, 'Channels');
    const items = page.locator('.virtual li');
    const scroll = () =>
      page.evaluate(
        "(() => { const list = document.querySelector('.virtual'); list.scrollTo(0, list.scrollHeight); })()",
      );
    await page.locator('.channel .name').first().waitFor();
    const shown = await items.count();
    assert.ok(shown < 60);
    await items.first().getByRole('checkbox').focus();
    await items.evaluateAll((all) => all.map((item) => item.setAttribute('data-before', '')));
    await scroll();
    await page.locator('.channel .name', { hasText: /^Channel99$/ }).waitFor();
    // Nodes are used again, but for the one with the focus, which no other channel gets.
    assert.equal(await page.locator('.virtual li[data-before]').count(), shown - 1);
    assert.equal(await page.locator('.virtual :focus').count(), 0);
    await toTab(page, 'Runs');
    const most = () => items.last().getAttribute('aria-setsize').then(Number);
    await until(async () => {
      await scroll();
      return (await most()) === streams + 1;
    });
    assert.ok((await items.count()) < 60);
    await page.getByLabel('Search runs').fill('run-1234');
    await until(async () => (await most()) === 1);
    assert.deepEqual(faults, []);
  });
});
