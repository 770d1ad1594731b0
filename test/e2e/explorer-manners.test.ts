import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { isAccessible } from './explorer-axe.ts';
import {
  browserPages,
  type Opening,
  plotted,
  rangeOf,
  serviceWithCars,
  skip,
  toTab,
} from './explorer-page.ts';

describe("the explorer's manners", { skip }, async () => {
  if (skip !== false) return;
  const { service } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string, opening: Opening = {}) =>
    open(service.url, hash, { token: service.token, ...opening });

  it('can be used by keyboard alone', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&p=Gear');
    await plotted(page);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('+');
    await page.waitForURL(/from=/);
    const zoomed = rangeOf(page);
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForURL((url) => !url.hash.includes(`from=${zoomed.from}`));
    assert.ok(rangeOf(page).from > zoomed.from);
    await page.keyboard.press('0');
    await page.waitForURL((url) => !url.hash.includes('from='));
    const reached = new Set<string>();
    const wanted = [
      'Filter channels',
      'Height of Speed',
      'What is seen of the run',
      'Compare lap 2 of Friday practice',
      'Move Gear',
      'Export',
      'More',
    ];
    await page.getByRole('tab', { name: 'Channels' }).click();
    await page.getByLabel('Compare lap 2').waitFor();
    for (let i = 0; i < 150 && !wanted.every((name) => reached.has(name)); i++) {
      await page.keyboard.press('Tab');
      reached.add(
        await page.evaluate(
          'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim()',
        ),
      );
    }
    for (const name of wanted)
      assert.ok(reached.has(name), `${name} cannot be reached: ${[...reached].join(', ')}`);
  });

  it('lets a finger set a cursor by a long press, and a tap change nothing', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await plotted(page);
    const box = (await page.locator('.plot .u-over').boundingBox())!;
    const point = { x: box.x + box.width / 2, y: box.y + 100 };
    const before = page.url();
    await page.touchscreen.tap(point.x, point.y);
    await page.locator('.dot').first().waitFor();
    assert.equal(page.url(), before);
    const session = await page.context().newCDPSession(page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
    await page.waitForURL(/[&]a=\d+/);
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.locator('.flag').waitFor();
    // The next one sets B, and a third begins anew.
    const other = { ...point, x: point.x + 60 };
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [other] });
    await page.waitForURL(/[&]b=\d+/);
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [other] });
    await page.waitForURL((url) => !url.hash.includes('&b='));
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
    await session.send('Input.dispatchTouchEvent', {
      type: 'touchMove',
      touchPoints: [{ ...point, x: point.x - 60 }],
    });
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.waitForURL(/from=/);
    assert.deepEqual(faults, []);
  });

  it('says once that no run has a channel, quietly, with the nearest name', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&p=Sped');
    const note = page.locator('.warning-note');
    await note.waitFor();
    assert.equal(
      await note.locator('span').textContent(),
      'The channel "Sped" was chosen, and no open run has it as numbers. Choose another under Channels, or remove it from its plot; the nearest is "Speed".',
    );
    await plotted(page);
    await page.getByRole('button', { name: 'Hide this warning' }).click();
    await note.waitFor({ state: 'detached' });
    const answered = page.waitForResponse((response) => response.headers()['pitwall-warning'] !== undefined);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('+');
    await answered;
    await plotted(page);
    assert.equal(await note.count(), 0);
  });

  it('says nothing of a channel that one run has, where another one is not there', async () => {
    const { page } = await signedIn('#s=cars/practice&s=cars/never&p=Speed');
    await page.getByText('“never”: no such run').waitFor();
    await plotted(page);
    assert.equal(await page.getByText('and no open run has it').count(), 0);
  });

  it('tells its keys', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys and gestures' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await toTab(page, 'Runs');
    await page.getByLabel('Search runs').press('?');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('closes a menu at the top by Escape, by a click elsewhere, and where a dialog opens', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    for (const [menu, inside] of [
      ['More', page.getByRole('link', { name: 'API' })],
      ['Export', page.getByRole('button', { name: 'Download CSV' })],
    ] as const) {
      for (const close of [
        () => page.keyboard.press('Escape'),
        () => page.mouse.click(640, 500),
        () => page.keyboard.press('?'),
      ]) {
        await page.getByText(menu === 'More' ? '⋯' : menu, { exact: true }).click();
        await inside.waitFor();
        await close();
        await inside.waitFor({ state: 'hidden' });
      }
      await page.getByRole('dialog', { name: 'Keys and gestures' }).waitFor();
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(faults, []);
  });

  it('fits a phone', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed', {
      viewport: { width: 390, height: 800 },
      hasTouch: true,
    });
    await plotted(page);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    // What opens at the top does too.
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const sheet = (await page.locator('[popover].export').boundingBox())!;
    assert.ok(sheet.x >= 0 && sheet.x + sheet.width <= 390, JSON.stringify(sheet));
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    // The plot is seen at once; the streams come when they are asked for.
    await page.getByLabel('Search runs').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await page.getByLabel('Search runs').waitFor();
    await page.getByRole('button', { name: 'Runs', exact: true }).click();
    await page.getByLabel('Search runs').waitFor({ state: 'hidden' });
  });

  it('has no fault of accessibility that a machine finds, in light and in dark, on a phone too', async () => {
    const views = [
      '#s=cars/practice&p=Speed,Gear&bands=lap',
      '#s=cars/practice&p=Speed&p=Gear&panel=measure&a=1800000010000000000&b=1800000020000000000',
      '#s=cars/practice&p=Speed&panel=events',
      '#s=cars/practice&p=Speed&mode=overlay&tag=lap&value=2&value=3&by=Distance',
      '#s=cars/practice&p=Speed&mode=overlay&tag=lap&pick=cars/practice/1&pick=cars/practice/2&by=Distance&panel=measure&pa=9&pb=99',
      '#s=cars/practice&p=Speed&mode=overlay&tag=lap&pick=cars/practice/1&pick=cars/practice/2',
      '#s=cars/practice&s=cars/other&p=Speed&mode=overlay',
      '#s=cars/practice&p=Speed&panel=map&a=1800000010000000000',
      '#s=cars/practice&p=Speed&mode=overlay&tag=lap&pick=cars/practice/1&pick=cars/practice/2&by=Distance&panel=map',
      '#s=cars/practice&p=Speed&p=Gear&panel=map&live=1',
      '#s=cars/practice&p=Speed&beside=xy,histogram,spectrum&xy=X,Y,Speed',
      '#s=cars/practice&p=Speed&p=Gear&states=Gear&y=Speed,0~400',
      '#s=cars/practice&p=Speed&mode=overlay&tag=lap&pick=cars/practice/1&pick=cars/practice/2&by=Distance&beside=xy,histogram&xy=X,Y',
      '#s=cars/practice&mode=table&p=Speed',
    ];
    const { page } = await signedIn(views[0]!);
    for (const view of views) {
      await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
      await page.locator('main [aria-busy="false"]').first().waitFor();
      if (view.includes('panel=map')) await page.locator('.map canvas').waitFor();
      if (view.includes('mode=overlay') && !view.includes('by='))
        await page.getByLabel(/^Move .+ by/).waitFor();
      await isAccessible(page, view);
    }
    // Without the many rows of a table around what follows.
    await page.evaluate(`location.hash = ${JSON.stringify(views[0])}`);
    await plotted(page);
    await toTab(page, 'Runs');
    await isAccessible(page, 'runs');
    await page.setViewportSize({ width: 390, height: 844 });
    for (const sheet of ['Channels', 'Laps', 'Measure', 'Map']) {
      await page.getByRole('button', { name: sheet, exact: true }).click();
      await isAccessible(page, `${sheet} on a phone`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await isAccessible(page, 'sharing');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('dialog', { name: 'Views' }).waitFor();
    await isAccessible(page, 'views');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys and gestures' }).waitFor();
    await isAccessible(page, 'keys');
    await page.keyboard.press('Escape');
    for (const menu of ['Export', 'More']) {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await isAccessible(page, menu);
    }
    await page.getByLabel('File to import').setInputFiles({
      name: 'run.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('time,v,lap\n1,2,3\n'),
    });
    await page.getByRole('dialog').getByText('1 row').waitFor();
    await isAccessible(page, 'importing');
  });

  it('loads in less than 160 KB and nothing from elsewhere', async () => {
    // In a context of its own, in which nothing is kept.
    const { page } = await open(service.url, '', { locale: 'en' });
    await page.getByLabel('Token').waitFor();
    // What comes when the page is at rest counts, too.
    const names = "performance.getEntriesByType('resource').map(({ name }) => name).join()";
    await until(async () => String(await page.evaluate(names)).includes('/late-'));
    const loaded: { readonly name: string; readonly transferSize: number }[] = await page.evaluate(
      "[...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')].map(({ name, transferSize }) => ({ name, transferSize }))",
    );
    const bytes = loaded.reduce((sum, { transferSize }) => sum + transferSize, 0);
    assert.ok(bytes > 20_000 && bytes < 160_000, `${bytes} bytes`);
    assert.deepEqual([...new Set(loaded.map(({ name }) => new URL(name).host))], [new URL(service.url).host]);
  });
});
