import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browserPages, cellTexts, copiedQuery, plotted, skip, toTab } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_001n;
const ms = 1_000_000n;
const topics = ['boats', 'cars'] as const;
const ids = ['one', 'two'] as const;
/** Of each run: its rows a second, so that rows of two runs come in turns that are not the same all along. */
const steps = { 'boats/one': 40n, 'boats/two': 70n, 'cars/one': 50n, 'cars/two': 60n } as const;
const rowCount = 300;

type Run = keyof typeof steps;
const runs = Object.keys(steps) as Run[];

/** Of each run other values, so that each value tells whose it is. */
function rowsOf(run: Run): { readonly time: bigint; readonly value: number }[] {
  const base = 1000 * (1 + runs.indexOf(run));
  return Array.from({ length: rowCount }, (_, i) => ({
    time: start + BigInt(i) * steps[run] * ms,
    value: base + i,
  }));
}

/** What is left of an id where the topic is not asked for: `boats/two` and `cars/one` are strangers to who opens the others. */
describe('runs of several topics in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  for (const topic of topics) {
    for (const id of ids) {
      const run = `${topic}/${id}` as const;
      const rows = rowsOf(run);
      await client.writeParameterData(topic, id, {
        timestamps: rows.map(({ time }) => time),
        numericValues: { Speed: rows.map(({ value }) => value), [`of ${run}`]: rows.map(() => 1) },
        tagValues: { lap: rows.map((_, i) => `${topic} ${id} ${1 + Math.floor(i / 100)}`) },
      });
      await client.defineParameters(topic, id, [{ id: 'Speed', minimumValue: 1100, maximumValue: 4100 }]);
      await client.defineEvents(topic, id, [{ id: 'pit', name: `Pit of ${topic}` }]);
      await client.writeEvents(topic, id, [{ id: 'pit', timestamp: rows[150]!.time, value: run }]);
    }
  }
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const strangers = 's=boats/one&s=cars/two';
  const twins = 's=boats/one&s=cars/one';

  /** Runs in the rows of the page, each row with topic, id and value; all pages, one after the other. */
  async function shownRows(page: Page): Promise<string[]> {
    const shown: string[] = [];
    for (let first = 1; ; first += 200) {
      await page
        .locator('.rows[aria-busy="false"]')
        .getByText(new RegExp(`^Rows ${first} to `))
        .waitFor();
      for (const cells of await cellTexts(page.locator('.rows tbody tr'), 'td')) shown.push(cells.join(' '));
      const next = page.getByRole('button', { name: 'Next' }).last();
      if (await next.isDisabled()) return shown;
      await next.click();
    }
  }
  const expectedRows = (...wanted: Run[]) =>
    wanted
      .flatMap((run) => rowsOf(run).map((row) => ({ ...row, run })))
      .sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.run < b.run ? -1 : 1))
      .map(({ run, value }) => `${run.split('/').reverse().join(' ')} ${value}`);

  for (const [hash, wanted] of [
    [strangers, ['boats/one', 'cars/two']],
    [twins, ['boats/one', 'cars/one']],
  ] as const) {
    it(`have their rows under Rows and in files, and no others: ${wanted.join(' and ')}`, async () => {
      const { page, faults } = await signedIn(`#${hash}&p=Speed&mode=table`);
      const headings = page.locator('.rows thead th');
      await headings.nth(3).waitFor();
      assert.deepEqual((await headings.allTextContents()).slice(1), ['streamId', 'topic', 'Speed']);
      assert.deepEqual(await shownRows(page), expectedRows(...wanted));
      await page.getByRole('button', { name: 'Previous' }).last().click();
      await page.getByText('Rows 201 to 400').waitFor();

      const files: Promise<string>[] = [];
      const names: string[] = [];
      page.on('download', (download) => {
        names.push(download.suggestedFilename());
        files.push(download.path().then((path) => readFileSync(path, 'utf8')));
      });
      await page.getByText('Export', { exact: true }).click();
      const text = await copiedQuery(page);
      for (const topic of topics) assert.match(text, new RegExp(`"topic":"${topic}"`));
      const second = page.waitForEvent('download', () => files.length === 2);
      await page.getByRole('button', { name: 'Download CSV' }).click();
      await second;
      assert.deepEqual(
        names,
        wanted.map((run) => `${run.replace('/', '-')}.csv`),
      );
      const lines = (await Promise.all(files)).map((file) => file.trimEnd().split(/\r?\n/));
      for (const [i, run] of wanted.entries()) {
        const values = rowsOf(run).map(
          ({ time, value }) => `${time},${value},${run.split('/').reverse().join(',')}`,
        );
        assert.deepEqual(lines[i], ['Timestamp,Speed,TAG__streamId,TAG__topic', ...values]);
      }
      assert.deepEqual(faults, []);
    });
  }

  it('have their own channels, events and tags', async () => {
    const { page, faults } = await signedIn(`#${strangers}&p=Speed&panel=events`);
    await plotted(page);
    const events = page.getByRole('region', { name: 'Events', exact: true });
    await events.getByText('2 events').waitFor();
    const told = await events.getByRole('listitem').allTextContents();
    assert.deepEqual(
      told.map((line) => line.replace(/^.*(?=Pit)/, '')),
      ['Pit of boats: boats/one', 'Pit of cars: cars/two'],
    );
    await toTab(page, 'Channels');
    await page.locator('.channel', { hasText: 'of cars/two' }).waitFor();
    const names = await page.locator('.channel .name').allTextContents();
    assert.deepEqual(
      names.filter((name) => name.includes('of ')).map((name) => name.trim()),
      ['of boats/one', 'of cars/two'],
    );
    await page.evaluate(`location.hash = '#${strangers}&p=Speed&mode=overlay&tag=lap'`);
    const values = page.getByRole('group', { name: 'Values of lap' });
    await values.getByRole('checkbox', { name: 'cars two 3' }).waitFor();
    assert.equal(await values.getByRole('checkbox').count(), 6);
    assert.equal(await page.getByRole('checkbox', { name: /boats two|cars one/ }).count(), 0);
    // Each run is asked for its own: nobody is warned of channels of the other.
    assert.equal(await page.locator('.warning-note').count(), 0);
    assert.deepEqual(faults, []);
  });

  it('leave limits with their own rows only', async () => {
    // Below 1,100 are the first hundred rows of `boats/one`; above 4,100 those of `cars/two`.
    const { page, faults } = await signedIn(`#${strangers}&p=Speed`);
    const outside = (count: number) =>
      page.getByRole('button', { name: `${count} rows of Speed outside of 1100 … 4100: go to the next` });
    await outside(100 + 199).waitFor();
    await page.evaluate(`location.hash = '#s=boats/two&s=cars/one&p=Speed'`);
    await page.locator('button.outside').waitFor({ state: 'detached' });
    await page.evaluate(`location.hash = '#${twins}&p=Speed'`);
    await outside(100).waitFor();
    assert.deepEqual(faults, []);
  });

  it('are told apart by their topics where their ids are the same', async () => {
    const { page } = await signedIn(`#${twins}&p=Speed`);
    await plotted(page);
    assert.equal(await page.locator('.run-name').getAttribute('title'), 'one (boats), one (cars)');
  });
});
