import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { looksStart, looksTopic, pressureLimits, serviceWithLooks } from './explorer-looks-seed.ts';
import { browserPages, plotted, skip, toTab } from './explorer-page.ts';
import { columnsOf, peek, timeOf, valueScale, watchCanvases } from './explorer-peek.ts';

const second = 1_000_000_000n;
/** Of what is bad, on light ground. */
const bad = '#b3261e';

describe('limits of channels in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await serviceWithLooks();
  const data = await client.query({
    topic: looksTopic,
    streamIds: ['one'],
    numericParameters: [{ parameterName: 'Pressure' }],
  });
  const rows = data.timestamps.map((time, i) => ({ time, value: data.numericValues['Pressure']![i]! }));
  const isOut = ({ value }: { value: number }) =>
    value < pressureLimits.least || value > pressureLimits.largest;
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });

  it('are told with the number of rows outside, in the plot and in the list, of the range that is seen', async () => {
    const { page, faults } = await signedIn(`#s=${looksTopic}/one&p=Pressure&p=Calm`);
    await plotted(page);
    const said = (count: number) =>
      page.getByRole('button', {
        name: `${count.toLocaleString('en')} rows of Pressure outside of 20 … 95: go to the next`,
      });
    await said(rows.filter(isOut).length).waitFor();
    await toTab(page, 'Channels');
    const marked = page.locator('.channel', { hasText: 'leaves its limits' });
    assert.deepEqual(await marked.locator('.name').allTextContents(), [
      'Pressure ⚠ leaves its limits in the range that is seen',
    ]);
    const to = looksStart + 3n * second;
    await page.evaluate(`location.hash += '&from=${looksStart}&to=${to}'`);
    await said(rows.filter((row) => row.time <= to && isOut(row)).length).waitFor();
    // Seconds in which it stays inside.
    const calm = looksStart + (52n * second) / 10n;
    assert.ok(!rows.some((row) => row.time >= calm && row.time <= calm + second && isOut(row)));
    await page.evaluate(
      `location.hash = location.hash.replace(/from=.*/, 'from=${calm}&to=${calm + second}')`,
    );
    await marked.waitFor({ state: 'detached' });
    assert.equal(await page.locator('.outside').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('are asked for in one request for all channels, and one more to count rows', async () => {
    const asked: string[] = [];
    const { page } = await signedIn(`#s=${looksTopic}/one&p=Pressure`);
    await plotted(page);
    await page.locator('button.outside').waitFor();
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (/"aggregationType":"(?:Min|Sum)"/.test(body) && !body.includes('groupByTime')) asked.push(body);
    });
    for (const [before, seconds] of [30n, 20n].entries()) {
      const shown = `#s=${looksTopic}/one&p=Pressure&from=${looksStart}&to=${looksStart + seconds * second}`;
      await page.evaluate(`location.hash = '${shown}'`);
      // The plots come first.
      await plotted(page);
      await until(() => asked.length >= 2 * (before + 1));
    }
    assert.equal(asked.length, 4, asked.join('\n'));
    assert.ok(asked.some((body) => body.includes('"Calm"') && body.includes('"Pressure"')));
  });

  it('mark what is outside, where it is outside and nowhere else', async () => {
    const from = looksStart;
    const to = looksStart + 10n * second;
    const { page } = await signedIn(`#s=${looksTopic}/one&p=Pressure&from=${from}&to=${to}`);
    await plotted(page);
    const [plot] = (await peek(page)).plots;
    const columns = await columnsOf(page, 0, bad);
    const perPixel = Number(to - from) / plot!.box.width;
    const xOf = (time: bigint) => plot!.box.left + Number(time - from) / perPixel;
    const seen = rows.filter((row) => row.time <= to);
    const valueAt = valueScale(plot!);
    const pixel = Math.abs(valueAt(1) - valueAt(0));
    // What is outside by less than a pixel need not be seen.
    const clear = seen.filter(({ value }) => [pixel, -pixel].every((by) => isOut({ value: value + by })));
    assert.ok(clear.length > 20);
    for (const x of clear.map(({ time }) => xOf(time)))
      assert.ok(
        columns.slice(Math.round(x) - 2, Math.round(x) + 3).includes(true),
        `nothing is marked at ${x} px`,
      );
    // A line leads outside between a row inside and one outside, and is two pixels wide.
    const between = (20e6 / perPixel) * 1.1 + 3;
    const wide = 2 * pixel;
    const out = seen
      .filter(({ value }) => isOut({ value: value + wide }) || isOut({ value: value - wide }))
      .map(({ time }) => xOf(time));
    for (const [x, isMarked] of columns.entries())
      if (isMarked)
        assert.ok(
          out.some((own) => Math.abs(own - x) <= between),
          `marked at ${x} px`,
        );
  });

  it('mark nothing of a channel that goes as far as its limits, and no further', async () => {
    const pedal = { id: 'Pedal', unit: '%', minimumValue: 0, maximumValue: 100 };
    await client.defineParameters(looksTopic, 'pedal', [pedal]);
    const held = Array.from({ length: 200 }, (_, i) => i);
    await client.writeParameterData(looksTopic, 'pedal', {
      timestamps: held.map((i) => looksStart + BigInt(i) * 100_000_000n),
      numericValues: { Pedal: held.map((i) => (i % 40 < 20 ? 100 : 0)) },
      tagValues: { lap: held.map((i) => (i < 100 ? '1' : '2')) },
    });
    for (const over of ['', '&mode=overlay&tag=lap&value=1&value=2']) {
      const { page } = await signedIn(`#topic=${looksTopic}&s=${looksTopic}/pedal&p=Pedal${over}`);
      await plotted(page);
      const columns = await columnsOf(page, 0, bad);
      assert.ok(columns.length > 100);
      assert.equal(columns.indexOf(true), -1, over);
    }
  });

  it('can be gone through by button and by keys, place by place', async () => {
    const from = looksStart;
    const to = looksStart + 20n * second;
    const { page } = await signedIn(`#s=${looksTopic}/one&p=Pressure&from=${from}&to=${to}`);
    await plotted(page);
    const seen = rows.filter(({ time }) => time <= to);
    const leaving = seen.filter((row, i) => isOut(row) && (i === 0 || !isOut(seen[i - 1]!)));
    assert.ok(leaving.length > 4);
    const cursor = async () => timeOf((await peek(page)).cursor);
    await page.getByRole('region', { name: 'Plots' }).focus();
    for (const { time } of leaving) {
      await page.keyboard.press('o');
      assert.equal(await cursor(), time);
    }
    // Behind the last one comes the first.
    await page.keyboard.press('o');
    assert.equal(await cursor(), leaving[0]!.time);
    await page.locator('button.outside').click();
    const [read] = (await peek(page)).plots[0]!.readings;
    assert.equal(Number(read!.split(' ')[0]), leaving[1]!.value);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('Shift+O');
    assert.equal(await cursor(), leaving[0]!.time);
  });

  it('can be gone through row by row where a pixel has many rows', async () => {
    const out = new Map([
      [4_321, 250.0625],
      [4_322, 249],
      [31_007, -3.5],
    ]);
    const timeOfRow = (row: number) => looksStart + BigInt(row) * 10_000_000n;
    const all = Array.from({ length: 40_000 }, (_, row) => row);
    await client.defineParameters(looksTopic, 'spikes', [
      { id: 'Pressure', unit: 'bar', minimumValue: 20, maximumValue: 95 },
    ]);
    await client.writeParameterData(looksTopic, 'spikes', {
      timestamps: all.map(timeOfRow),
      numericValues: { Pressure: all.map((row) => out.get(row) ?? 50 + (row % 7)) },
    });
    const { page, faults } = await signedIn(`#s=${looksTopic}/spikes&p=Pressure`);
    await plotted(page);
    const isAt = (row: number) => until(async () => timeOf((await peek(page)).cursor) === timeOfRow(row));
    await page.locator('button.outside').click();
    await isAt(4_321);
    await until(async () => (await peek(page)).plots[0]!.readings[0]!.startsWith('250.0625'));
    await page.getByRole('region', { name: 'Plots' }).focus();
    for (const [key, row] of [
      ['o', 31_007],
      ['o', 4_321],
      ['Shift+O', 31_007],
      ['Shift+O', 4_321],
    ] as const) {
      await page.keyboard.press(key);
      await isAt(row);
    }
    assert.deepEqual(faults, []);
  });

  it('can be the range of an axis, which the address keeps and a double click takes back', async () => {
    const { page, faults } = await signedIn(`#s=${looksTopic}/one&p=Pressure&p=Calm`);
    await plotted(page);
    const ends = async (plot: number) => {
      const own = (await peek(page)).plots[plot]!;
      const valueAt = valueScale(own);
      return [valueAt(own.box.top + own.box.height), valueAt(own.box.top)] as [number, number];
    };
    const fitting = await ends(0);
    const menu = page.getByRole('dialog', { name: 'Look of Pressure' });
    await page.getByRole('button', { name: 'Look of Pressure' }).click();
    await menu.getByLabel('Least').fill('-50,5');
    await menu.getByLabel('Least').press('Enter');
    await page.waitForURL(/y=Pressure%2C-50.5~/);
    await menu.getByLabel('Largest').fill('-60');
    await menu.getByLabel('Largest').press('Enter');
    assert.equal(
      await menu
        .getByLabel('Largest')
        .evaluate((field) => (field as { validationMessage?: string }).validationMessage),
      'The least value is not less than the largest',
    );
    await menu.getByLabel('Largest').fill('250');
    await menu.getByLabel('Largest').press('Enter');
    await page.waitForURL(/y=Pressure%2C-50.5~250/);
    await page.keyboard.press('Escape');
    const isAt = ([low, high]: readonly number[], [wantedLow, wantedHigh]: readonly number[]) => {
      const room = (wantedHigh! - wantedLow!) / 50;
      assert.ok(
        Math.abs(low! - wantedLow!) < room && Math.abs(high! - wantedHigh!) < room,
        `${low} … ${high}`,
      );
    };
    isAt(await ends(0), [-50.5, 250]);
    await page.reload();
    await plotted(page);
    isAt(await ends(0), [-50.5, 250]);
    await page.getByRole('button', { name: 'Look of Pressure' }).click();
    await menu.getByRole('button', { name: 'Limits' }).click();
    await page.waitForURL(/y=Pressure%2C20~95/);
    await page.keyboard.press('Escape');
    isAt(await ends(0), [20, 95]);
    const box = (await page.locator('.plot').first().boundingBox())!;
    await page.mouse.dblclick(box.x + 30, box.y + box.height / 2);
    await page.waitForURL((url) => !url.hash.includes('y='));
    isAt(await ends(0), fitting);
    assert.deepEqual(faults, []);
  });
});
