import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { peek, peekStill, scaleThrough, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;

describe('logarithmic axes in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const rows = Array.from({ length: 400 }, (_, i) => i);
  // From 0.01 to 100, with some rows that have no logarithm.
  const values = rows.map((i) => (i % 100 === 50 ? -1 : Number((10 ** (i / 100 - 2)).toPrecision(6))));
  await client.writeParameterData('logs', 'run', {
    timestamps: rows.map((i) => start + BigInt(i) * 100_000_000n),
    numericValues: { Leak: values },
    tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 200))) },
  });
  const open = browserPages();

  it('put each row where its logarithm is, over time and of laps, and are kept in the address', async () => {
    const { page, faults } = await open(service.url, '#s=logs/run&p=Leak', {
      token: service.token,
      script: watchCanvases,
    });
    await plotted(page);
    await page.getByRole('button', { name: 'Look of Leak' }).click();
    await page
      .getByRole('dialog', { name: 'Look of Leak' })
      .getByRole('checkbox', { name: 'logarithmic' })
      .check();
    await page.waitForURL(/log=Leak/);
    await page.keyboard.press('Escape');
    const powers = ['0.01', '0.1', '1', '10', '100'];
    const texts = async () => (await peek(page)).plots[0]!.texts.map(({ text }) => text);
    await until(async () => {
      const all = await texts();
      return powers.every((power) => all.includes(power));
    });
    const isRight = async () => {
      const { plots } = await peekStill(page);
      const plot = plots[0]!;
      const ticks = plot.texts.filter(({ text, x }) => x < plot.box.left && powers.includes(text));
      const yOf = scaleThrough(ticks.map(({ text, y }) => [Math.log10(Number(text)), y]));
      const frame = (await page.locator('.plot .u-over').first().boundingBox())!;
      for (const share of [0.1, 0.33, 0.8]) {
        await page.mouse.move(frame.x + frame.width * share, frame.y + 80);
        await until(async () => /^[\d.]+ /.test((await peek(page)).plots[0]!.readings[0] ?? ''));
        const now = (await peek(page)).plots[0]!;
        const value = Number(/^[\d.]+/.exec(now.readings[0]!)![0]);
        assert.ok(values.includes(value), String(value));
        const [dot] = now.dots;
        assert.ok(
          Math.abs(dot!.y - yOf(Math.log10(value))) < 3,
          `${value} at ${dot!.y} for ${yOf(Math.log10(value))}`,
        );
      }
    };
    await isRight();
    await page.evaluate("location.hash = '#s=logs/run&p=Leak&log=Leak&mode=overlay&tag=lap&value=1&value=2'");
    await page.getByRole('figure', { name: /^Leak: / }).waitFor();
    await plotted(page);
    await until(async () => (await texts()).includes('0.1'));
    await isRight();
    assert.deepEqual(faults, []);
  });

  it('say some of their powers where there is little room, and wherever they begin', async () => {
    const swing = rows.map((i) => 10 ** (3 * Math.sin(i / 40)));
    const names = ['One', 'Two', 'Three', 'Four', 'Five'];
    await client.writeParameterData('logs', 'swing', {
      timestamps: rows.map((i) => start + BigInt(i) * 100_000_000n),
      numericValues: Object.fromEntries(names.map((name) => [name, swing])),
    });
    const hash = `#s=logs/swing&${names.map((name) => `p=${name}`).join('&')}&log=${names.join(',')}`;
    const { page } = await open(service.url, hash, {
      token: service.token,
      script: watchCanvases,
      viewport: { width: 1280, height: 720 },
    });
    await plotted(page);
    const { plots } = await peekStill(page);
    for (const { texts, box } of plots) {
      const numbers = texts.filter(({ text, x }) => x < box.left && /^[\d.]+$/.test(text));
      assert.ok(numbers.length >= 2, texts.map(({ text }) => text).join());
      const places = numbers.map(({ y }) => y).sort((a, b) => a - b);
      assert.ok(
        places.every((y, i) => i === 0 || y - places[i - 1]! >= 12),
        places.join(),
      );
    }
  });
});
