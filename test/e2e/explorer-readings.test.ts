import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
      if (read.from === read.to)
        assert.ok(Number(away) <= nearest + 1, `${plot.title}: another row is nearer`);
      else assert.ok(Number(away) <= (reach + 1) * perPixel, `${plot.title}: another time is read`);
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
      for (const { readings } of now.plots)
        for (const text of readings) if (text) kinds.add(/rows?, /.test(text));
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
        'Fast',
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
