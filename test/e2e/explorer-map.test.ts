import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { overPlaces } from './explorer-cursor.ts';
import { browserPages, holdBack, plotted, rangeOf, serviceWithCars, skip, toTab } from './explorer-page.ts';
import { peek, timeOf, watchCanvases } from './explorer-peek.ts';

const channel = { Speed: 0, Brake: 4, Distance: 8, X: 9, Y: 10 } as const;

/** What the map says of one line. */
interface MapRead {
  readonly speed: number;
  readonly x: number;
  readonly y: number;
  readonly time: bigint;
}

/** The rows that the dots stand on, as they are told. */
async function reads(page: Page): Promise<MapRead[]> {
  return readsOf(await page.locator('.map-row').allTextContents());
}

function readsOf(texts: readonly string[]): MapRead[] {
  return texts.map((text) => {
    const match = /Speed (\S+) km\/h, X (\S+) m, Y (\S+) m (.*)$/.exec(text.replaceAll('\u00a0', ' '));
    assert.ok(match !== null, text);
    return { speed: Number(match[1]), x: Number(match[2]), y: Number(match[3]), time: timeOf(match[4]!) };
  });
}

interface Dot {
  readonly x: number;
  readonly y: number;
}

/** Gives the middles of the dots, in pixels of the window. */
const dotsScript = `[...document.querySelectorAll('.map-dot')].map((dot) => {
  const { left, top, width, height } = dot.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
})`;

const dots = (page: Page) => page.evaluate<Dot[]>(dotsScript);

/** Gives what the map shows, beside what the plots do. */
const onMap = `{
  rows: [...document.querySelectorAll('.map-row')].map((row) => row.textContent),
  onMap: ${dotsScript},
}`;

