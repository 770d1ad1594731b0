import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { serviceWithLooks } from './explorer-looks-seed.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { peek, peekStill, watchCanvases } from './explorer-peek.ts';

const topic = 'words';
const start = 1_800_000_000_000_000_000n;
/** So often it is looked before a hand moves on: for longer than a reading takes to be asked for. */
const looksOfRest = 21;
const units = ['km/h', 'bar', 'rpm', 'V'];

describe('the words of plots', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await serviceWithLooks();
  const open = browserPages();
  const rows = Array.from({ length: 6000 }, (_, i) => i);
  for (const streamId of ['one', 'two']) {
    await client.writeParameterData(topic, streamId, {
      timestamps: rows.map((i) => start + BigInt(i) * 10_000_000n),
      numericValues: Object.fromEntries(
        units.map((_, channel) => [
          `C${channel}`,
          rows.map((i) => 10 ** channel * (1 + Math.sin(i / 50 + channel))),
        ]),
      ),
    });
    await client.defineParameters(
      topic,
      streamId,
      units.map((unit, channel) => ({ id: `C${channel}`, unit })),
    );
  }
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });
  /** Boxes of words and numbers, and of what is drawn, in whole pixels. */
  const boxesOf = (page: Page) =>
    page.evaluate<{ words: number[][]; drawn: number[][] }>(`(() => {
      const boxes = (which) => [...document.querySelectorAll(which)].map((element) => {
        const { left, top, right, bottom } = element.getBoundingClientRect();
        return [left, top, right, bottom].map(Math.round);
      });
      return { words: boxes('.plot-row :is(header, .readings, .reading, .flag-values, .now-values, .pixel)'), drawn: boxes('.plot .u-over') };
    })()`);
  const areApart = ({ words, drawn }: { words: number[][]; drawn: number[][] }, what: string) => {
    assert.ok(words.length > 3 && drawn.length > 0);
    for (const [left, top, right, bottom] of words)
      for (const [x, y, end, foot] of drawn)
        assert.ok(
          right! <= x! || left! >= end! || bottom! <= y! || top! >= foot!,
          `${what}: words at ${[left, top, right, bottom]} lie over what is drawn at ${[x, y, end, foot]}`,
        );
  };

  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ] as const) {
    it(`stand above what is drawn, and nothing moves with the cursor: ${width} pixels`, async () => {
      const runs = `#s=${topic}/one&s=${topic}/two&p=C0,C1&p=C2`;
      const { page, faults } = await signedIn(
        `${runs}&a=${start + 10_000_000_000n}&b=${start + 20_000_000_000n}`,
      );
      await page.setViewportSize({ width, height });
      await plotted(page);
      await page.locator('.flag-values').first().waitFor();
      await peekStill(page);
      const boxOfPlot = async () => (await page.locator('.plot .u-over').first().boundingBox())!;
      // A hand moves again where it sees nothing: plots that are laid out anew under it forget where it was.
      let looks = 0;
      await until(async () => {
        if (looks++ % looksOfRest === 0) {
          const { x, y, height: high } = await boxOfPlot();
          await page.mouse.move(x + 20, y + high / 2 + (looks % 2));
        }
        return (await peek(page)).plots.every(({ bands }) => bands[0] !== '');
      });
      const frame = await boxOfPlot();
      const { drawn } = await boxesOf(page);
      for (let share = 0.05; share < 1; share += 0.06) {
        await page.mouse.move(frame.x + frame.width * share, frame.y + frame.height / 2);
        await peekStill(page);
        const now = await boxesOf(page);
        areApart(now, `at ${share}`);
        assert.deepEqual(now.drawn, drawn, `at ${share}`);
      }
      assert.deepEqual(faults, []);
    });
  }

  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    it(`stay where they are, and the plots too, when A and B are set: ${width} pixels`, async () => {
      for (const hash of [
        `#s=${topic}/one&p=C0&p=C1,C2&p=C3`,
        `#s=${topic}/one&s=${topic}/two&p=C0&p=C1`,
        `#s=${topic}/one&s=${topic}/two&p=C0&p=C1&mode=overlay`,
      ]) {
        const { page } = await signedIn(hash);
        await page.setViewportSize({ width, height });
        await plotted(page);
        await page.locator('.plots').focus();
        await page.keyboard.press('ArrowRight');
        await until(async () => (await peek(page)).plots.every(({ bands }) => bands[0] !== ''));
        await peekStill(page);
        const before = await boxesOf(page);
        await page.keyboard.press('[');
        await page.keyboard.press(']');
        await page.locator('.flag-values').last().getByText('B − A').first().waitFor();
        await peekStill(page);
        const after = await boxesOf(page);
        assert.deepEqual(after.drawn, before.drawn, hash);
        areApart(after, hash);
      }
    });
  }

  it('say the unit of each axis: of a third and a fourth one, too, whose scale a double click fits', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=C0,C1,C2,C3&p=C1&y=C2,-5000~5000`);
    await plotted(page);
    const plot = async () => (await peek(page)).plots[0]!;
    await until(async () => (await plot()).texts.some(({ text }) => text === 'V'));
    const { texts, box } = await plot();
    for (const unit of units) assert.equal(texts.filter(({ text }) => text === unit).length, 1, unit);
    const right = box.left + box.width;
    const columns = new Set(
      texts
        .filter(({ x, text }) => x > right && /\d/.test(text))
        .map(({ x }) => Math.round((x - right) / 58 - 0.2)),
    );
    assert.equal(columns.size, 3, 'three axes stand on the right');
    // Both plots have their times at the same place.
    const boxes = (await peek(page)).plots.map((own) => own.box);
    assert.deepEqual([boxes[1]!.left, boxes[1]!.width], [box.left, box.width]);
    const { x, y, width } = (await page.locator('.plot .u-over').first().boundingBox())!;
    await page.mouse.dblclick(x + width + 58 + 30, y + 60);
    await page.waitForURL((url) => !url.hash.includes('y='));
    assert.deepEqual(faults, []);
  });
});
