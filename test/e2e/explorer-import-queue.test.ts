import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { makeLd, makeLdx } from '../import/motec/made-ld.ts';
import { until } from '../until.ts';
import { isAccessible } from './explorer-axe.ts';
import { browserPages, holdBack, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

/** A file of seconds since a start that is not in it. */
const elapsed = (rows: number) => `t,Speed,Gear\n${times(rows, (i) => `${i / 10},${100 + i},${i % 6}`)}`;
/** A file of dates. */
const dated = (rows: number, day = '2026-05-31') =>
  `Time,Speed,Gear\n${times(rows, (i) => `${day} 12:00:0${i}Z,${100 + i},${i % 6}`)}`;

function times(count: number, line: (i: number) => string): string {
  return `${Array.from({ length: count }, (_, i) => line(i)).join('\n')}\n`;
}

function file(name: string, content: string | Uint8Array) {
  return { name, mimeType: '', buffer: Buffer.from(content) };
}

describe('several files in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const signedIn = (options = {}) => open(service.url, '', { token: service.token, ...options });
  const choose = (page: Page, files: readonly ReturnType<typeof file>[]) =>
    page.getByLabel('File to import').setInputFiles([...files]);
  const speeds = async (topic: string, streamId: string) => {
    const { numericValues, timestamps } = await client.query({
      topic,
      streamIds: [streamId],
      numericParameters: [{ parameterName: 'Speed' }],
    });
    return { speeds: numericValues['Speed'] ?? [], timestamps };
  };

  it('are all taken, read, written one after the other, and told of; one that fails stops no other', async () => {
    const { page, faults } = await signedIn();
    const ld = makeLd([
      { name: 'Speed', unit: 'km/h', kind: [3, 2], rate: 10, samples: Uint8Array.of(1, 0, 2, 0) },
    ]);
    await choose(page, [
      file('one.csv', dated(3)),
      file('broken.mf4', 'none'),
      file('monza.ldx', makeLdx(['1e+05'])),
      file('two.csv', dated(5)),
      file('wrong.csv', 'Time,Speed\n2026-01-01T00:00:00Z,1\nsoon,2\n2026-01-01T00:00:02Z,3\n'),
      file('monza.ld', ld),
    ]);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Import 5 files' }).waitFor();
    const listed = dialog.getByRole('list', { name: 'Files' }).getByRole('listitem');
    await dialog.getByRole('button', { name: 'Import 4 files' }).waitFor();
    assert.deepEqual(await listed.locator('.file-name').allInnerTexts(), [
      'one.csv',
      'broken.mf4',
      'two.csv',
      'wrong.csv',
      'monza.ld',
    ]);
    await isAccessible(page, 'the queue');
    await dialog.getByLabel('Topic').fill('several');
    await dialog.getByRole('button', { name: 'All files to this topic' }).click();
    await dialog.getByRole('button', { name: 'Import 4 files' }).click();
    await dialog.getByText('3 of 5 files are in, with 10 rows.').waitFor();
    await dialog.getByText('byte 0: the head of an MDF file needs 64 bytes').waitFor();
    await dialog.getByText('1 row cannot be imported; nothing was written.').waitFor();
    await dialog.getByText("line 3: column Time: 'soon' is no time").waitFor();
    await isAccessible(page, 'the summary');
    assert.deepEqual((await client.streams({ topic: 'several' })).map(({ streamId }) => streamId).sort(), [
      'monza',
      'one',
      'two',
    ]);
    assert.deepEqual((await speeds('several', 'two')).speeds, [100, 101, 102, 103, 104]);
    // The laps of the .ldx belong to the .ld.
    assert.deepEqual(await client.tagValues('LapNumber', { topic: 'several', streamIds: ['monza'] }), [
      '1',
      '2',
    ]);

    await dialog.getByRole('button', { name: 'Import the other 2 rows' }).click();
    await dialog.getByText('4 of 5 files are in, with 12 rows.').waitFor();
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'two.csv' })
      .getByRole('button', { name: 'Look at it' })
      .click();
    await plotted(page);
    assert.match(page.url(), /s=several%2Ftwo/);
    assert.deepEqual(faults, []);
  });

  it('that are dropped are taken too, also behind others', async () => {
    const { page } = await signedIn();
    await page.locator('button', { hasText: 'Import…' }).waitFor();
    const drop = (names: readonly string[]) =>
      page.evaluate(`{
        const dataTransfer = new DataTransfer();
        for (const name of ${JSON.stringify(names)})
          dataTransfer.items.add(new File([${JSON.stringify(dated(2))}], name));
        dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
      }`);
    await drop(['a.csv', 'b.csv']);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Import 2 files' }).waitFor();
    await drop(['c.csv']);
    await dialog.getByRole('button', { name: 'Import 3 files' }).waitFor();
    await dialog.getByRole('button', { name: 'Take b.csv out' }).click();
    await dialog.getByRole('button', { name: 'Import 2 files' }).waitFor();
    await dialog.getByRole('heading', { name: 'Import 2 files' }).waitFor();
  });

  it('that are dropped as the dialog closes are the ones that it opens with', async () => {
    const { page, faults } = await signedIn();
    const dialog = page.getByRole('dialog');
    const close = 'document.querySelector("dialog.import .buttons button:last-child").click();';
    const drop = (name: string) => `
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(dated(2))}], '${name}'));
      dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    `;
    await choose(page, [file('first.csv', dated(2))]);
    const moments = [
      '',
      'await 0;',
      'await new Promise((go) => setTimeout(go));',
      'await new Promise(requestAnimationFrame);',
    ];
    for (const [i, moment] of moments.entries()) {
      await dialog.getByText('2 rows').waitFor();
      await page.evaluate(`(async () => { ${close} ${moment} ${drop(`${i}.csv`)} })()`);
      await dialog.getByRole('heading', { name: `Import ${i}.csv`, exact: true }).waitFor();
      await dialog.getByText('2 rows').waitFor();
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    assert.deepEqual(faults, []);
  });

  it('are stopped behind the request that is under way, and it is told how far they came', async () => {
    const { page } = await signedIn();
    const large = `Time,Speed\n${times(50_000, (i) => `${new Date(1.8e12 + i * 10).toISOString()},${i}`)}`;
    await choose(page, [file('first.csv', large), file('second.csv', dated(3))]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill('stopped');
    await dialog.getByRole('button', { name: 'All files to this topic' }).click();
    const { asked, goOn } = await holdBack(page, '**/streams/first/parameters/data');
    await dialog.getByRole('button', { name: 'Import 2 files' }).click();
    await asked();
    await page.keyboard.press('Escape');
    await goOn();
    await dialog.getByText('0 of 2 files are in').waitFor();
    await dialog.getByText('The import was stopped. 20000 rows, up to line 20001, were written.').waitFor();
    await dialog.getByText('Not begun; nothing was written.').waitFor();
    assert.equal((await speeds('stopped', 'first')).speeds.length, 20_000);
    assert.deepEqual(await client.streams({ topic: 'stopped', streamIds: ['second'] }), []);
    // The same file goes on where it went, for its stream is its own.
    await dialog
      .getByRole('listitem')
      .filter({ hasText: 'first.csv' })
      .getByRole('button', { name: 'Back to the columns' })
      .click();
    assert.equal(await dialog.getByLabel('Stream').inputValue(), 'first');
  });

  it('have a free name where a stream is there already, and rows go into it when somebody says so', async () => {
    const start = BigInt(Date.parse('2026-01-01T00:00:00Z')) * 1_000_000n;
    await client.writeParameterData('exists', 'session-1', {
      timestamps: [start, start + 1_000_000_000n],
      numericValues: { Speed: [1, 2], Gear: [1, 1] },
    });
    await client.closeStream('exists', 'session-1');
    const { page, faults } = await signedIn();
    await choose(page, [file('session-1.csv', dated(3))]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill('exists');
    await dialog
      .getByText(
        'There is a stream session-1 already, with rows from 2026-01-01 00:00:00.000 to 2026-01-01 00:00:01.000: this one gets a free name.',
      )
      .waitFor();
    assert.equal(await dialog.getByLabel('Stream').inputValue(), 'session-1-2');
    await dialog.getByLabel('Stream').fill('session-1');
    await dialog.getByText('session-1 is there already').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Import' }).isDisabled(), true);
    const add = dialog.getByRole('checkbox', { name: /Add 3 rows to it/ });
    assert.match(
      (await add.locator('..').innerText()).trim(),
      /^Add 3 rows to it, from 2026-05-31 12:00:00\.0+ to 2026-05-31 12:00:02\.0+\. It then has rows from 2026-01-01 00:00:00\.0+ to 2026-05-31 12:00:02\.0+\..*cannot be taken back/,
    );
    await isAccessible(page, 'a stream that is there');
    await add.check();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('3 rows imported').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Take it back' }).count(), 0);
    assert.deepEqual((await speeds('exists', 'session-1')).speeds, [1, 2, 100, 101, 102]);
    assert.deepEqual(faults, []);
  });

  it('are shown of a run that is open already, also where none of its channels is plotted', async () => {
    await client.writeParameterData('open', 'grown', {
      timestamps: [1n],
      numericValues: { Speed: [1], Gear: [1] },
    });
    const { page, faults } = await open(service.url, '#s=open/grown&p=Speed', { token: service.token });
    await plotted(page);
    await page.getByRole('button', { name: 'Remove Speed' }).click();
    await page.getByText('No channel is plotted').waitFor();
    await choose(page, [file('grown.csv', dated(3))]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill('open');
    await dialog.getByLabel('Stream').fill('grown');
    await dialog.getByRole('checkbox', { name: /Add 3 rows to it/ }).check();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('keep their controls where they are when the answer about a stream comes late', async () => {
    await client.writeParameterData('steady', 'there', { timestamps: [1n], numericValues: { Speed: [7] } });
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1024, height: 768 },
      { width: 390, height: 844 },
    ]) {
      const { page } = await signedIn({ viewport });
      await choose(page, [file('there.csv', dated(3))]);
      const dialog = page.getByRole('dialog');
      await dialog.getByText('3 rows').waitFor();
      const places = async () => {
        const controls = [
          dialog.getByLabel('Stream'),
          dialog.getByLabel('Separator'),
          dialog.getByText('Cancel'),
        ];
        return Promise.all(controls.map((control) => control.boundingBox()));
      };
      const { asked, goOn } = await holdBack(page, '**/streams?*');
      await dialog.getByLabel('Topic').fill('steady');
      await dialog.getByLabel('Stream').fill('there');
      await asked();
      const before = await places();
      await goOn();
      await dialog.getByText('there is there already').waitFor();
      assert.deepEqual(await places(), before, `${viewport.width}`);
    }
  });

  it('are not written to a stream that came into being meanwhile', async () => {
    const { page } = await signedIn();
    await choose(page, [file('late.csv', dated(3))]);
    const dialog = page.getByRole('dialog');
    const looked = page.waitForResponse((response) =>
      /"meanwhile".*\["late"\]/.test(response.request().postData() ?? ''),
    );
    await dialog.getByLabel('Topic').fill('meanwhile');
    await dialog.getByLabel('Stream').fill('late');
    await looked;
    await client.writeParameterData('meanwhile', 'late', { timestamps: [1n], numericValues: { Speed: [7] } });
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('late is there already').waitFor();
    assert.deepEqual((await speeds('meanwhile', 'late')).speeds, [7]);
  });

  it('without a start in them are asked for it, and the last change of the file is proposed for the last row', async () => {
    const { page, faults } = await signedIn();
    const changed = Date.parse('2026-03-01T10:00:00Z');
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      for (const name of ['e1.csv', 'e2.csv'])
        dataTransfer.items.add(new File([${JSON.stringify(elapsed(21))}], name, { lastModified: ${changed} }));
      dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    }`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The file does not say when it began: say it above.').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Import 0 files' }).isDisabled(), true);
    await isAccessible(page, 'the question of the start');
    await dialog
      .getByRole('radio', { name: /^2026-03-01 09:59:58 UTC: so the last row is at the last change/ })
      .check();
    await dialog.getByRole('button', { name: 'The same for the other file' }).click();
    await dialog.getByLabel('Topic').fill('begun');
    await dialog.getByRole('button', { name: 'All files to this topic' }).click();
    await dialog.getByRole('button', { name: 'Import 2 files' }).click();
    await dialog.getByText('2 of 2 files are in').waitFor();
    assert.equal(await dialog.getByText('as proposed: the file does not say it').count(), 2);
    for (const name of ['e1', 'e2']) {
      const { timestamps } = await speeds('begun', name);
      assert.equal(timestamps.at(-1), BigInt(changed) * 1_000_000n);
      assert.equal(timestamps.length, 21);
    }
    assert.deepEqual(faults, []);
  });

  it('go to 1970 only where somebody says so', async () => {
    const { page } = await signedIn();
    await choose(page, [file('zero.csv', elapsed(3))]);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /^1970-01-01/ }).check();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('3 rows imported, from 1970-01-01 00:00:00.0').waitFor();
    await dialog.getByText('as the numbers stand').waitFor();
  });

  it('are proposed the topic whose runs have their channels, not that of the run that is open', async () => {
    const at = { timestamps: [1_800_000_000_000_000_000n] };
    const numericValues = { Pressure: [1], 'Oil temp': [2], Flow: [3] };
    await client.writeParameterData('pumps', 'pump-1', { ...at, numericValues });
    await client.writeParameterData('planes', 'open-one', {
      ...at,
      numericValues: { Altitude: [1], Flow: [2] },
    });
    const { page } = await open(service.url, '#s=planes/open-one', { token: service.token });
    await choose(page, [
      file('pump.csv', 'Time,Pressure,Oil temp,Other\n2026-01-01T00:00:00Z,1,2,3\n'),
      file('car.csv', 'Vehicle,Ginetta G56\nLog Date,1/2/2026\n\nTime,Boost,Lambda\n0.1,1,2\n0.2,2,2\n'),
      file('new.csv', 'Time,Never,Seen\n2026-01-01T00:00:00Z,1,2\n'),
    ]);
    const dialog = page.getByRole('dialog');
    const topicOf = async (name: string) => {
      await dialog.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      return dialog.getByLabel('Topic').inputValue();
    };
    await dialog.getByRole('button', { name: 'Import 3 files' }).waitFor();
    assert.equal(await topicOf('pump.csv'), 'pumps');
    await dialog.getByText('Its runs have 2 of these 3 channels.').waitFor();
    assert.equal(await topicOf('car.csv'), 'Ginetta G56');
    assert.equal(await topicOf('new.csv'), 'imports');
    await dialog.getByText('No topic has such channels yet.').waitFor();
  });

  it('are taken back: the streams that came into being with them go into the bin', async () => {
    const { page, faults } = await signedIn();
    await choose(page, [file('undone.csv', dated(3))]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill('back');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByRole('button', { name: 'Take it back' }).click();
    await dialog.getByText('Taken back: stream undone is in the bin').waitFor();
    assert.deepEqual(await client.streams({ topic: 'back' }), []);
    assert.equal(await client.restoreStreams({ topic: 'back' }), 1);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // One in the bin counts as there: a write would bring its rows back.
    await client.deleteStreams({ topic: 'back' });
    await choose(page, [file('undone.csv', dated(3))]);
    await dialog.getByLabel('Topic').fill('back');
    await until(async () => (await dialog.getByLabel('Stream').inputValue()) === 'undone-2');
    assert.deepEqual(faults, []);
  });

  it('take nothing of others away unasked when they are taken back', async () => {
    const { page, faults } = await signedIn();
    const dialog = page.getByRole('dialog');
    const imported = async (name: string) => {
      await choose(page, [file(name, dated(3))]);
      await dialog.getByLabel('Topic').fill('others');
      await dialog.getByRole('button', { name: 'Import', exact: true }).click();
      await dialog.getByText('3 rows imported').waitFor();
    };
    const write = (streamId: string, second: number) =>
      client.writeParameterData('others', streamId, {
        timestamps: [
          BigInt(Date.parse('2026-05-31T12:00:00Z')) * 1_000_000n + BigInt(second) * 1_000_000_000n,
        ],
        numericValues: { Brake: [1] },
      });
    await imported('later.csv');
    // In the range of the file, but after it.
    await write('later', 1);
    const take = dialog.getByRole('button', { name: 'Take it back' });
    await take.click();
    await dialog
      .getByText(/Stream later has more than this import wrote; the last of it came at 2\d{3}-/)
      .waitFor();
    await isAccessible(page, 'what is taken back with rows of others');
    assert.equal((await client.streams({ topic: 'others' })).length, 1);
    await dialog.getByRole('button', { name: 'Leave it there' }).click();
    await take.click();
    await dialog.getByRole('button', { name: 'Put all of it into the bin' }).click();
    await dialog.getByText('Taken back: stream later is in the bin').waitFor();
    assert.deepEqual(await client.streams({ topic: 'others' }), []);
    await dialog.getByRole('button', { name: 'Close' }).click();

    // Meanwhile.
    const { asked, goOn } = await holdBack(page, '**/streams/meanwhile/close');
    await choose(page, [file('meanwhile.csv', dated(3))]);
    await dialog.getByLabel('Topic').fill('others');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await asked();
    await write('meanwhile', 60);
    await goOn();
    await take.click();
    await dialog.getByText('Stream meanwhile has more than this import wrote').waitFor();
    await dialog.getByRole('button', { name: 'Put all of it into the bin' }).click();
    await dialog.getByText('Taken back: stream meanwhile is in the bin').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    // While it is written, in the range of the file.
    const closing = await holdBack(page, '**/streams/within/close');
    await choose(page, [file('within.csv', dated(3))]);
    await dialog.getByLabel('Topic').fill('others');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await closing.asked();
    await write('within', 1);
    await closing.goOn();
    await take.click();
    await dialog.getByText('Stream within has more than this import wrote').waitFor();
    assert.deepEqual(faults, []);
  });

  it('are asked about where one leaves the page while they are written, and not after that', async () => {
    const { page } = await signedIn();
    const dialog = page.getByRole('dialog');
    const { asked, goOn } = await holdBack(page, '**/streams/leaving/parameters/data');
    await choose(page, [file('leaving.csv', dated(3))]);
    await dialog.getByLabel('Topic').fill('leaving');
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await asked();
    const question = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    assert.equal((await question).type(), 'beforeunload');
    await (await question).dismiss();
    await goOn();
    await dialog.getByText('3 rows imported').waitFor();
    const closed = page.waitForEvent('close');
    page.on('dialog', () => assert.fail('it asked again'));
    await page.close({ runBeforeUnload: true });
    await closed;
  });
});
