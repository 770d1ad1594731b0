import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { evaluated } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_001n;
const step = 20_123_457n;
const count = 12_000;
const wholeDigits = (i: number) => Math.sin(i / 900) * 1234.567890123456 - 1000;
const tiny = (i: number) => Math.cos(i / 700) * 1.234567890123456e-9;

/** Numbers in the panel that stand in two lines, or beyond its edge, with what surrounds them. */
const brokenNumbers = `(() => {
  const panel = document.querySelector('.measure');
  const edge = panel.getBoundingClientRect();
  const texts = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest('button.small-histogram, .unseen, h3') !== null) continue;
    for (const { 0: number, index } of text.data.matchAll(/\\(\\d+ rows?\\)|\\d{4}-\\d\\d-\\d\\d [\\d:.]+|[-−+]?\\d[\\w.:+-]*/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + number.length);
      const places = [...range.getClientRects()];
      const isBroken = new Set(places.map(({ top }) => Math.round(top))).size > 1;
      const isCut = places.some(({ left, right }) => left < edge.left - 1 || right > edge.right + 1);
      if (isBroken || isCut) broken.push(number + ' in “' + text.data + '”');
    }
  }
  return broken;
})()`;

describe('numbers that the explorer measures', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const rows = Array.from({ length: count }, (_, i) => i);
  await client.writeParameterData('long', 'run', {
    timestamps: rows.map((i) => start + BigInt(i) * step),
    numericValues: {
      Long: rows.map(wholeDigits),
      Tiny: rows.map(tiny),
      Far: rows.map((i) => (i % 3000) / 3 + 1e-9),
    },
    tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 3000))) },
  });
  const open = browserPages();
  const [a, b] = [start + 1000n * step, start + 10_000n * step];
  const overTime = `&a=${a}&b=${b}`;
  const overDistance = '&mode=overlay&tag=lap&pick=long/run/2&pick=long/run/3&by=Far&pa=100.1&pb=900.123';

  for (const [width, height] of [
    [1440, 900],
    [1024, 768],
    [390, 844],
  ] as const)
    it(`stand in one line each, in a window of ${width} by ${height}`, async () => {
      for (const how of [overTime, overDistance]) {
        const { page } = await open(service.url, `#s=long/run&p=Long&p=Tiny${how}&panel=measure`, {
          token: service.token,
          viewport: { width, height },
        });
        await plotted(page);
        if (width < 760) await page.getByRole('button', { name: 'Measure', exact: true }).click();
        else {
          const frame = (await page.locator('.plot .u-over').first().boundingBox())!;
          await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height / 2);
        }
        await page.locator('.measure[aria-busy="false"] .statistics').nth(1).waitFor();
        if (how === overTime) await page.locator('.measure').getByText('in this pixel').first().waitFor();
        assert.deepEqual(await evaluated(page, brokenNumbers), []);
      }
    });

  it('have nine digits where they are calculated, though all rows are the same', async () => {
    const { page } = await open(service.url, '#s=long/run&p=Third&m=Third,Far * 0 %2B 1 / 3&panel=measure', {
      token: service.token,
    });
    await plotted(page);
    await page.locator('.measure[aria-busy="false"] .statistics').waitFor();
    const told = await page.locator('.statistics dd .number').allTextContents();
    assert.deepEqual(told.slice(0, 3), ['0.333333333', '0.333333333', '0.333333333']);
  });

  it('leave NaN out, and say so, in Measure and in the report', async () => {
    await client.writeParameterData('long', 'holes', {
      timestamps: rows.map((i) => start + BigInt(i) * step),
      numericValues: { Water: rows.map((i) => (i % 100 === 7 ? Number.NaN : 80 + (i % 9))) },
    });
    const { page, faults } = await open(service.url, '#s=long/holes&p=Water&panel=measure&beside=report', {
      token: service.token,
    });
    await plotted(page);
    await page.getByText('120 of these rows are NaN, and left out of the other numbers.').waitFor();
    await page.getByText('Of all rows of each run that have a number: NaN is left out.').waitFor();
    assert.deepEqual(faults, []);
  });
});
