import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, plotted, rangeOf, skip, toTab } from './explorer-page.ts';
import { columnsOf, peek, peekStill, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const topic = 'odd';
const start = 1_800_000_000_000_000_001n;
const second = 1_000_000_000n;

describe('the explorer with runs out of the ordinary', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const signedIn = (hash: string, options: Parameters<typeof open>[2] = {}) =>
    open(service.url, hash, { token: service.token, script: watchCanvases, ...options });
  const places = Array.from({ length: 100 }, (_, i) => i);
  const write = (streamId: string, columns: Readonly<Record<string, readonly number[]>>) =>
    client.writeParameterData(topic, streamId, {
      timestamps: places.map((i) => start + BigInt(i) * second),
      numericValues: columns,
    });

  it('shows a single row in the middle of a second', async () => {
    await client.writeParameterData(topic, 'single', {
      timestamps: [start],
      numericValues: { Speed: [12.5] },
    });
    const { page, faults } = await signedIn(`#s=${topic}/single&p=Speed`);
    await plotted(page);
    const columns = await columnsOf(page, 0, '#0072b2');
    const middle = columns.indexOf(true);
    const { plots, range, ticks } = await peekStill(page);
    const { box } = plots[0]!;
    assert.ok(Math.abs(middle - (box.left + box.width / 2)) < 6, `a dot at ${middle} of ${columns.length}`);
    assert.match(range[0]!, /07:59:59\.500000001$/);
    assert.ok(ticks.every(({ x }) => x >= box.left));
    await page.mouse.move(box.left + 280 + box.width / 2, 300);
    await page.locator('.dot').waitFor();
    // A range without width may stand in an address.
    await page.evaluate(`location.hash = '#s=${topic}/single&p=Speed&from=${start}&to=${start}'`);
    await plotted(page);
    await page.locator('.plots').press('+');
    await page.waitForURL((url) => url.hash.includes('from=') && !url.hash.includes(`from=${start}`));
    assert.ok(rangeOf(page).from < start && rangeOf(page).to > start);
    assert.deepEqual(faults, []);
  });

  it('opens a run that has nothing but text drawn', async () => {
    await client.writeParameterData(topic, 'texts', {
      timestamps: places.map((i) => start + BigInt(i) * second),
      stringValues: { State: places.map((i) => (i < 50 ? 'idle' : 'running')) },
    });
    const { page, faults } = await signedIn(`#s=${topic}/texts`);
    await page.waitForURL(/p=State&states=State/);
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('draws text as states where an address names it alone', async () => {
    await client.writeParameterData('odd', 'stated', {
      timestamps: [0, 1, 2].map((at) => start + BigInt(at) * second),
      numericValues: { Speed: [1, 2, 3] },
      stringValues: { State: ['parked', 'driving', 'driving'] },
    });
    const { page, faults } = await signedIn('#s=odd/stated&p=State&p=Speed&panel=measure');
    await plotted(page);
    await page.locator('.plot-row .u-over').first().hover();
    // Text has no statistics, and nothing is amiss that one should be told.
    await page.locator('.values', { hasText: 'State' }).getByText('driving').waitFor();
    await page.locator('.measure[aria-busy="false"] .statistics').first().waitFor();
    assert.equal(await page.locator('.measure .statistics').count(), 1);
    await until(async () => (await page.locator('.warning-note span').count()) === 0);
    assert.deepEqual(faults, []);
  });

  it('speaks the values at the cursor when keys move it', async () => {
    await client.writeParameterData('odd', 'spoken', {
      timestamps: [0, 1, 2].map((at) => start + BigInt(at) * second),
      numericValues: { Speed: [1.5, 2.5, 3.5], Brake: [7, 8, 9] },
      stringValues: { State: ['parked', 'driving', 'driving'] },
    });
    await client.defineParameters('odd', 'spoken', [{ id: 'Brake', unit: 'bar' }]);
    const { page } = await signedIn('#s=odd/spoken&p=Speed&p=Brake,State&states=State');
    await plotted(page);
    await page.getByRole('region', { name: 'Plots' }).focus();
    const spoken = page.getByRole('status', { name: 'Values at the cursor' });
    await page.keyboard.press('ArrowRight');
    const first = (await spoken.textContent()) ?? '';
    const row = Number(/Speed: ([123])\.5/.exec(first)?.[1]);
    assert.equal(first, `Speed: ${row}.5, Brake: ${row + 6} bar, State: ${row === 1 ? 'parked' : 'driving'}`);
    await page.keyboard.press('ArrowLeft');
    await until(async () => (await spoken.textContent()) !== first);
    // A pointer that goes over plots would not stop talking.
    await page.locator('.plot-row .u-over').first().hover();
    await until(async () => (await spoken.textContent()) === '');
  });

  it('tells the last value and the limits of every channel, however many there are', async () => {
    const names = Array.from({ length: 450 }, (_, i) => `Ch${String(i).padStart(3, '0')}`);
    await client.writeParameterData('odd', 'bench', {
      timestamps: [start, start + second],
      numericValues: Object.fromEntries(names.map((name, i) => [name, [i, i + 0.5]])),
    });
    await client.defineParameters(
      'odd',
      'bench',
      names.map((id) => ({ id, maximumValue: 449 })),
    );
    const { page, faults } = await signedIn('#s=odd/bench&p=Ch000');
    await plotted(page);
    await toTab(page, 'Channels');
    await page.getByPlaceholder('Filter channels').fill('Ch449');
    const last = page.locator('.channel', { hasText: 'Ch449' });
    await last.getByText('449.5').waitFor();
    await last.getByText('leaves its limits').waitFor();
    assert.deepEqual(faults, []);
  });

  it('plots channels that are called as what any object has', async () => {
    const named = ['constructor', 'toString', 'hasOwnProperty'];
    await write('prototypes', Object.fromEntries(named.map((name) => [name, places])));
    const { page, faults } = await signedIn(
      `#s=${topic}/prototypes&${named.map((name) => `p=${name}`).join('&')}`,
    );
    await plotted(page);
    const plots = await page.locator('.plot-row .u-over').all();
    const heights = await Promise.all(
      plots.map(async (plot) => Math.round((await plot.boundingBox())!.height)),
    );
    assert.ok(heights.length === 3 && new Set(heights).size < 3, heights.join());
    await page.locator('.plot-row .u-over').first().hover();
    await page.locator('.plot-row dd').first().waitFor();
    assert.deepEqual(faults, []);
  });

  it('says why nothing is drawn', async () => {
    await client.writeEvents(topic, 'events', [{ id: 'go', timestamp: start, value: 'green' }]);
    const { page, faults } = await signedIn(`#s=${topic}/events`);
    await page.getByText('What this run has stands under Events').waitFor();
    await page.evaluate(`location.hash = '#s=${topic}/nowhere&p=Speed'`);
    await page.getByText('There is no such run').waitFor();
    // It comes when it is written.
    await write('nowhere', { Speed: places });
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('says which of the runs are not there, also where one goes meanwhile, and shows it when it is back', async () => {
    for (const id of ['stays', 'goes']) await write(id, { Speed: places });
    const { page, faults } = await signedIn(`#s=${topic}/stays&s=${topic}/never&p=Speed`);
    await page.getByText('“never”: no such run').waitFor();
    await page.evaluate(`location.hash = '#s=${topic}/goes&p=Speed'`);
    await plotted(page);
    await client.deleteStreams({ topic, streamIds: ['goes'] });
    await page.getByText('There is no such run').waitFor();
    assert.equal(await page.getByText('was chosen, and no open run has it').count(), 0);
    await page.evaluate(`location.hash = '#s=${topic}/goes&p=Speed&live=1'`);
    await page.getByText('“goes”: no such run').waitFor();
    await page.evaluate(`location.hash = '#s=${topic}/goes&p=Speed'`);
    await client.restoreStreams({ topic, streamIds: ['goes'] });
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('tells the time at the cursor whole, also at the end of the axis', async () => {
    await write('ends', { Speed: places });
    const { page } = await signedIn(`#s=${topic}/ends&p=Speed`);
    await plotted(page);
    const plot = (await page.locator('.plot .u-over').boundingBox())!;
    const axis = (await page.locator('.axis').boundingBox())!;
    for (const x of [plot.x + 1, plot.x + plot.width / 2, plot.x + plot.width - 1]) {
      await page.mouse.move(x, plot.y + 100);
      const told = (await page.locator('.cursor-time').boundingBox())!;
      assert.ok(told.x >= axis.x && told.x + told.width <= axis.x + axis.width, `at ${x}`);
      assert.ok(told.x <= x && told.x + told.width >= x);
    }
    const ticks = await page.locator('.axis .tick').all();
    assert.ok(ticks.length > 2);
    for (const tick of ticks) {
      const box = (await tick.boundingBox())!;
      assert.ok(box.x >= axis.x && box.x + box.width <= axis.x + axis.width);
    }
  });

  it('tells large and long numbers on the scale and in statistics, with their signs', async () => {
    await write('large', {
      Negative: places.map((i) => -1_000_000 - 1000 * i),
      Close: places.map((i) => 1_000_000 + (i - 50) / 1e6),
    });
    const { page, faults } = await signedIn(`#s=${topic}/large&p=Negative&p=Close&panel=measure`);
    await plotted(page);
    const { plots } = await peekStill(page);
    const scaleOf = (plot: number) => plots[plot]!.texts.filter(({ x }) => x < plots[plot]!.box.left);
    assert.ok(scaleOf(0).some(({ text }) => text === '-1,000,000'));
    for (const { text, x } of [...scaleOf(0), ...scaleOf(1)]) {
      const width = Number(
        await page.evaluate(`(() => {
          const context = document.createElement('canvas').getContext('2d');
          context.font = '11px system-ui, sans-serif';
          return context.measureText(${JSON.stringify(text)}).width;
        })()`),
      );
      assert.ok(width <= x, `${text} is ${width} px wide and has ${x}`);
    }
    const close = page.locator('.measure .values').nth(1).locator('.statistics dd > span');
    await until(async () => (await close.count()) === 7);
    const [least, largest] = await close.allTextContents();
    assert.deepEqual([least, largest], ['999999.99995', '1000000.000049']);
    assert.deepEqual(faults, []);
  });

  it('keeps long names in their places, and what can be done with them in reach', async () => {
    const name = 'Chassis.Suspension.FrontLeft.Damper.Displacement.Filtered.Calibrated.Compensated_v2';
    await write('names', { [name]: places });
    await client.defineParameters(topic, 'names', [{ id: name, unit: 'millimetres of mercury' }]);
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 1024, height: 768 },
    ]) {
      const hash = `#s=${topic}/names&p=${name}&panel=measure&beside=histogram`;
      const { page, faults } = await signedIn(hash, { viewport });
      await plotted(page);
      await page.locator('.statistics').waitFor();
      await page.getByRole('button', { name: `Remove ${name}` }).click({ trial: true });
      const wider = await page.evaluate(
        "[...document.querySelectorAll('.right .panel, .plot-row header')].filter((own) => own.scrollWidth > own.clientWidth + 1).length",
      );
      assert.equal(wider, 0);
      assert.deepEqual(faults, []);
      await page.close();
    }
  });

  it('tells channels apart whose names begin alike', async () => {
    const names = ['Longitudinal', 'Lateral', 'Vertical'].map((axis) => `Motion_GForce${axis}`);
    await write('alike', Object.fromEntries(['Speed', ...names].map((name) => [name, places])));
    const { page } = await signedIn(`#s=${topic}/alike&p=Speed`);
    await plotted(page);
    await until(async () => (await page.locator('.channel .name').count()) === 4);
    const cut = await page.evaluate(
      "[...document.querySelectorAll('.channel .name')].filter((own) => own.scrollHeight > own.clientHeight + 1 || own.scrollWidth > own.clientWidth).length",
    );
    assert.equal(cut, 0);
  });

  it('finds the ground of a position whose y goes up', async () => {
    const angle = (i: number) => (2 * Math.PI * i) / 100;
    await write('game', {
      Motion_WorldPositionX: places.map((i) => 300 * Math.cos(angle(i))),
      Motion_WorldPositionY: places.map((i) => 90 + Math.sin(angle(i))),
      Motion_WorldPositionZ: places.map((i) => 200 * Math.sin(angle(i))),
    });
    const { page, faults } = await signedIn(`#s=${topic}/game&p=Motion_WorldPositionX&panel=map`);
    await page.locator('.map canvas').waitFor();
    await page.locator('.map summary').click();
    const chosen = (label: string) => page.locator('.map').getByLabel(label).inputValue();
    assert.deepEqual(
      [await chosen('X or longitude'), await chosen('Y or latitude')],
      ['Motion_WorldPositionX', 'Motion_WorldPositionZ'],
    );
    assert.deepEqual(faults, []);
  });

  it('draws two channels over each other before anybody chooses them', async () => {
    await write('pair', { Torque: places, Slip: places.map((i) => i % 7) });
    const { page } = await signedIn(`#s=${topic}/pair&p=Slip`);
    await plotted(page);
    await page.getByRole('button', { name: 'XY', exact: true }).click();
    await page.locator('.xy-panel .plot canvas').waitFor();
    const titles = (await peek(page)).plots.map(({ title }) => title);
    assert.ok(
      titles.some((title) => title.startsWith('Torque over Slip')),
      titles.join(),
    );
  });

  it('lists the open run first where runs are compared', async () => {
    for (const streamId of ['later', 'latest']) await write(streamId, { v: places });
    const { page } = await signedIn(`#s=${topic}/single&p=Speed`);
    await toTab(page, 'Laps');
    const first = page.locator('.lap-table tbody tr').first();
    await first.getByText('single').waitFor();
    await page.locator('.lap-table').getByText('latest').waitFor();
    await first.getByText('single').waitFor();
  });

  it('tells a cursor as finely as a pixel is wide', async () => {
    await client.writeParameterData(topic, 'nanoseconds', {
      timestamps: places.map((i) => start + BigInt(i)),
      numericValues: { v: places },
    });
    const { page, faults } = await signedIn(`#s=${topic}/nanoseconds&p=v`);
    await plotted(page);
    await page.locator('.plots').press('ArrowRight');
    await page.locator('.cursor-time span').first().waitFor();
    const seen = await page.locator('.cursor-time').innerText();
    const unseen = await page.locator('.cursor-time .unseen').textContent();
    assert.equal(unseen, '');
    assert.match(seen, /08:00:00\.0000000\d\d$/);
    assert.deepEqual(faults, []);
  });
});
