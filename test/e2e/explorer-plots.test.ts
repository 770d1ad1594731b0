import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Request } from 'playwright-core';
import { createClient } from '../../src/client/client.ts';
import { channelSlot, colourAt } from '../../web/src/lines/colours.ts';
import { until } from '../until.ts';
import { browserPages, following, type Opening, plotted, skip } from './explorer-page.ts';
import { columnsOf, endsAt, peek, peekStill, timeOf, watchCanvases } from './explorer-peek.ts';
import { differingShare } from './explorer-pixels.ts';
import { seededService, seedStart, topic } from './explorer-seed.ts';

const second = 1_000_000_000n;
/** Lines have the colours of their channels. */
const channelColour = (name: string) => colourAt(channelSlot(name));
const colourIn = (hash: string) => channelColour(/(?:p=|xy=Way,)(\w+)/.exec(hash)?.[1] ?? 'Speed');

describe("the explorer's plots", { skip }, async () => {
  if (skip !== false) return;
  const { service, rows } = await seededService();
  const client = createClient({ url: service.url, token: service.token });
  const open = browserPages();
  const signedIn = (hash: string, opening: Opening = {}) =>
    open(service.url, hash, { token: service.token, script: watchCanvases, ...opening });
  const write = (streamId: string, times: readonly bigint[], values: Record<string, number[]>) =>
    client.writeParameterData(topic, streamId, { timestamps: times, numericValues: values });

  it('tell the time on their axis while live data moves under it', async () => {
    const start = BigInt(Date.now()) * 1_000_000n;
    const writeSeconds = (from: number, to: number) => {
      const own = Array.from({ length: to - from }, (_, i) => from + i);
      const times = own.map((at) => start + BigInt(at) * second);
      return write('moving', times, { Speed: own.map((at) => at % 7) });
    };
    await writeSeconds(0, 70);
    const { page, faults } = await signedIn(`#s=${topic}/moving&p=Speed&live=1`);
    await page.locator('.plot canvas').waitFor();
    const seen = new Set<string>();
    for (const end of [70, 95, 96, 120, 600, 3700]) {
      await writeSeconds(end - 20, end);
      await until(() => endsAt(page, start + BigInt(end - 1) * second));
      const { plots, range, ticks } = await peekStill(page);
      const [from, to] = range.map(timeOf) as [bigint, bigint];
      const { box } = plots[0]!;
      const labels = ticks.filter(({ text }) => /^\d\d:\d\d(:\d\d)?$/.test(text));
      assert.ok(labels.length >= 3, `the axis says ${ticks.map(({ text }) => text).join(' ')}`);
      const perPixel = Number(to - from) / box.width;
      for (const { text, x } of labels) {
        const time = Number(from / second) + ((x - box.left) * perPixel + Number(from % second)) / 1e9;
        const [hours, minutes, seconds = 0] = text.split(':').map(Number) as [number, number, number?];
        const far = Math.abs((time % 86_400) - (hours * 3600 + minutes * 60 + seconds));
        const off = Math.min(far, 86_400 - far); // Around midnight, too.
        assert.ok(off < (1.5 * perPixel) / 1e9, `${text} is said ${off} s from there, ${end} s on`);
        seen.add(text);
      }
    }
    assert.ok(seen.size > 10);
    assert.deepEqual(faults, []);
  });

  it('ask for no rows while live data comes', async () => {
    const start = BigInt(Date.now()) * 1_000_000n;
    const writeSecond = (at: number) => write('asked', [start + BigInt(at) * second], { Speed: [at % 7] });
    const isSeen = (at: number) => endsAt(page, start + BigInt(at) * second);
    await writeSecond(0);
    const { page } = await signedIn(`#s=${topic}/asked&p=Speed&live=1`);
    await following(page);
    await writeSecond(1);
    await until(() => isSeen(1));
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/parameters/data')) asked.push(request.postData() ?? '');
    });
    for (let at = 2; at < 12; at++) {
      await writeSecond(at);
      await until(() => isSeen(at));
    }
    assert.deepEqual(asked, []);
  });

  it('ask once for what they draw, of a page that is opened and of another run', async () => {
    const { page } = await signedIn('#s=');
    await page.goto('about:blank');
    const asked: string[] = [];
    const givenUp: string[] = [];
    const keep = (bodies: string[]) => (request: Request) => {
      const body = request.postData() ?? '';
      if (request.url().includes('/parameters/data')) bodies.push(body);
    };
    page.on('request', keep(asked));
    // The table of laps lets go of what it asked where the page goes on to something else.
    page.on('requestfailed', (request) => {
      if (!(request.postData() ?? '').includes('"groupBy"')) keep(givenUp)(request);
    });
    const drawnOf = async (streamId: string) => {
      await until(() => asked.some((body) => body.includes(`"${streamId}"`)));
      await plotted(page);
      await page.waitForLoadState('networkidle');
    };
    await page.goto(`${service.url}/#s=${topic}/two&p=Fast`);
    await drawnOf('two');
    const ends = (await rows('two', 'Fast')).at(-1)!.time;
    const before = asked.length;
    await page.evaluate(`location.hash = '#s=${topic}/one&p=Fast'`);
    await drawnOf('one');
    assert.deepEqual(givenUp, []);
    assert.deepEqual([...new Set(asked)], asked);
    assert.ok(asked.slice(0, before).some((body) => body.includes(String(ends))));
    const ofOther = asked.slice(before).filter((body) => body.includes(String(ends)));
    assert.deepEqual(ofOther, [], 'the range of the run before');
  });

  it('say on their scale what stands there, where values are small, too', async () => {
    const times = Array.from({ length: 100 }, (_, i) => seedStart + BigInt(i) * second);
    await write('small', times, { Speed: times.map((_, i) => i / 1e6) });
    const { page } = await signedIn(`#s=${topic}/small&p=Speed`);
    await plotted(page);
    for (const height of [800, 420, 300]) {
      await page.setViewportSize({ width: 1000, height });
      const [plot] = (await peekStill(page)).plots;
      const said = plot!.texts.filter(({ x }) => x < plot!.box.left).map(({ text, y }) => [Number(text), y]);
      assert.ok(said.length > 1, `${said.length} numbers`);
      const [first, last] = [said[0]!, said.at(-1)!];
      for (const [value, y] of said) {
        const stands = first[0]! + ((y! - first[1]!) * (last[0]! - first[0]!)) / (last[1]! - first[1]!);
        assert.ok(Math.abs(value! - stands) < Math.abs(last[0]! - first[0]!) / 100, `${value} at ${stands}`);
      }
    }
  });

  it('say the units of their scales above all numbers', async () => {
    const units = { Height: 'm', Moment: 'N·m', Weight: 'kg', Heat: '°C' };
    const own = Array.from({ length: 100 }, (_, i) => i);
    const values = own.map((i) => (i * 17) % 100);
    const names = Object.keys(units);
    const times = own.map((i) => seedStart + BigInt(i) * second);
    await write('units', times, Object.fromEntries(names.map((name) => [name, values])));
    const definitions = Object.entries(units).map(([id, unit]) => ({ id, unit }));
    await client.defineParameters(topic, 'units', definitions);
    // The last number stands where the scale ends.
    const ends = names.map((name) => `${name},0~100`).join(',');
    const { page } = await signedIn(`#s=${topic}/units&p=Height,Moment&p=Weight,Heat&y=${ends}`);
    await plotted(page);
    const seen = (await peekStill(page)).plots.flatMap(({ texts, box }) =>
      [texts.filter(({ x }) => x < box.left), texts.filter(({ x }) => x > box.left + box.width)].map(
        (side) => {
          const unit = side.find(({ text }) => Object.values(units).includes(text))!;
          const highest = Math.min(...side.flatMap((own) => (own === unit ? [] : own.top)));
          assert.ok(side.some(({ text }) => text === '100'));
          assert.ok(highest - unit.bottom >= 1, `${unit.text} ends ${unit.bottom}, 100 begins ${highest}`);
          assert.ok(unit.top >= 0, `${unit.text} is cut`);
          return unit.text;
        },
      ),
    );
    assert.deepEqual(seen, Object.values(units));
  });

  it('say two values on each scale at least, also where they are low', async () => {
    const own = Array.from({ length: 100 }, (_, i) => i);
    const ranges = {
      Pace: [52.5, 314.5],
      Gear: [1, 9],
      Lift: [0.35, 0.85],
      Load: [-2.1, 13.3],
      Oil: [81.5, 119],
    };
    const columns = Object.entries(ranges).map(([name, [low, high]]) => {
      const isWhole = Number.isInteger(low);
      const valueAt = (i: number) => low! + ((high! - low!) * (i % 20)) / 19;
      return [name, own.map((i) => (isWhole ? Math.round(valueAt(i)) : valueAt(i)))] as const;
    });
    const times = own.map((i) => seedStart + BigInt(i) * second);
    await write('low', times, Object.fromEntries(columns));
    const hash = `#s=${topic}/low&${Object.keys(ranges)
      .map((name) => `p=${name}`)
      .join('&')}`;
    for (const logs of ['', `&log=${Object.keys(ranges).join(',')}`]) {
      const { page } = await signedIn(hash + logs, { viewport: { width: 1024, height: 560 } });
      await plotted(page);
      const { plots } = await peekStill(page);
      assert.equal(plots.length, Object.keys(ranges).length);
      for (const { title, texts, box } of plots) {
        const said = texts.filter(({ text, x }) => x < box.left && /^[-−]?[\d.]+$/.test(text));
        const places = said.map(({ y }) => y).sort((a, b) => a - b);
        assert.ok(said.length >= 2, `${title} of ${box.height} px says ${said.map(({ text }) => text)}`);
        assert.ok(
          places.every((y, i) => i === 0 || y - places[i - 1]! >= 10),
          `${title}: ${places}`,
        );
      }
    }
  });

  it('have colours of a tag to the end of the range, however often it changes, or say why they have none', async () => {
    const count = 48_000;
    // Twelve values take turns within a pixel, then one stays. In `busy` there are as many values as fit a pixel.
    const phaseOf = (i: number, count: number) => (i < 0.8 * count ? String(i % 12) : 'calm');
    for (const [streamId, total, phase] of [
      ['phases', 10_000, (i: number) => phaseOf(i, 10_000)],
      ['busy', count, (i: number) => (i < 45_000 ? `n${i % 997}` : 'calm')],
    ] as const) {
      for (let from = 0; from < total; from += 4000) {
        const own = Array.from({ length: Math.min(4000, total - from) }, (_, i) => from + i);
        await client.writeParameterData(topic, streamId, {
          timestamps: own.map((i) => seedStart + BigInt(i) * 1_000_000n),
          numericValues: { Speed: own.map((i) => i % 50) },
          tagValues: { phase: own.map(phase) },
        });
      }
    }
    const { page, faults } = await signedIn(`#s=${topic}/phases&p=Speed&bands=phase`);
    await plotted(page);
    const labels = async () => (await peek(page)).plots[0]?.texts.map(({ text }) => text) ?? [];
    await until(async () => (await labels()).includes('phase calm'));
    const crowded = page.getByText('Too many values: zoom in to see colours.');
    assert.equal(await crowded.count(), 0);
    await page.evaluate(`location.hash = '#s=${topic}/busy&p=Speed&bands=phase'`);
    await crowded.waitFor();
    assert.ok(!(await labels()).includes('phase calm'));
    const [from, to] = [44_000, 48_000].map((i) => seedStart + BigInt(i) * 1_000_000n);
    await page.evaluate(`location.hash += '&from=${from}&to=${to}'`);
    await until(async () => (await labels()).includes('phase calm'));
    assert.equal(await crowded.count(), 0);
    assert.deepEqual(faults, []);
  });

  it('leave silence empty: of rows, of buckets, of live data, in comparisons and over another parameter', async () => {
    // Five minutes, ten silent ones, five minutes; and a row alone in the midst of the silence.
    const start = seedStart;
    const own = [
      ...Array.from({ length: 300 }, (_, i) => i),
      600,
      ...Array.from({ length: 300 }, (_, i) => 900 + i),
    ];
    const times = own.map((at) => start + BigInt(at) * second);
    await write('silent', times, { Speed: own, Way: own.map((at) => at * 2) });
    const now = BigInt(Date.now()) * 1_000_000n;
    const burst = Array.from({ length: 40 }, (_, i) => i);
    const bursts = [...burst, ...burst.map((i) => i + 160)].map(
      (tenth) => now + BigInt(tenth) * (second / 10n),
    );
    await write('bursts', bursts, { Speed: bursts.map((_, i) => i) });
    const views: [hash: string, silence: [number, number][], data: [number, number][]][] = [
      [
        `s=${topic}/silent&p=Speed`,
        [
          [0.255, 0.495],
          [0.505, 0.745],
        ],
        [
          [0.01, 0.245],
          [0.755, 0.99],
        ],
      ],
      [
        `s=${topic}/one&p=Fast`,
        [[0.42, 0.58]],
        [
          [0.01, 0.41],
          [0.59, 0.99],
        ],
      ],
      [
        `s=${topic}/bursts&p=Speed&live=1`,
        [
          [0.01, 0.66],
          [0.76, 0.92],
        ],
        [
          [0.69, 0.73],
          [0.95, 0.99],
        ],
      ],
      [
        `s=${topic}/silent&p=Speed&mode=overlay`,
        [
          [0.255, 0.495],
          [0.505, 0.745],
        ],
        [
          [0.01, 0.245],
          [0.755, 0.99],
        ],
      ],
      [
        `s=${topic}/silent&mode=xy&xy=Way,Speed`,
        [
          [0.255, 0.495],
          [0.505, 0.745],
        ],
        [
          [0.01, 0.245],
          [0.755, 0.99],
        ],
      ],
    ];
    for (const [hash, silence, data] of views) {
      const { page } = await signedIn(`#${hash}`);
      await page.locator('.plots[aria-busy="false"] .plot canvas').first().waitFor();
      if (hash.includes('xy=')) await page.locator('.xy-panel .plot canvas').waitFor();
      const { plots } = await peek(page);
      const place = Math.max(
        0,
        plots.findIndex(({ title }) => title.includes(' over ')),
      );
      const plot = plots[place];
      // XY has margins of its own inside of its canvas.
      const { left, width } = hash.includes('xy=') ? { left: 64, width: plot!.box.width - 76 } : plot!.box;
      const columns = await columnsOf(page, place, colourIn(hash));
      const between = ([from, to]: [number, number]) =>
        columns.slice(Math.ceil(left + from * width), Math.floor(left + to * width));
      for (const part of silence) assert.ok(!between(part).includes(true), `${hash} draws in silence`);
      // Where the line crosses one of the grid, its colour is another.
      for (const part of data) {
        const missing = between(part).filter((isDrawn) => !isDrawn).length;
        assert.ok(missing < 5, `${hash} draws data: ${missing} columns have none`);
      }
      if (hash.includes('silent')) {
        const alone = between([0.49, 0.51]);
        assert.ok(alone.includes(true), `${hash} draws a row that is alone`);
      }
      await page.close();
    }
  });

  it('leave silence empty where they show nothing but its two ends, and draw the line through where they show less', async () => {
    // One row before ten silent minutes, one behind them; then the time between two rows.
    const [before, behind] = [299n, 900n].map((at) => seedStart + at * second) as [bigint, bigint];
    const middle = async (from: bigint, to: bigint) => {
      const { page } = await signedIn(`#s=${topic}/silent2&p=Speed&from=${from}&to=${to}`);
      await plotted(page);
      const [plot] = (await peek(page)).plots;
      const columns = await columnsOf(page, 0, channelColour('Speed'));
      await page.close();
      return columns.slice(plot!.box.left + 40, plot!.box.left + plot!.box.width - 40);
    };
    const own = [
      ...Array.from({ length: 300 }, (_, i) => i),
      ...Array.from({ length: 300 }, (_, i) => 900 + i),
    ];
    await write(
      'silent2',
      own.map((at) => seedStart + BigInt(at) * second),
      { Speed: own },
    );
    assert.ok(!(await middle(before, behind)).includes(true));
    const line = await middle(seedStart + (101n * second) / 10n, seedStart + (109n * second) / 10n);
    assert.ok(line.filter((isDrawn) => !isDrawn).length < 5);
  });

  it('say how long a pixel is where it stands for several rows', async () => {
    const { page } = await signedIn(`#s=${topic}/one&p=Fast&p=Slow`);
    await plotted(page);
    const [plot] = (await peek(page)).plots;
    const said = page.locator('.plot-row .pixel');
    // 240 rows of Slow are drawn as they are.
    assert.equal(await said.count(), 1);
    const [, milliseconds] = /^1 px = ([\d.]+) ms$/.exec((await said.textContent()) ?? '') ?? [];
    assert.ok(Math.abs(Number(milliseconds) - 120_000 / plot!.box.width) < 0.5, `${milliseconds} ms`);
    await page.evaluate(`location.hash += '&from=${seedStart}&to=${seedStart + 5n * second}'`);
    await said.waitFor({ state: 'detached' });
  });

  it('are downloaded as a picture that shows what one sees', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Fast&p=Slow&a=${seedStart + 9n * second}`, {
      deviceScaleFactor: 2,
    });
    await plotted(page);
    await page.getByText('Export', { exact: true }).click();
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Picture (PNG)' }).click();
    const download = await coming;
    assert.equal(download.suggestedFilename(), 'one.png');
    const picture = readFileSync(await download.path());
    await page.getByText('Export', { exact: true }).click();
    await page.mouse.move(0, 0);
    const seen = await page.locator('.stack').screenshot();
    // Below the title. Controls are on the page only.
    const below = { left: 28, top: 88 };
    const differing = await differingShare(page, seen, picture, below);
    assert.ok(differing < 0.01, `${differing} of the pixels differ`);
    const elsewhere = await differingShare(page, seen, picture, { ...below, top: 78 });
    assert.ok(elsewhere > 2 * differing, `${elsewhere} of the pixels differ five pixels higher`);
    assert.deepEqual(faults, []);
  });
});
