import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { channels } from '../../src/demo/channels.ts';
import type { Sample } from '../../src/demo/drive.ts';
import { until } from '../until.ts';
import { drivenStart, secondsOf, serviceWithDriven } from './explorer-driven.ts';
import { browserPages, cellTexts, plotted, skip, toTab } from './explorer-page.ts';

const distance = channels.findIndex(({ id }) => id === 'Distance');
/** Each of two times that a sector is the difference of is told to the millisecond. */
const tolerance = 0.002;

describe("the explorer's sectors", { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, times } = await serviceWithDriven();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const fieldsOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
  const laps = times.map((_, i) => i + 1);

  /** When a lap passed a mark, seconds since the start: between two rows on the straight line. */
  const passed = (lap: number, mark: number): number => {
    const own = samples.filter((sample) => sample.lap === lap);
    const next = own.findIndex(({ values }) => values[distance]! >= mark);
    const [before, after] = [own[next - 1]!, own[next]!];
    const [a, b] = [before.values[distance]!, after.values[distance]!];
    return before.seconds + ((mark - a) / (b - a)) * (after.seconds - before.seconds);
  };
  const begins = laps.map((_, i) => times.slice(0, i).reduce((sum, own) => sum + own, firstBegin(samples)));
  const expectedOf = (marks: readonly number[]) =>
    laps.map((lap, i) => {
      const ends = [...marks.map((mark) => passed(lap, mark) - begins[i]!), times[i]!];
      return ends.map((end, at) => end - (ends[at - 1] ?? 0));
    });

  /** The table, row by row: the name and what stands behind it. */
  const tableOf = (page: Page, name: string) =>
    cellTexts(page.getByRole('region', { name }).locator('tbody tr, tfoot tr'));
  const beaconsOf = (page: Page) =>
    page.getByRole('region', { name: 'Sectors', exact: true }).getByRole('combobox');
  const shown = (page: Page) => page.locator('.sectors[aria-busy="false"] .sector-table').first().waitFor();

  it('show their last column in a small window, and where there are more than fit the way to it', async () => {
    const { page } = await open(service.url, '#s=cars/driven&p=Speed&beside=sectors&sectors=1000~2000~3000', {
      token: service.token,
      viewport: { width: 1024, height: 768 },
    });
    const table = page.getByRole('region', { name: 'Times of sectors' });
    const isLastSeen = async () => {
      const [last, room] = [
        await table.locator('th', { hasText: 'Time' }).boundingBox(),
        await table.boundingBox(),
      ];
      return last!.x + last!.width <= room!.x + room!.width + 1;
    };
    await shown(page);
    assert.ok(await isLastSeen(), 'below the plots');
    await page.evaluate("location.hash += '&panel=none'");
    await page.waitForURL(/panel=none/);
    await until(async () => (await page.locator('.beside').boundingBox())!.x > 400);
    assert.ok(await isLastSeen(), 'beside the plots');
    const edge = async () => {
      const room = (await table.boundingBox())!;
      const clip = { x: room.x + room.width - 10, y: room.y + 2, width: 10, height: 16 };
      const words = (visibility: string) =>
        page.evaluate(`document.querySelector('.wide-table table').style.visibility = '${visibility}'`);
      await words('hidden');
      const seen = await page.screenshot({ clip });
      await words('');
      return seen;
    };
    // Of ten sectors some are beyond the edge: a shadow says so until the last one is seen.
    const marks = '600~1200~1800~2400~3000~3600~4200~4800~5400';
    await page.evaluate(`location.hash = location.hash.replace(/sectors=[^&]+/, 'sectors=${marks}')`);
    await table.locator('th', { hasText: 'S10' }).waitFor();
    assert.ok(!(await isLastSeen()));
    const before = await edge();
    await table.focus();
    await until(async () => {
      await page.keyboard.press('ArrowRight');
      return isLastSeen();
    });
    assert.ok(!before.equals(await edge()), 'the shadow goes at the end');
  });

  it('are told of all laps between marks, with the best of each, and what laps of these would be', async () => {
    const { page, faults } = await signedIn('#s=cars/driven&p=Speed&beside=sectors');
    await page.getByLabel('Sectors end at (m)').fill('2000 900,5');
    await page.getByLabel('Sectors end at (m)').press('Enter');
    await shown(page);
    assert.equal(fieldsOf(page).get('sectors'), '900.5~2000');
    const expected = expectedOf([900.5, 2000]);
    const rows = await tableOf(page, 'Times of sectors');
    for (const [i, own] of expected.entries()) {
      assert.equal(rows[i]![0], String(laps[i]));
      for (const [at, seconds] of own.entries()) {
        const said = secondsOf(rows[i]![at + 1]!);
        assert.ok(Math.abs(said - seconds) < tolerance, `S${at + 1} of lap ${i + 1}: ${said} for ${seconds}`);
      }
    }
    // The lap that was begun last has no sector that has ended.
    assert.deepEqual(rows[times.length]!.slice(1), ['–', '–', '–', 'not whole']);
    const best = [0, 1, 2].map((at) => Math.min(...expected.map((own) => own[at]!)));
    const ofName = (name: string) => rows.find(([own]) => own?.startsWith(name))!;
    for (const [at, seconds] of best.entries())
      assert.ok(Math.abs(secondsOf(ofName('Best')[at + 1]!) - seconds) < tolerance);
    const theoretical = best.reduce((sum, seconds) => sum + seconds);
    assert.ok(Math.abs(secondsOf(ofName('Theoretical best').at(-1)!) - theoretical) < 2 * tolerance);
    const all = expected.flat();
    const rolling = Math.min(...all.slice(0, -2).map((_, i) => all[i]! + all[i + 1]! + all[i + 2]!));
    assert.ok(Math.abs(secondsOf(ofName('Rolling best').at(-1)!) - rolling) < 2 * tolerance);
    assert.deepEqual(faults, []);
  });

  it('are gained and lost between two laps, set by keys and clicks, and taken back', async () => {
    const picks = [2, 3].map((lap) => `pick=cars/driven/${lap}`).join('&');
    const { page, faults } = await signedIn(
      `#s=cars/driven&p=Speed&mode=overlay&tag=lap&${picks}&by=Distance&beside=sectors&sectors=1500`,
    );
    await plotted(page);
    await shown(page);
    const [second, third] = [expectedOf([1500])[1]!, expectedOf([1500])[2]!];
    const [row] = await tableOf(page, 'Gains by sector');
    const gains = [third[0]! - second[0]!, third[1]! - second[1]!, times[2]! - times[1]!];
    for (const [i, gain] of gains.entries()) {
      const said = Number(row![i + 1]!.replace('−', '-'));
      assert.ok(Math.abs(said - gain) < tolerance, `${row![i + 1]} for ${gain}`);
    }
    // A key ends a sector at the cursor, and takes the end away again.
    await page.getByRole('region', { name: 'Overlay' }).focus();
    for (const key of ['ArrowRight', 'm']) await page.keyboard.press(key);
    await page.waitForURL(/sectors=1500~\d/);
    const marks = fieldsOf(page).get('sectors')!.split('~').map(Number);
    const said = await page.getByLabel('Place at the cursor').textContent();
    assert.ok(
      Math.abs(marks[1]! - Number(/Distance (\S+) m/.exec(said ?? '')?.[1])) < 1,
      `${marks[1]} at ${said}`,
    );
    await page.keyboard.press('m');
    await page.waitForURL((url) => url.hash.includes('sectors=1500&'));
    // So does a click, on plots and map; both say where.
    await page.getByRole('button', { name: 'Set by clicks' }).click();
    const frame = (await page.locator('.delta .u-over').boundingBox())!;
    await page.mouse.click(frame.x + frame.width / 2, frame.y + frame.height / 2);
    await page.waitForURL(/sectors=1500~\d/);
    await page.locator('.delta .flag.sector-name', { hasText: 'S3' }).waitFor();
    // A name stands in the middle of its sector.
    const middleOf = async (part: Locator) => {
      const { x, width } = (await part.boundingBox())!;
      return x + width / 2;
    };
    const lines = page.locator('.delta .flag.sector');
    const ends = [await middleOf(lines.first()), await middleOf(lines.last())];
    const name = await middleOf(page.locator('.delta .flag.sector-name', { hasText: 'S2' }));
    assert.ok(Math.abs(name - (ends[0]! + ends[1]!) / 2) < 3, `${name} between ${ends}`);
    await toTab(page, 'Map');
    await page.locator('.map-flag.sector', { hasText: 'S2' }).waitFor();
    const dot = (await page.locator('.map-flag.sector', { hasText: 'S1' }).boundingBox())!;
    await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
    await page.mouse.click(dot.x + dot.width / 2, dot.y + dot.height / 2);
    await page.waitForURL((url) => !url.hash.includes('1500'));
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.waitForURL(/sectors=1500~\d/);
    assert.deepEqual(faults, []);
  });

  it('are set by clicks while the panel is open, and not in the place of beacons', async () => {
    const { page, faults } = await signedIn(
      '#s=cars/driven&p=Speed&mode=overlay&tag=lap&pick=cars/driven/2&by=Distance&beside=sectors',
    );
    await plotted(page);
    await page.getByRole('button', { name: 'Set by clicks' }).click();
    await page.getByRole('button', { name: 'Sectors', exact: true }).click();
    const frame = (await page.locator('.plot .u-over').first().boundingBox())!;
    await page.mouse.click(frame.x + frame.width / 2, frame.y + frame.height / 2);
    await page.waitForURL(/&pa=/);
    assert.equal(fieldsOf(page).get('sectors'), null);
    await page.evaluate("location.hash += '&beacons=channel:Speed'");
    await page.waitForURL(/beacons=/);
    await page.getByRole('region', { name: 'Overlay' }).focus();
    for (const key of ['ArrowRight', 'm']) await page.keyboard.press(key);
    await page.getByText('Beacons end the sectors.').waitFor();
    assert.equal(fieldsOf(page).get('beacons'), 'channel:Speed');
    assert.deepEqual(faults, []);
  });

  it('are those of another run of the topic, too', async () => {
    const { page } = await signedIn('#s=cars/driven&p=Speed&beside=sectors');
    await page.getByLabel('Sectors end at (m)').fill('3000');
    await page.getByLabel('Sectors end at (m)').press('Enter');
    await shown(page);
    await client.writeParameterData('cars', 'next', {
      timestamps: [0, 1, 2, 3].map((i) => drivenStart + BigInt(i) * 1_000_000_000n),
      numericValues: { Speed: [1, 2, 3, 4], Distance: [0, 4000, 1, 3500] },
      tagValues: { lap: ['1', '1', '2', '2'] },
    });
    await page.evaluate("location.hash = '#s=cars/next'; location.reload()");
    await page.waitForURL(/sectors=3000/);
    await shown(page);
    assert.deepEqual((await tableOf(page, 'Times of sectors'))[0]!.slice(0, 2), ['1', '0.750']);
  });

  it('end at beacons: events, or where a channel rises', async () => {
    // Laps of ten seconds; beacons at 3 and 6 s, and in the last lap one is missing.
    const rows = Array.from({ length: 400 }, (_, i) => i);
    const at = (i: number) => drivenStart + BigInt(i) * 100_000_000n;
    await client.writeParameterData('bench', 'beacons', {
      timestamps: rows.map(at),
      numericValues: {
        Torque: rows,
        Sector: rows.map((i) => (i % 100 < 30 ? 1 : i % 100 < 60 ? 2 : i < 300 ? 3 : 2)),
      },
      tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 100))) },
    });
    const beacons = [30, 60, 130, 160, 230, 265].map((i) => ({ id: 'Beacon', value: '', timestamp: at(i) }));
    await client.defineEvents('bench', 'beacons', [{ id: 'Beacon', name: 'Infrared beacon' }]);
    await client.writeEvents('bench', 'beacons', beacons);
    const { page, faults } = await signedIn('#s=bench/beacons&p=Torque&beside=sectors');
    await beaconsOf(page).selectOption('Infrared beacon');
    await shown(page);
    const table = await tableOf(page, 'Times of sectors');
    assert.deepEqual(table[1], ['2', '3.000', '3.000', '4.000', '10.000']);
    assert.deepEqual(table[2], ['3', '3.000', '3.500', '3.500', '10.000']);
    await beaconsOf(page).selectOption('channel:Sector');
    await page.waitForURL(/beacons=channel/);
    await until(async () => (await tableOf(page, 'Times of sectors'))[2]?.[2] === '3.000');
    const byChannel = await tableOf(page, 'Times of sectors');
    assert.deepEqual(byChannel[1], ['2', '3.000', '3.000', '4.000', '10.000']);
    assert.deepEqual(faults, []);
  });
});

/** When the first lap began: the car stands at the line. */
function firstBegin(samples: readonly Sample[]): number {
  const [first, next] = samples;
  const [a, b] = [first!.values[distance]!, next!.values[distance]!];
  return first!.seconds - (a / (b - a)) * (next!.seconds - first!.seconds);
}
