import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { importCommand } from '../../src/cli/import.ts';
import { makeMcap } from '../import/mcap/made-mcap.ts';
import { addGroup, addPacked, header, makeMdf4 } from '../import/mdf4/made-mdf4.ts';
import { makeLd, makeLdx } from '../import/motec/made-ld.ts';
import { root } from '../root.ts';
import { until } from '../until.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';
import { temporaryFolder } from './service.ts';

const files = join(root, 'test/import/text/files');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('importing a file in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const folder = temporaryFolder();
  /** What the command says against a file, or its exit code. Its own tests start it; here only what it does counts. */
  const commanded = (path: string, topic: string, streamId: string, ...more: readonly string[]) =>
    importCommand
      .run([
        path,
        '--topic',
        topic,
        '--stream',
        streamId,
        '--url',
        service.url,
        '--token',
        service.token,
        ...more,
      ])
      .then(String, ({ message }: Error) => message);

  it('shows what the columns mean, writes every row, and opens the stream', async () => {
    const { page, faults } = await open(service.url, '', { token: service.token });
    const rows = Array.from({ length: 5000 }, (_, i) => `${i * 10},${i % 300},${i < 2500 ? 1 : 2}`);
    await page.getByLabel('File to import').setInputFiles({
      name: 'run-7.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`time_ms;Speed;lap\n${rows.join('\n').replaceAll(',', ';')}\n`),
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5,000 rows').waitFor();
    assert.equal(await dialog.getByLabel('Time in').inputValue(), 'ms');
    assert.equal(await dialog.getByLabel('lap becomes').inputValue(), 'tag');
    await dialog.getByLabel('Topic').fill('cars');
    await dialog.getByLabel('Counted from').fill('2026-05-31 12:30:00');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('5,000 rows imported, from 2026-05-31 12:30:00.000000000').waitFor();
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await plotted(page);
    assert.match(page.url(), /s=cars%2Frun-7&p=Speed/);
    const { timestamps, numericValues } = await client.query({
      topic: 'cars',
      streamIds: ['run-7'],
      tagFilters: [{ tag: 'lap', value: 2 }],
      numericParameters: [{ parameterName: 'Speed' }],
    });
    const begun = BigInt(Date.parse('2026-05-31T12:30:00Z')) * 1_000_000n;
    assert.equal(timestamps.length, 2500);
    assert.equal(timestamps[0], begun + 25_000_000_000n);
    assert.equal(numericValues['Speed']?.[0], 2500 % 300);
    assert.deepEqual(faults, []);
  });

  it('takes a dropped file, names the lines with faults, and writes nothing of it unless asked to', async () => {
    const { page, faults } = await open(service.url, '', { token: service.token });
    await page.locator('button', { hasText: 'Import…' }).waitFor();
    const text =
      'Time,v\n2026-01-01T00:00:00Z,1\n2026-01-01T00:00:01Z\n2026-01-01T00:00:02Z,3\nsoon,4\n2026-01-01T00:00:03Z,5\n2026-01-01T00:00:04Z,6\n';
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(text)}], 'faulty.csv'));
      dispatchEvent(new DragEvent('dragover', { dataTransfer, cancelable: true }));
      dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    }`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 rows cannot be read so').waitFor();
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('2 rows cannot be imported; nothing was written.').waitFor();
    await dialog.getByText('line 3: 1 cell; the header has 2').waitFor();
    await dialog.getByText("line 5: column Time: 'soon' is no time").waitFor();
    assert.deepEqual(await client.streams({ streamIds: ['faulty'] }), []);
    await dialog.getByRole('button', { name: 'Import the other 4 rows' }).click();
    await dialog.getByText('2 rows with faults left out').waitFor();
    const { numericValues } = await client.query({
      streamIds: ['faulty'],
      numericParameters: [{ parameterName: 'v' }],
    });
    assert.deepEqual(numericValues['v'], [1, 3, 5, 6]);
    assert.deepEqual(faults, []);
  });

  it('says what the service has against it, and that nothing was written', async () => {
    const { page } = await open(service.url, '', { token: service.token });
    await page.getByLabel('File to import').setInputFiles({
      name: 'long.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('t,v\n1,2\n'),
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: /^1970/ }).check();
    await dialog.getByLabel('Topic').fill('x'.repeat(600));
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('Nothing was written.').waitFor();
    await dialog.getByRole('button', { name: 'Back to the columns' }).click();
    await dialog.getByLabel('Topic').waitFor();
  });

  it('gives the rows that the command gives, closes the stream and opens it drawn', async () => {
    const { page, faults } = await open(service.url, '', { token: service.token });
    const logs = ['/car', '/other'].map((name, channel) => ({
      topic: name,
      encoding: 'json',
      messages: [1, 2, 3].map((v) => Buffer.from(JSON.stringify({ v, note: `n${v + channel}` }))),
    }));
    const mdf4 = makeMdf4(1_612_709_499_000_000_000n);
    const data = addPacked(mdf4, Uint8Array.of(0, 10, 1, 11, 3, 12));
    const channels = [
      { name: 'time', type: 2, kind: 0, byte: 0, bits: 8 },
      { name: 'Speed', unit: 'm/s', kind: 0, byte: 1, bits: 8 },
    ];
    mdf4.link(header, 0, addGroup(mdf4, { channels, records: 3, recordBytes: 2, data }));
    // Written by the official writer of the format, and by hand from its description.
    writeFileSync(join(folder, 'robot.mcap'), await makeMcap(logs));
    writeFileSync(join(folder, 'bench.mf4'), mdf4.bytes());
    for (const path of [
      ...readdirSync(files).map((name) => join(files, name)),
      // It was written by ldparser, a library of others.
      join(root, 'test/import/motec/files/independent.ld'),
      join(folder, 'robot.mcap'),
      join(folder, 'bench.mf4'),
    ]) {
      const name = basename(path);
      let said = await commanded(path, 'command', name);
      const isAsked = /--start TIME/.test(said);
      if (isAsked) said = await commanded(path, 'command', name, '--start', '1970-01-01T00:00:00Z');
      assert.equal(said, '0', name);
      await page.getByLabel('File to import').setInputFiles(path);
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Topic').fill('page');
      await dialog.getByLabel('Stream').fill(name);
      // Both ask of the same files when they began.
      if (isAsked) await dialog.getByRole('radio', { name: /^1970/ }).check();
      await dialog.getByRole('button', { name: 'Import' }).click();
      await dialog.getByRole('button', { name: 'Look at it' }).click();
      await plotted(page);
      const [stream] = await client.streams({ topic: 'page', streamIds: [name] });
      assert.equal(stream!.status, 'Closed', name);
      assert.deepEqual(await allOf('page', name), await allOf('command', name), name);
    }
    assert.deepEqual(faults, []);
  });

  /** Rows, units and what is said of a stream. */
  async function allOf(topic: string, streamId: string) {
    const parameters = await client.parameters({ topic, streamIds: [streamId] });
    const of = (type: string) =>
      parameters
        .filter((one) => one.type === type)
        .map(({ parameterId }) => ({ parameterName: parameterId }));
    const tags = (await client.tagNames({ topic, streamIds: [streamId] })).map(({ name }) => name);
    const data = await client.query({
      topic,
      streamIds: [streamId],
      numericParameters: of('Numeric'),
      stringParameters: of('String'),
      groupBy: tags,
    });
    const [stream] = await client.streams({ topic, streamIds: [streamId] });
    assert.ok(data.timestamps.length >= 3);
    const units = Object.fromEntries(parameters.map(({ parameterId, unit }) => [parameterId, unit]));
    return { data, units, metadata: stream!.metadata, time: stream!.timeOfRecording };
  }

  it('reads the file again when a choice is changed, and is usable by keyboard and readers of screens', async () => {
    const { page, faults } = await open(service.url, '', { token: service.token });
    await page.getByLabel('File to import').setInputFiles({
      name: 'odd.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('made by hand\nname;speed\nx;y\n01/02/2021;1,5\n03/02/2021;2\n'),
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 rows').waitFor();
    assert.equal(await dialog.getByLabel('Decimals with').inputValue(), ',');
    const line = dialog.getByLabel('Names in line');
    await line.fill('2');
    await line.press('Tab');
    const units = dialog.getByLabel('Units in line');
    await units.fill('3');
    await units.press('Enter');
    await until(async () => (await dialog.getByLabel('Unit of speed').inputValue()) === 'y');
    await dialog.getByText('2021-02-01').waitFor();
    await dialog.getByLabel('Time in').selectOption('month-first');
    await dialog.getByText('2021-01-02').waitFor();
    await page.evaluate(axe);
    const violations = (await page.evaluate(`axe.run('dialog').then(({ violations }) => violations)`)) as {
      readonly id: string;
    }[];
    assert.deepEqual(
      violations.map(({ id }) => id),
      [],
    );
    await dialog.getByRole('button', { name: 'Import' }).focus();
    await page.keyboard.press('Enter');
    await dialog.getByText('2 rows imported, from 2021-01-02').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    assert.deepEqual(faults, []);
  });

  it('takes MoTeC logs with their laps, and the channels and the start that are chosen', async () => {
    const { page, faults } = await open(service.url, '', { token: service.token });
    const speed = Uint8Array.of(0xe8, 0x03, 0xf2, 0x03, 0xfc, 0x03);
    const log = makeLd([
      { name: 'Ground Speed', unit: 'km/h', kind: [3, 2], rate: 10, samples: speed, places: 1 },
      { name: 'Other', kind: [3, 2], rate: 10, samples: speed },
    ]);
    await page.getByLabel('File to import').setInputFiles([
      { name: 'monza.ldx', mimeType: '', buffer: Buffer.from(makeLdx(['1.5e+05'])) },
      { name: 'monza.ld', mimeType: '', buffer: Buffer.from(log) },
    ]);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Other' }).uncheck();
    await dialog.getByText('1 of 2 channels').waitFor();
    await dialog.getByLabel('Topic').fill('motec');
    assert.equal(await dialog.getByLabel('Start (UTC)').inputValue(), '2021-02-07 14:51:39');
    await dialog.getByLabel('Start (UTC)').fill('2021-02-07 14:00:00.5');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('3 rows imported, from 2021-02-07 14:00:00.5').waitFor();
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await plotted(page);
    const begun = BigInt(Date.UTC(2021, 1, 7, 14)) * 1_000_000n + 500_000_000n;
    const { data, units } = await allOf('motec', 'monza');
    assert.deepEqual(data, {
      timestamps: [begun, begun + 100_000_000n, begun + 200_000_000n],
      numericValues: { 'Ground Speed': [100, 101, 102] },
      stringValues: {},
      binaryValues: {},
      tagValues: { LapNumber: ['1', '1', '2'] },
    });
    assert.deepEqual(units, { 'Ground Speed': 'km/h' });
    assert.deepEqual(faults, []);
  });

  it('says in one line what is wrong with a file, as the command does, and writes nothing of it', async () => {
    const ld = makeLd([{ name: 'S', kind: [3, 2], rate: 10, samples: Uint8Array.of(1, 0, 2, 0) }]);
    const messages = Array.from({ length: 20 }, (_, v) => Buffer.from(JSON.stringify({ v })));
    const mcap = await makeMcap([{ topic: '/a', encoding: 'json', messages }]);
    const claims = Buffer.from(mcap);
    claims.writeBigUInt64LE(2n ** 31n, 9);
    const mdf4 = Buffer.from(makeMdf4(0n).bytes());
    mdf4.writeBigUInt64LE(2n ** 31n, 72);
    const wrong: Record<string, [Uint8Array, RegExp]> = {
      'empty.csv': [Buffer.from(''), /the file is empty/],
      'zip.csv': [Buffer.from('PK\x03\x04\x14\0\0\0'), /a zip archive or a spreadsheet, and no text/],
      'gzip.csv': [Uint8Array.of(0x1f, 0x8b, 8, 0, 0), /a gzip archive, and no text/],
      'nul.csv': [Buffer.from('t,v\n1,2\n\0'), /zero bytes/],
      'half.csv': [Buffer.from('\ufefft,v\n1,2\n', 'utf16le').subarray(0, -1), /not UTF-16LE text/],
      'empty.ld': [Buffer.from(''), /byte 0: the head of a MoTeC log needs \d+ bytes/],
      'cut.ld': [ld.slice(0, -1), /channel S has 2 samples up to byte \d+, and the file has \d+ bytes/],
      'text.mf4': [Buffer.from('none'), /byte 0: the head of an MDF file needs 64 bytes/],
      'claims.mf4': [mdf4, /byte 64: the block HD of 2147483648 bytes/],
      'cut.mcap': [mcap.subarray(0, mcap.length / 2), /was cut off/],
      'claims.mcap': [claims, /byte 8: a record of 2147483648 bytes begins here/],
    };
    const { page, faults } = await open(service.url, '', { token: service.token });
    const dialog = page.getByRole('dialog');
    const told = dialog.getByRole('alert');
    for (const [name, [bytes, pattern]] of Object.entries(wrong)) {
      const path = join(folder, name);
      writeFileSync(path, bytes);
      const said = await commanded(path, 'wrong', name);
      await page.getByLabel('File to import').setInputFiles(path);
      const shown = (await told.textContent()) ?? '';
      assert.match(shown, pattern, name);
      assert.doesNotMatch(said, /\n/, name);
      assert.equal(said, `${path}: ${shown.trim()}`);
      await dialog.getByRole('button', { name: 'Close' }).click();
    }
    assert.deepEqual(await client.streams({ topic: 'wrong' }), []);
    assert.deepEqual(faults, []);
  });
});
