import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../src/demo/random.ts';
import { until } from '../until.ts';
import { holds, isMarked, overPlaces, places, reach, readingsOf } from './explorer-cursor.ts';
import { browserPages, copiedQuery, following, plotted, skip } from './explorer-page.ts';
import { endsAt, type PagePeek, peek, timeOf, watchCanvases } from './explorer-peek.ts';
import {
  type Seeded,
  type SeedRow,
  seededService,
  seedStart,
  spacings,
  topic,
  writeSeed,
} from './explorer-seed.ts';

const second = 1_000_000_000n;

interface PlottedLine {
  readonly parameter: Seeded;
  readonly rows: readonly SeedRow[];
}

/** What plots over time say at a cursor, held against all rows of each line of each plot. */
function checkOverTime(
  { cursor, range, plots }: PagePeek,
  lines: readonly (readonly PlottedLine[])[],
): number {
  const [from, to] = range.map(timeOf) as [bigint, bigint];
  const at = timeOf(cursor);
  let empty = 0;
  for (const [i, own] of lines.entries()) {
    const plot = plots[i]!;
    const perPixel = Number(to - from) / plot.box.width;
    const reads = readingsOf(plot, own.length);
    isMarked(plot, reads, ({ from: begin, to: end }) => {
      const middle = Number(begin - from) / 2 + Number(end - from) / 2;
      return plot.box.left + middle / perPixel;
    });
    for (const [line, read] of reads.entries()) {
      const { parameter, rows } = own[line]!;
      const seen = rows.filter(({ time }) => time >= from && time <= to);
      const before = seen.findLast(({ time }) => time <= at);
      const after = seen.find(({ time }) => time > at);
      const distances = [before, after].map((row) =>
        row ? Math.abs(Number(row.time - at)) : Number.POSITIVE_INFINITY,
      );
      const nearest = Math.min(...distances);
      if (read === undefined) {
        empty++;
        assert.ok(nearest > (reach - 1) * perPixel, `${plot.title} says nothing ${nearest} ns from a row`);
        const silence = before && after && after.time - before.time;
        assert.ok(
          silence === undefined || silence > 5n * spacings[parameter],
          `${plot.title} says nothing between rows`,
        );
        continue;
      }
      holds(read, seen, `${plot.title} at ${cursor}`);
      const away = at < read.from ? read.from - at : at > read.to ? at - read.to : 0n;
      if (read.from === read.to) {
        const isLed = before && after && after.time - before.time <= 5n * spacings[parameter];
        assert.equal(
          read.from,
          isLed || read.from < at ? before?.time : after?.time,
          `${plot.title} at ${cursor}`,
        );
      } else assert.ok(Number(away) <= (reach + 1) * perPixel, `${plot.title}: another time is read`);
    }
  }
  return empty;
}

