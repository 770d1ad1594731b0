import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { makeTrack } from '../../src/demo/track.ts';
import { until } from '../until.ts';
import {
  deltaAtLine,
  drivenLaps,
  drivenStart,
  laps,
  lapTable,
  secondsOf,
  serviceWithDriven,
  lapTolerance as tolerance,
} from './explorer-driven.ts';
import { browserPages, type HeldBack, holdBack, plotted, skip } from './explorer-page.ts';
import { columnsOf, peek, watchCanvases } from './explorer-peek.ts';

describe('laps over each other in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, times } = await serviceWithDriven();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });

  it('lie over each other with Δt, which is the difference of their times at the line', async () => {
    const { page, faults } = await signedIn('#s=cars/driven&p=Speed');
    const table = await lapTable(page);
    await page.getByLabel('Compare lap 2 of Five laps').check();
    await page.getByLabel('Compare lap 5 of Five laps').check();
    await page.getByRole('heading', { name: 'Δt to lap 2' }).waitFor();
    await plotted(page);
    const frame = (await page.locator('.plot .u-over').first().boundingBox())!;
    await page.mouse.move(frame.x + frame.width - 1, frame.y + frame.height / 2);
    const { plots, cursor } = await peek(page);
    const place = Number(/^Distance (\S+) m$/.exec(cursor)?.[1]);
    const end = makeTrack().length;
    assert.ok(end - place < end / 200, `the cursor is at ${place} m of ${end}`);
    const said = Number(plots[0]!.readings[0]!.replace('−', '-').replace(' s', ''));
    const told = secondsOf(table[4]!.time) - secondsOf(table[1]!.time);
    // A pixel before the line the cars are as far apart as their speeds there let them be.
    const speeds = ['2', '5'].map(
      (lap) => samples.findLast((sample) => String(sample.lap) === lap)!.values[0]!,
    );
    const before = (end - place) * Math.abs(3.6 / speeds[0]! - 3.6 / speeds[1]!);
    assert.ok(
      Math.abs(said - told) < before + tolerance,
      `Δt ${said} for ${told}, ${before} before the line`,
    );
    const atLine = await deltaAtLine(page);
    assert.ok(Math.abs(atLine - told) < tolerance, `Δt ${atLine} at the line for ${told}`);
    assert.deepEqual(faults, []);
  });

  it('are told by colour everywhere: plots, table, map, XY, histogram and readings', async () => {
    const { page, faults } = await signedIn(
      '#s=cars/driven&p=Speed&p=Steering&mode=overlay&tag=lap&pick=cars/driven/2&pick=cars/driven/5&by=Distance&panel=map&beside=xy,histogram',
    );
    await plotted(page);
    await page.locator('.xy-panel .plot canvas').waitFor();
    await page.locator('.map .legend').waitFor();
    const [reference, compared] = ['#0072b2', '#d55e00'];
    const strokes = (where: string) => page.locator(`${where} .swatch line:not(.edge)`);
    const seen = (where: string) =>
      strokes(where).evaluateAll((lines) => lines.map((line) => line.getAttribute('stroke')));
    await page.locator('.chart-room path').nth(1).waitFor();
    for (const where of ['.map .legend', '.xy-panel .legend'])
      assert.deepEqual(await seen(where), [reference, compared], where);
    assert.deepEqual(await seen('.plot-row.delta .readings'), [compared]);
    for (const [i, name] of ['Speed', 'Steering'].entries()) {
      const row = page.locator('.plot-row.overlay:not(.delta)').nth(i);
      const readings = row.locator('.readings .swatch line:not(.edge)');
      assert.deepEqual(
        await readings.evaluateAll((lines) => lines.map((line) => line.getAttribute('stroke'))),
        [reference, compared],
        name,
      );
      for (const colour of [reference, compared]) {
        const columns = await columnsOf(page, i + 1, colour);
        const drawn = columns.filter((isDrawn) => isDrawn).length;
        assert.ok(
          drawn > columns.length / 3,
          `${name}: ${colour} is in ${drawn} of ${columns.length} columns`,
        );
      }
    }
    const bars = await page
      .locator('.chart-room path')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('stroke')));
    assert.deepEqual(bars, [reference, compared]);
    await page.getByRole('tab', { name: 'Laps' }).click();
    await lapTable(page);
    for (const [lap, colour] of [
      ['2', reference],
      ['5', compared],
    ]) {
      const swatch = page
        .locator('.lap-table tr', { hasText: new RegExp(`^${lap}`) })
        .locator('.swatch line');
      assert.equal(await swatch.first().getAttribute('stroke'), colour, `lap ${lap} in the table`);
    }
    assert.equal(await page.locator('.lap-table .swatch').count(), 2);
    // One run over time: colour tells the channel again.
    await page.getByRole('button', { name: 'Time', exact: true }).click();
    await page.locator('.channels .swatch').nth(1).waitFor();
    assert.equal(await page.locator('.lap-table .swatch').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('tell how much time is lost between two places, and what the values are there', async () => {
    const { page, faults } = await signedIn(
      '#s=cars/driven&p=Speed&mode=overlay&tag=lap&pick=cars/driven/2&pick=cars/driven/5&by=Distance&panel=measure&pa=1000&pb=3000',
    );
    await plotted(page);
    await page.getByRole('heading', { name: 'Δt lap 5 to lap 2' }).waitFor();
    const timeAt = (lap: number, place: number) => {
      const own = samples.filter((sample) => sample.lap === lap);
      const next = own.findIndex(({ values }) => values[8]! >= place);
      const [before, behind] = [own[next - 1]!, own[next]!];
      const share = (place - before.values[8]!) / (behind.values[8]! - before.values[8]!);
      return before.seconds + share * (behind.seconds - before.seconds);
    };
    const lost = timeAt(5, 3000) - timeAt(5, 1000) - (timeAt(2, 3000) - timeAt(2, 1000));
    const said = await page.locator('.lost dd').last().textContent();
    assert.ok(
      Math.abs(Number(said!.replace('−', '-').replace(' s', '')) - lost) < 0.002,
      `${said} for ${lost}`,
    );
    assert.equal(await page.locator('.flag').count(), 4);
    // Who moves the cursor by keys is told the same, without looking.
    await page.getByRole('region', { name: 'Overlay' }).press('ArrowRight');
    const spoken = page.getByRole('status', { name: 'Values at the cursor' });
    await spoken.getByText(/^Δt lap 5: [+−]/).waitFor();
    const now = (await page.locator('.lost dd').first().textContent()) ?? '';
    assert.match(
      (await spoken.textContent()) ?? '',
      new RegExp(
        `^Δt lap 5: ${now.replace('+', '\\+')}, Speed lap 2: [\\d.]+.* km/h, Speed lap 5: [\\d.]+.* km/h$`,
      ),
    );
    await page.getByRole('region', { name: 'Overlay' }).press('Escape');
    await page.waitForURL((url) => !url.hash.includes('pa='));
    assert.deepEqual(faults, []);
  });

  it('are two best ones where one asks for distance, and come back with the address', async () => {
    const { page } = await signedIn('#s=cars/driven&p=Speed');
    await lapTable(page);
    await page.getByRole('button', { name: 'Distance', exact: true }).click();
    const order = times.map((time, i) => ({ time, lap: String(i + 1) })).sort((a, b) => a.time - b.time);
    await page.getByRole('figure', { name: `Speed: lap ${order[0]!.lap}, lap ${order[1]!.lap}` }).waitFor();
    await page.reload();
    await page.getByRole('figure', { name: `Speed: lap ${order[0]!.lap}, lap ${order[1]!.lap}` }).waitFor();
    assert.ok(await page.getByLabel(`Compare lap ${order[0]!.lap} of Five laps`).isChecked());
  });

  it('that the page has ticked are said to be, and give way to those of the hand; one click makes another the reference', async () => {
    const { page, faults } = await signedIn('#s=cars/driven&p=Speed');
    await lapTable(page);
    const box = (lap: number) => page.getByLabel(`Compare lap ${lap} of Five laps`);
    const reference = (lap: number) => page.getByLabel(`Lap ${lap} of Five laps is the reference`);
    const picked = () => new URLSearchParams(new URL(page.url()).hash.slice(1)).getAll('pick');
    const toDistance = () => page.getByRole('button', { name: 'Distance', exact: true }).click();
    await toDistance();
    const order = times.map((time, i) => ({ time, lap: i + 1 })).sort((a, b) => a.time - b.time);
    const [best, next, third] = order.map(({ lap }) => lap) as [number, number, number];
    await page.getByText('The two fastest are ticked.').waitFor();
    assert.ok(await reference(best).isChecked());
    // A tick of one that is ticked leaves that one; the next one comes to it.
    await box(next).click();
    await until(() => picked().join() === `cars/driven/${next}`);
    assert.ok(await box(next).isChecked());
    assert.ok(!(await box(best).isChecked()));
    await page.getByText('Tick two to compare them.').waitFor();
    await box(third).click();
    await page.getByRole('figure', { name: `Speed: lap ${next}, lap ${third}` }).waitFor();
    assert.ok(await reference(next).isChecked());
    assert.ok(!(await reference(best).isVisible()));
    await reference(third).click();
    await page.getByRole('figure', { name: `Speed: lap ${third}, lap ${next}` }).waitFor();
    await page.getByText(`Δt to lap ${third}`).waitFor();
    assert.deepEqual(faults, []);
  });

  it('are the two fastest where "Distance" is pressed before it is known which there are, and where none is ticked', async () => {
    const order = times.map((time, i) => ({ time, lap: i + 1 })).sort((a, b) => a.time - b.time);
    const two = `Speed: lap ${order[0]!.lap}, lap ${order[1]!.lap}`;
    let tags: HeldBack | undefined;
    const { page, faults } = await open(service.url, '#s=cars/driven&p=Speed', {
      token: service.token,
      prepare: async (page) => {
        tags = await holdBack(page, '**/tags?*');
      },
    });
    const distance = page.getByRole('button', { name: 'Distance', exact: true });
    await plotted(page);
    await distance.click();
    await page.waitForURL(/mode=overlay/);
    await page.getByText('Loading…', { exact: true }).first().waitFor();
    await tags!.goOn();
    await page.getByRole('figure', { name: two }).waitFor();
    await page.getByText('The two fastest are ticked.').waitFor();
    // It is one change of what is seen.
    await page.keyboard.press('Control+z');
    await page.waitForURL((url) => !url.hash.includes('mode=overlay'));
    // What laps are by was chosen before, as the topic keeps it.
    const kept = await signedIn('#s=cars/driven&p=Speed&tag=lap&by=Distance');
    await plotted(kept.page);
    await kept.page.getByRole('button', { name: 'Distance', exact: true }).click();
    await kept.page.getByRole('figure', { name: two }).waitFor();
    assert.deepEqual([...faults, ...kept.faults], []);
  });

  it('of two runs lie over each other, and export exactly their own rows', async () => {
    // Another drive, with fewer rows, from the middle of its first lap to the middle of its last one.
    const other = drivenLaps(40, 11);
    const own = other.samples.slice(600);
    await announce(client, 'cars', 'other', 'Another run', {});
    await writeSamples(client, 'cars', 'other', own, drivenStart + 3_600_000_000_000n);
    const { page, faults } = await signedIn('#s=cars/driven&s=cars/other&p=Speed');
    await until(async () => (await lapTable(page)).length === 2 * laps + 2);
    const table = (await lapTable(page)).slice(laps + 1);
    for (const [i, { lap, time, toBest }] of table.entries()) {
      assert.equal(lap, String(i + 1));
      const isNotWhole = i === 0 || i === laps;
      assert.equal(toBest === 'not whole', isNotWhole, `lap ${lap} of the other run`);
      if (!isNotWhole)
        assert.ok(Math.abs(secondsOf(time) - other.times[i]!) < tolerance, `${time} for ${other.times[i]}`);
    }
    const best = Math.min(...times, ...other.times.slice(1));
    for (const { toBest, time } of (await lapTable(page)).filter(({ toBest }) => /\d/.test(toBest)))
      assert.ok(Math.abs(Number(toBest) - (secondsOf(time) - best)) < tolerance, toBest);
    await page.getByLabel('Compare lap 2 of Five laps').check();
    await page.getByLabel('Compare lap 3 of Another run').check();
    await page.getByRole('heading', { name: 'Δt to lap 2 of Five laps' }).waitFor();
    await plotted(page);
    const told = secondsOf(table[2]!.time) - secondsOf((await lapTable(page))[1]!.time);
    const delta = await deltaAtLine(page);
    assert.ok(Math.abs(delta - told) < tolerance, `Δt ${delta} at the line for ${told}`);
    const files: string[] = [];
    page.on('download', async (download) => {
      files.push(`${download.suggestedFilename()}\n${readFileSync(await download.path(), 'utf8')}`);
    });
    await page.getByText('Export', { exact: true }).click();
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await until(async () => files.length === 2);
    for (const [lap, name, driven] of [
      [2, 'driven.csv', samples],
      [3, 'other.csv', own],
    ] as const) {
      const [, header, ...rows] = files
        .find((file) => file.startsWith(`${name}\n`))!
        .trimEnd()
        .split(/\r?\n/);
      assert.equal(header, 'Timestamp,Speed,Distance,TAG__lap');
      const ofLap = driven.filter((sample) => sample.lap === lap);
      assert.equal(rows.length, ofLap.length);
      assert.ok(rows.every((row) => row.endsWith(`,${lap}`)));
    }
    assert.deepEqual(faults, []);
  });
});
