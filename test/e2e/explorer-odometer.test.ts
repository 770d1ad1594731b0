import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
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
}

/** Laps of a run whose distance begins at 1000 m and goes on from lap to lap. */
function driven(): Row[] {
  const rows: Row[] = [];
  let [lap, way] = [1, 0];
  for (let i = 0; lap <= speeds.length; i++) {
    rows.push({ seconds: i / 10, lap, way: Math.round((1000 + way) * 1000) / 1000 });
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
  const secondsTo = (lap: number, place: number): number => {
    const own = rowsOf(lap);
    const mark = own[0]!.way + place;
    const next = own.findIndex(({ way }) => way >= mark);
    const [before, after] = [own[next - 1]!, own[next]!];
    const share = (mark - before.way) / (after.way - before.way);
    return before.seconds + share * (after.seconds - before.seconds) - own[0]!.seconds;
  };

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
