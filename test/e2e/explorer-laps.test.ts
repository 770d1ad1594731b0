import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { announce, writeSamples } from '../../src/demo/record.ts';
import { until } from '../until.ts';
import {
  drivenStart,
  lapTable,
  secondsOf,
  serviceWithDriven,
  lapTolerance as tolerance,
} from './explorer-driven.ts';
import { browserPages, following, holdBack, plotted, skip } from './explorer-page.ts';

describe("the explorer's table of laps", { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, times } = await serviceWithDriven();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });

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
      assert.equal(own.top, Math.max(...speeds).toFixed(1));
    }
    assert.equal(table.at(-1)!.toBest, 'not whole');
    const notWhole = page.locator('.lap-table td', { hasText: /^not whole$/ });
    assert.match((await notWhole.getAttribute('title'))!, /no next lap ends it/);
    await page.getByRole('button', { name: '3', exact: true }).click();
    await page.waitForURL(/from=/);
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    const seconds = Number(BigInt(fields.get('to')!) - BigInt(fields.get('from')!)) / 1e9;
    assert.ok(Math.abs(seconds - times[2]!) < tolerance, `lap 3 is shown for ${seconds} s`);
    assert.deepEqual(faults, []);
  });

  it('have room beside the plots when two are compared and one is not whole', async () => {
    const best = times.indexOf(Math.min(...times)) + 1;
    const picks = `pick=cars/driven/${best}&pick=cars/driven/${(best % 5) + 1}`;
    const { page } = await signedIn(`#s=cars/driven&p=Speed&mode=overlay&tag=lap&${picks}&by=Distance`);
    await page.locator('.lap-table .swatch').nth(1).waitFor();
    const [room, needed] = await page
      .locator('.right .panel')
      .evaluate(({ clientWidth, scrollWidth }) => [clientWidth, scrollWidth]);
    assert.ok(needed! <= room!, `${needed} px in ${room}`);
  });

  it('are said to be on their way', async () => {
    const { page, faults } = await signedIn('#s=cars/driven&p=Speed');
    await lapTable(page);
    const { goOn } = await holdBack(page, '**/tags?*');
    await page.reload();
    const laps = page.getByRole('region', { name: 'Laps' });
    await laps.getByText('Loading…').waitFor();
    assert.equal(await laps.getByText('counts laps').count(), 0);
    const by = () => laps.getByLabel('Laps by').locator('option:checked').textContent();
    assert.equal(await by(), 'looking for laps…');
    await goOn();
    assert.equal((await lapTable(page)).length, 6);
    assert.equal(await by(), 'lap (tag)');
    assert.equal(await laps.getByText('Loading…').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('of a run without numbers are not waited for', async () => {
    await client.writeParameterData('words', 'spoken', {
      timestamps: [drivenStart, drivenStart + 1_000_000_000n],
      stringValues: { Phase: ['out', 'in'] },
      tagValues: { lap: ['1', '2'] },
    });
    const { page, faults } = await signedIn('#s=words/spoken&p=Phase');
    const laps = page.getByRole('region', { name: 'Laps' });
    await laps.getByText('Laps are told of runs that have a channel with numbers.').waitFor();
    assert.deepEqual(faults, []);
  });

  it('have no tag that no row has, neither proposed nor compared', async () => {
    const rows = Array.from({ length: 200 }, (_, i) => i);
    await client.writeParameterData('untagged', 'run', {
      timestamps: rows.map((i) => drivenStart + BigInt(i) * 100_000_000n),
      numericValues: { Torque: rows },
    });
    const { page, faults } = await signedIn('#s=untagged/run&p=Torque');
    const laps = page.getByRole('region', { name: 'Laps' });
    await laps.getByText('No tag and no channel counts laps here').waitFor();
    const bands = page.getByLabel('Colour by');
    assert.equal(await bands.getAttribute('title'), 'No row has a tag');
    const proposed = page.locator(`#${await bands.getAttribute('list')} option`);
    assert.equal(await proposed.count(), 0);
    await page.evaluate("location.hash = '#s=untagged/run&p=Torque&mode=overlay&tag=lap'");
    await page.getByText('No row of these runs has the tag lap').waitFor();
    assert.equal(await page.getByText('Tick those to lay over each other').count(), 0);
    const unknown = page.getByText('No open run has the tag or channel “lpa”.');
    await page.evaluate("location.hash = '#s=untagged/run&p=Torque&bands=lpa'");
    await unknown.waitFor();
    await page.evaluate("location.hash = '#s=untagged/run&p=Torque&bands=Torque'");
    await unknown.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  it('end while one looks, right to a millisecond as well', async () => {
    const first = samples.findIndex(({ lap }) => lap === 2);
    const last = samples.findIndex(({ lap }) => lap === 3);
    const begun = BigInt(Date.now()) * 1_000_000n - BigInt(Math.round(samples[last]!.seconds * 1e9));
    await announce(client, 'cars', 'driving', 'Driving', {});
    await writeSamples(client, 'cars', 'driving', samples.slice(0, first + 200), begun);
    const { page, faults } = await signedIn('#s=cars/driving&p=Speed&live=1');
    await following(page);
    await until(async () => (await lapTable(page)).at(-1)?.toBest === 'not whole');
    await writeSamples(client, 'cars', 'driving', samples.slice(first + 200, last), begun);
    // Of the next lap no more rows than tell that it has begun.
    for (let i = last; i < last + 12; i++)
      await writeSamples(client, 'cars', 'driving', samples.slice(i, i + 1), begun);
    const ended = async () => (await lapTable(page))[1]!;
    await until(async () => (await lapTable(page)).length === 3);
    await until(async () => Math.abs(secondsOf((await ended()).time) - times[1]!) < tolerance);
    assert.equal((await ended()).toBest, 'best');
    assert.deepEqual(faults, []);
  });

  it('are not whole where rows were lost at the line: such a lap is not the best one', async () => {
    // Five seconds around the first line.
    const begin = samples.findIndex(({ lap }) => lap === 2);
    const kept = samples.filter((_, i) => i < begin - 100 || i > begin + 150);
    await announce(client, 'cars', 'lossy', 'Lossy', {});
    for (let i = 0; i < kept.length; i += 2000)
      await writeSamples(client, 'cars', 'lossy', kept.slice(i, i + 2000), drivenStart);
    const { page, faults } = await signedIn('#s=cars/lossy&p=Speed');
    const table = await lapTable(page);
    assert.deepEqual(
      table.slice(0, 2).map(({ toBest }) => toBest),
      ['not whole', 'not whole'],
    );
    assert.equal(table[2]!.toBest === 'best' || table[2]!.toBest.startsWith('+'), true);
    assert.deepEqual(faults, []);
  });

  it('are not whole there without a distance, too', async () => {
    // A lap has six seconds; two seconds around the line between the second and the third are lost.
    const rows = Array.from({ length: 300 }, (_, i) => i).filter((i) => i < 110 || i > 130);
    await client.writeParameterData('bench', 'torn', {
      timestamps: rows.map((i) => drivenStart + BigInt(i) * 100_000_000n),
      numericValues: { Torque: rows },
      tagValues: { lap: rows.map((i) => String(1 + Math.floor(i / 60))) },
    });
    const { page, faults } = await signedIn('#s=bench/torn&p=Torque');
    const table = await lapTable(page);
    assert.deepEqual(
      table.map(({ toBest }) => toBest),
      ['not whole', 'not whole', 'not whole', 'best', 'not whole'],
    );
    assert.deepEqual(faults, []);
  });

  it('are asked for once, but for the one that ends', async () => {
    const begins = [4, 5].map((lap) => samples.findIndex((sample) => sample.lap === lap));
    const [fourth, fifth] = begins as [number, number];
    await announce(client, 'cars', 'growing', 'Growing', {});
    await writeSamples(client, 'cars', 'growing', samples.slice(0, fourth + 100), drivenStart);
    const { page, faults } = await signedIn('#s=cars/driven&p=Speed');
    await until(async () => (await lapTable(page)).length === 6);
    const asked: string[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      const isOfLine =
        /"groupBy":\["lap"\]/.test(body) && body.includes('"from"') && !body.includes('groupByTime');
      if (isOfLine && body.includes('growing')) asked.push(body);
    });
    await page.evaluate("location.hash = '#s=cars/growing&p=Speed'");
    await until(async () => (await lapTable(page)).length === 4);
    assert.equal(asked.length, 3);
    await writeSamples(client, 'cars', 'growing', samples.slice(fourth + 100, fifth + 100), drivenStart);
    await until(async () => (await lapTable(page)).length === 5);
    // The line whose lap has grown, and the new one.
    assert.equal(asked.length, 5);
    assert.deepEqual(faults, []);
  });

  it('have the top speed also where it has no unit', async () => {
    const seconds = [0, 1, 2, 3];
    await client.writeParameterData('bench', 'unitless', {
      timestamps: seconds.map((at) => drivenStart + BigInt(at) * 1_000_000_000n),
      numericValues: { Speed: [10, 20, 30, 25] },
      tagValues: { lap: ['1', '1', '2', '2'] },
    });
    const { page } = await signedIn('#s=bench/unitless&p=Speed');
    const table = await lapTable(page);
    assert.deepEqual(
      table.map(({ top }) => top),
      ['20.0', '30.0'],
    );
  });

  it('are found by any name that says so', async () => {
    const seconds = [0, 1, 2, 3, 4, 5];
    await client.writeParameterData('bench', 'named', {
      timestamps: seconds.map((at) => drivenStart + BigInt(at) * 1_000_000_000n),
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
    const rows = [0, 1, 2, 3].map((at) => drivenStart + BigInt(at) * 1_000_000_000n);
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
