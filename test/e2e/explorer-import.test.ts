import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { browserPages, plotted, skip } from './explorer-page.ts';
import { adminToken, startService } from './service.ts';

describe('importing a CSV file in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const service = await startService();
  const client = createClient({ url: service.url, token: adminToken });
  const open = browserPages();

  it('shows what the columns mean, writes every row, and opens the stream', async () => {
    const { page, faults } = await open(service.url, '', { token: adminToken });
    const rows = Array.from({ length: 5000 }, (_, i) => `${i * 10},${i % 300},${i < 2500 ? 1 : 2}`);
    await page.getByLabel('CSV file to import').setInputFiles({
      name: 'run-7.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`time_ms;Speed;lap\n${rows.join('\n').replaceAll(',', ';')}\n`),
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5,000 rows').waitFor();
    assert.equal(await dialog.getByLabel('Time in').inputValue(), 'ms');
    assert.equal(await dialog.getByLabel('lap becomes').inputValue(), 'tag');
    await dialog.getByLabel('Topic').fill('cars');
    await dialog.getByLabel('counted from').fill('2026-05-31 12:30:00');
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
    const { page, faults } = await open(service.url, '', { token: adminToken });
    const text =
      'Time,v\n2026-01-01T00:00:00Z,1\n2026-01-01T00:00:01Z\n2026-01-01T00:00:02Z,3\nsoon,4\n2026-01-01T00:00:03Z,5\n2026-01-01T00:00:04Z,6\n';
    await page.evaluate(`{
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(text)}], 'faulty.csv'));
      dispatchEvent(new DragEvent('dragover', { dataTransfer, cancelable: true }));
      dispatchEvent(new DragEvent('drop', { dataTransfer, cancelable: true }));
    }`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('2 rows cannot be imported; nothing was written.').waitFor();
    await dialog.getByText('line 3: 1 cell; the header has 2').waitFor();
    await dialog.getByText("line 5: Time: 'soon' is no time").waitFor();
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
    const { page } = await open(service.url, '', { token: adminToken });
    await page.getByLabel('CSV file to import').setInputFiles({
      name: 'long.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('t,v\n1,2\n'),
    });
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Topic').fill('x'.repeat(600));
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('Nothing was written.').waitFor();
    await dialog.getByRole('button', { name: 'Back to the columns' }).click();
    await dialog.getByLabel('Topic').waitFor();
  });
});
