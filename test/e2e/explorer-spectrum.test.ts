import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { spectrumOf } from '../../web/src/beside/spectrum-load.ts';
import { nearestPeak, peaksOf } from '../../web/src/beside/spectrum-peaks.ts';
import { until } from '../until.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const topic = 'shaker';
const start = 1_800_000_000_000_000_001n;
const ms = 1_000_000n;
const count = 4000;

/** Of a run at 200 Hz: 12 Hz and 40 Hz about 5; `lame` is half as fast. */
const swing = (seconds: number, speed: number) =>
  5 + 2 * Math.sin(2 * Math.PI * 12 * speed * seconds) + 0.5 * Math.sin(2 * Math.PI * 40 * speed * seconds);

describe('the spectrum of the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const runs: [string, number, (i: number) => bigint][] = [
    ['quick', 1, (i) => BigInt(i) * 5n * ms],
    ['lame', 0.5, (i) => BigInt(i) * 5n * ms],
    // A silence of two seconds, and clocks that are not exact.
    [
      'broken',
      1,
      (i) => BigInt(i) * 5n * ms + (i < 1000 ? 0n : 2000n * ms) + BigInt((i * 7919) % 2000) * 1000n,
    ],
  ];
  for (const [streamId, speed, timeOf] of runs) {
    const rows = Array.from({ length: count }, (_, i) => timeOf(i));
    await client.defineParameters(topic, streamId, [{ id: 'Damper', unit: 'mm' }]);
    await client.writeParameterData(topic, streamId, {
      timestamps: rows.map((time) => start + time),
      numericValues: { Damper: rows.map((time) => swing(Number(time) / 1e9, speed)) },
      tagValues: { lap: rows.map((_, i) => String(1 + Math.floor(i / 2000))) },
    });
  }
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const told = (page: Page) => page.locator('.spectrum output.bin');

  async function drawn(page: Page): Promise<void> {
    await page.locator('.spectrum[aria-busy="false"] .chart-room svg').waitFor();
  }

  /** `12.01 Hz: 1.98 mm` in numbers. */
  function read(text: string | null): { hertz: number; amplitude: number } {
    const [, hertz, amplitude] = /(\S+) Hz: (\S+) mm$/.exec(text ?? '') ?? [];
    assert.ok(amplitude !== undefined, `'${text}'`);
    return { hertz: Number(hertz), amplitude: Number(amplitude) };
  }

  it('shows what swings in a channel, and is read by keys and by the pointer', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/quick&p=Damper`);
    await plotted(page);
    await page.getByRole('button', { name: 'Spectrum', exact: true }).press('Enter');
    await drawn(page);
    await page.waitForURL(/beside=spectrum/);
    const strongest = read(await told(page).textContent());
    assert.ok(Math.abs(strongest.hertz - 12) < 0.1, `${strongest.hertz} Hz`);
    assert.ok(Math.abs(strongest.amplitude - 2) < 0.05, `${strongest.amplitude} mm`);
    await page.getByText('4,000 rows at 200 Hz.').waitFor();

    const data = await client.query({
      topic,
      streamIds: ['quick'],
      numericParameters: [{ parameterName: 'Damper' }],
    });
    const spectrum = spectrumOf(data.timestamps, data.numericValues['Damper']!, false)!;
    const peaks = peaksOf(spectrum);
    const room = page.locator('.spectrum .chart-room');
    await room.focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 100; i++) {
      const text = await told(page).textContent();
      assert.equal(await room.getAttribute('aria-valuetext'), text);
      const { hertz, amplitude } = read(text);
      const place = nearestPeak(peaks, hertz)!;
      assert.ok(Math.abs(peaks.hertz[place]! - hertz) < spectrum.step / 2, text!);
      const own = peaks.amplitudes[place]!;
      assert.ok(Math.abs(own - amplitude) < 1e-3 * own + 1e-9, text!);
      await page.keyboard.press(i % 10 === 9 ? 'PageUp' : 'ArrowRight');
      await page.waitForFunction(
        `document.querySelector('.spectrum output.bin').textContent !== ${JSON.stringify(text)}`,
      );
    }
    await page.keyboard.press('End');
    await until(async () => read(await told(page).textContent()).hertz > 99);
    // With Alt an arrow is the browser's: back.
    const isTaken = await page.evaluate(`!document
      .querySelector('.spectrum .chart-room')
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', altKey: true, bubbles: true, cancelable: true }))`);
    assert.equal(isTaken, false);
    const frame = (await room.boundingBox())!;
    // The axis goes from 52 pixels on the left to 12 on the right.
    await page.mouse.move(frame.x + 52 + 0.4 * (frame.width - 64), frame.y + frame.height / 2);
    await until(async () => Math.abs(read(await told(page).textContent()).hertz - 40) < 0.4);
    assert.deepEqual(faults, []);
  });

  it('has a line for each run and lap, and tells gaps and uneven rows', async () => {
    const { page, faults } = await signedIn(
      `#s=${topic}/quick&s=${topic}/lame&s=${topic}/broken&p=Damper&beside=spectrum`,
    );
    await drawn(page);
    const text = (await told(page).textContent()) ?? '';
    const found = [...text.matchAll(/(quick|lame|broken), (\S+) Hz/g)].map(([, name, hertz]) => [
      name,
      Math.round(Number(hertz)),
    ]);
    assert.deepEqual(found, [
      ['quick', 12],
      ['lame', 6],
      ['broken', 12],
    ]);
    const colours = await page
      .locator('.spectrum path')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('stroke')));
    assert.equal(new Set(colours).size, 3);
    const of = (await page.locator('.spectrum-of').textContent()) ?? '';
    assert.match(of, /quick: 4,000 rows at 200 Hz\./);
    assert.match(of, /broken: 3,000 uneven rows, with straight lines between them read at 20\d(\.\d+)? Hz/);
    assert.match(of, /the longest stretch without a gap: 1[45](\.\d+)? of 2[12](\.\d+)? s/);
    await page.evaluate(axe);
    const violations = await page.evaluate(
      `axe.run('.spectrum').then(({ violations }) => violations.map(({ id }) => id))`,
    );
    assert.deepEqual(violations, []);

    const picks = ['1', '2'].map((lap) => `pick=${topic}/lame/${lap}`).join('&');
    await page.evaluate(
      `location.hash = '#s=${topic}/lame&p=Damper&mode=overlay&tag=lap&${picks}&beside=spectrum'`,
    );
    await page.locator('.spectrum-of', { hasText: 'lap 2: 2,000 rows at 200 Hz.' }).waitFor();
    assert.match(
      (await told(page).textContent()) ?? '',
      /lap 1, (6|5\.9\d*|6\.0\d*) Hz.*lap 2, (6|5\.9\d*|6\.0\d*) Hz/,
    );
    assert.deepEqual(faults, []);
  });

  it('is of what is seen, of the channel that is chosen, and says where there is too little', async () => {
    await client.writeParameterData(topic, 'quick', {
      timestamps: [start, start + 1000n * ms],
      numericValues: { Seldom: [1, 2] },
    });
    const to = start + 5000n * ms;
    const { page, faults } = await signedIn(
      `#s=${topic}/quick&p=Damper&beside=spectrum&from=${start}&to=${to}`,
    );
    await page.getByText('1,001 rows at 200 Hz.').waitFor();
    await page.getByLabel('Frequencies of').selectOption('Seldom');
    await page.getByText('Too few rows').waitFor();
    await page.waitForURL(/spectrum=Seldom/);
    await page.reload();
    await page.getByText('Too few rows').waitFor();
    assert.deepEqual(faults, []);
  });

  it('goes with a shared link', async () => {
    const explorer = `#topic=${topic}&s=${topic}/quick&p=Damper&beside=spectrum`;
    await client.putView('shaken', { name: 'Shaken', topic, streamIds: ['quick'], state: { explorer } });
    const { url } = await client.share('shaken');
    const { page, faults } = await open(service.url, url.slice(url.indexOf('#')));
    await page.getByText('4,000 rows at 200 Hz.').waitFor();
    assert.deepEqual(faults, []);
  });
});
