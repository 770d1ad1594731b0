import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Download, Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { peek, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_000n;
/** Rows are 0.1 s apart, and a lap is 400 m long. */
const spacing = 100_000_000n;
const lapWay = 400;
/** How fast laps are driven, m/s. */
const speeds = [20, 25, 32, 40, 23];

interface Row {
  readonly seconds: number;
  readonly lap: number;
  /** Metres of the whole run. */
  readonly way: number;
  /** What begins anew in each lap, and is no number of metres. */
  readonly trip: number;
}

/** Laps of a run whose distance begins at 1000 m and goes on from lap to lap. */
function driven(): Row[] {
  const rows: Row[] = [];
  let [lap, way] = [1, 0];
  for (let i = 0; lap <= speeds.length; i++) {
    rows.push({
      seconds: i / 10,
      lap,
      way: Math.round((1000 + way) * 1000) / 1000,
      trip: Math.round((way - (lap - 1) * lapWay) * 500) / 1000,
    });
    way += (speeds[lap - 1]! * (1 + 0.2 * Math.sin(i / 7))) / 10;
    lap = 1 + Math.floor(way / lapWay);
  }
  return rows;
}

describe('laps over a distance that goes on from lap to lap', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const rows = driven();
  await client.writeParameterData('cars', 'odometer', {
    timestamps: rows.map((_, i) => start + BigInt(i) * spacing),
    numericValues: {
      Speed: rows.map(({ lap }, i) => speeds[lap - 1]! * (1 + 0.2 * Math.sin(i / 7))),
      Distance: rows.map(({ way }) => way),
      Trip: rows.map(({ trip }) => trip),
    },
    tagValues: { lap: rows.map(({ lap }) => String(lap)) },
  });
  await client.defineParameters('cars', 'odometer', [
    { id: 'Speed', unit: 'm/s' },
    { id: 'Distance', unit: 'm' },
  ]);
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });

  const rowsOf = (lap: number) => rows.filter((row) => row.lap === lap);
  /** Seconds from the first row of a lap to a place behind it, between two rows on the straight line. */
  const secondsTo = (lap: number, place: number): number =>
    secondsAt(lap, rowsOf(lap)[0]!.way + place, 'way');
  const secondsAt = (lap: number, mark: number, along: 'way' | 'trip'): number => {
    const own = rowsOf(lap);
    const next = own.findIndex((row) => row[along] >= mark);
    const [before, after] = [own[next - 1]!, own[next]!];
    const share = (mark - before[along]) / (after[along] - before[along]);
    return before.seconds + share * (after.seconds - before.seconds) - own[0]!.seconds;
  };
  const lapSeconds = (lap: number) => rowsOf(lap + 1)[0]!.seconds - rowsOf(lap)[0]!.seconds;

  const two = [2, 4].map((lap) => `pick=cars/odometer/${lap}`).join('&');
  const compared = `#s=cars/odometer&p=Speed&mode=overlay&tag=lap&${two}&by=Distance`;

  it('lie over each other from the start of each, with the time between them', async () => {
    const { page, faults } = await signedIn('#s=cars/odometer&p=Speed');
    for (const lap of [2, 4]) await page.getByLabel(`Compare lap ${lap} of odometer`).check();
    await page.getByRole('heading', { name: 'Δt to lap 2' }).waitFor();
    await page.getByText('from the start of each lap', { exact: true }).first().waitFor();
    await plotted(page);
    const { ticks } = await peek(page);
    assert.ok(
      ticks.every(({ text }) => Number(text.replaceAll(',', '').replace(/ .*$/, '')) <= lapWay),
      ticks.map(({ text }) => text).join(', '),
    );
    const { place, said } = await deltaInMiddle(page);
    const expected = secondsTo(4, place) - secondsTo(2, place);
    assert.ok(Math.abs(said - expected) < 0.002, `Δt ${said} at ${place} m for ${expected}`);
    assert.deepEqual(faults, []);
  });

  it('are measured between two places of each', async () => {
    const { page, faults } = await signedIn(`${compared}&panel=measure&pa=100&pb=300`);
    await plotted(page);
    const lost = page.locator('section.lost');
    const between = (lap: number) => secondsTo(lap, 300) - secondsTo(lap, 100);
    const expected = between(4) - between(2);
    const text = `${expected < 0 ? '−' : '+'}${Math.abs(expected).toFixed(3)} s`;
    await lost.getByText(text, { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('are exported one by one, with the distance from the start of each', async () => {
    const { page, faults } = await signedIn(compared);
    await plotted(page);
    await page.getByText('Export', { exact: true }).click();
    await page.getByText('Each lap counts from its own start: there is one file').waitFor();
    const files: Download[] = [];
    page.on('download', (download) => files.push(download));
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await until(() => files.length === 2);
    for (const [i, lap] of [2, 4].entries()) {
      const [head, ...lines] = readFileSync(await files[i]!.path(), 'utf8')
        .trim()
        .split('\r\n');
      const column = head!.split(',').indexOf('Distance from the start of the lap');
      const own = rowsOf(lap);
      assert.deepEqual(
        lines.map((line) => Number(line.split(',')[column])),
        own.map(({ way }) => way - own[0]!.way),
      );
    }
    assert.deepEqual(faults, []);
  });

  /** Cells of the table of sectors with what their tooltips say, row by row. */
  async function sectorsOf(page: Page) {
    await page.locator('.sectors[aria-busy="false"] .sector-table tfoot').waitFor();
    const table = page.getByRole('region', { name: 'Times of sectors' });
    const cells = await table.locator('tbody tr, tfoot tr').evaluateAll((lines) =>
      lines.map((line) =>
        [...line.children].map((cell) => ({
          text: (cell.textContent ?? '').trim(),
          why: cell.getAttribute('title') ?? '',
        })),
      ),
    );
    return cells;
  }
  const textOf = (seconds: number) => (Math.round(seconds * 1000) / 1000).toFixed(3);
  const timesOf = (lap: number, ends: readonly number[]) =>
    [...ends, lapSeconds(lap)].map((end, i) => textOf(end - (ends[i - 1] ?? 0)));

  it('have sectors from the start of each, and say why a time is missing', async () => {
    const { page, faults } = await signedIn(`${compared}&beside=sectors&sectors=100~300`);
    const panel = page.getByRole('region', { name: 'Sectors', exact: true });
    await panel.getByText('along Distance, from the start of each lap').waitFor();
    const cells = await sectorsOf(page);
    for (const lap of [2, 3, 4]) {
      const said = cells[lap - 1]!.slice(1, 4).map(({ text }) => text);
      assert.deepEqual(said, timesOf(lap, [secondsTo(lap, 100), secondsTo(lap, 300)]), `lap ${lap}`);
    }
    assert.deepEqual(
      cells[0]!.slice(1, 3).map(({ text }) => text),
      ['–', '–'],
    );
    assert.match(cells[0]![1]!.why, /The recording begins in it/);
    const gains = await panel.locator('.sector-table').first().locator('tbody td').allTextContents();
    const gain = secondsTo(4, 100) - secondsTo(2, 100);
    assert.ok(Math.abs(Number(gains[0]!.replace('−', '-')) - gain) < 0.002, `${gains[0]} for ${gain}`);
    assert.match(cells.at(-2)![0]!.text, /^Theoretical best of lap/);
    await page.evaluate("location.hash = location.hash.replace('100~300', '100~450')");
    await page.waitForURL(/100~450/);
    await until(async () => /before 450/.test((await sectorsOf(page))[1]![2]!.why));
    const none = await sectorsOf(page);
    assert.match(none[1]![2]!.why, /^In this lap Distance ends at \S+, before 450\.$/);
    assert.equal(none.at(-2)!.at(-1)!.text, '–');
    assert.deepEqual(faults, []);
  });

  it('have sectors along what they are aligned by', async () => {
    const { page, faults } = await signedIn(
      `${compared.replace('by=Distance', 'by=Trip')}&beside=sectors&sectors=50~150`,
    );
    const panel = page.getByRole('region', { name: 'Sectors', exact: true });
    await panel.getByText('along Trip', { exact: true }).waitFor();
    const cells = await sectorsOf(page);
    for (const lap of [2, 3, 4]) {
      const ends = [50, 150].map((mark) => secondsAt(lap, mark, 'trip'));
      const said = cells[lap - 1]!.slice(1, 4).map(({ text }) => text);
      assert.deepEqual(said, timesOf(lap, ends), `lap ${lap}`);
    }
    await panel.locator('td.best').first().waitFor();
    await page.getByRole('combobox', { name: 'Aligned by' }).selectOption('Speed');
    await panel.getByText('along Speed', { exact: true }).waitFor();
    await until(async () => /Speed goes back and forth/.test((await sectorsOf(page))[1]![1]!.why));
    assert.deepEqual(faults, []);
  });
});

/** What Δt says in the middle of the plots, and where that is. */
async function deltaInMiddle(page: Page): Promise<{ place: number; said: number }> {
  const frame = (await page.locator('.plot .u-over').first().boundingBox())!;
  await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height / 2);
  let [place, said] = [Number.NaN, Number.NaN];
  await until(async () => {
    const { plots, cursor } = await peek(page);
    place = Number(/^Distance (\S+) m$/.exec(cursor)?.[1]);
    said = Number((plots[0]!.readings[0] ?? '').replace('−', '-').replace(' s', ''));
    return Number.isFinite(place) && Number.isFinite(said) && said !== 0;
  });
  return { place, said };
}
