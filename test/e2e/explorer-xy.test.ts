import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, copiedQuery, holdBack, type Opening, plotted, skip } from './explorer-page.ts';
import { columnsOf, type PagePeek, peek, readText, scaleThrough, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_001n;
const ms = 1_000_000n;
const place = { topic: 'xy', streamIds: ['noise'] };

/** The panel among the plots. */
function xyOf({ plots }: Pick<PagePeek, 'plots'>) {
  return plots.find(({ title }) => title.includes(' over '))!;
}

/** Per pixel across the panel, whether it has a colour. */
async function xyColumns(page: Page, colour: string): Promise<boolean[]> {
  const { plots } = await peek(page);
  return columnsOf(page, plots.indexOf(xyOf({ plots })), colour);
}

describe('one parameter over another in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  // Means over any while would be near 250, which nobody wrote.
  const rows = Array.from({ length: 60_000 }, (_, i) => i);
  await client.writeParameterData('xy', 'noise', {
    timestamps: rows.map((i) => start + BigInt(i) * ms),
    numericValues: {
      Way: rows.map((i) => i / 8),
      Wave: rows.map((i) => ((i * 7) % 11 < 5 ? 0 : 500)),
    },
  });
  await client.writeParameterData('xy', 'apart', {
    timestamps: rows.slice(0, 200).map((i) => start + BigInt(i) * ms),
    numericValues: {
      Way: rows.slice(0, 200).map((i) => (i % 2 === 0 ? i : null)),
      Wave: rows.slice(0, 200).map((i) => (i % 2 === 0 ? null : i)),
    },
  });
  const open = browserPages();
  const signedIn = (hash: string, options: Opening = {}) =>
    open(service.url, hash, { token: service.token, script: watchCanvases, ...options });

  it('is drawn row by row where rows are few enough, and needs no words for it', async () => {
    const to = start + 40_000n * ms;
    const { page, faults } = await signedIn(`#s=xy/noise&mode=xy&xy=Way,Wave&from=${start}&to=${to}`);
    await page.locator('.xy-panel .plot canvas').waitFor();
    assert.equal(await page.getByText(/ of .* rows/).count(), 0);
    const scale = xyOf(await peek(page)).texts.map(({ text }) => text);
    for (const text of ['0', '500', '4000'])
      assert.ok(scale.includes(text), `${scale.join(' ')} has ${text}`);
    assert.deepEqual(faults, []);
  });

  it('is drawn by some rows where they are many, says which, and shows none that was not written', async () => {
    const { page } = await signedIn('#s=xy/noise&mode=xy&xy=Way,Wave');
    await page.locator('.xy-panel .plot canvas').waitFor();
    const said = (await page.locator('.xy-reading .pixel').textContent()) ?? '';
    const [drawn, of] = (/^([\d,]+) of ([\d,]+) rows: the first in every 1\.2 ms$/.exec(said) ?? [])
      .slice(1)
      .map((text) => Number(text.replaceAll(',', '')));
    assert.equal(of, 60_000, said);
    assert.ok(drawn! > 40_000 && drawn! <= 50_001, said);
    const scale = xyOf(await peek(page)).texts.map(({ text }) => text);
    for (const text of ['0', '500']) assert.ok(scale.includes(text), `${scale.join(' ')} has ${text}`);

    const frame = (await page.locator('.xy-panel .plot canvas').boundingBox())!;
    for (let i = 1; i < 50; i++) {
      // Along the bottom line and the top one.
      const y = frame.y + 8 + (frame.height - 44) * (i % 2 === 0 ? 0.05 / 1.1 : 1.05 / 1.1);
      await page.mouse.move(frame.x + 64 + ((frame.width - 76) * i) / 50, y);
      const { xy: cursor } = await peek(page);
      const match = /^Way (\S+), Wave (\S+) first row of (.*)$/.exec(cursor);
      assert.ok(match !== null, `'${cursor}' at ${i}`);
      const { from, to } = readText(`0 2 rows, ${match[3]}`);
      const first = await client.page({
        ...place,
        from,
        to,
        limit: 1,
        numericParameters: [{ parameterName: 'Way' }, { parameterName: 'Wave' }],
      });
      const { Way, Wave } = first.data.numericValues;
      assert.deepEqual([match[1], match[2]], [String(Way![0]), String(Wave![0])], cursor);
    }
  });

  // Rows that have but one of them are those of loggers, CAN and ROS with several rates.
  it('is made of the rows of one channel and the last value of the other, where no row has both, and says so', async () => {
    const { page } = await signedIn('#s=xy/apart&mode=xy&xy=Way,Wave');
    await page.locator('.xy-panel .plot canvas').waitFor();
    await page
      .getByText('100 rows take the last value of Way before them, written at other times.')
      .waitFor();
    assert.equal(await page.getByText(/Left out|No row has both/).count(), 0);
  });

  it('says how many rows it leaves out, and how many have no colour, where channels are written at different times', async () => {
    const every = Array.from({ length: 300 }, (_, i) => i);
    await client.writeParameterData('xy', 'mixed', {
      timestamps: every.map((i) => start + BigInt(i) * ms),
      numericValues: {
        // The last one is at 150, and holds for five usual spacings: until 165.
        posX: every.map((i) => ((i % 3 === 1 && i < 150) || i === 150 ? i / 10 : null)),
        posY: every.map((i) => (i % 3 === 2 || i === 150 ? i / 10 : null)),
        Both: every,
        Heat: every.map((i) => (i === 4 ? 90 : null)),
      },
    });
    const { page } = await signedIn('#s=xy/mixed&p=Both&beside=xy&xy=posX,posY,Heat');
    await page
      .getByText('Left out: 1 row of posX and 45 rows of posY, written when the other was not.')
      .waitFor();
    await page.getByText('55 rows take the last value of posX before them').waitFor();
    await page.getByText('Without a colour: 56 rows, written when Heat was not.').waitFor();
    const map = await signedIn('#s=xy/mixed&p=Both&panel=map&map=posX,Both,Heat');
    await map.page.getByText('Without a colour: 50 rows, written when Heat was not.').waitFor();
    // Those of a channel that is written more often are no loss, and each row here has both.
    assert.equal(await map.page.getByText(/Left out:|last value/).count(), 0);
  });

  it('says what is drawn, and not what was chosen, until that has come', async () => {
    const to = start + 20n * ms;
    const { page } = await signedIn(`#s=xy/noise&mode=xy&xy=Way,Wave&from=${start}&to=${to}`);
    await page.locator('.xy-panel .plot canvas').waitFor();
    const { goOn } = await holdBack(page, '**/parameters/data*');
    await page.locator('.xy-panel select').first().selectOption('Wave');
    await page.waitForURL(/xy=Wave/);
    const frame = (await page.locator('.xy-panel .plot canvas').boundingBox())!;
    await page.mouse.move(
      frame.x + 64 + (frame.width - 76) / 2,
      frame.y + 8 + ((frame.height - 44) * 1.05) / 1.1,
    );
    await page.locator('.plot.xy .dot').waitFor();
    const before = await peek(page);
    assert.ok(before.xy.startsWith('Way '), before.xy);
    assert.equal(xyOf(before).title, 'Wave over Way: noise');
    assert.ok(xyOf(before).texts.some(({ text }) => text.trim() === 'Way'));
    await goOn();
    await page.getByRole('img', { name: 'Wave over Wave' }).waitFor();
  });

  it('has one ramp of colours for all runs, and draws rows that have no colour', async () => {
    const runOf = (streamId: string, from: number, shade: (i: number) => number | null) =>
      client.writeParameterData('xy', streamId, {
        timestamps: rows.slice(0, 100).map((i) => start + BigInt(i) * ms),
        numericValues: {
          Left: rows.slice(0, 100).map((i) => from + i),
          Up: rows.slice(0, 100).map((i) => i % 2),
          Shade: rows.slice(0, 100).map(shade),
        },
      });
    await runOf('cold', 0, (i) => i / 1000);
    await runOf('hot', 100, (i) => 9.9 + (i + 1) / 1000);
    await runOf('none', 200, (i) => (i === 0 ? 5 : null));
    const { page } = await signedIn('#s=xy/cold&s=xy/hot&s=xy/none&p=Up&mode=xy&xy=Left,Up,Shade');
    await plotted(page);
    await page.locator('.xy-panel .plot canvas').waitFor();
    const width = xyOf(await peek(page)).box.width - 76;
    /** The share of a third of the columns that has a colour. */
    const shareOf = async (third: number, colour: string) => {
      const columns = (await xyColumns(page, colour)).slice(
        64 + (width * third) / 3,
        64 + (width * (third + 1)) / 3,
      );
      return columns.filter(Boolean).length / columns.length;
    };
    const [violet, yellow, soft] = ['#440154', '#fde725', '#565d69'] as const;
    assert.ok((await shareOf(0, violet)) > 0.9 && (await shareOf(0, yellow)) === 0);
    assert.ok((await shareOf(1, yellow)) > 0.9 && (await shareOf(1, violet)) < 0.05);
    assert.ok((await shareOf(2, soft)) > 0.9);
    assert.equal(await page.locator('.xy-panel .scale').textContent(), '010 ');
  });

  it('is as high as it needs, with one scale for one unit, and else fills its panel', async () => {
    await client.defineParameters('xy', 'square', [
      { id: 'East', unit: 'm' },
      { id: 'North', unit: 'm' },
    ]);
    await client.writeParameterData('xy', 'square', {
      timestamps: rows.slice(0, 101).map((i) => start + BigInt(i) * ms),
      numericValues: {
        East: rows.slice(0, 101).map((i) => i),
        North: rows.slice(0, 101).map((i) => 25 + 25 * Math.sin(i / 5)),
      },
    });
    const { page } = await signedIn('#s=xy/square&p=North&beside=xy&xy=East,North');
    const canvas = page.locator('.xy-panel .plot canvas');
    await canvas.waitFor();
    const scales = async () => {
      const { texts, box } = xyOf(await peek(page));
      const numbers = texts.filter(({ text }) => /^-?\d+$/.test(text));
      const across = numbers
        .filter(({ y }) => y > box.height - 30)
        .map(({ text, x }) => [x, Number(text)] as const);
      const up = numbers.filter(({ x }) => x < 60).map(({ text, y }) => [y, Number(text)] as const);
      return { across: scaleThrough(across), up: scaleThrough(up), height: box.height, width: box.width };
    };
    const metres = await scales();
    const [perX, perY] = [metres.across(1) - metres.across(0), metres.up(0) - metres.up(1)];
    assert.ok(Math.abs(perX / perY - 1) < 0.02, `${perX} m across, ${perY} m up`);
    assert.ok(Math.abs(metres.height - ((metres.width - 76) * 0.55 + 44)) < 6, `${metres.height} px high`);
    await page.evaluate("location.hash = '#s=xy/noise&p=Wave&beside=xy&xy=Way,Wave'");
    await page.getByRole('img', { name: 'Wave over Way' }).waitFor();
    await until(async () => {
      const [panel, drawn] = [await page.locator('.beside').boundingBox(), await canvas.boundingBox()];
      return Math.abs(panel!.y + panel!.height - drawn!.y - drawn!.height) < 12;
    });
  });

  it('and the other panels fit a phone, where a finger reads them', async () => {
    const { page, faults } = await signedIn(
      '#s=xy/square&p=North&beside=xy,histogram,spectrum&xy=East,North',
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    );
    await page.locator('.xy-panel .plot canvas').waitFor();
    await page.locator('.chart-room svg').nth(1).waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    for (const drawing of [
      '.xy-panel .plot canvas',
      '.histogram .chart-room svg',
      '.spectrum .chart-room svg',
    ]) {
      const own = page.locator(drawing);
      await own.scrollIntoViewIfNeeded();
      const box = (await own.boundingBox())!;
      assert.ok(
        box.x >= 0 && box.x + box.width <= 390 && box.height >= 120,
        `${drawing} ${JSON.stringify(box)}`,
      );
      assert.ok(box.y >= 0 && box.y + box.height <= 844, `${drawing} is seen whole: ${JSON.stringify(box)}`);
      // In the midst of a wave some row is near.
      await page.touchscreen.tap(box.x + 58 + (box.width - 70) / 2, box.y + box.height / 2 - 10);
    }
    await page.locator('.histogram output.bin', { hasText: /rows?, / }).waitFor();
    await page.locator('.spectrum output.bin', { hasText: /^[\d.]+ Hz/ }).waitFor();
    await page.locator('.xy-panel output', { hasText: /^East \d+ m, North / }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('changes its colours with those of the browser, and reads nothing again', async () => {
    const to = start + 2000n * ms;
    const { page } = await signedIn(`#s=xy/noise&p=Wave&mode=xy&xy=Way,Wave&from=${start}&to=${to}`);
    await plotted(page);
    await page.locator('.xy-panel[aria-busy="false"] .plot canvas').waitFor();
    const [light, dark] = ['#565d69', '#a3abb8'] as const;
    const has = async (colour: string) => (await xyColumns(page, colour)).includes(true);
    assert.deepEqual([await has(light), await has(dark)], [true, false]);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(() => has(dark));
    assert.ok(!(await has(light)));
    assert.deepEqual(
      asked.filter((body) => body.includes('"Wave"')),
      [],
    );
  });

  it('exports the rows that are drawn', async () => {
    const to = start + 9n * ms;
    const { page } = await signedIn(`#s=xy/noise&p=Way&mode=xy&xy=Way,Wave&from=${start}&to=${to}`);
    await page.getByText('Export', { exact: true }).click();
    const curl = await copiedQuery(page);
    const body = JSON.parse(/-d '(.*)'$/.exec(curl)?.[1] ?? '');
    assert.deepEqual(body.numericParameters, [{ parameterName: 'Way' }, { parameterName: 'Wave' }]);
    assert.deepEqual([body.from, body.to], [String(start), String(to)]);
  });
});
