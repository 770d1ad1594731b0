import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { looksStart, looksTopic, serviceWithLooks } from './explorer-looks-seed.ts';
import { browserPages, following, plotted, skip } from './explorer-page.ts';

const second = 1_000_000_000n;

interface Row {
  readonly time: bigint;
  readonly value: number;
  readonly lap: string;
}

describe('the histogram of the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await serviceWithLooks();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const rowsOf = async (streamId: string, parameterName: string): Promise<Row[]> => {
    const data = await client.query({
      topic: looksTopic,
      streamIds: [streamId],
      numericParameters: [{ parameterName }],
      groupBy: ['lap'],
    });
    return data.timestamps.map((time, i) => ({
      time,
      value: data.numericValues[parameterName]![i]!,
      lap: data.tagValues['lap']![i]!,
    }));
  };

  /** Does something that makes the page count anew, and waits until it has. */
  async function counted(page: Page, change: () => Promise<unknown>): Promise<void> {
    const answer = page.waitForResponse((response) => /"bin 0"/.test(response.request().postData() ?? ''));
    await change();
    await answer;
  }

  /** Goes through all bins by keys and holds each against the rows of each line: gives how many bins there are. */
  async function check(page: Page, lines: readonly (readonly Row[])[], unit: string): Promise<number> {
    await page.locator('.histogram[aria-busy="false"] .chart-room svg').waitFor();
    const room = page.locator('.chart-room');
    await room.focus();
    await page.keyboard.press('Home');
    const told = page.locator('output.bin');
    const sums = lines.map(() => 0);
    const bins = 1 + Number(await room.getAttribute('aria-valuemax'));
    for (let bin = 0; bin < bins; bin++) {
      if (bin > 0) await page.keyboard.press('ArrowRight');
      await page.locator(`.chart-room[aria-valuenow="${bin}"]:not([aria-valuetext="none"])`).waitFor();
      const text = ((await told.textContent()) ?? '').trim();
      assert.equal(await room.getAttribute('aria-valuetext'), text);
      const match = /^(\S+) … ([^\s:]+)( [^:]+)?: (.*)$/.exec(text);
      assert.ok(match !== null, text);
      assert.equal((match[3] ?? '').trim(), unit, text);
      const [from, to] = [Number(match[1]), Number(match[2])];
      const said = match[4]!.split('; ').map((part) => /(?:^|: )([\d,]+) rows?, (\S+) %$/.exec(part)!);
      assert.equal(said.length, lines.length, text);
      for (const [i, rows] of lines.entries()) {
        const own = rows.filter(({ value }) => value >= from && value < to).length;
        assert.equal(Number(said[i]![1]!.replaceAll(',', '')), own, text);
        assert.ok(Math.abs(Number(said[i]![2]) - (100 * own) / rows.length) < 0.1, text);
        sums[i]! += own;
      }
    }
    assert.deepEqual(
      sums,
      lines.map((rows) => rows.length),
    );
    return bins;
  }

  it('counts the rows of all that is seen, of a zoomed range, and from A to B', async () => {
    const rows = await rowsOf('one', 'Pressure');
    const { page, faults } = await signedIn(`#s=${looksTopic}/one&p=Pressure&p=Calm&beside=histogram`);
    await plotted(page);
    assert.ok((await check(page, [rows], 'bar')) > 10);
    const [from, to] = [looksStart + 10n * second, looksStart + 12n * second];
    const within = (begin: bigint, end: bigint) => rows.filter(({ time }) => time >= begin && time <= end);
    await counted(page, () => page.evaluate(`location.hash += '&from=${from}&to=${to}'`));
    await check(page, [within(from, to)], 'bar');
    const [a, b] = [from + second / 3n, from + second];
    await counted(page, () => page.evaluate(`location.hash += '&a=${b}&b=${a}'`));
    await page.getByText('from A to B', { exact: true }).first().waitFor();
    await check(page, [within(a, b)], 'bar');
    assert.deepEqual(faults, []);
  });

  it('counts whole numbers one by one, of each of several runs', async () => {
    const { page } = await signedIn(
      `#s=${looksTopic}/one&s=${looksTopic}/two&p=Pressure&beside=histogram&histogram=Gear`,
    );
    const lines = [await rowsOf('one', 'Gear'), await rowsOf('two', 'Gear')];
    assert.equal(await check(page, lines, ''), 6);
    await counted(page, () => page.getByLabel('Values of').selectOption('Calm'));
    await page.waitForURL(/histogram=Calm/);
    await check(page, [await rowsOf('one', 'Calm'), await rowsOf('two', 'Calm')], 'V');
  });

  it('counts lap by lap where laps are compared', async () => {
    const picks = ['2', '3'].map((lap) => `pick=${looksTopic}/one/${lap}`).join('&');
    const { page, faults } = await signedIn(
      `#s=${looksTopic}/one&p=Pressure&mode=overlay&tag=lap&${picks}&beside=histogram`,
    );
    const rows = await rowsOf('one', 'Pressure');
    const laps = ['2', '3'].map((lap) => rows.filter((row) => row.lap === lap));
    await check(page, laps, 'bar');
    assert.deepEqual(faults, []);
  });

  it('follows live data, and so does the spectrum', async () => {
    const start = BigInt(Date.now()) * 1_000_000n;
    const write = (from: number, to: number) => {
      const rows = Array.from({ length: to - from }, (_, i) => from + i);
      return client.writeParameterData(looksTopic, 'now', {
        timestamps: rows.map((i) => start + (BigInt(i) * second) / 50n),
        numericValues: { Gear: rows.map(() => 3) },
      });
    };
    await write(0, 50);
    const { page, faults } = await signedIn(`#s=${looksTopic}/now&p=Gear&live=1&beside=histogram,spectrum`);
    await following(page);
    await page.locator('.histogram .chart-room svg').waitFor();
    await page.locator('.histogram .chart-room').focus();
    await page.keyboard.press('Home');
    await page.locator('output.bin', { hasText: '3 … 4: 50 rows, 100 %' }).waitFor();
    await page.getByText('50 rows at 50 Hz.', { exact: true }).waitFor();
    await write(50, 130);
    await page.locator('output.bin', { hasText: '3 … 4: 130 rows, 100 %' }).waitFor();
    await page.getByText('130 rows at 50 Hz.', { exact: true }).waitFor();
    assert.equal(await page.locator('.histogram').getAttribute('aria-busy'), 'false');
    assert.deepEqual(faults, []);
  });
});
