import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, plotted, rangeOf, serviceWithCars, skip } from './explorer-page.ts';
import { peekStill, timeOf, watchCanvases } from './explorer-peek.ts';

const places = {
  time: async (page: Page) => {
    const [from, to] = (await peekStill(page)).range.map((text) => Number(timeOf(text) / 1000n)) as [
      number,
      number,
    ];
    return [from, to] as const;
  },
  distance: async (page: Page) => {
    await peekStill(page);
    const across = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('across');
    const [from = 0, to = 0] = across?.split('~').map(Number) ?? [];
    return [from, to] as const;
  },
} as const;

/**
 * Turns the wheel by a notch before each frame, which keeps the page for longer than a hand rests. Gives how many dots were
 * drawn far beside the plots.
 */
const turnSlowly = `(async () => {
  const plot = document.querySelector('.plot .u-over');
  const { left, top, width } = plot.getBoundingClientRect();
  const { arc } = CanvasRenderingContext2D.prototype;
  let beside = 0;
  CanvasRenderingContext2D.prototype.arc = function (x, ...rest) {
    if (Math.abs(x - this.canvas.width / 2) > this.canvas.width) beside++;
    arc.call(this, x, ...rest);
  };
  const notch = { deltaY: -300, clientX: left + width / 2, clientY: top + 20, bubbles: true, cancelable: true };
  for (let turned = 0; turned < 8; turned++) {
    await new Promise(requestAnimationFrame);
    plot.dispatchEvent(new WheelEvent('wheel', notch));
    const end = performance.now() + 150;
    while (performance.now() < end);
  }
  return beside;
})()`;

const frames = 20;
/** Zooms and moves, a step before each frame. */
const turnAndMove = `(async () => {
  const plot = document.querySelector('.plot .u-over');
  const { left, top, width } = plot.getBoundingClientRect();
  const at = { clientX: left + width / 2, clientY: top + 20, bubbles: true, cancelable: true };
  for (let i = 0; i < ${frames}; i++) {
    await new Promise(requestAnimationFrame);
    plot.dispatchEvent(new WheelEvent('wheel', i % 2 === 0 ? { ...at, deltaX: 6 } : { ...at, deltaY: -20 }));
  }
})()`;

