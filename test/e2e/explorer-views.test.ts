import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { announce } from '../../src/demo/record.ts';
import { until } from '../until.ts';
import { isAccessible } from './explorer-axe.ts';
import { browserPages, following, holdBack, plotted, serviceWithCars, skip, toTab } from './explorer-page.ts';
import { differingShare } from './explorer-pixels.ts';

/** Of all pixels of the plots. */
const mostDiffering = 0.001;

describe("the explorer's views and shares", { skip }, async () => {
  if (skip !== false) return;
  const { service, client, start } = await serviceWithCars();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const seen = `from=${start + 20_000_000_000n}&to=${start + 60_000_000_000n}`;

  async function saveAs(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('button', { name: 'Save as a new view' }).click();
    await page.getByText(`Saved “${name}”.`).waitFor();
  }
  const idOf = async (name: string) => (await client.views()).find((view) => view.name === name)?.id;

  it('saves what is seen, opens it again, renames and removes it, by keyboard alone', async () => {
    const { page, faults } = await signedIn(`#s=cars/practice&p=Speed&p=Gear&${seen}&panel=measure`);
    await plotted(page);
    await page.getByRole('button', { name: 'Views', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name', { exact: true }).focus();
    await page.keyboard.type('Gears of lap 1');
    await page.keyboard.press('Enter');
    await page.getByText('Saved “Gears of lap 1”.').waitFor();
    const id = await idOf('Gears of lap 1');
    assert.ok(id !== undefined);
    assert.deepEqual((await client.view(id)).streamIds, ['practice']);
    await page.keyboard.press('Escape');

    await page.evaluate(`location.hash = '#s=cars/other&p=Brake'`);
    await page.getByRole('figure', { name: 'Brake' }).waitFor();
    await page.getByRole('button', { name: 'Views', exact: true }).press('Enter');
    const line = page.getByRole('button', { name: /^Gears of lap 1/ });
    await line.press('Enter');
    await page.getByRole('figure', { name: 'Gear' }).waitFor();
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    assert.deepEqual(fields.getAll('p'), ['Speed', 'Gear']);
    assert.equal(`from=${fields.get('from')}&to=${fields.get('to')}`, seen);
    assert.equal(fields.get('panel'), 'measure');
    await page.goBack();
    await page.getByRole('figure', { name: 'Brake' }).waitFor();

    await page.getByRole('button', { name: 'Views', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Rename Gears of lap 1' }).press('Enter');
    await page.getByLabel('New name').fill('Gears');
    await page.getByLabel('New name').press('Enter');
    await page.getByRole('button', { name: 'Rename Gears', exact: true }).waitFor();
    assert.equal((await client.view(id)).name, 'Gears');
    await page.getByRole('button', { name: 'Remove Gears', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Remove “Gears”' }).press('Enter');
    await page.getByText('No view is saved yet.').waitFor();
    assert.deepEqual(await client.views(), []);
    assert.deepEqual(faults, []);
  });

  it('opens the view that the address names, and says so where there is none', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Throttle');
    await plotted(page);
    await saveAs(page, 'By address');
    const id = await idOf('By address');
    const { page: other } = await signedIn(`#view=${id}`);
    await other.getByRole('figure', { name: 'Throttle' }).waitFor();
    await client.putView('by-program', {
      name: 'By a program',
      topic: 'cars',
      streamIds: ['other'],
      state: [1],
    });
    await other.evaluate("location.hash = '#view=by-program'");
    await other.getByRole('figure', { name: 'Speed' }).waitFor();
    assert.match(other.url(), /s=cars%2Fother/);
    await other.getByRole('button', { name: 'Views', exact: true }).click();
    await other.getByRole('button', { name: /^By a program/ }).waitFor();
    assert.equal(
      await other.getByRole('button', { name: /^(Save changes to|Rename By a program)/ }).count(),
      0,
    );
    await other.getByRole('button', { name: 'Close' }).click();
    await other.evaluate("location.hash = '#view=nowhere'");
    await other.getByText('There is no such view').waitFor();
    for (const name of [id!, 'by-program']) await client.deleteView(name);
    assert.deepEqual(faults, []);
  });

  it('tells that somebody else has changed a view, and lets one choose', async () => {
    const { page, faults } = await signedIn('#s=cars/practice&p=Speed');
    await plotted(page);
    await saveAs(page, 'Ours');
    const id = (await idOf('Ours'))!;
    const theirs = {
      name: 'Ours',
      topic: 'cars',
      streamIds: ['other'],
      state: { explorer: '#s=cars/other&p=Gear' },
    };
    const { etag } = await client.putView(id, theirs);
    await page.reload();
    await plotted(page);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('button', { name: 'Save changes to “Ours”' }).click();
    await page.getByRole('alert').getByText('Somebody else has changed').waitFor();
    assert.equal((await client.view(id)).etag, etag);
    await page.getByRole('button', { name: 'Open theirs' }).click();
    await page.getByRole('figure', { name: 'Gear' }).waitFor();

    await client.putView(id, { ...theirs, name: 'Theirs' });
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('button', { name: 'Save changes to' }).click();
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByText('Saved over theirs.').waitFor();
    assert.match(JSON.stringify((await client.view(id)).state), /p=Gear/);
    await page.getByRole('button', { name: 'Save changes to' }).click();
    await page.getByText('Saved “Theirs”.').waitFor();

    // Somebody removes it, and another one while it is listed.
    await client.putView(id, theirs);
    await page.getByRole('button', { name: 'Remove Theirs' }).click();
    await page.getByRole('button', { name: 'Remove “Theirs”' }).click();
    await page.getByRole('alert').getByText('Somebody else has changed').waitFor();
    assert.equal((await client.view(id)).name, 'Ours');
    await client.deleteView(id);
    assert.deepEqual(faults, []);
  });

  it('shares a link that shows the same picture in a fresh browser, to read only, until it is revoked', async () => {
    const math = encodeURIComponent('Long,derivative(Speed) / 3.6,m/s²');
    const time = start + 30_000_000_000n;
    await client.writeEvents('cars', 'practice', [
      { id: 'note', timestamp: time, value: 'Late on the brake' },
    ]);
    const { page, faults } = await signedIn(
      `#s=cars/practice&p=Speed&p=Throttle,Brake&p=Long&p=Gear&m=${math}&${seen}`,
    );
    await plotted(page);
    await page.locator('.note-flag span').waitFor();
    await saveAs(page, 'To share');
    await page.getByRole('button', { name: 'Close' }).click();
    // The view is open: it can be shared at once.
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();
    assert.ok(link.startsWith(`${service.url}/#view=`), link);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.mouse.move(0, 0);
    await page.locator('.lap-table').waitFor();

    const { page: guest, faults: guestFaults } = await open(service.url, new URL(link).hash);
    const refused: string[] = [];
    guest.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    await plotted(guest);
    await guest.locator('.lap-table').waitFor();
    await guest.getByRole('figure', { name: 'Long' }).waitFor();
    await guest.locator('.note-flag span', { hasText: 'Late on the brake' }).waitFor();
    assert.ok(!guest.url().includes('token'));
    const pictures = await Promise.all([page, guest].map((tab) => tab.locator('.plots').screenshot()));
    const differing = await differingShare(page, pictures[0]!, pictures[1]!);
    assert.ok(differing <= mostDiffering, `${differing} of the pixels differ`);

    await guest.getByText('Shared, read only').waitFor();
    assert.equal(await guest.getByRole('button', { name: 'Views', exact: true }).count(), 0);
    assert.equal(await guest.getByRole('button', { name: 'Import' }).count(), 0);
    for (const tab of ['Measure', 'Events', 'Runs']) await toTab(guest, tab);
    await guest.getByRole('list', { name: 'Runs found' }).getByText('Friday practice').waitFor();
    assert.equal(await guest.getByText('Another car').count(), 0);
    for (const mode of ['Distance', 'XY', 'Rows', 'Time'])
      await guest.getByRole('button', { name: mode, exact: true }).click();
    await guest.getByRole('button', { name: 'Follow live' }).click();
    await following(guest);
    await guest.getByRole('button', { name: 'Pause' }).click();
    await guest.reload();
    await plotted(guest);
    assert.deepEqual(refused, []);
    assert.equal(await guest.evaluate('localStorage.length'), 0);

    // Into the address of a page that is open.
    const { page: other } = await signedIn('#s=cars/other&p=Brake');
    await plotted(other);
    await other.evaluate(`location.hash = ${JSON.stringify(new URL(link).hash)}`);
    await other.getByText('Shared, read only').waitFor();
    await other.getByRole('figure', { name: 'Gear' }).waitFor();
    assert.ok(!other.url().includes('token'));
    // It goes back to the token that it was signed in with.
    await other.getByRole('button', { name: 'More', exact: true }).click();
    await other.getByRole('button', { name: 'Leave the shared view' }).click();
    await other.getByRole('button', { name: 'Views', exact: true }).waitFor();
    assert.equal(await other.getByText('Shared, read only').count(), 0);
    await other.evaluate(`location.hash = ${JSON.stringify(new URL(link).hash)}`);
    await other.getByText('Shared, read only').waitFor();

    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('button', { name: 'Share To share' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('list', { name: 'Links to To share' }).waitFor({ state: 'detached' });
    await guest.getByText('This link has ended').waitFor();
    // Who was signed in before is again.
    await other.getByRole('button', { name: 'Views', exact: true }).waitFor();
    await other.getByRole('figure', { name: 'Gear' }).waitFor();
    const { page: late } = await open(service.url, new URL(link).hash);
    await late.getByText('This link has ended').waitFor();
    assert.deepEqual([...faults, ...guestFaults], []);
    await client.deleteView((await idOf('To share'))!);
  });

  it('differs where the picture does', async () => {
    const { page } = await signedIn(`#s=cars/practice&p=Speed&${seen}`);
    await plotted(page);
    const first = await page.locator('.plots').screenshot();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.waitForURL((url) => !url.hash.includes(seen));
    await plotted(page);
    let differing = 0;
    await until(async () => {
      differing = await differingShare(page, first, await page.locator('.plots').screenshot());
      return differing > mostDiffering * 5;
    });
  });

  it('offers no writing to a token that may only read, and says why', async () => {
    await client.putView('seen', { name: 'Seen', topic: 'cars', streamIds: ['practice'], state: [1] });
    const response = await fetch(`${service.url}/admin/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['read'] }),
    });
    const { token } = (await response.json()) as { token: string };
    const { page, faults } = await open(service.url, '#s=cars/practice&p=Speed', { token });
    await plotted(page);
    assert.ok(await page.getByRole('button', { name: 'Import' }).isDisabled());
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Seen/ }).waitFor();
    await dialog.getByText('Your token may only read. To write, sign in').waitFor();
    assert.equal(await dialog.getByRole('button', { name: /Save|Share|Rename|Remove/ }).count(), 0);
    await dialog.getByRole('button', { name: /^Seen/ }).click();
    await page.waitForURL((url) => url.hash.includes('view=seen'));
    await client.deleteView('seen');
    assert.deepEqual(faults, []);
  });

  it('offers no link to runs of two topics', async () => {
    await client.writeParameterData('boats', 'sail', { timestamps: [start], numericValues: { Speed: [1] } });
    const { page } = await signedIn('#s=cars/practice&s=boats/sail&p=Speed');
    await plotted(page);
    await saveAs(page, 'Mixed');
    await page.getByRole('button', { name: 'Share Mixed' }).click();
    await page.getByText('Only a view of runs of one topic can be shared.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Make a link' }).count(), 0);
  });

  it('leaves the top one line, with a long name of a run, live too', async () => {
    await announce(client, 'cars', 'long', 'Saturday practice, car 23, third stint', {});
    await client.writeParameterData('cars', 'long', {
      timestamps: [start, start + 1_000_000_000n],
      numericValues: { Speed: [1, 2] },
    });
    for (const live of ['', '&live=1']) {
      const { page } = await signedIn(`#s=cars/long&p=Speed${live}`);
      await page.getByText('Saturday practice').first().waitFor();
      if (live !== '') await following(page);
      for (const width of [1024, 1152, 1241, 1280]) {
        await page.setViewportSize({ width, height: 700 });
        const [height, most, cut] = (await page.evaluate(`[
          document.querySelector('.top').offsetHeight,
          Math.max(...[...document.querySelector('.top').children].map((part) => part.getBoundingClientRect().right)),
          [...document.querySelectorAll('.time input')].filter((field) => field.scrollWidth > field.clientWidth).length,
        ]`)) as number[];
        assert.ok(height! < 50 && most! <= width, `${height} × ${most} at ${width}`);
        assert.equal(cut, 0, `times are cut at ${width}`);
      }
    }
  });

  it('leaves what one aims at in its place while a dialog fills', async () => {
    await client.putView('filling', {
      name: 'Filling',
      topic: 'cars',
      streamIds: ['practice'],
      state: { explorer: '#s=cars/practice&p=Speed' },
    });
    await client.share('filling');
    const { page } = await signedIn('#view=filling');
    await plotted(page);
    const placeOf = async (name: string) => page.getByRole('button', { name, exact: true }).boundingBox();

    const listViews = await holdBack(page, '**/views');
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    const title = page.getByRole('heading', { name: 'Views' });
    const early = await title.boundingBox();
    assert.equal(await page.getByRole('button', { name: 'Save as a new view' }).count(), 0);
    await listViews.goOn();
    await page.getByRole('button', { name: 'Save changes to “Filling”' }).waitFor();
    assert.deepEqual(await title.boundingBox(), early);

    const listLinks = await holdBack(page, '**/views/filling/shares');
    await page.getByRole('button', { name: 'Share Filling' }).click();
    const aimedAt = await placeOf('Make a link');
    await listLinks.goOn();
    await page.getByRole('list', { name: 'Links to Filling' }).waitFor();
    assert.deepEqual(await placeOf('Make a link'), aimedAt);
    await page.getByRole('button', { name: 'Close' }).click();

    // A view that is open is not offered to be saved first while it is looked for.
    await page.unrouteAll();
    const lookForViews = await holdBack(page, '**/views');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Copy the address' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save the view' }).count(), 0);
    await lookForViews.goOn();
    await page.getByRole('button', { name: 'Make a link' }).waitFor();
    await client.deleteView('filling');
  });

  it('has no fault of accessibility that a machine finds', async () => {
    await client.putView('seen', {
      name: 'Seen',
      topic: 'cars',
      streamIds: ['practice'],
      state: { explorer: '#s=cars/practice&p=Speed' },
    });
    const { token } = await client.share('seen');
    const { page } = await open(service.url, '#view=seen', { token: service.token });
    await plotted(page);
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('button', { name: 'Share Seen' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByLabel('Link', { exact: true }).waitFor();
    await isAccessible(page, 'links');
    await page.getByRole('button', { name: 'Rename Seen' }).click();
    await isAccessible(page, 'renaming');
    const { page: guest } = await open(service.url, `#view=seen&token=${token}`);
    await plotted(guest);
    await isAccessible(guest, 'a shared view');
  });
});
