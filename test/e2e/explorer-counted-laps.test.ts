import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Download, Page } from 'playwright-core';
import { channels } from '../../src/demo/channels.ts';
import type { Sample } from '../../src/demo/drive.ts';
import { announce, parameterDataOf } from '../../src/demo/record.ts';
import { until } from '../until.ts';
import {
  deltaAtLine,
  drivenStart,
  lapTable,
  secondsOf,
  serviceWithDriven,
  lapTolerance as tolerance,
} from './explorer-driven.ts';
import { browserPages, following, holdBack, plotted, skip, toTab } from './explorer-page.ts';
import { peek, watchCanvases } from './explorer-peek.ts';

const ms = 1_000_000n;
const speed = channels.findIndex(({ id }) => id === 'Speed');

describe("the explorer's laps by a channel", { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, times } = await serviceWithDriven();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const fieldsOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1));
  const timeOf = ({ seconds }: Sample) => drivenStart + BigInt(Math.round(seconds * 1e9));
  const choiceIn = (page: Page) => page.getByRole('region', { name: 'Laps' }).getByLabel('Laps by');

  /** Rows without tags, and the lap as a number of each. */
  async function write(streamId: string, some: readonly Sample[], start = drivenStart): Promise<void> {
    const { tagValues: _, ...data } = parameterDataOf(some, start);
    const LapNumber = some.map(({ lap }) => lap);
    await client.writeParameterData('logger', streamId, {
      ...data,
      numericValues: { ...data.numericValues, LapNumber },
    });
  }
  await announce(client, 'logger', 'counted', 'Counted', {});
  await write('counted', samples);

  /** Two runs of one topic: one with the lap as a tag, one with a number. */
  await announce(client, 'mixed', 'bare', 'Bare', {});
  await announce(client, 'mixed', 'tagged', 'Tagged', {});
  const { tagValues, ...data } = parameterDataOf(samples, drivenStart);
  await client.writeParameterData('mixed', 'tagged', { ...data, tagValues: tagValues! });
  await client.writeParameterData('mixed', 'bare', {
    ...data,
    numericValues: { ...data.numericValues, Lap: samples.map(({ lap }) => lap) },
  });

  /** The lap once a second, at times of its own, in rows of its own. */
  await announce(client, 'logger', 'seldom', 'Seldom', {});
  await client.writeParameterData('logger', 'seldom', data);
  const each = samples.filter((_sample, i) => i % 50 === 17 || i === samples.length - 1);
  await client.writeParameterData('logger', 'seldom', {
    timestamps: each.map((sample) => timeOf(sample) + 3n * ms + 1n),
    numericValues: { Lap: each.map(({ lap }) => lap) },
  });

  for (const [streamId, channel] of [
    ['counted', 'LapNumber'],
    ['seldom', 'Lap'],
  ] as const)
    it(`are found where it is written ${streamId === 'counted' ? 'with the rows' : 'once a second'}, right to a millisecond`, async () => {
      const { page, faults } = await signedIn(`#s=logger/${streamId}&p=Speed`);
      await until(async () => (await lapTable(page)).length === 6);
      const table = await lapTable(page);
      assert.deepEqual(
        table.map(({ lap }) => lap),
        ['1', '2', '3', '4', '5', '6'],
      );
      for (const [i, time] of times.entries())
        assert.ok(Math.abs(secondsOf(table[i]!.time) - time) < tolerance, `${table[i]!.time} for ${time}`);
      assert.equal(table.at(-1)!.toBest, 'not whole');
      for (const own of table) {
        const speeds = samples
          .filter(({ lap }) => String(lap) === own.lap)
          .map(({ values }) => values[speed]!);
        assert.equal(own.top, Math.max(...speeds).toFixed(1), own.lap);
      }
      assert.equal(await choiceIn(page).inputValue(), `channel:${channel}`);
      assert.deepEqual(faults, []);
    });

  it('have the lap times, sectors and report of the same rows with a tag', async () => {
    const beside = 'beside=sectors,report&sectors=1500~3000&report=Speed,Brake';
    const said = async (run: string) => {
      const { page, faults } = await signedIn(`#s=${run}&p=Speed&${beside}`);
      await page.locator('.sectors[aria-busy="false"] .sector-table').waitFor();
      await page.locator('.report[aria-busy="false"] .report-table').waitFor();
      const texts = await page.locator('.laps .lap-table, .sectors table, .report table').allInnerTexts();
      assert.deepEqual(faults, []);
      return texts.map((text) => text.replace(/^.*(Five laps|Counted)\s*/, ''));
    };
    const tagged = await said('cars/driven');
    assert.ok(tagged.length >= 3);
    assert.deepEqual(await said('logger/counted'), tagged);
  });

  it('are compared over distance, with Δt, and the address, an undo, a saved view and a shared link keep them', async () => {
    const { page, faults } = await signedIn('#s=logger/counted&p=Speed');
    await until(async () => (await lapTable(page)).length === 6);
    for (const lap of [2, 3]) await page.getByLabel(`Compare lap ${lap} of Counted`).check();
    const figure = page.getByRole('figure', { name: 'Speed: LapNumber 2, LapNumber 3' });
    await figure.waitFor();
    await plotted(page);
    await page.locator('.delta canvas').waitFor();
    assert.equal(fieldsOf(page).get('laps'), 'channel:LapNumber');
    assert.equal(fieldsOf(page).get('tag'), null);
    // At the line Δt is the difference of the lap times.
    const [lost, told] = [await deltaAtLine(page), times[2]! - times[1]!];
    assert.ok(Math.abs(lost - told) < tolerance, `Δt ${lost} at the line for ${told}`);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('Two counted laps');
    await page.getByRole('button', { name: 'Save as a new view' }).click();
    await page.getByText('Saved “Two counted laps”.').waitFor();
    const id = (await client.views()).find(({ name }) => name === 'Two counted laps')?.id;
    const { page: other } = await signedIn(`#view=${id}`);
    await other.getByRole('figure', { name: 'Speed: LapNumber 2, LapNumber 3' }).waitFor();
    await plotted(other);
    assert.equal(await other.locator('.delta canvas').count(), 1);
    assert.equal(fieldsOf(other).get('laps'), 'channel:LapNumber');
    // So does who has a link, and no token.
    const { url } = await client.share(id!, { expires: new Date(Date.now() + 3_600_000) });
    const { page: guest } = await open(service.url, new URL(url).hash);
    await guest.getByRole('figure', { name: 'Speed: LapNumber 2, LapNumber 3' }).waitFor();
    await page.keyboard.press('Escape');
    // The way that was zoomed to, and the two ticks.
    for (let i = 0; i < 3; i++) await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('figure', { name: 'Speed', exact: true }).waitFor();
    assert.equal(fieldsOf(page).get('laps'), null);
    assert.deepEqual(faults, []);
  });

  it('are kept for the topic: another run is compared by its own, by a tag or a channel, whichever it has', async () => {
    const { page, faults } = await signedIn('#topic=mixed&s=mixed/tagged&p=Speed');
    for (const lap of [2, 4]) await page.getByLabel(`Compare lap ${lap} of Tagged`).check();
    await page.getByRole('figure', { name: 'Speed: lap 2, lap 4' }).waitFor();
    const best = [...times.keys()].sort((a, b) => times[a]! - times[b]!).slice(0, 2);
    const [first, second] = best.map((i) => i + 1);
    await toTab(page, 'Runs');
    await page.getByRole('button', { name: /^Bare/ }).click();
    await page.getByRole('figure', { name: `Speed: Lap ${first}, Lap ${second}` }).waitFor();
    assert.equal(fieldsOf(page).get('tag'), 'lap');
    assert.equal(await choiceIn(page).inputValue(), 'channel:Lap');
    // What is chosen there, and back: the run with a tag has it again.
    for (const lap of [5, 1]) await page.getByLabel(`Compare lap ${lap} of Bare`).check();
    await page.waitForURL(/laps=channel/);
    await page.getByRole('button', { name: /^Tagged/ }).click();
    await page.getByRole('figure', { name: `Speed: lap ${first}, lap ${second}` }).waitFor();
    assert.equal(await choiceIn(page).inputValue(), 'tag:lap');
    assert.deepEqual(faults, []);
  });

  it('wait for the tags of a run that is opened, though its channels are counted before these come', async () => {
    const { page, faults } = await signedIn('#topic=mixed&s=mixed/bare&p=Speed');
    for (const lap of [5, 1]) await page.getByLabel(`Compare lap ${lap} of Bare`).check();
    await page.waitForURL(/laps=channel/);
    await toTab(page, 'Runs');
    const [tags, listed] = [await holdBack(page, '**/tags*'), await holdBack(page, '**/parameters*')];
    // Its first row, its last one, and how many there are.
    let answers = 0;
    page.on('response', (response) => {
      const asked = response.request().postData() ?? '';
      if (asked.includes('tagged') && asked.includes('"Lap"')) answers++;
    });
    await page.getByRole('button', { name: /^Tagged/ }).click();
    await until(() => answers >= 3);
    const channels = page.waitForResponse(/\/parameters(\?|$)/);
    await listed.goOn();
    await channels;
    // The page has them when a task that came behind them has run.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
    await tags.goOn();
    await page.getByRole('figure', { name: /^Speed: lap \d, lap \d$/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('are exported row by row: those from the first row of its number to the last one', async () => {
    const picks = [2, 4].map((lap) => `pick=logger/counted/${lap}`).join('&');
    const { page, faults } = await signedIn(
      `#s=logger/counted&p=Speed&mode=overlay&laps=channel:LapNumber&${picks}&by=Distance`,
    );
    await plotted(page);
    await page.getByText('Export', { exact: true }).click();
    await page.getByText('Each lap is a stretch of time: there is one file').waitFor();
    const files: Download[] = [];
    page.on('download', (download) => files.push(download));
    await page.getByRole('button', { name: 'Download CSV' }).click();
    await until(() => files.length === 2);
    assert.deepEqual(
      files.map((file) => file.suggestedFilename()),
      ['counted-lap-2.csv', 'counted-lap-4.csv'],
    );
    for (const [i, lap] of [2, 4].entries()) {
      const [head, ...lines] = readFileSync(await files[i]!.path(), 'utf8')
        .trim()
        .split('\r\n');
      const column = head!.split(',').indexOf('Speed');
      const own = samples.filter((sample) => sample.lap === lap);
      assert.deepEqual(
        lines.map((line) => [line.split(',')[0], Number(line.split(',')[column])]),
        own.map((sample) => [String(timeOf(sample)), sample.values[speed]]),
      );
    }
    assert.deepEqual(faults, []);
  });

  it('are by what one chooses, which is kept and taken back', async () => {
    const { page, faults } = await signedIn('#s=logger/counted&p=Speed');
    await until(async () => (await lapTable(page)).length === 6);
    await choiceIn(page).selectOption('none');
    await page.getByRole('region', { name: 'Laps' }).getByText('No laps were chosen.').waitFor();
    assert.equal(fieldsOf(page).get('laps'), 'none');
    await page.reload();
    await page.getByRole('region', { name: 'Laps' }).getByText('No laps were chosen.').waitFor();
    await choiceIn(page).selectOption('channel:Gear');
    await until(async () => (await lapTable(page)).some(({ lap }) => lap === '3 (2)'));
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('region', { name: 'Laps' }).getByText('No laps were chosen.').waitFor();
    await page.evaluate("location.hash = '#s=logger/counted&p=Speed'");
    await until(async () => (await lapTable(page)).length === 6);
    await choiceIn(page).selectOption('channel:Speed');
    await page.getByText('The channel Speed changes too often to count laps.').waitFor();
    assert.deepEqual(faults, []);
  });

  it('are shown in XY, histogram and on the map, as those of a tag', async () => {
    const { page, faults } = await signedIn(
      '#s=logger/seldom&p=Speed&mode=overlay&laps=channel:Lap&pick=logger/seldom/2&pick=logger/seldom/5&by=Distance&beside=xy,histogram&panel=map',
    );
    await plotted(page);
    await page.locator('.xy canvas').first().waitFor();
    await page.getByRole('region', { name: 'Histogram' }).getByText('Lap 5').first().waitFor();
    await page.locator('.track canvas').first().waitFor();
    await toTab(page, 'Measure');
    const own = samples.filter(({ lap }) => lap === 5).map(({ values }) => values[speed]!);
    const section = page.locator('.measure section', { hasText: 'Speed km/h Lap 5' });
    const said = (name: string) =>
      section.locator('.statistics div', { hasText: name }).locator('dd span').textContent();
    await section.locator('.statistics').waitFor();
    assert.equal(await said('largest'), String(Math.max(...own)));
    assert.equal(await said('rows'), String(own.length));
    assert.deepEqual(faults, []);
  });

  it('colour the background of plots over time, where colours can be told apart', async () => {
    const { page, faults } = await open(service.url, '#s=logger/seldom&p=Speed&bands=Lap', {
      token: service.token,
      script: watchCanvases,
    });
    await plotted(page);
    const labels = async () => (await peek(page)).plots[0]?.texts.map(({ text }) => text) ?? [];
    await until(async () => {
      const now = await labels();
      return [1, 2, 3, 4, 5].every((lap) => now.includes(`Lap ${lap}`));
    });
    const proposed = page.locator(`#${await page.getByLabel('Colour by').getAttribute('list')} option`);
    assert.deepEqual(await proposed.evaluateAll((all) => all.map((own) => own.value)), ['Lap']);
    await page.evaluate("location.hash = '#s=logger/seldom&p=Speed&bands=EngineRPM'");
    await page.getByText('Too many values: zoom in to see colours.').waitFor();
    assert.deepEqual(faults, []);
  });

  it('end while one looks, and the one that is driven grows', async () => {
    const first = samples.findIndex(({ lap }) => lap === 2);
    const last = samples.findIndex(({ lap }) => lap === 3);
    const begun = BigInt(Date.now()) * ms - BigInt(Math.round(samples[last]!.seconds * 1e9));
    await announce(client, 'logger', 'driving', 'Driving', {});
    await write('driving', samples.slice(0, first + 200), begun);
    const { page, faults } = await signedIn('#s=logger/driving&p=Speed&live=1');
    await following(page);
    await until(async () => (await lapTable(page)).length === 2);
    const before = secondsOf((await lapTable(page))[1]!.time);
    await write('driving', samples.slice(first + 200, last), begun);
    await until(async () => secondsOf((await lapTable(page))[1]!.time) > before + 1);
    for (let i = last; i < last + 12; i++) await write('driving', samples.slice(i, i + 1), begun);
    await until(async () => (await lapTable(page)).length === 3);
    await until(async () => Math.abs(secondsOf((await lapTable(page))[1]!.time) - times[1]!) < tolerance);
    // Over distance the lap that is being driven lies over the best one.
    await page.getByRole('button', { name: 'Distance', exact: true }).click();
    await page.getByRole('figure', { name: 'Speed: LapNumber 2, LapNumber 3' }).waitFor();
    await write('driving', samples.slice(last + 12, last + 600), begun);
    await toTab(page, 'Measure');
    const section = page.locator('.measure section', { hasText: 'Speed km/h LapNumber 3' });
    const rows = section.locator('.statistics div', { hasText: 'rows' }).locator('dd span');
    await until(async () => (await rows.textContent()) === '600');
    assert.deepEqual(faults, []);
  });
});
