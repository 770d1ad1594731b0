import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as arrow from 'apache-arrow';
import type { Page } from 'playwright-core';
import { createClient } from '../../src/client/client.ts';
import { makeMcap } from '../import/mcap/made-mcap.ts';
import { until } from '../until.ts';
import { isAccessible } from './explorer-axe.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { adminToken, send, startService } from './service.ts';

function file(name: string, content: string | Uint8Array) {
  return { name, mimeType: '', buffer: Buffer.from(content) };
}

/** What zstd of Debian writes; undefined without it. */
function zstd(text: string): Buffer | undefined {
  try {
    return execFileSync('zstd', ['-c', '-q'], { input: text, stdio: ['pipe', 'pipe', 'ignore'] });
  } catch {
    return undefined;
  }
}

const begun = BigInt(Date.parse('2026-05-31T12:00:00Z')) * 1_000_000n;
const tenth = 100_000_000n;
const table = (rows: number) =>
  `Time,Speed\n${Array.from({ length: rows }, (_, i) => `2026-05-31 12:00:00.${i}Z,${100 + i}\n`).join('')}`;
const packedTimes = [0n, 1n, 2n].map((i) => begun + i * tenth);

/** What is asked of a file before it is imported, and files that are packed. */
describe('answers about files in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const service = await startService();
  const client = createClient({ url: service.url, token: adminToken });
  const open = browserPages();
  const choose = async (chosen: ReturnType<typeof file>) => {
    const { page, faults } = await open(service.url, '', { token: adminToken });
    await page.getByLabel('File to import').setInputFiles(chosen);
    return { page, faults, dialog: page.getByRole('dialog') };
  };
  const importTo = async (page: Page, topic: string) => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill(topic);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText(/rows? imported, from/).waitFor();
  };
  const stored = async (topic: string, streamId: string, parameterName = 'Speed') => {
    const { timestamps, numericValues } = await client.query({
      topic,
      streamIds: [streamId],
      numericParameters: [{ parameterName }],
    });
    return { timestamps, values: numericValues[parameterName] };
  };

  const restarted = 't,Speed\n0.0,1\n0.1,2\n0.2,3\n0.0,4\n0.1,5\n';
  for (const [topic, answer, streams] of [
    [
      'own-streams',
      /^later runs become streams/,
      {
        log: { timestamps: [0n, tenth, 2n * tenth], values: [1, 2, 3] },
        'log-2': { timestamps: [0n, tenth], values: [4, 5] },
      },
    ],
    ['replaced', /^the times are right/, { log: { timestamps: [0n, tenth, 2n * tenth], values: [4, 5, 3] } }],
  ] as const)
    it(`say what becomes of times that begin anew: ${topic}`, async () => {
      const { page, faults, dialog } = await choose(file('log.csv', restarted));
      await dialog.getByText('The times begin anew. What is meant?').waitFor();
      await dialog.getByRole('radio', { name: /^1970/ }).check();
      await dialog.getByText('say above what becomes of them').waitFor();
      assert.equal(await dialog.getByRole('button', { name: 'Import' }).isDisabled(), true);
      await isAccessible(page, 'the question about restarts');
      await dialog.getByRole('radio', { name: answer }).check();
      await importTo(page, topic);
      const found = await client.streams({ topic });
      assert.deepEqual(found.map(({ streamId }) => streamId).sort(), Object.keys(streams).sort());
      for (const [streamId, rows] of Object.entries(streams))
        assert.deepEqual(await stored(topic, streamId), rows, streamId);
      assert.deepEqual(faults, []);
    });

  it('say that the stream of a later run is there, also in the bin', async () => {
    await client.writeParameterData('binned', 'log-2', { timestamps: [7n], numericValues: { Speed: [7] } });
    await client.deleteStreams({ topic: 'binned', streamIds: ['log-2'] });
    const { page, dialog } = await choose(file('log.csv', restarted));
    await dialog.getByRole('radio', { name: /^1970/ }).check();
    await dialog.getByRole('radio', { name: /^later runs become streams/ }).check();
    await dialog.getByLabel('Topic').fill('binned');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await page
      .getByRole('alert')
      .getByText(/^There is a stream log-2 already, .* Nothing was written\.$/)
      .waitFor();
    assert.deepEqual(await client.streams({ topic: 'binned' }), []);
  });

  it('stand, though what is there is answered when rows are in already', async () => {
    const { page, dialog } = await choose(file('hasty.csv', table(3)));
    await dialog.getByLabel('Topic').waitFor();
    let letGo = () => {};
    const written = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let asked = 0;
    let answered = 0;
    // What is asked while one types: whether the stream is there, and which name is free.
    await page.route(/\/streams(\?|$)/, async (route) => {
      if (++asked > 2) return route.continue();
      await written;
      await route.fulfill({ response: await route.fetch() });
      answered++;
    });
    await dialog.getByLabel('Topic').fill('hasty');
    await until(() => asked === 2);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('3 rows imported').waitFor();
    letGo();
    await until(() => answered === 2);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    await dialog.getByText('They are in topic hasty, stream hasty.').waitFor();
    await dialog.getByRole('button', { name: 'Look at it' }).click();
    await plotted(page);
    assert.match(page.url(), /s=hasty%2Fhasty&/);
  });

  it('say that later runs are put behind earlier ones', async () => {
    const { page, dialog } = await choose(file('log.csv', restarted));
    await dialog.getByRole('radio', { name: /^1970/ }).check();
    await dialog.getByRole('radio', { name: /^each run is put behind/ }).check();
    await importTo(page, 'appended');
    const { timestamps, values } = await stored('appended', 'log');
    assert.deepEqual(values, [1, 2, 3, 4, 5]);
    assert.ok(timestamps.every((time, i) => i === 0 || time > timestamps[i - 1]!));
  });

  it('say that the rest of messages is imported where some have a fault, or nothing is', async () => {
    const good = [1, 2].map((v) => Buffer.from(JSON.stringify({ v })));
    const mcap = await makeMcap([
      { topic: '/good', encoding: 'json', messages: good },
      { topic: '/bad', encoding: 'json', messages: [Buffer.from('{"w":1}'), Buffer.from('{"w":')] },
    ]);
    const { page, faults, dialog } = await choose(file('robot.mcap', mcap));
    await dialog.getByText(/^Left out, for it has a fault: .*\/bad/).waitFor();
    await dialog
      .getByText('Parts of the file have faults: say above whether the rest is imported.')
      .waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Import' }).isDisabled(), true);
    await isAccessible(page, 'the question about parts with faults');
    await dialog.getByRole('checkbox', { name: /^Import the rest/ }).check();
    await importTo(page, 'partial');
    const names = (await client.parameters({ topic: 'partial' })).map(({ parameterId }) => parameterId);
    assert.deepEqual(names, ['/good.v']);
    assert.deepEqual((await stored('partial', 'robot', '/good.v')).values, [1, 2]);
    assert.deepEqual(faults, []);
  });

  it('tell how many rows are older than the retention of the topic, and were not kept', async () => {
    const settings = await send(service.url, '/topics/short', { method: 'PUT', body: '{"retention":"1d"}' });
    assert.equal(settings.status, 200, settings.text);
    const text = `Time,Speed\n2021-02-01T14:51:39Z,1\n${new Date().toISOString()},2\n`;
    const { page, faults, dialog } = await choose(file('old.csv', text));
    await importTo(page, 'short');
    await dialog.getByText('1 row older than the retention of the topic, not kept.').waitFor();
    await dialog.getByText(/^1 row imported, from/).waitFor();
    assert.deepEqual((await stored('short', 'old')).values, [2]);
    assert.deepEqual(faults, []);
  });

  it('are not needed for what is packed with gzip: text and lines of JSON', async () => {
    const lines = packedTimes.map((time, i) =>
      JSON.stringify({ Timestamp: new Date(Number(time / 1_000_000n)).toISOString(), Speed: 100 + i }),
    );
    for (const [name, text] of [
      ['table.csv.gz', table(3)],
      ['lines.ndjson.gz', `${lines.join('\n')}\n`],
    ] as const) {
      const { page, faults } = await choose(file(name, gzipSync(text)));
      await importTo(page, 'gzip');
      const rows = await stored('gzip', name.split('.')[0]!);
      assert.deepEqual(rows, { timestamps: packedTimes, values: [100, 101, 102] }, name);
      assert.deepEqual(faults, []);
    }
  });

  const packed = zstd(table(3));
  it('are not needed for what is packed with zstd', { skip: packed === undefined && 'no zstd' }, async () => {
    const { page, faults } = await choose(file('table.csv.zst', packed!));
    await importTo(page, 'zstd');
    assert.deepEqual(await stored('zstd', 'table'), { timestamps: packedTimes, values: [100, 101, 102] });
    assert.deepEqual(faults, []);
  });

  it('are not needed for files and streams of Arrow', async () => {
    const times = new BigInt64Array(packedTimes);
    const type = new arrow.TimestampNanosecond('UTC');
    const made = new arrow.Table({
      Timestamp: arrow.makeVector(arrow.makeData({ type, length: 3, data: times } as never)),
      Speed: arrow.vectorFromArray([100, 101, 102], new arrow.Float64()),
    });
    for (const [name, form] of [
      ['file.arrow', 'file'],
      ['stream.arrows', 'stream'],
    ] as const) {
      const { page, faults } = await choose(file(name, arrow.tableToIPC(made, form)));
      await importTo(page, 'arrow');
      const rows = await stored('arrow', name.split('.')[0]!);
      assert.deepEqual(rows, { timestamps: packedTimes, values: [100, 101, 102] }, name);
      assert.deepEqual(faults, []);
    }
  });
});
