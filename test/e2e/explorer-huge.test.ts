import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { peek, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_001n;

describe('the explorer with values that an axis has hardly a place for', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });
  const { MAX_VALUE: most } = Number;
  const columns: Record<string, (i: number) => number> = {
    swings: (i) => (i % 2 === 0 ? 1e308 : -1e308),
    ends: (i) => (i % 2 === 0 ? most : -most),
    rises: (i) => i * 1.7e306,
    wide: (i) => (i % 2 === 0 ? 1e300 : 1e-300),
  };
  const rows = Array.from({ length: 101 }, (_, i) => i);
  await client.writeParameterData('odd', 'huge', {
    timestamps: rows.map((i) => start + BigInt(i) * 1_000_000_000n),
    numericValues: {
      ...Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, rows.map(value)])),
      gaps: rows.map((i) => (i < 3 ? Number.NaN : i < 5 ? Number.POSITIVE_INFINITY : i)),
    },
  });

  it('draws them on an axis with numbers', async () => {
    for (const [name, log] of [
      ['swings', ''],
      ['ends', ''],
      ['rises', ''],
      ['wide', '&log=wide'],
    ] as const) {
      const { page, faults } = await signedIn(`#s=odd/huge&p=${name}${log}`);
      await plotted(page);
      const { plots } = await peek(page);
      const numbers = plots[0]!.texts.filter(({ text }) => /^-?[\d.]+(e-?\d+)?$/.test(text));
      assert.ok(numbers.length > 4, `${name}: ${plots[0]!.texts.map(({ text }) => text).join(' ')}`);
      assert.deepEqual(faults, []);
      await page.close();
    }
  });

  it('counts each row in a bin, and says how many are NaN or infinite', async () => {
    for (const name of ['swings', 'ends']) {
      const { page } = await signedIn(`#s=odd/huge&p=${name}&beside=histogram`);
      const bin = page.getByRole('slider', { name: `Bin of the histogram of ${name}` });
      await bin.press('Home');
      const said = page.locator('output.bin');
      await until(async () => / 50 rows, 49.5 %$/.test((await said.textContent()) ?? ''));
      await bin.press('End');
      await until(async () => / 51 rows, 50.5 %$/.test((await said.textContent()) ?? ''));
      await page.close();
    }
    const { page } = await signedIn('#s=odd/huge&p=gaps&beside=histogram');
    await page.getByText('3 rows are NaN, and in no bin.').waitFor();
    await page.getByText('2 rows are infinite, and in no bin.').waitFor();
  });

  it('says of a channel without numbers why there is no line, over time and over distance', async () => {
    const many = Array.from({ length: 20_000 }, (_, i) => i);
    const { NaN: none, POSITIVE_INFINITY: infinite } = Number;
    await client.writeParameterData('odd', 'numberless', {
      timestamps: many.map((i) => start + BigInt(i) * 10_000_000n),
      numericValues: {
        Distance: many,
        Dead: many.map(() => none),
        Endless: many.map((i) => (i % 2 === 0 ? none : infinite)),
        Late: many.map((i) => (i < 10_000 ? none : i)),
      },
      tagValues: { lap: many.map((i) => (i < 10_000 ? '1' : '2')) },
    });
    const plots = '#s=odd/numberless&p=Dead&p=Endless&p=Late,Dead';
    const { page, faults } = await signedIn(plots);
    await plotted(page);
    const told = () => page.locator('.plot-row .no-numbers').allTextContents();
    const all = [
      'All values here are NaN',
      'All values here are NaN or infinite',
      'Dead: all values here are NaN',
    ];
    assert.deepEqual(await told(), all);
    // As rows, and in a range where the third one has none either.
    const early = `&from=${start}&to=${start + 10_000_000_000n}`;
    await page.evaluate(`location.hash = '${plots}${early}'`);
    await until(async () => (await told()).length === 4);
    assert.deepEqual(await told(), [...all, 'Late: all values here are NaN']);
    await page.evaluate(`location.hash = '${plots}&mode=overlay&by=Distance&tag=lap&value=1&value=2'`);
    await page.locator('.plot-row.overlay').first().waitFor();
    await until(async () => (await told()).length < 4);
    assert.deepEqual(await told(), [all[0], all[1]]);
    assert.deepEqual(faults, []);
  });
});
