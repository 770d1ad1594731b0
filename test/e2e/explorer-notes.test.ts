import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { isAccessible } from './explorer-axe.ts';
import { browserPages, following, plotted, serviceWithCars, skip, toTab } from './explorer-page.ts';
import { peek, scaleThrough, timeOf } from './explorer-peek.ts';

const second = 1_000_000_000n;
const topic = 'cars';

describe("the explorer's notes", { skip }, async () => {
  if (skip !== false) return;
  const { service, client, samples, start } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const range = `from=${start + 10n * second}&to=${start + 30n * second}`;
  const shown = `#s=${topic}/practice&p=Speed&p=Gear&${range}`;

  const notesOf = async (streamId: string) =>
    (await client.eventData({ topic, streamIds: [streamId], eventIds: ['note'] }))['note'] ?? [];
  const statusOf = async (streamId: string) =>
    (await client.streams({ topic, streamIds: [streamId] }))[0]!.status;
  const textField = (page: Page) => page.getByRole('textbox', { name: 'Text' });
  const isClosed = (page: Page) => page.locator('dialog.note[open]').waitFor({ state: 'detached' });
  const flagTexts = (page: Page) =>
    page.evaluate("[...document.querySelectorAll('.note-flag span')].map(({ title }) => title)");
  const write = (time: bigint, value: string, streamId = 'practice') =>
    client.writeEvents(topic, streamId, [{ id: 'note', timestamp: time, value }]);

  it('are written at the exact time of a row, changed and removed, by keyboard alone', async () => {
    const { page, faults } = await signedIn(`${shown}&panel=events`);
    await plotted(page);
    const plots = page.getByRole('region', { name: 'Plots' });
    await plots.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    const at = timeOf((await page.getByLabel('Time at the cursor').textContent())!);
    const step = samples[1]!.seconds - samples[0]!.seconds;
    assert.ok(step > 0);
    await page.keyboard.press('n');
    await page
      .getByRole('dialog')
      .getByText(/\d{2}:\d{2}\.\d{9}$/)
      .waitFor();
    await page.keyboard.type('Late on the brake');
    await page.keyboard.press('Enter');
    await isClosed(page);
    assert.deepEqual(await notesOf('practice'), [{ timestamp: at, value: 'Late on the brake', tags: {} }]);
    const rows = await client.query({
      topic,
      streamIds: ['practice'],
      from: at,
      to: at,
      numericParameters: [{ parameterName: 'Speed' }],
    });
    assert.equal(rows.timestamps.length, 1);
    await until(async () => JSON.stringify(await flagTexts(page)) === '["Late on the brake"]');
    await page.getByRole('button', { name: /Late on the brake$/ }).waitFor();
    assert.equal(await page.locator('.note-flag').count(), 2);

    // The same moment again is the same note.
    await plots.focus();
    await page.keyboard.press('n');
    assert.equal(await textField(page).inputValue(), 'Late on the brake');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change the note “Late on the brake”' }).press('Enter');
    await textField(page).fill('Too late on the brake');
    await page.keyboard.press('Enter');
    await isClosed(page);
    assert.deepEqual(await notesOf('practice'), [
      { timestamp: at, value: 'Too late on the brake', tags: {} },
    ]);
    await page.getByRole('button', { name: 'Change the note “Too late on the brake”' }).press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await isClosed(page);
    await page.locator('.note-flag').first().waitFor({ state: 'detached' });
    assert.deepEqual(
      (await notesOf('practice')).map(({ value }) => value),
      [''],
    );
    assert.deepEqual(faults, []);
  });

  it('are written at A with a button, and stand in Measure', async () => {
    const { page, faults } = await signedIn(`${shown}&panel=measure`);
    await plotted(page);
    await page
      .locator('.plot .u-over')
      .first()
      .click({ position: { x: 300, y: 60 } });
    await page.mouse.move(5, 5);
    await page.getByRole('button', { name: 'Write a note at A' }).click();
    await textField(page).fill('At A\nand on a second line');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await isClosed(page);
    const a = BigInt(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('a')!);
    const [own] = (await notesOf('practice')).filter(({ value }) => value !== '');
    assert.deepEqual(own, { timestamp: a, value: 'At A\nand on a second line', tags: {} });
    await page.getByRole('region', { name: 'Measure' }).getByText('At A').waitFor();
    // A click on its flag opens it.
    await page.locator('.note-flag span').click();
    assert.equal(await textField(page).inputValue(), 'At A\nand on a second line');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await isClosed(page);
    assert.deepEqual(faults, []);
  });

  it('leave a closed run closed, as it was closed', async () => {
    for (const [endType, streamId] of [
      ['Closed', 'practice'],
      ['Aborted', 'other'],
    ] as const) {
      await client.closeStream(topic, streamId, endType);
      const { page } = await signedIn(`#s=${topic}/${streamId}&p=Speed&a=${start + 2n * second}`);
      await plotted(page);
      await page.getByRole('button', { name: 'Write a note at A' }).click();
      await textField(page).fill('After the end');
      await page.keyboard.press('Enter');
      await isClosed(page);
      assert.equal(await statusOf(streamId), endType);
    }
    for (const streamId of ['practice', 'other']) await write(start + 2n * second, '', streamId);
  });

  it('do not replace what somebody else has written meanwhile, nor make a run anew', async () => {
    const time = start + 12n * second;
    const { page, faults } = await signedIn(`${shown}&a=${time}`);
    await plotted(page);
    await page.getByRole('button', { name: 'Write a note at A' }).click();
    await textField(page).fill('Ours');
    await write(time, 'Theirs');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Somebody else has written “Theirs” here').waitFor();
    const at = async () => (await notesOf('practice')).find(({ timestamp }) => timestamp === time)?.value;
    assert.equal(await at(), 'Theirs');
    await textField(page).press('Enter');
    await isClosed(page);
    assert.equal(await at(), 'Ours');
    await write(time, '');

    await client.writeParameterData(topic, 'gone', {
      timestamps: [time, time + second],
      numericValues: { Speed: [1, 2] },
    });
    const { page: late } = await signedIn(`#s=${topic}/gone&p=Speed&a=${time}`);
    await plotted(late);
    await late.getByRole('button', { name: 'Write a note at A' }).click();
    await textField(late).fill('Too late');
    await fetch(`${service.url}/streams/delete`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ streamIds: ['gone'], hardDelete: true }),
    });
    await late.keyboard.press('Enter');
    await late.getByRole('alert').getByText('This run is not there any more.').waitFor();
    assert.deepEqual(await client.streams({ streamIds: ['gone'] }), []);
    assert.deepEqual(faults, []);
  });

  it('come to others: at once to who follows live, and within seconds to who looks', async () => {
    await write(start + 11n * second, 'First');
    const { page: live } = await signedIn(`#s=${topic}/practice&p=Speed&live=1&panel=events`);
    const { page: still } = await signedIn(`${shown}&panel=events`);
    await following(live);
    await plotted(live);
    await still.getByRole('button', { name: /First$/ }).waitFor();
    const { dataEnd } = (await client.streams({ topic, streamIds: ['practice'] }))[0]!;
    await write(dataEnd! - second, 'Just now');
    await live.getByRole('button', { name: /Just now$/ }).waitFor();
    await write(start + 11n * second, 'First, changed');
    await still.getByRole('button', { name: /First, changed$/ }).waitFor();
    for (const time of [start + 11n * second, dataEnd! - second]) await write(time, '');
  });

  it('stay where they are while live data is drawn under them, so that they can be clicked', async () => {
    const writeRow = (i: number) =>
      client.writeParameterData(topic, 'onair', {
        timestamps: [start + BigInt(i) * second],
        numericValues: { Speed: [i] },
      });
    await writeRow(0);
    await client.writeEvents(topic, 'onair', [{ id: 'note', timestamp: start, value: 'Under way' }]);
    const { page } = await signedIn(`#s=${topic}/onair&p=Speed&live=1`);
    const text = page.locator('.note-flag span');
    await text.waitFor();
    const flag = await text.elementHandle();
    for (let i = 1; i < 4; i++) {
      await writeRow(i);
      await until(async () => timeOf((await peek(page)).range[1] ?? '') === start + BigInt(i) * second);
    }
    assert.ok(await flag!.evaluate((element) => element.isConnected));
    await text.click();
    assert.equal(await textField(page).inputValue(), 'Under way');
  });

  it('are not lost while they are typed: by Escape, where one leaves, for a note of another run', async () => {
    const time = start + 25n * second;
    await write(time, 'Of the other run', 'other');
    const { page, faults } = await signedIn(`${shown}&s=${topic}/other&a=${time}&panel=events`);
    await page.getByRole('button', { name: /Of the other run$/ }).waitFor();
    await page.getByRole('button', { name: 'Write a note at A' }).click();
    await textField(page).fill('Half of a');
    await page.keyboard.press('Escape');
    await page.getByRole('alert').getByText('Escape again throws it away').waitFor();
    const question = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    assert.equal((await question).type(), 'beforeunload');
    await (await question).dismiss();
    await page.getByRole('combobox', { name: 'Run' }).selectOption({ index: 1 });
    await page.getByRole('alert').getByText('Save replaces “Of the other run” of this run').waitFor();
    assert.equal(await textField(page).inputValue(), 'Half of a');
    await textField(page).fill('Of the other run');
    await page.getByRole('combobox', { name: 'Run' }).selectOption({ index: 0 });
    assert.equal(await textField(page).inputValue(), '');
    const closed = page.waitForEvent('close');
    page.on('dialog', () => assert.fail('it asked again'));
    await page.close({ runBeforeUnload: true });
    await closed;
    await write(time, '', 'other');
    assert.deepEqual(faults, []);
  });

  it('are of the run that one chooses, and keep their tags', async () => {
    const time = start + 3n * second;
    await client.writeEvents(topic, 'practice', [
      { id: 'note', timestamp: time, value: 'By a program', tags: { by: 'box' } },
    ]);
    const { page } = await signedIn(
      `#s=${topic}/practice&s=${topic}/other&p=Speed&a=${time + 1n}&panel=events`,
    );
    await plotted(page);
    await page.getByRole('button', { name: 'Write a note at A' }).click();
    await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'Another car' });
    await textField(page).fill('Of the other');
    await page.keyboard.press('Enter');
    await isClosed(page);
    assert.ok(
      (await notesOf('other')).some(
        ({ value, timestamp }) => value === 'Of the other' && timestamp === time + 1n,
      ),
    );
    await page.getByRole('button', { name: 'Change the note “By a program”' }).click();
    await textField(page).fill('By a person');
    await page.keyboard.press('Enter');
    await isClosed(page);
    const own = (await notesOf('practice')).filter(({ timestamp }) => timestamp === time);
    assert.deepEqual(own, [{ timestamp: time, value: 'By a person', tags: { by: 'box' } }]);
    await client.writeEvents(topic, 'practice', [
      { id: 'note', timestamp: time, value: '', tags: { by: 'box' } },
    ]);
    await write(time + 1n, '', 'other');
  });

  it('stand over distance where their lap was, and are written there for the first lap', async () => {
    const { timestamps, numericValues } = await client.query({
      topic,
      streamIds: ['practice'],
      tagFilters: [{ tag: 'lap', value: '2' }],
      numericParameters: [{ parameterName: 'Distance' }],
    });
    const row = Math.floor(timestamps.length / 2);
    await write(timestamps[row]!, 'Half way');
    const { page, faults } = await signedIn(
      `#s=${topic}/practice&p=Speed&mode=overlay&tag=lap&value=2&value=3&by=Distance`,
    );
    await plotted(page);
    const flag = page.locator('.overlay .note-flag').first();
    await flag.waitFor();
    const placeAt = async (left: number) => {
      const ticks = (await peek(page)).ticks;
      return scaleThrough(ticks.map(({ text, x }) => [x, Number(text.replaceAll(',', ''))]))(left);
    };
    const canvas = (await page.locator('.plot canvas').first().boundingBox())!;
    const box = (await flag.boundingBox())!;
    const place = await placeAt(box.x - canvas.x);
    const expected = numericValues['Distance']![row]!;
    assert.ok(Math.abs(place - expected) < 15, `${place} m for ${expected} m`);

    await page.mouse.move(box.x + 150, canvas.y + 60);
    const at = await placeAt(box.x + 150 - canvas.x);
    await page.getByRole('region', { name: 'Overlay' }).press('n');
    await textField(page).fill('Of lap 2');
    await page.keyboard.press('Enter');
    await isClosed(page);
    const own = (await notesOf('practice')).find(({ value }) => value === 'Of lap 2')!;
    const written = numericValues['Distance']![timestamps.indexOf(own.timestamp)];
    assert.ok(written != null && Math.abs(written - at) < 15, `${written} m for ${at} m`);
    for (const time of [timestamps[row]!, own.timestamp]) await write(time, '');
    assert.deepEqual(faults, []);
  });

  it('are listed by Measure over distance, those between A and B, and brought to the middle there', async () => {
    const { timestamps, numericValues } = await client.query({
      topic,
      streamIds: ['practice'],
      tagFilters: [{ tag: 'lap', value: '2' }],
      numericParameters: [{ parameterName: 'Distance' }],
    });
    const rows = [Math.floor(timestamps.length / 3), Math.floor((2 * timestamps.length) / 3)] as const;
    const places = rows.map((row) => numericValues['Distance']![row]!);
    await write(timestamps[rows[0]]!, 'A third');
    await write(timestamps[rows[1]]!, 'Two thirds');
    const hash = `#s=${topic}/practice&p=Speed&mode=overlay&tag=lap&value=2&value=3&by=Distance&panel=measure`;
    const { page, faults } = await signedIn(hash);
    await plotted(page);
    const listed = page.getByRole('region', { name: 'Measure' }).locator('.notes li');
    await until(async () => (await listed.count()) === 2);
    await listed.getByRole('button', { name: /A third$/ }).click();
    await until(() => /across=/.test(page.url()));
    const [low, high] = /across=([^&]+)/.exec(decodeURIComponent(page.url()))![1]!.split('~').map(Number);
    assert.ok(Math.abs((low! + high!) / 2 - places[0]!) < 15, `${low} to ${high} for ${places[0]}`);

    await page.evaluate(`location.hash = '${hash}&pa=${places[1]! - 20}&pb=${places[1]! + 20}'`);
    await until(async () => (await listed.count()) === 1);
    await listed.getByRole('button', { name: /Two thirds$/ }).waitFor();
    for (const row of rows) await write(timestamps[row]!, '');
    assert.deepEqual(faults, []);
  });

  it('are shown by a shared link and to a token that may only read, which cannot write them', async () => {
    const time = start + 15n * second;
    await write(time, 'For all');
    await client.putView('noted', {
      name: 'Noted',
      topic,
      streamIds: ['practice'],
      state: { explorer: `${shown}&panel=events&a=${time}` },
    });
    const { token: shared } = await client.share('noted');
    const response = await fetch(`${service.url}/admin/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['read'] }),
    });
    const { token } = (await response.json()) as { token: string };
    const guest = await open(service.url, `#view=noted&token=${shared}`);
    const reader = await open(service.url, `${shown}&panel=events&a=${time}`, { token });
    for (const [{ page, faults }, reason] of [
      [guest, 'This link is to read only: it cannot write notes.'],
      [reader, 'Your token may only read.'],
    ] as const) {
      await plotted(page);
      await page.getByRole('button', { name: /For all$/ }).waitFor();
      assert.deepEqual(await flagTexts(page), ['For all']);
      assert.equal(await page.getByRole('button', { name: /^(Write|Change)/ }).count(), 0);
      await page.getByRole('region', { name: 'Plots' }).press('n');
      await page.getByRole('dialog').getByText(reason).waitFor();
      assert.equal(await textField(page).count(), 0);
      assert.deepEqual(faults, []);
    }
    await client.deleteView('noted');
    await write(time, '');
  });

  it('do not stop the page where a program has written very many', async () => {
    const times = Array.from({ length: 3000 }, (_, i) => start + BigInt(i) * 10_000_000n);
    await client.writeParameterData(topic, 'chatty', {
      timestamps: times,
      numericValues: { Speed: times.map(() => 1) },
    });
    await client.writeEvents(
      topic,
      'chatty',
      times.map((timestamp, i) => ({ id: 'note', timestamp, value: `n${i}` })),
    );
    const { page } = await signedIn(`#s=${topic}/chatty&p=Speed&panel=events`);
    await plotted(page);
    await page.getByText('There are too many notes to show').waitFor();
    assert.equal(await page.locator('.note-flag').count(), 0);
    await page.evaluate(`location.hash += '&from=${times[100]}&to=${times[120]}'`);
    await page.getByRole('button', { name: /n110$/ }).waitFor();
    await until(async () => (await page.locator('.note-flag').count()) === 21);
    // Another run has few: all of them are read, whatever is seen of it.
    const asked: string[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('"eventIds":["note"]') && body.includes('"other"')) asked.push(body);
    });
    await page.evaluate(`location.hash = '#s=${topic}/other&p=Speed&panel=events&${range}'`);
    await until(() => asked.length > 0);
    await plotted(page);
    for (const body of asked) assert.ok(!body.includes('"from"'), body);
  });

  it('have no fault of accessibility that a machine finds', async () => {
    await write(start + 15n * second, 'For all');
    const { page } = await signedIn(`${shown}&panel=events&a=${start + 12n * second}`);
    await plotted(page);
    await page.locator('.note-flag').first().waitFor();
    await isAccessible(page, 'notes');
    await toTab(page, 'Measure');
    await isAccessible(page, 'notes in Measure');
    await page.getByRole('button', { name: 'Write a note at A' }).click();
    await textField(page).waitFor();
    await isAccessible(page, 'a new note');
  });

  it('can be typed at once, also before the page knows whether the token may write', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { page } = await open(service.url, shown, {
      token: service.token,
      prepare: (page) =>
        page.route('**/topics/any/calculated', async (route) => {
          await held;
          await route.continue();
        }),
    });
    await plotted(page);
    const plots = page.getByRole('region', { name: 'Plots' });
    await plots.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/\d{2}:\d{2}\.\d{9}$/).waitFor();
    await page.keyboard.type('Early');
    assert.equal(await textField(page).inputValue(), 'Early');
    letGo();
    await page.keyboard.press('Enter');
    await isClosed(page);
    const written = await notesOf('practice');
    assert.ok(written.some(({ value }) => value === 'Early'));
  });
});
