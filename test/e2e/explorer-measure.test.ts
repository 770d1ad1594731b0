import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { channels } from '../../src/demo/channels.ts';
import { assertSameNumbers } from '../same-numbers.ts';
import { until } from '../until.ts';
import { serviceWithDriven, drivenStart as start } from './explorer-driven.ts';
import { browserPages, plotted, rangeOf, skip, statisticsIn, toTab } from './explorer-page.ts';

describe('measuring in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples } = await serviceWithDriven();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });

  it('gives statistics that are those of the service, from A to B, and differences those of rows', async () => {
    const [a, b] = [start + 20_000_000_000n, start + 22_000_000_000n];
    const range = { from: a - 1_000_000_000n, to: b + 1_000_000_000n };
    const { page, faults } = await signedIn(
      `#s=cars/driven&p=Speed&p=Brake&panel=measure&a=${a}&b=${b}&from=${range.from}&to=${range.to}`,
    );
    await plotted(page);
    await page.locator('.measure[aria-busy="false"] .statistics').nth(1).waitFor();
    const inside = samples.filter(({ seconds }) => {
      const time = start + BigInt(Math.round(seconds * 1e9));
      return time >= a && time <= b;
    });
    for (const [i, [name, channel]] of [['Speed', 0] as const, ['Brake', 4] as const].entries()) {
      const aggregations = ['Min', 'Max', 'Mean', 'StdDev', 'P95', 'Count'] as const;
      const { numericValues } = await client.query({
        topic: 'cars',
        streamIds: ['driven'],
        from: a,
        to: b,
        numericParameters: aggregations.map((aggregationType) => ({ parameterName: name, aggregationType })),
      });
      const own = page.locator('.measure .values').nth(i);
      const said = await statisticsIn(own);
      const told = aggregations.map((of) => numericValues[`${of.toLowerCase()}(${name})`]![0]);
      const slope = said.pop()!;
      assertSameNumbers(said, told, name);
      const best = leastSquares(inside.map(({ seconds, values }) => [seconds, values[channel]!]));
      assert.ok(Math.abs(slope - best) < 1e-6 * Math.abs(best), `${name}: ${slope} for ${best} per s`);
      assert.equal(said[5], inside.length);
      const [first, last] = [inside[0]!.values[channel]!, inside.at(-1)!.values[channel]!];
      const values = await own.locator('.pairs dd').allTextContents();
      assert.match(values[1]!, new RegExp(`^${String(first).replace('.', '\\.')} `));
      // The small histogram says where most rows are, and how many; it opens the panel that tells each bin.
      const histogram = own.locator('.small-histogram');
      const label = (await histogram.textContent()) ?? '';
      const [, most, from, to] = /most rows, (\d+), at (\S+) … (\S+);/.exec(label)!.map(Number);
      const within = inside.filter(({ values: row }) => row[channel]! >= from! && row[channel]! < to!);
      assert.equal(within.length, most, label);
      if (i === 1) {
        await histogram.click();
        await page.getByRole('region', { name: 'Histogram' }).waitFor();
        assert.match(page.url(), /histogram=Brake/);
      }
      const difference = Number(values.at(-1)!.trim().split(' ')[0]!);
      assert.ok(Math.abs(difference - (last - first)) < 1e-9, `${difference} for ${last - first}`);
    }
    assert.deepEqual(faults, []);
  });

  it('reads the rows at A and B where they are not in what is seen, too', async () => {
    const rows = samples.map(({ seconds, values }) => ({
      time: start + BigInt(Math.round(seconds * 1e9)),
      speed: values[0]!,
    }));
    const [first, last] = [rows[500]!, rows[4000]!];
    const [from, to] = [rows[2000]!.time, rows[2100]!.time];
    const { page, faults } = await signedIn(
      `#s=cars/driven&p=Speed&panel=measure&a=${first.time}&b=${last.time}&from=${from}&to=${to}`,
    );
    await plotted(page);
    const told = async () => (await page.locator('.measure .values .pairs dd').allTextContents()).slice(1, 3);
    await until(async () => (await told()).every((text) => !text.startsWith('–')));
    const [atA, atB] = await told();
    assert.ok(atA!.startsWith(`${first.speed} `) && atB!.startsWith(`${last.speed} `), `${atA}, ${atB}`);
    const flags = async () =>
      (await page.locator('.flag-values b').evaluateAll((all) => all.map((own) => own.title))).slice(0, 2);
    await until(async () => isDeepStrictEqual(await flags(), [String(first.speed), String(last.speed)]));
    assert.deepEqual(faults, []);
  });

  it('says when the least and the largest value were, and leads there', async () => {
    const { page, faults } = await signedIn('#s=cars/driven&p=Speed&panel=measure');
    await plotted(page);
    const way = page.getByRole('button', { name: 'go to largest of Speed' });
    const fastest = samples.reduce((best, own) => (own.values[0]! > best.values[0]! ? own : best));
    const time = start + BigInt(Math.round(fastest.seconds * 1e9));
    const written = new Date(Number(time / 1_000_000n)).toISOString().slice(11, -1);
    assert.equal(await way.textContent(), written);
    assert.match((await way.getAttribute('title'))!, new RegExp(`${String(time % 1_000_000_000n)}$`));
    await way.click();
    const said = page.locator('.measure .values').first().locator('.pairs dd').first();
    await until(async () => (await said.textContent())!.startsWith(`${fastest.values[0]} `));
    // Where it is not seen, it comes to the middle.
    const [from, to] = [time - 60_000_000_000n, time + 60_000_000_000n];
    await page.evaluate(`location.hash += '&a=${from}&b=${to}&from=${from}&to=${from + 2_000_000_000n}'`);
    await page.waitForURL(/from=/);
    await page.locator('.measure[aria-busy="false"]').waitFor();
    await way.click();
    await page.waitForURL((url) => !url.hash.includes(`from=${from}&`));
    const seen = rangeOf(page);
    assert.ok(seen.from < time && time < seen.to, 'it is seen');
    assert.deepEqual(faults, []);
  });

  it('says how steep a range is whose pixels hold many rows, and its times with every digit', async () => {
    const [a, b] = [start + 123_456_789n, start + 400_000_000_001n];
    const { page } = await signedIn(`#s=cars/driven&p=OilTemp&panel=measure&a=${a}&b=${b}`);
    await plotted(page);
    const cells = page.locator('.measure[aria-busy="false"] .statistics dd');
    await cells.nth(6).waitFor();
    assert.equal(await page.locator('.statistics dt').nth(6).textContent(), 'slope per s');
    const slope = Number(await cells.nth(6).getAttribute('title'));
    const data = await client.query({
      topic: 'cars',
      streamIds: ['driven'],
      from: a,
      to: b,
      numericParameters: [{ parameterName: 'OilTemp' }],
    });
    const values = data.numericValues['OilTemp']!;
    const best = leastSquares(
      data.timestamps.map((time, row) => [Number(time - start) / 1e9, values[row]!] as const),
    );
    assert.ok(data.timestamps.length > 10_000);
    assert.ok(Math.abs(slope - best) < 1e-3 * Math.abs(best), `${slope} for ${best} per s`);
    const moments = await page.locator('.measure > .pairs dd').allTextContents();
    assert.match(moments[0]!, /\.123456789$/);
    assert.match(moments[2]!, / 399876543212 ns$/);
  });

  it('says of a percentile that the service refuses why it does, and tells the rest', async () => {
    const { page } = await signedIn(`#s=cars/driven&p=Speed`);
    await plotted(page);
    // What it refuses of tens of millions of rows, it refuses here by name.
    await page.route('**/parameters/data*', (route) => {
      const body = route.request().postData();
      return route.continue(body === null ? {} : { postData: body.replaceAll('"P95"', '"P96"') });
    });
    await page.evaluate(`location.hash += '&panel=measure&a=${start}&b=${start + 2_000_000_000n}'`);
    const refused = page.locator('.measure .statistics dd', { hasText: 'refused' });
    await refused.waitFor();
    assert.match((await refused.getAttribute('title'))!, /P96/);
    const others = await page.locator('.measure .statistics dd').allTextContents();
    assert.equal(others.filter((text) => /\d/.test(text)).length, 6);
  });

  it('tells A, B and the difference in each plot, of lines, of several in one plot and of laps', async () => {
    const [a, b] = [start + 20_000_000_000n, start + 22_000_000_000n];
    const range = { from: a - 1_000_000_000n, to: b + 1_000_000_000n };
    const { page, faults } = await signedIn(
      `#s=cars/driven&p=Speed,Throttle&p=Brake&a=${a}&b=${b}&from=${range.from}&to=${range.to}`,
    );
    await plotted(page);
    const inside = samples.filter(({ seconds }) => {
      const time = start + BigInt(Math.round(seconds * 1e9));
      return time >= a && time <= b;
    });
    const wanted = (name: string) => {
      const [first, last] = [inside[0]!, inside.at(-1)!].map(
        ({ values }) => values[channels.findIndex(({ id }) => id === name)]!,
      );
      return [first, last, last! - first!];
    };
    const told = () =>
      page
        .locator('.plot-row')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.querySelectorAll('.flag-values li')].map((line) =>
              [...line.querySelectorAll('b')].map(({ title }) => Number(title)),
            ),
          ),
        );
    const areNear = (given: readonly number[][][], names: readonly string[][]) =>
      names.every((own, plot) =>
        own.every((name, line) =>
          wanted(name).every((value, i) => Math.abs(given[plot]![line]![i]! - value!) < 1e-6),
        ),
      );
    assert.ok(areNear(await told(), [['Speed', 'Throttle'], ['Brake']]), JSON.stringify(await told()));
    // Without B there is no difference.
    await page.evaluate(`location.hash = location.hash.replace(/&b=\\d+/, '')`);
    await until(async () => (await told())[1]![0]!.length === 1);
    await page.evaluate(`location.hash = location.hash.replace(/&a=\\d+/, '')`);
    await page.locator('.flag-values').first().waitFor({ state: 'detached' });
    // Over distance Measure says the same of each lap, and how much time was lost.
    await page.evaluate(
      `location.hash = '#s=cars/driven&p=Speed&mode=overlay&tag=lap&pick=cars/driven/1&pick=cars/driven/2&by=Distance&panel=measure&pa=1000&pb=1200'`,
    );
    await page.locator('.measure .values.lost').waitFor();
    const texts = async (selector: string) =>
      (await page.locator(selector).allTextContents()).map((text) =>
        Number.parseFloat(text.replace('−', '-')),
      );
    const flags = async () =>
      (
        await page.locator('.plot-row .flag-values b').evaluateAll((all) => all.map(({ title }) => title))
      ).map((text) => Number.parseFloat(text.replace('−', '-')));
    const measured = async () => {
      const cells = [0, 1, 2].map((i) => texts(`.measure .values >> nth=${i} >> .pairs dd`));
      return (await Promise.all(cells)).flatMap((own) => own.slice(1));
    };
    // Rows of the place take the place of drawn points as they come.
    await until(
      async () => (await flags()).length === 9 && isDeepStrictEqual(await flags(), await measured()),
    );
    assert.deepEqual(faults, []);
  });

  it('goes by keyboard: arrows move the cursor by a row, brackets set A and B', async () => {
    const from = start + 30_000_000_000n;
    const { page } = await signedIn(
      `#s=cars/driven&p=Speed&panel=measure&from=${from}&to=${from + 2_000_000_000n}`,
    );
    await plotted(page);
    const plots = page.getByRole('region', { name: 'Plots' });
    await plots.focus();
    const cursor = page.getByLabel('Time at the cursor');
    const seen: string[] = [];
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('ArrowRight');
      seen.push((await cursor.textContent()) ?? '');
    }
    const expected = samples.flatMap(({ seconds }) => {
      const time = start + BigInt(Math.round(seconds * 1e9));
      return time > from + 1_000_000_000n ? [String(time).slice(-9)] : [];
    });
    assert.deepEqual(
      seen.map((text) => text.slice(-9)),
      expected.slice(0, 5),
    );
    await page.keyboard.press('[');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press(']');
    await page.waitForURL(/a=\d+&b=\d+/);
    await page.getByText('-20 ms').waitFor();
    await plots.press('Escape');
    await page.waitForURL((url) => !url.hash.includes('a='));
    await toTab(page, 'Laps');
  });

  it('leaves the plots where they are when a click sets A, and keys go on from there', async () => {
    const from = start + 30_000_000_000n;
    const { page, faults } = await signedIn(
      `#s=cars/driven&p=Speed&p=Brake&panel=laps&from=${from}&to=${from + 2_000_000_000n}`,
    );
    await plotted(page);
    const second = page.locator('.plot .u-over').nth(1);
    const before = (await second.boundingBox())!;
    await page.mouse.click(before.x + before.width / 5, before.y + before.height / 2);
    await page.locator('.flag-values').nth(1).waitFor();
    assert.deepEqual(await second.boundingBox(), before);
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    const a = BigInt(fields.get('a')!);
    // The pointer leaves, and with it the cursor.
    await page.mouse.move(before.x + before.width / 2, 5);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('ArrowRight');
    const next = samples
      .map(({ seconds }) => start + BigInt(Math.round(seconds * 1e9)))
      .find((time) => time > a)!;
    assert.match(
      (await page.getByLabel('Time at the cursor').textContent())!,
      new RegExp(`${String(next).slice(-9, -6)}`),
    );
    assert.deepEqual(faults, []);
  });
});

/** Per second, of rows of seconds and values. */
function leastSquares(rows: readonly (readonly [number, number])[]): number {
  const mean = (of: (row: readonly [number, number]) => number) =>
    rows.reduce((sum, row) => sum + of(row), 0) / rows.length;
  const [at, value] = [mean(([second]) => second), mean(([, own]) => own)];
  return mean(([second, own]) => (second - at) * (own - value)) / mean(([second]) => (second - at) ** 2);
}
