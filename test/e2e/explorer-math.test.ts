import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { isAccessible } from './explorer-axe.ts';
import { holds, overPlaces, readingsOf } from './explorer-cursor.ts';
import { browserPages, copiedQuery, following, plotted, skip } from './explorer-page.ts';
import { peek } from './explorer-peek.ts';
import { type SeedRow, seededService, seedStart, topic, writeSeed } from './explorer-seed.ts';

const second = 1_000_000_000n;

describe("the explorer's calculated channels", { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await seededService();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const range = `from=${seedStart}&to=${seedStart + 20n * second}`;

  /** With the digits that the page shows. */
  async function rowsOf(
    expression: string,
    streamId: string,
    from?: bigint,
    to?: bigint,
  ): Promise<SeedRow[]> {
    const data = await client.query({
      topic,
      streamIds: [streamId],
      calculatedParameters: [{ name: 'M', expression }],
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    const values = data.numericValues['M']!.map((value) => Number(value!.toPrecision(9)));
    return data.timestamps.map((time, row) => ({ time, value: values[row]!, lap: '' }));
  }
  async function newChannel(page: Page, name: string, expression: string): Promise<void> {
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill(expression);
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('figure', { name }).waitFor();
  }
  const mathOf = (page: Page) => new URLSearchParams(new URL(page.url()).hash.slice(1)).getAll('m');

  it('are made by keyboard alone: names are completed, and a flaw is marked at its place', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Fast&${range}`);
    await plotted(page);
    await page.getByRole('button', { name: '+ channel' }).press('Enter');
    const field = page.getByLabel('Expression');
    await field.focus();
    // At once: a rest on the way would plot a channel whose name is the begin of it.
    await page.keyboard.insertText('differ');
    await page.getByRole('option', { name: 'difference(x)' }).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), 'difference(');
    await page.getByText('x less the value before').waitFor();
    await page.keyboard.type('fa');
    await page.keyboard.press('Tab');
    await page.keyboard.insertText(') * * 2');
    assert.equal(await field.inputValue(), 'difference(Fast) * * 2');
    const mark = page.locator('.flawed mark');
    await mark.waitFor();
    assert.equal(await page.locator('.flawed').textContent(), 'difference(Fast) * * 2');
    const before = await page.evaluate("document.querySelector('.flawed mark').previousSibling.textContent");
    assert.equal(before, 'difference(Fast) * ');
    await page.getByText('expected a value, and found *').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    assert.ok(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled());
    assert.deepEqual(mathOf(page), []);

    // It is plotted while one types.
    for (let i = 0; i < 3; i++) await page.keyboard.press('Backspace');
    await page.keyboard.type('Count');
    await page.keyboard.press('Escape');
    await page.getByRole('figure', { name: 'Math 1' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Jump');
    await page.keyboard.press('Tab');
    await page.keyboard.type('bar');
    await page.getByRole('figure', { name: 'Jump' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '+ channel' }).waitFor();
    assert.deepEqual(mathOf(page), ['Jump,difference(Fast) * Count,bar']);

    // Back takes it away, and a copied address brings it.
    const address = new URL(page.url()).hash;
    await page.goBack();
    await page.getByRole('figure', { name: 'Jump' }).waitFor({ state: 'detached' });
    const { page: other } = await signedIn(address);
    await other.getByRole('figure', { name: 'Jump' }).waitFor();
    assert.deepEqual(faults, []);
  });

  it('hold back no other plot while the service works', async () => {
    const { page, faults } = await signedIn('');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/parameters\/data/, async (route) => {
      const text = route.request().postData() ?? '';
      if (text.includes('Fast') && text.includes('calculatedParameters')) await held;
      await route.continue();
    });
    await page.evaluate(`location.hash = '#s=${topic}/one&p=Count&p=Twice&m=Twice,Fast * 2,bar&${range}'`);
    await page.locator('.plot .u-over').nth(1).waitFor();
    // What each plot says in its middle.
    const read = async () => {
      const over = (await page.locator('.plot .u-over').first().boundingBox())!;
      await page.mouse.move(over.x + over.width / 2, over.y + over.height / 2);
      return (await peek(page)).plots.map(({ readings }) => readings.join('') !== '');
    };
    await until(async () => (await read()).join() === 'true,false');
    assert.equal(await page.locator('.plots').getAttribute('aria-busy'), 'true');
    release();
    await plotted(page);
    await until(async () => (await read()).join() === 'true,true');
    assert.deepEqual(faults, []);
  });

  it('are read as the service gives them, at 200 places', async () => {
    const expression = 'difference(Fast) * 2 + Count';
    const { page, faults } = await signedIn(
      `#s=${topic}/one&p=Sum&m=${encodeURIComponent(`Sum,${expression},bar`)}&${range}`,
    );
    await plotted(page);
    const rows = await rowsOf(expression, 'one', seedStart, seedStart + 20n * second);
    let read = 0;
    for (const { plots, cursor } of await overPlaces(page, 0)) {
      const [own] = readingsOf(plots[0]!, 1);
      if (own === undefined) continue;
      read++;
      holds(own, rows, `at ${cursor}`);
    }
    assert.ok(read > 190, `${read} readings`);
    assert.deepEqual(faults, []);
  });

  it('say which name no run has, and are plotted all the same', async () => {
    const { page } = await signedIn(`#s=${topic}/one&p=Fast&${range}`);
    await plotted(page);
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill('2 * Fats');
    await page.getByText('the nearest is "Fast"').waitFor();
    assert.equal(await page.locator('.flawed mark').textContent(), 'Fats');
    await page.getByRole('figure', { name: 'Math 1' }).waitFor();
    await page.getByLabel('Expression').fill("over(sum(Fast), 'laps')");
    await page.getByText('No open run has the tag “laps”: they have lap.').waitFor();
    assert.equal(await page.locator('.flawed mark').textContent(), "'laps'");
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('figure', { name: 'Math 1' }).waitFor({ state: 'detached' });
    assert.deepEqual(mathOf(page), []);
  });

  it('may name each other, but not in circles', async () => {
    const { page } = await signedIn(`#s=${topic}/one&p=Fast&${range}`);
    await plotted(page);
    await newChannel(page, 'Double', 'Fast * 2');
    await newChannel(page, 'Four fold', 'Double * 2');
    await page
      .getByRole('button', { name: 'Export' })
      .or(page.getByText('Export', { exact: true }))
      .first()
      .click();
    assert.match(await copiedQuery(page), /"expression":"\(Fast \* 2\) \* 2"/);
    await page.getByText('Export', { exact: true }).click();
    await page.getByRole('button', { name: 'Edit Double' }).press('Enter');
    await page.getByLabel('Expression').fill('"Four fold" / 2');
    await page.getByText('that goes in a circle').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  });

  it('work in Measure, Distance, XY, Rows and exports', async () => {
    const hash = `#s=${topic}/one&p=Twice&m=${encodeURIComponent('Twice,Fast * 2,bar')}&${range}&panel=measure`;
    const { page, faults } = await signedIn(hash);
    await plotted(page);
    const rows = await rowsOf('Fast * 2', 'one', seedStart, seedStart + 20n * second);
    const most = Math.max(...rows.map(({ value }) => value));
    await page.locator(`.statistics dd[title="${most}"]`).waitFor();
    await page.locator(`.statistics dd[title="${rows.length}"]`).waitFor();

    await page.getByRole('button', { name: 'Rows', exact: true }).click();
    await page
      .getByRole('cell', { name: String(rows[0]!.value), exact: true })
      .first()
      .waitFor();
    await page.getByText('Export', { exact: true }).click();
    assert.match(
      await copiedQuery(page),
      /"calculatedParameters":\[\{"name":"Twice","expression":"Fast \* 2"\}\]/,
    );
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const [header, first] = readFileSync(await download.path(), 'utf8').split('\r\n');
    assert.equal(header, 'Timestamp,Twice');
    assert.equal(first, `${rows[0]!.time},${rows[0]!.value}`);
    await page.getByText('Export', { exact: true }).click();

    await page.evaluate(
      `location.hash = ${JSON.stringify(`${hash}&mode=overlay&tag=lap&value=1&value=2&by=Distance`.replace(`&${range}`, ''))}`,
    );
    await page.getByRole('figure', { name: /^Twice/ }).waitFor();
    await page.locator('.plots[aria-busy="false"]').waitFor();
    const all = await rowsOf('Fast * 2', 'one');
    const frame = (await page.locator('.overlay .u-over').last().boundingBox())!;
    await page.mouse.move(frame.x + frame.width / 3, frame.y + 40);
    await until(async () => (await peek(page)).plots.at(-1)!.readings.length > 0);
    for (const text of (await peek(page)).plots
      .at(-1)!
      .readings.filter((reading) => /^-?[\d.]+$/.test(reading)))
      assert.ok(
        all.some(({ value }) => String(value) === text),
        `${text} is no value`,
      );

    await page.evaluate(`location.hash = ${JSON.stringify(`${hash}&mode=xy&xy=Fast,Twice,`)}`);
    const canvas = page.locator('.xy canvas');
    await canvas.waitFor();
    const box = (await canvas.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const reading = page.getByLabel('Row at the cursor');
    await until(async () => /Fast (\S+) bar, Twice (\S+) bar/.test((await reading.textContent()) ?? ''));
    const [, x, y] = /Fast (\S+) bar, Twice (\S+) bar/.exec((await reading.textContent())!)!;
    assert.equal(Number(y), Number(x) * 2);
    assert.deepEqual(faults, []);
  });

  it('are kept for a topic, shown with who uses them, changed and removed', async () => {
    const { page, faults } = await signedIn(`#s=${topic}/one&p=Fast&${range}`);
    await plotted(page);
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill('Fast / 10');
    await page.getByLabel('Name', { exact: true }).fill('Tenth');
    await page.getByLabel('Unit', { exact: true }).fill('MPa');
    await page.getByLabel(/^Keep for all/).check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: '+ channel' }).waitFor();
    assert.deepEqual(await client.calculated(topic), [{ id: 'Tenth', expression: 'Fast / 10', unit: 'MPa' }]);
    await until(() => Promise.resolve(mathOf(page).length === 0));
    await client.defineCalculated(topic, [{ id: 'Hundredth', expression: 'Tenth / 10' }]);
    await client.putView('tenths', {
      name: 'Tenths',
      topic,
      streamIds: ['one'],
      state: { explorer: `#s=${topic}/one&p=Tenth` },
    });

    const { page: other } = await signedIn(`#s=${topic}/one&p=Fast&${range}`);
    await plotted(other);
    await other.getByRole('checkbox', { name: /^Tenth/ }).press('Space');
    await other.getByRole('figure', { name: 'Tenth' }).waitFor();
    await plotted(other);
    await other.getByRole('button', { name: 'Edit Tenth' }).press('Enter');
    await other.getByText('Used by channel Hundredth, view “Tenths”.').waitFor();
    await other.getByLabel('Expression').fill('Fast / 10 + 0');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await other.getByRole('button', { name: '+ channel' }).waitFor();
    await until(async () =>
      (await client.calculated(topic)).some(({ expression }) => expression === 'Fast / 10 + 0'),
    );
    // What was tried in the view goes when the topic has it.
    await until(() => Promise.resolve(mathOf(other).length === 0));
    await client.removeCalculated(topic, 'Hundredth');
    await other.getByRole('button', { name: 'Edit Tenth' }).press('Enter');
    await other.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await other.getByRole('button', { name: 'Remove “Tenth” for all' }).press('Enter');
    await other.getByRole('figure', { name: 'Tenth' }).waitFor({ state: 'detached' });
    assert.deepEqual(await client.calculated(topic), []);
    await client.deleteView('tenths');
    assert.deepEqual(faults, []);
  });

  it('stay as they are typed while one looks at runs, and Cancel still takes them away', async () => {
    const { page } = await signedIn(`#s=${topic}/one&p=Fast&${range}`);
    await plotted(page);
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByLabel('Expression').fill('Fast * 3');
    await page.getByRole('figure', { name: 'Math 1' }).waitFor();
    await page.getByLabel('Expression').fill('Fast * (3');
    await page.getByRole('tab', { name: 'Runs' }).click();
    await page.getByLabel('Expression').waitFor({ state: 'hidden' });
    await page.getByRole('tab', { name: 'Channels' }).click();
    assert.equal(await page.getByLabel('Expression').inputValue(), 'Fast * (3');
    const question = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await (await question).dismiss();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('figure', { name: 'Math 1' }).waitFor({ state: 'detached' });
    assert.deepEqual(mathOf(page), []);
  });

  it('are not offered to be kept by a token that may only read', async () => {
    await client.defineCalculated(topic, [{ id: 'Tenth', expression: 'Fast / 10' }]);
    const token = await readToken();
    const { page } = await open(service.url, `#s=${topic}/one&p=Tenth&${range}`, { token });
    await plotted(page);
    assert.equal(await page.getByRole('button', { name: 'Edit Tenth' }).count(), 0);
    await page.getByRole('button', { name: '+ channel' }).click();
    await page.getByText('Your token may only read.').waitFor();
    assert.ok(await page.getByLabel(/^Keep for all/).isDisabled());
    await page.getByLabel('Expression').fill('Fast * 3');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('figure', { name: 'Math 1' }).waitFor();
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('dialog').getByText('Your token may only read.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save as a new view' }).count(), 0);
    await client.removeCalculated(topic, 'Tenth');
  });

  async function readToken(): Promise<string> {
    const response = await fetch(`${service.url}/admin/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['read'] }),
    });
    return ((await response.json()) as { token: string }).token;
  }

  it('follow what is written, of the view and of the topic', async () => {
    await client.defineCalculated(topic, [{ id: 'Tenth', expression: 'Fast / 10' }]);
    await writeSeed(client, 'live', seedStart, 0, 5);
    const math = encodeURIComponent('Step,difference(Fast),bar');
    const { page, faults } = await signedIn(`#s=${topic}/live&p=Step&p=Tenth&m=${math}&live=1`);
    await following(page);
    await writeSeed(client, 'live', seedStart, 5, 40);
    const newest = (await rowsOf('difference(Fast)', 'live')).at(-1)!;
    for (const [plot, expression] of ['difference(Fast)', 'Fast / 10'].entries()) {
      const rows = await rowsOf(expression, 'live');
      await until(async () => {
        const frame = await page.locator('.plot .u-over').nth(plot).boundingBox();
        // A plot may be made anew just now.
        if (frame === null) return false;
        await page.mouse.move(frame.x + frame.width - 2, frame.y + frame.height / 2);
        const [own] = readingsOf((await peek(page)).plots[plot]!, 1);
        if (own === undefined || own.to < newest.time - second) return false;
        holds(own, rows, expression);
        return true;
      });
    }
    await client.removeCalculated(topic, 'Tenth');
    assert.deepEqual(faults, []);
  });

  it('are worked out anew for laps that are over, too, when they are changed while live data is followed', async () => {
    const over = `mode=overlay&tag=lap&pick=${topic}/one/1&p=Twice&live=1`;
    const { page, faults } = await signedIn(`#topic=${topic}&s=${topic}/one&${over}&m=Twice,Fast*2`);
    await page.locator('.plot-row.overlay canvas').first().waitFor();
    const box = (await page.locator('.plot .u-over').last().boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.1, box.y + box.height / 2);
    const read = async () => Number.parseFloat((await peek(page)).plots.at(-1)!.readings[0] ?? '');
    await until(async () => Number.isFinite(await read()) && (await read()) !== 0);
    const twice = await read();
    await page.evaluate(`location.hash = location.hash.replace('*2', '*4').replace('%2A2', '%2A4')`);
    await until(async () => (await read()) === twice * 2);
    assert.deepEqual(faults, []);
  });

  it('have no fault of accessibility that a machine finds', async () => {
    const { page } = await signedIn(`#s=${topic}/one&p=Fast&${range}`);
    await plotted(page);
    await page.getByRole('button', { name: '+ channel' }).click();
    await isAccessible(page, 'a new channel');
    await page.getByLabel('Expression').pressSequentially('fa');
    await page.getByRole('option', { name: /^Fast bar/ }).waitFor();
    await isAccessible(page, 'names that are offered');
    await page.getByLabel('Expression').fill('2 * / 3');
    await page.locator('.flawed mark').waitFor();
    await isAccessible(page, 'a flaw');
  });
});