describe("the explorer's readings at the cursor", { skip }, async () => {
  if (skip !== false) return;
  const seeded = await seededService();
  const { service, client, rows } = seeded;
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });
  const lineOf = async (streamId: string, parameter: Seeded): Promise<PlottedLine> => ({
    parameter,
    rows: await rows(streamId, parameter),
  });
  const ofBoth = (parameter: Seeded) => Promise.all([lineOf('one', parameter), lineOf('two', parameter)]);

  it('are the rows at 200 places over all of the time', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&s=${topic}/two&p=Fast&p=Slow&p=Count`);
    await plotted(page);
    const lines = await Promise.all((['Fast', 'Slow', 'Count'] as const).map(ofBoth));
    let empty = 0;
    const kinds = new Set<boolean>();
    for (const now of await overPlaces(page, 1)) {
      empty += checkOverTime(now, lines);
      for (const read of readingsOf(now.plots[0]!, 2)) if (read) kinds.add(read.from === read.to);
    }
    // Buckets of the one, rows of the other; and silence of both, and of what is never written.
    assert.deepEqual(kinds, new Set([true, false]));
    assert.ok(empty > 2 * places, `${empty} readings are empty`);
    assert.deepEqual(faults, []);
  });

  it('are one row each, to the last digit, where a pixel has many, whatever the width and in Measure and on the map', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Fast,Slow&p=Count&panel=measure`);
    await plotted(page);
    const rowsOf = Object.fromEntries(
      await Promise.all(
        (['Fast', 'Slow', 'Count'] as const).map(async (name) => [name, await rows('one', name)]),
      ),
    ) as Record<Seeded, readonly SeedRow[]>;
    const heldAt = (name: Seeded, at: bigint) => rowsOf[name].findLast(({ time }) => time <= at)!;
    const isHeard = (at: bigint) => at - heldAt('Fast', at).time < second;
    const random = seededRandom(40);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/parameters/data')) asked.push(request.postData() ?? '');
    });
    for (const width of [1280, 1500]) {
      await page.setViewportSize({ width, height: 800 });
      await plotted(page);
      for (let i = 0; i < 20; i++) {
        const over = (await page.locator('.plot .u-over').first().boundingBox())!;
        await page.mouse.move(over.x + 3 + Math.floor(random() * (over.width - 6)), over.y + 40);
        await until(async () => (await peek(page)).cursor !== '');
        const at = timeOf((await peek(page)).cursor);
        if (!isHeard(at)) continue;
        const isRead = async () => (await peek(page)).plots[1]!.bands[0] !== '';
        await until(isRead);
        const { plots } = await peek(page);
        const [fast, slow] = readingsOf(plots[0]!, 2);
        const [count] = readingsOf(plots[1]!, 1);
        for (const [name, read] of [
          ['Fast', fast] as const,
          ['Slow', slow] as const,
          ['Count', count] as const,
        ]) {
          const { time, value } = heldAt(name, at);
          assert.deepEqual(
            [read!.low, read!.high, read!.from, read!.to],
            [value, value, time, time],
            `${name} at ${at}`,
          );
        }
        // The pixel is told beside it.
        const [low, high] = plots[1]!.bands[0]!.split(' … ').map(Number);
        assert.ok(low! < high!, plots[1]!.bands[0]);
        const [measured = ''] = await page.locator('.measure .values', { hasText: 'Count' }).allInnerTexts();
        assert.match(measured, new RegExp(`cursor\\s*${count!.low}\\s`));
        assert.ok(measured.includes('in this pixel'), measured);
      }
    }
    // A hand that moves asks for nothing: neither for each pixel, nor for what it has left.
    await page.mouse.move(5, 5);
    asked.length = 0;
    await page.evaluate(`(async () => {
      const over = document.querySelector('.plot .u-over');
      const { left, top, width } = over.getBoundingClientRect();
      for (let x = 5; x < width - 5; x++) {
        const at = { clientX: left + x, clientY: top + 40, bubbles: true, view: window };
        over.dispatchEvent(new MouseEvent('mousemove', at));
        for (let turn = 0; turn < 5; turn++) await null;
      }
    })()`);
    await until(async () => (await peek(page)).plots[1]!.bands[0] !== '');
    // The first pixel, and the last one.
    assert.ok(asked.length <= 2, asked.join('\n'));
    // By keys, too: A and B are read where they are set, and spoken.
    await page.mouse.move(5, 5);
    await page.getByRole('region', { name: 'Plots' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('[');
    const a = BigInt(/a=(\d+)/.exec(page.url())![1]!);
    const flag = page.locator('.plot-row').nth(1).locator('.flag-values b').first();
    await until(async () => (await flag.getAttribute('title'))!.includes('('));
    assert.match((await flag.getAttribute('title'))!, new RegExp(`^${heldAt('Count', a).value} \\(`));
    const spoken = page.getByLabel('Values at the cursor', { exact: true });
    await until(async () => (await spoken.innerText()).includes(`Count: ${heldAt('Count', a).value}`));
    assert.deepEqual(faults, []);
  });

  it('are those of the plots on a map that draws one row of several', async () => {
    const count = 60_000;
    const step = 10_000_000n;
    for (let from = 0; from < count; from += 20_000) {
      const own = Array.from({ length: 20_000 }, (_, i) => from + i);
      await client.writeParameterData(topic, 'long', {
        timestamps: own.map((i) => seedStart + BigInt(i) * step),
        numericValues: {
          East: own.map((i) => 100 * Math.cos(i / 9000)),
          North: own.map((i) => 100 * Math.sin(i / 9000)),
          Row: own,
        },
      });
    }
    const { page, faults } = await signedIn(`#s=${topic}/long&p=Row&panel=map&map=East,North,Row`);
    await plotted(page);
    await page.getByText(/of 60,000 rows: the first in every/).waitFor();
    const reading = page.getByLabel('On the map at the cursor');
    const random = seededRandom(41);
    for (let i = 0; i < 10; i++) {
      const over = (await page.locator('.plot .u-over').boundingBox())!;
      await page.mouse.move(over.x + 3 + Math.floor(random() * (over.width - 6)), over.y + 60);
      await until(async () => (await peek(page)).plots[0]!.bands[0] !== '');
      const { plots, cursor } = await peek(page);
      const row = Number((timeOf(cursor) - seedStart) / step);
      const [read] = readingsOf(plots[0]!, 1);
      assert.equal(read!.low, row);
      let said = '';
      // Until the row is read, the map tells the time of the cursor.
      await until(async () => {
        said = (await reading.innerText()).replaceAll('\n', '');
        return said.includes(`Row\u00a0${row},`) && timeOf(said) === read!.from;
      });
      assert.ok(said.includes(`East\u00a0${100 * Math.cos(row / 9000)},`), said);
    }
    assert.deepEqual(faults, []);
  });

  it('are the rows at 200 places of a time where single rows are seen', async () => {
    const from = seedStart + 45n * second;
    const { page } = await signedIn(
      `#s=${topic}/one&s=${topic}/two&p=Fast&p=Count,Slow&from=${from}&to=${from + 6n * second}`,
    );
    await plotted(page);
    const none = (parameter: Seeded) => ({ parameter, rows: [] });
    const inOne = [await lineOf('one', 'Count'), await lineOf('one', 'Slow')];
    const lines = [await ofBoth('Fast'), [...inOne, none('Count'), none('Slow')]];
    for (const now of await overPlaces(page, 0)) checkOverTime(now, lines);
  });

  it('are the rows at 200 places while live data is followed', async () => {
    const start = BigInt(Date.now()) * 1_000_000n;
    await writeSeed(client, 'now', start, 0, 30);
    const { page } = await signedIn(`#s=${topic}/now&p=Fast&p=Slow&live=1`);
    await following(page);
    await page.locator('.plot canvas').first().waitFor();
    await writeSeed(client, 'now', start, 30, 90);
    const [fast, slow] = await Promise.all([rows('now', 'Fast'), rows('now', 'Slow')]);
    const newest = [fast, slow].map((own) => own.at(-1)!.time).reduce((a, b) => (a > b ? a : b));
    await until(() => endsAt(page, newest));
    const lines = [
      [{ parameter: 'Fast' as const, rows: fast }],
      [{ parameter: 'Slow' as const, rows: slow }],
    ];
    const kinds = new Set<boolean>();
    for (const now of await overPlaces(page, 0)) {
      checkOverTime(now, lines);
      for (const { readings, bands } of now.plots)
        for (const [i, text] of readings.entries()) if (text) kinds.add(bands[i] !== '');
    }
    assert.deepEqual(kinds, new Set([true, false]));
    // What is exported is what is seen, too.
    await page.getByText('Export', { exact: true }).click();
    const curl = await copiedQuery(page);
    const [from, to] = (await peek(page)).range.map((text) => String(timeOf(text)));
    assert.ok(curl.includes(`"from":"${from}","to":"${to}"`), curl);
  });

  it('are the rows of the table, page by page, by the clock of the zone that its head names', async () => {
    const { page, faults } = await open(
      service.url,
      `#s=${topic}/one&s=${topic}/two&p=Fast,Slow&mode=table`,
      {
        token: service.token,
        timezoneId: 'Asia/Kolkata',
      },
    );
    const { timestamps, numericValues, tagValues } = await client.query({
      topic,
      streamIds: ['one', 'two'],
      numericParameters: [{ parameterName: 'Fast' }, { parameterName: 'Slow' }],
      groupBy: ['streamId'],
    });
    const table = page.locator('.rows[aria-busy="false"] table');
    const check = async (first: number, aheadNs: bigint) => {
      await page.getByText(`Rows ${first + 1} to ${first + 200}`).waitFor();
      await table.waitFor();
      const said: string[][] = await page.evaluate(
        "[...document.querySelectorAll('.rows tr')].map(({ cells }) => [...cells].map((cell) => cell.textContent))",
      );
      const [head, ...cells] = said;
      assert.deepEqual(head, [
        aheadNs === 0n ? 'Time (UTC)' : 'Time (local time)',
        'streamId',
        'Fast bar',
        'Slow',
      ]);
      const expected = timestamps.slice(first, first + 200).map((time, i) => {
        const of = (name: string) => String(numericValues[name]![first + i] ?? '');
        return [time + aheadNs, tagValues['streamId']![first + i], of('Fast'), of('Slow')];
      });
      assert.deepEqual(
        cells.map(([time, ...others]) => [timeOf(time!), ...others]),
        expected,
      );
    };
    await check(0, 0n);
    await page.getByRole('button', { name: 'Next' }).click();
    await check(200, 0n);
    await page.evaluate("location.hash += '&zone=local'");
    await page.getByText('Time (local time)').waitFor();
    await check(200, 19_800n * second);
    assert.deepEqual(faults, []);
  });
});
