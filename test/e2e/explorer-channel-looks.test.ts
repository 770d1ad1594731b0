import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { palette } from '../../web/src/lines/colours.ts';
import { until } from '../until.ts';
import { looksStart, looksTopic, pressureLimits, serviceWithLooks } from './explorer-looks-seed.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { columnsOf, peek, valueScale, watchCanvases } from './explorer-peek.ts';

const second = 1_000_000_000n;
/** One psi in bar: a pound is 0.45359237 kg, an inch 25.4 mm, and standard gravity 9.80665 m/s². */
const psi = (0.45359237 * 9.80665) / 0.0254 ** 2 / 1e5;

describe('the look of a channel', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await serviceWithLooks();
  const open = browserPages();
  const signedIn = async (hash: string) => {
    const tab = await open(service.url, hash, { token: service.token, script: watchCanvases });
    tab.page.setDefaultTimeout(10_000);
    return tab;
  };
  const menuOf = async (page: Page, name: string) => {
    await page.getByRole('button', { name: `Look of ${name}` }).click();
    return page.getByRole('dialog', { name: `Look of ${name}` });
  };
  const isDrawn = async (page: Page, colour: string) => (await columnsOf(page, 0, colour)).some(Boolean);

  /** Whether a plot draws something halfway between two values, in the middle between the first two of six rows. */
  const isLine = async (page: Page, plot: number, half: number) => {
    const { box } = (await peek(page)).plots[plot]!;
    const valueAt = valueScale((await peek(page)).plots[plot]!);
    let y = box.top;
    while (valueAt(y) > half) y++;
    return page.evaluate<boolean>(`(() => {
      const canvas = document.querySelectorAll('.plot canvas')[${plot}];
      const ratio = canvas.width / canvas.getBoundingClientRect().width;
      const x = (${box.left} + ${box.width} * 0.1) * ratio;
      const { data } = canvas.getContext('2d').getImageData(x - 4, ${y} * ratio - 4, 9, 9);
      const tones = [];
      for (let i = 0; i < data.length; i += 4)
        tones.push(data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60);
      return tones.some(Boolean);
    })()`);
  };

  it('is a colour and a width that the address, the topic and Ctrl+Z know, and others keep off', async () => {
    const { page, faults } = await signedIn(`#s=${looksTopic}/one&p=Pressure,Calm`);
    await plotted(page);
    const menu = await menuOf(page, 'Pressure');
    const [green = ''] = palette.slice(6);
    const before = await columnsOf(page, 0, green);
    assert.ok(!before.some(Boolean), 'nothing is green');
    await menu.getByLabel('bluish green').check();
    await page.waitForURL(/look=Pressure%2C6/);
    await menu.getByLabel('Width').selectOption('widest');
    await page.waitForURL(/look=Pressure%2C6%20widest/);
    await until(() => isDrawn(page, green));
    await page.keyboard.press('Escape');
    // The other one takes no colour that is chosen.
    await (await menuOf(page, 'Calm')).getByLabel('by itself').waitFor();
    const swatches = await page
      .locator('.plot-row .chip .swatch line')
      .evaluateAll((all) =>
        (all as unknown as { getAttribute(name: string): string }[]).map((line) =>
          line.getAttribute('stroke'),
        ),
      );
    assert.equal(new Set(swatches).size, swatches.length, swatches.join());
    await page.keyboard.press('Escape');
    // Another visit to the topic shows it so.
    await page.goto('about:blank');
    await page.goto(`${service.url}/#`);
    await page.waitForURL(/look=Pressure%2C6%20widest/);
    await plotted(page);
    await until(() => isDrawn(page, green));
    // By keys: opened, chosen, taken back.
    await page.getByRole('button', { name: 'Look of Pressure' }).press('Enter');
    await page
      .getByRole('dialog', { name: 'Look of Pressure' })
      .getByLabel('bluish green')
      .press('ArrowLeft');
    await page.waitForURL(/look=Pressure%2C5%20widest/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await page.waitForURL(/look=Pressure%2C6%20widest/);
    assert.deepEqual(faults, []);
  });

  it('is a line where a channel has many whole numbers, of which the list and a short range know few', async () => {
    const step = second / 10n;
    const rows = Array.from({ length: 3000 }, (_, i) => i);
    const ends = [0, undefined, undefined, undefined, undefined, 100];
    await client.writeParameterData(looksTopic, 'many', {
      timestamps: rows.map((i) => looksStart + BigInt(i) * step),
      numericValues: {
        Throttle: rows.map((i) => ends[i % 10] ?? (i * 37) % 101),
        Brake: rows.map((i) => i % 2),
      },
    });
    const range = (count: bigint) => `&from=${looksStart}&to=${looksStart + count * step}`;
    const hash = `#s=${looksTopic}/many&p=Throttle&p=Brake`;
    const { page, faults } = await signedIn(hash + range(40n));
    await plotted(page);
    await page.evaluate(`location.hash = ${JSON.stringify(hash + range(5n))}`);
    await plotted(page);
    await until(() => isLine(page, 0, 18.5));
    await until(async () => !(await isLine(page, 1, 0.5)));
    assert.deepEqual(faults, []);
  });

  it('is steps where a channel has few whole numbers, or a line where that is chosen', async () => {
    const from = looksStart;
    await client.writeParameterData(looksTopic, 'few', {
      timestamps: Array.from({ length: 6 }, (_, i) => from + BigInt(i) * second),
      numericValues: { Gear: [1, 5, 1, 5, 1, 5], Level: [1.5, 5.25, 1.5, 5.25, 1.5, 5.25] },
    });
    const { page, faults } = await signedIn(`#s=${looksTopic}/few&p=Gear&p=Level`);
    await plotted(page);
    await until(async () => !(await isLine(page, 0, 3)));
    assert.ok(await isLine(page, 1, 3.375), 'what has decimals is a line');
    const menu = await menuOf(page, 'Gear');
    await menu.getByLabel('Drawn as').selectOption('line');
    await page.waitForURL(/look=Gear%2Cline/);
    await page.keyboard.press('Escape');
    await until(() => isLine(page, 0, 3));
    await (await menuOf(page, 'Level')).getByLabel('Drawn as').selectOption('steps');
    await page.waitForURL(/look=Gear%2Cline%2CLevel%2Csteps/);
    await page.keyboard.press('Escape');
    await until(async () => !(await isLine(page, 1, 3.375)));
    assert.deepEqual(faults, []);
  });

  it('is a unit: of readings, axis, limits, statistics, panels, rows and export, and of what is typed', async () => {
    const { page, faults } = await signedIn(`#s=${looksTopic}/one&p=Pressure&panel=measure&beside=histogram`);
    await plotted(page);
    const said = async (name: string) =>
      Number(
        await page
          .locator('.measure .statistics div', { hasText: name })
          .first()
          .locator('dd')
          .getAttribute('title'),
      );
    await page.locator('.measure .statistics').first().waitFor();
    const [least, largest, deviation, rows] = [
      await said('least'),
      await said('largest'),
      await said('σ'),
      await said('rows'),
    ];
    const outside = await page.locator('button.outside').innerText();
    const isNear = (value: number, wanted: number) => Math.abs(value - wanted) <= 1e-8 * Math.abs(wanted);
    let menu = await menuOf(page, 'Pressure');
    await menu.getByLabel('Largest').fill('100');
    await menu.getByLabel('Largest').press('Enter');
    await page.waitForURL(/y=Pressure/);
    await menu.getByLabel('Unit').selectOption('psi');
    await page.waitForURL(/look=Pressure%2Cin%20psi/);
    // What was typed in bar moves with it.
    assert.ok(isNear(Number(await menu.getByLabel('Largest').inputValue()), 100 / psi));
    await menu.getByLabel('Largest').fill('1500');
    await menu.getByLabel('Largest').press('Enter');
    await page.waitForURL(/~1500/);
    await page.keyboard.press('Escape');
    await until(async () => isNear(await said('largest'), largest / psi));
    assert.ok(isNear(await said('least'), least / psi) && isNear(await said('σ'), deviation / psi));
    assert.equal(await said('rows'), rows);
    await plotted(page);
    // As many rows are outside of the limits, which stand where they were.
    await until(async () => (await page.locator('button.outside').innerText()) === outside);
    assert.ok(
      (await page.locator('button.outside').getAttribute('aria-label'))!.includes(
        String(pressureLimits.least / psi).slice(0, 6),
      ),
    );
    const { plots } = await peek(page);
    const valueAt = valueScale(plots[0]!);
    assert.ok(Math.abs(valueAt(plots[0]!.box.top) - 1500) < 20, 'the axis ends at what was typed');
    const { x, y, width, height } = (await page.locator('.plot .u-over').boundingBox())!;
    await page.mouse.move(x + width / 3, y + height - 40);
    await until(async () => (await peek(page)).plots[0]!.bands[0] !== '');
    const time = await page.locator('.reading .unseen').first().innerText();
    assert.ok(time.includes('2027-'), time);
    const read = Number((await peek(page)).plots[0]!.readings[0]!.split(' ')[0]);
    const { numericValues } = await client.query({
      topic: looksTopic,
      streamIds: ['one'],
      numericParameters: [{ parameterName: 'Pressure' }],
    });
    assert.ok(
      numericValues['Pressure']!.some((value) => isNear(read, value! / psi)),
      `${read} psi was written`,
    );
    const counted = page.locator('.histogram-panel, .beside').getByText('Pressure psi');
    await counted.first().waitFor();
    // Rows and files say it in their heads.
    await page.getByText('Export', { exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const [head, first = ''] = readFileSync(await file.path(), 'utf8').split('\n');
    assert.match(head!, /Pressure \(psi\)/);
    const column = head!.split(',').findIndex((name) => name.includes('psi'));
    assert.ok(isNear(Number(first.split(',')[column]), numericValues['Pressure']![0]! / psi), first);
    await page.getByText('Export', { exact: true }).click();
    // For all of its kind, and back to what was written.
    menu = await menuOf(page, 'Pressure');
    await menu.getByLabel('for all channels of this kind').check();
    await page.waitForURL(/units=psi/);
    await menu.getByLabel('Unit').selectOption('kPa');
    await page.waitForURL(/units=kPa/);
    await until(async () => isNear(await said('largest'), largest * 100));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await until(async () => isNear(await said('largest'), largest / psi));
    assert.deepEqual(faults, []);
  });
});
