import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient } from '../../src/client/client.ts';
import { drive, type Sample } from '../../src/demo/drive.ts';
import { seededRandom } from '../../src/demo/random.ts';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { makeTrack } from '../../src/demo/track.ts';
import { until } from '../until.ts';
import { browserPages, plotted, skip, toTab } from './explorer-page.ts';
import { peek, watchCanvases } from './explorer-peek.ts';
import { adminToken, startService } from './service.ts';

const laps = 5;
const start = 1_800_000_000_000_000_000n;
/** Lap times are told to the millisecond: each of two may be off by half of one. */
const tolerance = 0.0015;

/** Laps that are driven to the line, with the first rows of one more, and how long each was. */
function drivenLaps(): { samples: Sample[]; times: number[] } {
  const samples: Sample[] = [];
  const times: number[] = [];
  for (const sample of drive(makeTrack(), 50, seededRandom(7))) {
    samples.push(sample);
    for (const { id, value } of sample.events) if (id === 'LapCompleted') times.push(secondsOf(value));
    if (sample.lap > laps) break;
  }
  return { samples, times };
}

/** `1:23.456` in seconds. */
function secondsOf(text: string): number {
  const [seconds = '', minutes = '0'] = text.split(':').reverse();
  return Number(minutes) * 60 + Number(seconds);
}

interface Line {
  readonly lap: string;
  readonly time: string;
  readonly toBest: string;
  readonly top: string;
}

/** The lap table, line by line. */
async function lapTable(page: Page): Promise<Line[]> {
  await page.locator('.lap-table').waitFor();
  const rows = await page.locator('.lap-table tbody tr').all();
  return Promise.all(
    rows.map(async (row) => {
      const [, lap = '', time = '', toBest = '', top = ''] = await row.locator('td, th').allTextContents();
      return { lap, time, toBest, top };
    }),
  );
}

describe("the explorer's laps and measures", { skip }, async () => {
  if (skip !== false) return;
  const service = await startService();
  const client = createClient({ url: service.url, token: adminToken });
  const { samples, times } = drivenLaps();
  await announce(client, 'cars', 'driven', 'Five laps', {});
  await writeSamples(client, 'cars', 'driven', samples, start);
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: adminToken, script: watchCanvases });

  it('are right to a millisecond, with the best one marked and one that is not whole', async () => {
    const { page, faults } = await signedIn('#s=cars/driven&p=Speed');
    const table = await lapTable(page);
    assert.deepEqual(
      table.map(({ lap }) => lap),
      ['1', '2', '3', '4', '5', '6'],
    );
    const best = Math.min(...times);
    for (const [i, time] of times.entries()) {
      const own = table[i]!;
      assert.ok(Math.abs(secondsOf(own.time) - time) < tolerance, `lap ${own.lap}: ${own.time} for ${time}`);
      if (time === best) assert.equal(own.toBest, 'best');
      else
        assert.ok(Math.abs(Number(own.toBest) - (time - best)) < tolerance, `lap ${own.lap}: ${own.toBest}`);
      const speeds = samples.filter(({ lap }) => String(lap) === own.lap).map(({ values }) => values[0]!);
      assert.equal(own.top, String(Math.max(...speeds)));
    }
    assert.equal(table.at(-1)!.toBest, 'part');
    await page.getByRole('button', { name: '3', exact: true }).click();
    await page.waitForURL(/from=/);
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    const seconds = Number(BigInt(fields.get('to')!) - BigInt(fields.get('from')!)) / 1e9;
    assert.ok(Math.abs(seconds - times[2]!) < tolerance, `lap 3 is shown for ${seconds} s`);
    assert.deepEqual(faults, []);
  });

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

  it('measure: statistics are those of the service, from A to B, and differences those of rows', async () => {
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
      const cells = await own.locator('.statistics dd').all();
      const said = await Promise.all(cells.map(async (cell) => Number(await cell.getAttribute('title'))));
      const told = aggregations.map((of) => numericValues[`${of.toLowerCase()}(${name})`]![0]);
      assert.deepEqual(said, told, name);
      assert.equal(said[5], inside.length);
      const [first, last] = [inside[0]!.values[channel]!, inside.at(-1)!.values[channel]!];
      const values = await own.locator('.pairs dd').allTextContents();
      assert.match(values[1]!, new RegExp(`^${String(first).replace('.', '\\.')} `));
      const difference = Number(values.at(-1)!.trim().split(' ')[0]!);
      assert.ok(Math.abs(difference - (last - first)) < 1e-9, `${difference} for ${last - first}`);
    }
    assert.deepEqual(faults, []);
  });

  it('go by keyboard: arrows move the cursor by a row, brackets set A and B', async () => {
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

  it('of two runs lie over each other, and export exactly their own rows', async () => {
    await announce(client, 'cars', 'other', 'Another run', {});
    await writeSamples(client, 'cars', 'other', samples, start + 3_600_000_000_000n);
    const { page, faults } = await signedIn('#s=cars/driven&s=cars/other&p=Speed');
    await page.getByLabel('Compare lap 2 of Five laps').check();
    await page.getByLabel('Compare lap 3 of Another run').check();
    await page.getByRole('heading', { name: 'Δt to lap 2 of Five laps' }).waitFor();
    await plotted(page);
    const files: string[] = [];
    page.on('download', async (download) => {
      files.push(`${download.suggestedFilename()}\n${readFileSync(await download.path(), 'utf8')}`);
    });
    await page.getByText('Export', { exact: true }).click();
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await until(async () => files.length === 2);
    for (const [lap, name] of [
      [2, 'driven.csv'],
      [3, 'other.csv'],
    ] as const) {
      const [, header, ...rows] = files
        .find((file) => file.startsWith(`${name}\n`))!
        .trimEnd()
        .split(/\r?\n/);
      assert.equal(header, 'Timestamp,Speed,Distance,TAG__lap');
      const own = samples.filter((sample) => sample.lap === lap);
      assert.equal(rows.length, own.length);
      assert.ok(rows.every((row) => row.endsWith(`,${lap}`)));
    }
    assert.deepEqual(faults, []);
  });

  it('are found by any name that says so', async () => {
    const seconds = [0, 1, 2, 3, 4, 5];
    await client.writeParameterData('bench', 'named', {
      timestamps: seconds.map((at) => start + BigInt(at) * 1_000_000_000n),
      numericValues: { Torque: seconds },
      tagValues: { 'Lap No.': ['7', '7', '8', '8', '9', '9'], driver: seconds.map(() => 'A') },
    });
    const { page, faults } = await signedIn('#s=bench/named&p=Torque');
    const table = await lapTable(page);
    assert.deepEqual(
      table.map(({ lap }) => lap),
      ['7', '8', '9'],
    );
    assert.deepEqual(faults, []);
  });

  it('are runs where no tag counts laps: two ticks lay two over each other', async () => {
    const rows = [0, 1, 2, 3].map((at) => start + BigInt(at) * 1_000_000_000n);
    for (const streamId of ['first', 'second'])
      await client.writeParameterData('bench', streamId, {
        timestamps: rows,
        numericValues: { Torque: [1, 2, 4, 3] },
      });
    const { page, faults } = await signedIn('#topic=bench&s=bench/first&p=Torque');
    await plotted(page);
    await page.getByLabel('Compare second', { exact: true }).check();
    await page.getByRole('figure', { name: 'Torque: first, second' }).waitFor();
    await page.getByLabel('Compare first', { exact: true }).uncheck();
    await page.getByRole('figure', { name: 'Torque', exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });
});
