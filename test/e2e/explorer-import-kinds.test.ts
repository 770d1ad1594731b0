import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { makeMcap } from '../import/mcap/made-mcap.ts';
import { isAccessible } from './explorer-axe.ts';
import { browserPages, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

function file(name: string, content: string | Uint8Array) {
  return { name, mimeType: '', buffer: Buffer.from(content) };
}

/** Files whose kinds have questions of their own: each is asked on the page as the command asks it. */
describe('kinds of files in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const choose = async (files: readonly ReturnType<typeof file>[]) => {
    const { page, faults } = await open(service.url, '', { token: service.token });
    await page.getByLabel('File to import').setInputFiles([...files]);
    return { page, faults, dialog: page.getByRole('dialog') };
  };
  const importTo = async (page: Page, topic: string) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill(topic);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText(/rows? imported, from/).waitFor();
  };
  const stored = (topic: string, streamId: string, parameterName: string) =>
    client.query({ topic, streamIds: [streamId], numericParameters: [{ parameterName }] });

  it('are tables of JSON, whose unit of times must be confirmed', async () => {
    const rows = [1_780_272_000_000, 1_780_272_000_500].map((time, i) => ({
      when: time,
      Speed: i + 0.5,
      Note: 'a',
    }));
    const { page, faults, dialog } = await choose([file('rows.json', JSON.stringify(rows))]);
    await dialog.getByText('there is no column Timestamp').waitFor();
    const column = dialog.getByLabel('Time column');
    await column.fill('when');
    await column.press('Enter');
    await dialog.getByText(/look like milliseconds since 1970, .*“Time in” ms confirms it/).waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Import' }).isDisabled(), true);
    await dialog.getByLabel('Time in').selectOption('ms');
    await dialog.getByText('2 rows').waitFor();
    await isAccessible(page, 'a table of JSON');
    await importTo(page, 'json');
    const { timestamps, numericValues } = await stored('json', 'rows', 'Speed');
    assert.deepEqual(timestamps, [1_780_272_000_000_000_000n, 1_780_272_000_500_000_000n]);
    assert.deepEqual(numericValues['Speed'], [0.5, 1.5]);
    assert.deepEqual(faults, []);
  });

  it('are lines of JSON whose times count from a start, which is asked for', async () => {
    const lines = [0, 100, 200].map((ms) => JSON.stringify({ Timestamp: ms, Speed: ms / 2 })).join('\n');
    const { page, dialog } = await choose([file('lines.json', lines)]);
    await dialog.getByText('The file does not say when it began: say it above.').waitFor();
    // What is said of the start stays when the file is read again.
    await dialog.getByLabel('Counted from').fill('2026-05-31 12:00:00');
    await dialog.getByLabel('Time in').selectOption('ms');
    await importTo(page, 'lines');
    const begun = BigInt(Date.parse('2026-05-31T12:00:00Z')) * 1_000_000n;
    const { timestamps } = await stored('lines', 'lines', 'Speed');
    assert.deepEqual(timestamps, [begun, begun + 100_000_000n, begun + 200_000_000n]);
  });

  it('are tables of Parquet, such as the service writes', async () => {
    const start = 1_780_272_000_000_000_001n;
    await client.writeParameterData('written', 'source', {
      timestamps: [start, start + 1n],
      numericValues: { Speed: [1.5, -0] },
      stringValues: { Note: ['a', null] },
      binaryValues: { Frame: [Uint8Array.of(1, 2, 255), null] },
      tagValues: { lap: ['1', '2'] },
    });
    const all = {
      topic: 'written',
      streamIds: ['source'],
      numericParameters: [{ parameterName: 'Speed' }],
      stringParameters: [{ parameterName: 'Note' }],
      binaryParameters: [{ parameterName: 'Frame' }],
      groupBy: ['lap'],
    };
    const answer = await client.download(all, 'application/vnd.apache.parquet');
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const { page } = await choose([file('copy.parquet', bytes)]);
    await importTo(page, 'copied');
    assert.deepEqual(
      await client.query({ ...all, topic: 'copied', streamIds: ['copy'] }),
      await client.query(all),
    );
  });

  it('are logs of a CAN bus, with what their frames mean', async () => {
    const dbc =
      'VERSION ""\n\nBU_: ECU\n\nBO_ 256 Engine: 8 ECU\n SG_ Rpm : 0|16@1+ (0.25,0) [0|16000] "rpm" ECU\n';
    const log =
      '(1780272000.000000) can0 100#A00F000000000000\n(1780272000.010000) can0 100#400F000000000000\n';
    const alone = await choose([file('drive.log', log)]);
    await alone.dialog.getByText('choose a .dbc file together with it').waitFor();
    const { page, dialog } = await choose([file('drive.log', log), file('car.dbc', dbc)]);
    await dialog.getByRole('heading', { name: 'Import drive.log' }).waitFor();
    await importTo(page, 'buses');
    const parameters = await client.parameters({ topic: 'buses' });
    const rpm = parameters.find(({ parameterId }) => parameterId.endsWith('Rpm'))!;
    assert.equal(rpm.unit, 'rpm');
    const { numericValues } = await stored('buses', 'drive', rpm.parameterId);
    assert.deepEqual(numericValues[rpm.parameterId], [1000, 976]);
  });

  it('are messages, which may stand at their own stamps', async () => {
    const stamp = (sec: number) => ({ header: { stamp: { sec, nanosec: 5 } }, v: sec });
    const messages = [1_780_272_000, 1_780_272_001].map((sec) => Buffer.from(JSON.stringify(stamp(sec))));
    const mcap = await makeMcap([{ topic: '/imu', encoding: 'json', messages }]);
    const { page, dialog } = await choose([file('robot.mcap', mcap)]);
    await dialog.getByLabel('Times of messages').selectOption('stamp');
    await importTo(page, 'robots');
    const parameters = await client.parameters({ topic: 'robots' });
    const v = parameters.find(({ parameterId }) => parameterId.endsWith('.v'))!.parameterId;
    assert.deepEqual((await stored('robots', 'robot', v)).timestamps, [
      1_780_272_000_000_000_005n,
      1_780_272_001_000_000_005n,
    ]);
  });

  it('are tracks of GPX, with what devices add', async () => {
    const point = (second: number, inside: string) =>
      `<trkpt lat="48.1" lon="11.5"><time>2026-05-31T12:00:0${second}Z</time>${inside}</trkpt>`;
    const gpx = (inside: string) =>
      `<gpx version="1.1" creator="device"><wpt lat="1" lon="2"/><trk><trkseg>\n${inside}\n</trkseg></trk></gpx>`;
    const hr = '<extensions><gpxtpx:hr>120</gpxtpx:hr></extensions>';
    const bad = await choose([file('bad.gpx', gpx(point(0, hr).replace('48.1', '98.1')))]);
    await bad.dialog.getByText('line 2: lat is 98.1, which is not from -90 to 90').waitFor();
    const { page, dialog, faults } = await choose([
      file('ride.gpx.gz', gzipSync(gpx(`${point(0, hr)}\n${point(1, '')}`))),
    ]);
    await dialog.getByRole('heading', { name: 'Import ride.gpx.gz' }).waitFor();
    await importTo(page, 'rides');
    await dialog.getByText('Not read: 1 waypoints (in line 1).').waitFor();
    const { timestamps, numericValues } = await stored('rides', 'ride', 'hr');
    assert.deepEqual(timestamps, [1_780_228_800_000_000_000n]);
    assert.deepEqual(numericValues['hr'], [120]);
    assert.deepEqual(faults, []);
  });

  it('are logs of NMEA by their content, whose day is asked for where they have none', async () => {
    const log = '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n';
    const { page, dialog } = await choose([file('drive.log', log)]);
    await dialog.getByText('The file does not say when it began: say it above.').waitFor();
    // As proposed, or typed: its clocks count from a midnight.
    await dialog.getByText(/ 00:00:00[.0]* UTC: so the last row is at the last change/).waitFor();
    const start = dialog.getByLabel('Start (UTC)');
    await start.fill('2026-05-31 12:00:00');
    assert.equal(await start.evaluate((field) => field.matches(':invalid')), true);
    await start.fill('2026-05-31 00:00:00');
    await importTo(page, 'drives');
    const { timestamps } = await stored('drives', 'drive', 'Latitude');
    assert.deepEqual(timestamps, [BigInt(Date.parse('2026-05-31T12:35:19Z')) * 1_000_000n]);
  });
});