describe('a hand on the plots', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, start } = await serviceWithCars();
  const open = browserPages();
  const second = 1_000_000_000n;
  const views = {
    time: `#s=cars/practice&p=Speed&p=Gear&from=${start + 20n * second}&to=${start + 60n * second}`,
    distance: '#s=cars/practice&p=Speed&mode=overlay&tag=lap&value=1&value=2&by=Distance&across=1000~3000',
  } as const;

  it('asks for nothing and draws nothing beside the plots while a wheel turns, also where frames take long', async () => {
    const { page } = await open(service.url, views.time, { token: service.token, script: watchCanvases });
    await plotted(page);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.postData()?.includes('"Min"')) asked.push(request.url());
    });
    assert.equal(await page.evaluate(turnSlowly), 0);
    await until(() => asked.length > 0);
    await plotted(page);
    assert.equal(asked.length, 1);
  });

  for (const kind of ['time', 'distance'] as const) {
    it(`lays the page out once before its plots are drawn, and not once for each, over ${kind}`, async () => {
      const note = (value: string) =>
        client.writeEvents('cars', 'practice', [{ id: 'note', timestamp: start + 40n * second, value }]);
      await note('Here');
      const plots = '&p=Throttle&p=Brake&p=Steering&p=EngineRPM&p=Fuel';
      const { page } = await open(service.url, `${views[kind]}${plots}`, { token: service.token });
      await plotted(page);
      if (kind === 'time') await page.locator('.note-flag').first().waitFor();
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('Performance.enable');
      const layouts = async () => {
        const { metrics } = await devTools.send('Performance.getMetrics');
        return metrics.find(({ name }) => name === 'LayoutCount')!.value;
      };
      const over = (await page.locator('.plot .u-over').first().boundingBox())!;
      await page.mouse.move(over.x + over.width / 2, over.y + 20);
      const before = await layouts();
      await page.evaluate(turnAndMove);
      const count = (await layouts()) - before;
      assert.ok(count < 4 * frames, `${count} for ${frames} frames`);
      await note('');
    });

    it(`zooms by the wheel at the pointer, and pans by dragging, over ${kind}`, async () => {
      const { page, faults } = await open(service.url, views[kind], {
        token: service.token,
        script: watchCanvases,
      });
      page.setDefaultTimeout(15_000);
      await plotted(page);
      const seen = () => places[kind](page);
      const { x, y, width } = (await page.locator('.plot .u-over').first().boundingBox())!;
      const isNear = (value: number, wanted: number, of: number) =>
        assert.ok(Math.abs(value - wanted) < of / 100, `${value} for ${wanted}`);
      const [from, to] = await seen();
      const span = to - from;
      const share = 0.3;
      const at = (shown: readonly [number, number], place: number) =>
        shown[0] + (shown[1] - shown[0]) * place;
      await page.mouse.move(x + width * share, y + 40);
      const changed = (before: string) => page.waitForURL((url) => url.href !== before);
      let before = page.url();
      await page.mouse.wheel(0, -300);
      await changed(before);
      const zoomed = await seen();
      assert.ok(zoomed[1] - zoomed[0] < span * 0.7, 'less is seen');
      isNear(at(zoomed, share), at([from, to], share), span);
      before = page.url();
      await page.mouse.wheel(0, 300);
      await changed(before);
      isNear((await seen())[0], from, span);
      // What is under the hand stays there.
      before = page.url();
      await page.mouse.down();
      await page.mouse.move(x + width * 0.55, y + 60, { steps: 5 });
      await page.mouse.up();
      await changed(before);
      const panned = await seen();
      isNear(panned[1] - panned[0], span, span);
      isNear(at(panned, 0.55), at([from, to], share), span);
      // A drag sets no cursor.
      assert.ok(!/&p?a=/.test(page.url()), page.url());
      // The middle button selects; so does Shift.
      for (const button of ['middle', 'left'] as const) {
        const now = await seen();
        before = page.url();
        await page.mouse.move(x + width * 0.2, y + 40);
        if (button === 'left') await page.keyboard.down('Shift');
        await page.mouse.down({ button });
        await page.mouse.move(x + width * 0.7, y + 40, { steps: 4 });
        await page.locator('.plot .selection').first().waitFor();
        await page.mouse.up({ button });
        if (button === 'left') await page.keyboard.up('Shift');
        await changed(before);
        const selected = await seen();
        isNear(selected[0], at(now, 0.2), now[1] - now[0]);
        isNear(selected[1], at(now, 0.7), now[1] - now[0]);
      }
      // On the axis a click brings its place to the middle, and a drag pans.
      const axis = (await page.locator('.axis').boundingBox())!;
      const [low, high] = await seen();
      before = page.url();
      await page.mouse.click(x + width * 0.8, axis.y + 20);
      await changed(before);
      const middle = await seen();
      isNear((middle[0] + middle[1]) / 2, at([low, high], 0.8), high - low);
      before = page.url();
      await page.mouse.move(x + width * 0.5, axis.y + 20);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.25, axis.y + 20, { steps: 5 });
      await page.mouse.up();
      await changed(before);
      isNear((await seen())[0], at(middle, 0.25), high - low);
      await page.mouse.dblclick(x + width * 0.5, y + 40);
      await page.waitForURL((url) => !/from=|across=/.test(url.hash));
      await page.keyboard.press('Control+z');
      await page.waitForURL(/from=|across=/);
      if (kind === 'time') assert.ok(rangeOf(page).from > 0n);
      assert.deepEqual(faults, []);
    });
  }

  for (const kind of ['time', 'distance'] as const) {
    it(`has buttons that zoom and show all, and takes them back, over ${kind}`, async () => {
      const { page, faults } = await open(service.url, views[kind], {
        token: service.token,
        script: watchCanvases,
      });
      await plotted(page);
      const press = async (name: string) => {
        const before = page.url();
        await page.getByRole('button', { name, exact: true }).click();
        await page.waitForURL((url) => url.href !== before);
        await plotted(page);
        return isPart() ? places[kind](page) : undefined;
      };
      const isPart = () => /from=|across=/.test(page.url());
      const [from, to] = await places[kind](page);
      const quarter = (to - from) / 4;
      assert.deepEqual(await press('Zoom in'), [from + quarter, to - quarter]);
      assert.deepEqual(await press('Zoom out'), [from, to]);
      assert.equal(await press('All'), undefined);
      assert.deepEqual(await press('Undo'), [from, to]);
      assert.equal(await press('All'), undefined);
      // From all that is seen, too.
      const [low, high] = (await press('Zoom in'))!;
      assert.ok(high > low);
      assert.equal(await press('Undo'), undefined);
      assert.deepEqual(faults, []);
    });

    it(`keeps what is under each of two fingers there, over ${kind}`, async () => {
      const { page, faults } = await open(service.url, views[kind], {
        token: service.token,
        script: watchCanvases,
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
      });
      await plotted(page);
      const { x, y, width } = (await page.locator('.plot .u-over').first().boundingBox())!;
      const fingers = await page.context().newCDPSession(page);
      const put = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...shares: readonly number[]) =>
        fingers.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: shares.map((share, id) => ({ x: x + width * share, y: y + 40, id })),
        });
      const isAt = async (share: number, place: number, of: number) => {
        const [from, to] = await places[kind](page);
        const found = from + (to - from) * share;
        assert.ok(Math.abs(found - place) < of / 100, `${found} for ${place}`);
      };
      const [from, to] = await places[kind](page);
      const span = to - from;
      const [still, moved] = [from + span * 0.2, from + span * 0.5];
      await put('touchStart', 0.2);
      await put('touchStart', 0.2, 0.5);
      // One finger stands still.
      for (const share of [0.55, 0.6, 0.7, 0.8, 0.9]) await put('touchMove', 0.2, share);
      await isAt(0.2, still, span);
      await isAt(0.9, moved, span);
      // Then the other one, and both together, as a hand that moves on.
      for (const share of [0.3, 0.4, 0.5]) await put('touchMove', share, 0.9);
      for (const by of [0.1, 0.2, 0.3]) await put('touchMove', 0.5 - by, 0.9 - by);
      await put('touchEnd');
      await isAt(0.2, still, span);
      await isAt(0.6, moved, span);
      assert.deepEqual(faults, []);
    });
  }

  it('lets go where the button was let go unheard', async () => {
    const { page } = await open(service.url, views.time, { token: service.token, script: watchCanvases });
    await plotted(page);
    for (const [selector, height] of [
      ['.plot .u-over', 40],
      ['.axis', 20],
    ] as const) {
      const { x, y, width } = (await page.locator(selector).first().boundingBox())!;
      const before = page.url();
      await page.mouse.move(x + width * 0.6, y + height);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.5, y + height, { steps: 5 });
      await page.waitForURL((url) => url.href !== before);
      const dragged = await places.time(page);
      // What the page hears when the hand comes back without a button.
      await page.evaluate(`document.querySelector('${selector}').dispatchEvent(new PointerEvent('pointermove', {
        bubbles: true, pointerId: 1, pointerType: 'mouse', buttons: 0, clientX: ${x + width * 0.2}, clientY: ${y + height},
      }))`);
      assert.deepEqual(await places.time(page), dragged, selector);
      await page.mouse.up();
    }
  });
});
