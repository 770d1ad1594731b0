import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;
const topic = 'bench';

/** XY with what is drawn around its rows, and spectra under windows. */
describe('the analysis panels of the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const rows = Array.from({ length: 4000 }, (_, i) => i);
  const lateral = rows.map((i) => Math.round(3000 * Math.cos(i / 77) * Math.cos(i / 311)) / 1000);
  const long = rows.map((i) => Math.round(2000 * Math.sin(i / 77) + 500) / 1000);
  await client.writeParameterData(topic, 'run', {
    timestamps: rows.map((i) => start + BigInt(i) * 10_000_000n),
    numericValues: {
      Lateral: lateral,
      Long: long,
      // Between two frequencies that 40 s tell apart.
      Wave: rows.map((i) => 50 + 4 * Math.sin((2 * Math.PI * 7.0137 * i) / 100)),
    },
  });
  await client.defineParameters(topic, 'run', [
    { id: 'Lateral', unit: 'g' },
    { id: 'Long', unit: 'g' },
    { id: 'Wave', unit: 'bar' },
  ]);
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  /** Pixels of the drawing that are not the ground. */
  const inkOf = (page: Page) =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('.xy-panel canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let ink = 0;
      for (let at = 3; at < data.length; at += 4) if (data[at] > 30) ink++;
      return ink;
    })()`) as Promise<number>;

  it('fit a line through rows and a hull around them, drawn as lines, points or density', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/run&p=Wave&beside=xy&xy=Lateral,Long,`);
    await plotted(page);
    await page.locator('.xy-panel[aria-busy="false"] canvas').waitFor();
    const panel = page.getByRole('region', { name: 'One parameter over another' });
    const asLines = await inkOf(page);
    await panel.getByRole('checkbox', { name: 'hull' }).check();
    await panel.getByRole('checkbox', { name: 'fit' }).check();
    await page.waitForURL(/xywith=fit(,|%2C)hull/);
    const said = (await panel.locator('.xy-extras').textContent()) ?? '';
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    const [mx, my] = [mean(lateral), mean(long)];
    const xx = lateral.reduce((sum, value) => sum + (value - mx) ** 2, 0);
    const xy = lateral.reduce((sum, value, i) => sum + (value - mx) * (long[i]! - my), 0);
    const match =
      /^Long = (\S+) · Lateral ([+−]) (\S+); R² (\S+); 4,000 rows; area of the hull: (\S+) g²/.exec(said);
    assert.ok(match !== null, said);
    assert.ok(Math.abs(Number(match[1]) - xy / xx) < 1e-4, said);
    assert.ok(
      Math.abs(Number(`${match[2] === '−' ? '-' : ''}${match[3]}`) - (my - (xy / xx) * mx)) < 1e-4,
      said,
    );
    // The hull of an ellipse: half axes of 3 and 2 g.
    assert.ok(Math.abs(Number(match[5]) / (Math.PI * 6) - 1) < 0.05, said);
    assert.ok((await inkOf(page)) > asLines);
    const inks: number[] = [];
    for (const as of ['points', 'density']) {
      await panel.getByLabel('As').selectOption(as);
      await page.waitForURL(new RegExp(`xyas=${as}`));
      inks.push(await inkOf(page));
    }
    assert.notEqual(inks[0], inks[1]);
    await page.reload();
    await page.locator('.xy-panel[aria-busy="false"] canvas').waitFor();
    assert.equal(await panel.getByLabel('As').inputValue(), 'density');
    assert.deepEqual(faults, []);
  });

  it('read a sine between two frequencies with its own amplitude, under each window, of one piece and of many', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/run&p=Wave&beside=spectrum`);
    await plotted(page);
    const panel = page.getByRole('region', { name: 'Spectrum' });
    const told = panel.locator('output.bin');
    for (const window of ['hann', 'blackman-harris', 'flat-top']) {
      await panel.getByLabel('Window').selectOption(window);
      for (const pieces of ['1', '8']) {
        await panel.getByLabel('Mean of').selectOption(pieces);
        await page.locator('.spectrum[aria-busy="false"] .chart-room svg').waitFor();
        const text = (await told.textContent()) ?? '';
        const match = /^Strongest: (\S+) Hz: (\S+) bar$/.exec(text);
        assert.ok(match !== null, text);
        assert.ok(Math.abs(Number(match[1]) - 7.0137) < (pieces === '1' ? 0.01 : 0.1), `${window}: ${text}`);
        assert.ok(Math.abs(Number(match[2]) / 4 - 1) < 0.005, `${window}, ${pieces}: ${text}`);
      }
    }
    await page.waitForURL(/window=flat-top&pieces=8/);
    assert.deepEqual(faults, []);
  });
});