describe("the explorer's map", { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, start } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string, options: Parameters<typeof open>[2] = {}) =>
    open(service.url, hash, { token: service.token, script: watchCanvases, ...options });
  const mapped = async (page: Page) => {
    await plotted(page);
    await page.locator('.map[aria-busy="false"] canvas').waitFor();
  };
  const timeAt = (seconds: number) => start + BigInt(Math.round(seconds * 1e9));
  const rowAt = (time: bigint) => samples.find(({ seconds }) => timeAt(seconds) === time);
  /** Where a place is on the page, by two rows whose dots were seen. */
  const scaleOf = async (page: Page) => {
    const over = (await page.locator('.plot .u-over').first().boundingBox())!;
    const seen: { read: MapRead; dot: { x: number; y: number } }[] = [];
    for (const share of [0.2, 0.4, 0.6, 0.8]) {
      await page.mouse.move(over.x + over.width * share, over.y + over.height / 2);
      seen.push({ read: (await reads(page))[0]!, dot: (await dots(page))[0]! });
    }
    const [a, b] = [
      seen[0]!,
      seen.find(({ read }) => Math.hypot(read.x - seen[0]!.read.x, read.y - seen[0]!.read.y) > 800)!,
    ];
    const perMetre = (b.dot.x - a.dot.x) / (b.read.x - a.read.x);
    return {
      perMetre,
      upward: (b.dot.y - a.dot.y) / (b.read.y - a.read.y),
      at: (x: number, y: number) => ({
        x: a.dot.x + (x - a.read.x) * perMetre,
        y: a.dot.y - (y - a.read.y) * perMetre,
      }),
    };
  };

  it('finds x and y by name, and reads the row at the cursor of the plots at 200 places', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    await toTab(page, 'Map');
    await mapped(page);
    const { at, perMetre, upward } = await scaleOf(page);
    assert.ok(Math.abs(perMetre + upward) < perMetre * 0.02, `${perMetre} across, ${upward} up`);
    for (const now of await overPlaces<{ rows: string[]; onMap: Dot[] }>(page, 0, onMap)) {
      const [read] = readsOf(now.rows);
      const own = rowAt(read!.time)?.values;
      assert.ok(own !== undefined, `${read!.time} is the time of a row`);
      assert.deepEqual([read!.speed, read!.x, read!.y], [own[channel.Speed], own[channel.X], own[channel.Y]]);
      const off = Number(timeOf(now.cursor) - read!.time) / 1e9;
      assert.ok(off >= 0 && off < 0.021, `the row is ${off} s from the cursor`);
      const [dot] = now.onMap;
      const wanted = at(read!.x, read!.y);
      assert.ok(Math.hypot(dot!.x - wanted.x, dot!.y - wanted.y) < 1.5, `the dot at ${read!.x}, ${read!.y}`);
    }
    assert.deepEqual(faults, []);
  });

  it('shares one cursor with plots, lap table and table of rows', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed&p=Brake&panel=map');
    await page.getByText('as Shift + drag does on a plot').waitFor();
    await mapped(page);
    const { at } = await scaleOf(page);
    for (const share of [0.1, 0.35, 0.62, 0.9]) {
      const wanted = samples[Math.floor(samples.length * share)]!;
      const pointer = at(wanted.values[channel.X]!, wanted.values[channel.Y]!);
      await page.mouse.move(pointer.x, pointer.y);
      const [read] = await reads(page);
      const near = Math.hypot(read!.x - wanted.values[channel.X]!, read!.y - wanted.values[channel.Y]!);
      assert.ok(near < 60, `${near} m from where the pointer is`);
      const { plots, cursor } = await peek(page);
      assert.equal(timeOf(cursor), read!.time);
      for (const [i, name] of (['Speed', 'Brake'] as const).entries()) {
        const [low, high = low] = plots[i]!.readings[0]!.split(' … ').map((text) => Number.parseFloat(text));
        const value = rowAt(read!.time)!.values[channel[name]]!;
        assert.ok(low! <= value && value <= high!, `${name} ${plots[i]!.readings[0]} holds ${value}`);
      }
    }
    // The pointer leaves the map: no cursor any more, neither here nor there.
    await page.mouse.move(5, 5);
    assert.deepEqual([(await peek(page)).cursor, await reads(page)], ['', []]);

    const to = timeAt(2);
    await page.evaluate(
      `location.hash = '#s=cars/practice&p=Speed&panel=map&mode=table&from=${start}&to=${to}'`,
    );
    await page.locator('.map[aria-busy="false"] canvas').waitFor();
    const row = page.locator('.rows tbody tr').nth(40);
    await row.getByRole('button').click();
    const [read] = await reads(page);
    assert.equal(timeOf((await row.locator('th').textContent())!), read!.time);
    assert.equal(await row.getAttribute('aria-current'), 'true');
    assert.equal(Number(await row.locator('td').last().textContent()), read!.speed);
    await page.locator('.map').focus();
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('.rows tbody tr').nth(41).getAttribute('aria-current'), 'true');
    await page.getByRole('button', { name: 'Time', exact: true }).click();
    await plotted(page);
    assert.equal(timeOf((await peek(page)).cursor), timeAt(samples[41]!.seconds));
    await toTab(page, 'Laps');
    await page.locator('.lap-table .at-cursor').getByText('1', { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('zooms the plots to a stretch that is dragged along, and shows it on all of the way', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&panel=map');
    await mapped(page);
    const { at } = await scaleOf(page);
    const lap = samples.filter((sample) => sample.lap === 2);
    const corner = lap.slice(Math.floor(lap.length * 0.3), Math.floor(lap.length * 0.42));
    const points = corner
      .filter((_, i) => i % 20 === 0)
      .map(({ values }) => at(values[channel.X]!, values[channel.Y]!));
    const [first, ...others] = points;
    await page.mouse.move(first!.x, first!.y);
    await page.mouse.down();
    for (const { x, y } of others) await page.mouse.move(x, y);
    await page.locator('.brush polyline').waitFor();
    await page.mouse.up();
    await page.waitForURL(/from=/);
    const { from, to } = rangeOf(page);
    const [begin, end] = [from, to].map((time) => rowAt(time));
    assert.ok(begin !== undefined && end !== undefined, 'the stretch is from row to row');
    assert.equal(begin.lap, end.lap);
    const way = end.values[channel.Distance]! - begin.values[channel.Distance]!;
    const meant = corner.at(-1)!.values[channel.Distance]! - corner[0]!.values[channel.Distance]!;
    assert.ok(Math.abs(way - meant) < 160, `${way} m for ${meant} m`);
    await mapped(page);
    // All of the way is still there: the last row of the run can be pointed at.
    const far = lap[Math.floor(lap.length * 0.8)]!.values;
    const pointer = at(far[channel.X]!, far[channel.Y]!);
    await page.mouse.move(pointer.x, pointer.y);
    const [read] = await reads(page);
    assert.ok(Math.hypot(read!.x - far[channel.X]!, read!.y - far[channel.Y]!) < 60);
    // The rest of the way has the grey of the ground that it lies on.
    const greys = (): Promise<Record<string, number>> =>
      page.evaluate(`(() => {
        const canvas = document.querySelector('.track canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const count = (...wanted) => {
          let found = 0;
          for (let i = 0; i < data.length; i += 4) if (wanted.every((part, at) => data[i + at] === part)) found++;
          return found;
        };
        return { light: count(58, 64, 74, 255), dark: count(154, 163, 176, 255) };
      })()`);
    assert.ok((await greys())['light']! > 300);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await greys())['dark']! > 300);
    assert.equal((await greys())['light'], 0);
    await page.mouse.dblclick(pointer.x, pointer.y);
    await page.waitForURL((url) => !url.hash.includes('from='));
  });

  it('has a dot for each lap over distance, and zooms laps along the way', async () => {
    const compared = '&mode=overlay&tag=lap&pick=cars/practice/2&pick=cars/practice/3&by=Distance';
    const { page, faults } = await signedIn(`#s=cars/practice&p=Speed&panel=map&map=X,Y,Speed${compared}`);
    await mapped(page);
    const over = (await page.locator('.plot .u-over').nth(1).boundingBox())!;
    for (let i = 0; i < 40; i++) {
      await page.mouse.move(over.x + ((i + 0.5) * (over.width - 1)) / 40, over.y + 30);
      const { cursor } = await peek(page);
      const place = Number(/^Distance (\S+) m$/.exec(cursor)?.[1]);
      const both = await reads(page);
      assert.equal(both.length, 2);
      assert.equal((await dots(page)).length, 2);
      for (const [line, read] of both.entries()) {
        const own = rowAt(read.time)!;
        assert.equal(own.lap, line + 2);
        assert.deepEqual(
          [read.x, read.y, read.speed],
          [channel.X, channel.Y, channel.Speed].map((at) => own.values[at]),
        );
        // The last row before the place, or the first one of the lap.
        const way = samples.flatMap(({ lap, values }) => (lap === own.lap ? values[channel.Distance]! : []));
        const held = Math.max(way[0]!, ...way.filter((at) => at <= place - 0.1));
        const at = own.values[channel.Distance]!;
        assert.ok(at >= held && at <= Math.max(way[0]!, place + 0.1), `lap ${own.lap} at ${place} m`);
      }
    }
    const [dot] = await dots(page);
    await page.mouse.move(dot!.x, dot!.y);
    const [read] = await reads(page);
    const { cursor } = await peek(page);
    assert.ok(
      Math.abs(
        Number(/^Distance (\S+) m$/.exec(cursor)?.[1]) - rowAt(read!.time)!.values[channel.Distance]!,
      ) < 20,
    );
    await page.mouse.down();
    await page.mouse.move(dot!.x - 15, dot!.y + 2, { steps: 4 });
    await page.mouse.move(dot!.x - 30, dot!.y + 6, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/across=/);
    assert.deepEqual(faults, []);
  });

  it('has a dot for each run over time, where it has rows', async () => {
    const [from, to] = [timeAt(5), timeAt(15)];
    const { page } = await signedIn(
      `#s=cars/practice&s=cars/other&p=Speed&panel=map&map=X,Y,Speed&from=${from}&to=${to}`,
    );
    await mapped(page);
    const over = (await page.locator('.plot .u-over').first().boundingBox())!;
    for (const [share, names] of [
      [0.3, ['Friday practice', 'Another car']],
      [0.8, ['Friday practice']],
    ] as const) {
      await page.mouse.move(over.x + over.width * share, over.y + over.height / 2);
      const times = (await reads(page)).map(({ time }) => time);
      assert.deepEqual(
        await page.locator('.map-name').allTextContents(),
        names.map((name) => `${name} `),
      );
      assert.deepEqual(await page.locator('.map .legend li').allTextContents(), [
        'Friday practice',
        'Another car',
      ]);
      assert.equal((await dots(page)).length, names.length);
      assert.equal(new Set(times).size, 1);
      assert.ok(rowAt(times[0]!) !== undefined);
    }
  });

  it('is read by keyboard: arrows go from row to row', async () => {
    const [from, to] = [timeAt(30), timeAt(32)];
    const { page } = await signedIn(`#s=cars/practice&p=Speed&panel=map&from=${from}&to=${to}`);
    await mapped(page);
    const map = page.getByRole('region', { name: 'Map' });
    await map.focus();
    const seen: bigint[] = [];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press('ArrowRight');
      seen.push((await reads(page))[0]!.time);
    }
    const steps = seen.slice(1).map((time, i) => time - seen[i]!);
    assert.deepEqual(steps, [20_000_000n, 20_000_000n, 20_000_000n]);
    await page.keyboard.press('[');
    await page.waitForURL(/a=\d+/);
    await page.locator('.map-flag', { hasText: 'A' }).waitFor();
    await map.press('0');
    await page.waitForURL((url) => !url.hash.includes('from='));
  });

  it('lies a finger on a phone, in a sheet below the plots', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await plotted(page);
    await page.getByRole('button', { name: 'Map', exact: true }).click();
    await mapped(page);
    const box = (await page.locator('.track canvas').boundingBox())!;
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 800, JSON.stringify(box));
    let read: MapRead | undefined;
    for (let y = 10; y < box.height && read === undefined; y += 10) {
      await page.touchscreen.tap(box.x + box.width / 3, box.y + y);
      [read] = await reads(page);
    }
    assert.ok(read !== undefined && rowAt(read.time) !== undefined, 'a tap sets the cursor');
    assert.equal(timeOf((await peek(page)).cursor), read.time);
    assert.deepEqual(faults, []);
  });

  it('is drawn of longitude and latitude as wide as it is there, without rows that had no fix', async () => {
    const origin = { longitude: 179.998, latitude: 60 };
    const own = samples.slice(0, 3000).map(({ values }) => {
      const longitude = origin.longitude + values[channel.X]! / (111_195 * Math.cos(Math.PI / 3));
      return [
        longitude > 180 ? longitude - 360 : longitude,
        origin.latitude + values[channel.Y]! / 111_195,
      ] as const;
    });
    const lost = own.map((row, i) => (i < 20 ? ([0, 0] as const) : row));
    await client.writeParameterData('cars', 'globe', {
      timestamps: lost.map((_, i) => start + BigInt(i) * 20_000_000n),
      numericValues: { 'GPS Long': lost.map(([x]) => x), 'GPS Latitude': lost.map(([, y]) => y) },
    });
    const { page } = await signedIn('#s=cars/globe&p=GPS%20Latitude&panel=map');
    await mapped(page);
    const over = (await page.locator('.plot .u-over').first().boundingBox())!;
    const seen: { dot: { x: number; y: number }; metres: readonly [number, number] }[] = [];
    for (const share of [0.1, 0.5, 0.9]) {
      await page.mouse.move(over.x + over.width * share, over.y + over.height / 2);
      const text = ((await page.locator('.map-row').textContent()) ?? '').replaceAll('\u00a0', ' ');
      const [, x, y] = /GPS Long (\S+), GPS Latitude (\S+) /.exec(text)!;
      const row = own.findIndex(([longitude, latitude]) => longitude === Number(x) && latitude === Number(y));
      assert.ok(row >= 0, text);
      seen.push({
        dot: (await dots(page))[0]!,
        metres: [samples[row]!.values[channel.X]!, samples[row]!.values[channel.Y]!],
      });
    }
    const scale = (i: number, j: number) =>
      Math.hypot(seen[i]!.dot.x - seen[j]!.dot.x, seen[i]!.dot.y - seen[j]!.dot.y) /
      Math.hypot(seen[i]!.metres[0] - seen[j]!.metres[0], seen[i]!.metres[1] - seen[j]!.metres[1]);
    const scales = [scale(0, 1), scale(1, 2), scale(0, 2)];
    for (const own of scales)
      assert.ok(Math.abs(own / scales[0]! - 1) < 0.02, `pixels a metre: ${scales.join(', ')}`);
    // The page is as wide as the drive, not as the world.
    assert.ok(scales[0]! > 0.05, `${scales[0]} pixels a metre`);
  });

  it('takes the channels that one chooses, and says where there are none', async () => {
    const { page } = await signedIn('#s=cars/practice&p=Speed&panel=map');
    await mapped(page);
    await page.locator('.map').getByText('Position').click();
    await page.getByLabel('X or longitude').selectOption('Distance');
    await page.getByLabel('Y or latitude').selectOption('Speed');
    await page.locator('.map').getByLabel('Colour by').selectOption('Gear');
    await page.waitForURL(/map=Distance%2CSpeed%2CGear/);
    await until(async () => ((await page.locator('.map-ramp').textContent()) ?? '').startsWith('Gear1'));
    await page.reload();
    await mapped(page);
    // Until others have come it says what is drawn.
    const { goOn } = await holdBack(page, '**/parameters/data*');
    await page.locator('.map').getByLabel('Colour by').selectOption('Brake');
    await page.waitForURL(/map=Distance%2CSpeed%2CBrake/);
    await page.locator('.map').focus();
    await page.keyboard.press('ArrowRight');
    const own = rowAt(timeOf((await peek(page)).cursor))!.values;
    const told = ((await page.locator('.map-row').textContent()) ?? '').replaceAll('\u00a0', ' ');
    assert.match(told, new RegExp(`^Gear ${own[2]}, Distance `));
    assert.match((await page.locator('.map-ramp').textContent()) ?? '', /^Gear/);
    await goOn();
    await until(async () => ((await page.locator('.map-ramp').textContent()) ?? '').startsWith('Brake'));
    await client.writeParameterData('cars', 'nowhere', {
      timestamps: [start],
      numericValues: { Torque: [1] },
    });
    await page.evaluate("location.hash = '#s=cars/nowhere&p=Torque&panel=map'");
    await page.getByText('No channels here are called like a position.').waitFor();
  });
});
