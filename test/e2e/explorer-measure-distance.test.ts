import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import type { TagFilter } from '../../src/client/client.ts';
import { channels } from '../../src/demo/channels.ts';
import { assertSameNumbers } from '../same-numbers.ts';
import { until } from '../until.ts';
import { isAccessible } from './explorer-axe.ts';
import { drivenStart, serviceWithDriven } from './explorer-driven.ts';
import { browserPages, plotted, skip, statisticsIn } from './explorer-page.ts';

const aggregations = ['Min', 'Max', 'Mean', 'StdDev', 'P95', 'Count'] as const;

interface Range {
  readonly from?: bigint;
  readonly to?: bigint;
}

describe('measuring laps over each other', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples } = await serviceWithDriven();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const channelOf = (name: string) => channels.findIndex(({ id }) => id === name);
  const timeOf = (seconds: number) => drivenStart + BigInt(Math.round(seconds * 1e9));
  const overDistance = (laps: readonly number[], rest: string) =>
    `#s=cars/driven&mode=overlay&tag=lap&${laps.map((lap) => `pick=cars/driven/${lap}`).join('&')}&by=Distance&panel=measure&${rest}`;

  /** When a lap passes a place: on the straight line between two of its rows. */
  function passes(lap: number, place: number): bigint {
    const way = channelOf('Distance');
    const own = samples.filter((sample) => sample.lap === lap);
    const next = own.findIndex(({ values }) => values[way]! >= place);
    const [before, behind] = [own[next - 1]!, own[next]!];
    const share = (place - before.values[way]!) / (behind.values[way]! - before.values[way]!);
    return timeOf(before.seconds + share * (behind.seconds - before.seconds));
  }

  /** What the service says of the rows of a lap. */
  async function told(parameterName: string, lap: number, range: Range): Promise<(number | null)[]> {
    const tagFilters: TagFilter[] = [{ tag: 'lap', value: String(lap) }];
    const { numericValues } = await client.query({
      topic: 'cars',
      streamIds: ['driven'],
      tagFilters,
      ...range,
      numericParameters: aggregations.map((aggregationType) => ({ parameterName, aggregationType })),
    });
    return aggregations.map((of) => numericValues[`${of.toLowerCase()}(${parameterName})`]![0]!);
  }

  /** What the panel says of a channel of a lap, with all digits. */
  async function said(page: Page, name: string, lap: number): Promise<number[]> {
    // The service tells all but the slope.
    return (await statisticsIn(partOf(page, name, lap))).slice(0, -1);
  }

  function partOf(page: Page, name: string, lap: number): Locator {
    const heading = page.getByRole('heading', { name: new RegExp(`^${name} .*lap ${lap}$`) });
    return page.locator('.measure .values').filter({ has: heading });
  }

  /** Waits until statistics are there, of so many channels of laps. */
  async function measured(page: Page, parts: number): Promise<void> {
    await plotted(page);
    const lists = page.locator('.measure[aria-busy="false"] .statistics');
    await lists.nth(parts - 1).waitFor();
    assert.equal(await lists.count(), parts);
  }

  it('reads the rows at A and B where they are not in what is seen of the way, too', async () => {
    const [way, speed] = [channelOf('Distance'), channelOf('Speed')];
    const { page, faults } = await signedIn(overDistance([1, 2], 'p=Speed&pa=500&pb=3000&across=1500~1600'));
    await measured(page, 2);
    for (const lap of [1, 2]) {
      const rows = samples.filter((sample) => sample.lap === lap);
      const expected = [500, 3000].map(
        (at) => rows.findLast(({ values }) => values[way]! <= at)!.values[speed]!,
      );
      const cells = partOf(page, 'Speed', lap).locator('.pairs dd > .piece');
      const read = async () => (await cells.allTextContents()).slice(1, 3);
      await until(async () => isDeepStrictEqual(await read(), expected.map(String)));
    }
    assert.deepEqual(faults, []);
  });

  it('tells statistics of each lap that are those of the service between the moments at which it passes A and B', async () => {
    const { page, faults } = await signedIn(
      overDistance([2, 5], 'p=Speed&p=Brake&pa=3000&pb=1000.25&across=900~3100'),
    );
    await measured(page, 4);
    for (const lap of [2, 5]) {
      const range = { from: passes(lap, 1000.25), to: passes(lap, 3000) };
      const inside = samples.filter(({ seconds, lap: own }) => {
        const time = timeOf(seconds);
        return own === lap && time >= range.from && time <= range.to;
      });
      assert.ok(inside.length > 500);
      for (const name of ['Speed', 'Brake']) {
        const numbers = await said(page, name, lap);
        assertSameNumbers(numbers, await told(name, lap, range), `${name} of lap ${lap}`);
        assert.equal(numbers[5], inside.length);
        const own = partOf(page, name, lap);
        const label = (await own.locator('.small-histogram').textContent()) ?? '';
        assert.match(label, new RegExp(`^\\s*Histogram of ${name}, lap ${lap}: most rows, `));
        const [, most, low, high] = /most rows, (\d+), at (\S+) … (\S+);/.exec(label)!.map(Number);
        const counted = inside.filter(({ values }) => {
          const value = values[channelOf(name)]!;
          return value >= low! && value < high!;
        });
        assert.equal(counted.length, most, label);
      }
    }
    // How much the difference is a second, from row to row, as over time.
    const [rowA, rowB] = [3000, 1000.25].map((place) => {
      const way = channelOf('Distance');
      return samples.findLast(({ lap, values }) => lap === 2 && values[way]! <= place);
    });
    const slope = (rowB!.values[0]! - rowA!.values[0]!) / (rowB!.seconds - rowA!.seconds);
    const difference = (await partOf(page, 'Speed', 2).locator('.pairs dd').last().textContent()) ?? '';
    const perSecond = Number(/ (\S+) per s$/.exec(difference)?.[1]);
    assert.ok(Math.abs(perSecond - slope) < 1e-5 * Math.abs(slope), `${difference} for ${slope} per s`);
    assert.deepEqual(faults, []);
  });

  it('tells those of what is seen where A and B are not set, and of what lies between two times where laps lie over time', async () => {
    const { page } = await signedIn(overDistance([2, 3], 'p=Speed'));
    await measured(page, 2);
    await page.getByText('Statistics of all that is seen:').waitFor();
    for (const lap of [2, 3]) assertSameNumbers(await said(page, 'Speed', lap), await told('Speed', lap, {}));
    await page.evaluate(`location.hash += '&across=2000.125~2500.125'`);
    const whole = (await told('Speed', 3, {}))[5];
    await page.locator(`.statistics dd[title="${whole}"]`).waitFor({ state: 'detached' });
    await measured(page, 2);
    for (const lap of [2, 3]) {
      const range = { from: passes(lap, 2000.125), to: passes(lap, 2500.125) };
      assertSameNumbers(await said(page, 'Speed', lap), await told('Speed', lap, range));
    }
    const seen = (await told('Speed', 3, { from: passes(3, 2000.125), to: passes(3, 2500.125) }))[5];
    await page.evaluate(
      `location.hash = location.hash.replace(/&across=[^&]*/, '').replace('&by=Distance', '') + '&pa=10.005&pb=25.005'`,
    );
    await page.locator(`.statistics dd[title="${seen}"]`).waitFor({ state: 'detached' });
    await measured(page, 2);
    for (const lap of [2, 3]) {
      const first = timeOf(samples.find((sample) => sample.lap === lap)!.seconds);
      const range = { from: first + 10_005_000_000n, to: first + 25_005_000_000n };
      assertSameNumbers(await said(page, 'Speed', lap), await told('Speed', lap, range));
    }
  });

  it('says of a lap that it does not pass A or B', async () => {
    const to = passes(5, 2000);
    const { page } = await signedIn(
      overDistance([2, 5], `p=Speed&pa=1500&pb=2500&to=${to}&from=${drivenStart}`),
    );
    await measured(page, 1);
    const range = { from: passes(2, 1500), to: passes(2, 2500) };
    assertSameNumbers(await said(page, 'Speed', 2), await told('Speed', 2, range));
    await partOf(page, 'Speed', 5).getByText('– It does not pass B, or has no rows there.').waitFor();
    const values = await partOf(page, 'Speed', 5).locator('.pairs dd').allTextContents();
    assert.deepEqual([values[2], values[3]], ['–', '–']);
    // A whole run goes around and around.
    await page.evaluate(
      `location.hash = '#s=cars/driven&p=Speed&mode=overlay&by=Distance&panel=measure&pa=1500&pb=2500'`,
    );
    await page.getByText('– It goes back and forth, or has too few rows').waitFor();
  });

  it('goes by keyboard, to the histogram of these rows too', async () => {
    const { page, faults } = await signedIn(overDistance([2, 5], 'p=Speed&across=1000~2000'));
    await plotted(page);
    const plots = page.getByRole('region', { name: 'Overlay' });
    await plots.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('[');
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press(']');
    await page.waitForURL(/pa=[\d.]+&pb=[\d.]+/);
    await page.getByText('Statistics from A to B:').waitFor();
    await measured(page, 2);
    // A and B are rows of the first lap.
    assert.equal((await said(page, 'Speed', 2))[5], 21);
    await isAccessible(page, 'Measure over distance');
    const button = page.getByRole('button', { name: 'Histogram of Speed, lap 5: most rows' });
    await button.focus();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Histogram' });
    await panel.getByText('from A to B', { exact: true }).waitFor();
    const room = page.locator('.histogram[aria-busy="false"] .chart-room');
    await room.focus();
    await page.keyboard.press('Home');
    const sums = [0, 0];
    const bins = 1 + Number(await room.getAttribute('aria-valuemax'));
    for (let bin = 0; bin < bins; bin++) {
      if (bin > 0) await page.keyboard.press('ArrowRight');
      await page.locator(`.chart-room[aria-valuenow="${bin}"]:not([aria-valuetext="none"])`).waitFor();
      const text = (await room.getAttribute('aria-valuetext')) ?? '';
      for (const [i, [, rows]] of [...text.matchAll(/: ([\d,]+) rows?, /g)].entries())
        sums[i]! += Number(rows);
    }
    assert.deepEqual(sums, [21, (await said(page, 'Speed', 5))[5]]);
    await plots.press('Escape');
    await page.getByText('Statistics of all that is seen:').waitFor();
    assert.deepEqual(faults, []);
  });
});
