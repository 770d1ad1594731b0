import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { drivenStart, lapTable } from './explorer-driven.ts';
import { browserPages, rangeOf, skip } from './explorer-page.ts';
import { ownWorkspace } from './explorer-service.ts';

const ms = 1_000_000n;

describe("the explorer's laps by a channel that is out of the ordinary", { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token });
  const choiceIn = (page: Page) => page.getByRole('region', { name: 'Laps' }).getByLabel('Laps by');

  it('begin anew at a pit stop, end in gaps, and are none where the channel is absent: each is said', async () => {
    const counts = [1, 2, 3, 0, 4, 5, 5, 6];
    const lengths = counts.flatMap((count, i) => Array.from({ length: 60 }, () => ({ count, i })));
    // Rows are lost around the line between 5 and 6.
    const kept = lengths.map((own, row) => ({ ...own, row })).filter(({ row }) => row < 410 || row > 440);
    await client.writeParameterData('logger', 'odd', {
      timestamps: kept.map(({ row }) => drivenStart + BigInt(row) * 100n * ms),
      numericValues: { Torque: kept.map(({ row }) => row), Lap: kept.map(({ count }) => count) },
    });
    await client.writeParameterData('logger', 'without', {
      timestamps: [drivenStart, drivenStart + 1000n * ms],
      numericValues: { Torque: [1, 2] },
    });
    const { page, faults } = await signedIn('#s=logger/odd&s=logger/without&p=Torque');
    await until(async () => (await lapTable(page)).length === 7);
    const why = await page
      .locator('.lap-table tbody td:nth-child(4)')
      .evaluateAll((cells) => cells.map((cell) => cell.title));
    assert.match(why[0]!, /nothing says that it began at the line/);
    assert.equal(why[1], '');
    assert.match(why[2]!, /the count goes from 3 to 0 where it ends/);
    assert.match(why[3]!, /the count goes from 3 to 0 where it begins/);
    assert.match(why[4]!, /the count goes from 0 to 4 where it begins/);
    assert.match(why[5]!, /rows are missing at the line where it ends/);
    assert.match(why[6]!, /rows are missing at the line where it begins/);
    await page.getByText('without: no laps. No row has the channel Lap.').waitFor();
    assert.deepEqual(faults, []);
  });

  it('begin with the first count where it is written when it changes alone: rows before are in no lap', async () => {
    const rows = Array.from({ length: 400 }, (_row, i) => i);
    const at = (i: number) => drivenStart + BigInt(i) * 100n * ms;
    await client.writeParameterData('logger', 'alone', {
      timestamps: rows.map(at),
      numericValues: { Torque: rows },
    });
    await client.writeParameterData('logger', 'alone', {
      timestamps: [100, 200, 300].map((i) => at(i) - 7n),
      numericValues: { Lap: [1, 2, 3] },
    });
    const { page, faults } = await signedIn('#s=logger/alone&p=Torque&beside=report');
    await until(async () => (await lapTable(page)).length >= 3);
    const lines = page.locator('.report[aria-busy="false"] .report-table tbody tr');
    await until(async () => (await lines.count()) === 4);
    const cells = await lines.evaluateAll((all) =>
      all.map((line) => [...line.querySelectorAll('th, td')].map((cell) => cell.textContent)),
    );
    assert.deepEqual(
      cells.map(([lap, , least, largest]) => [lap, least, largest]),
      [
        ['in no lap', '0', '99'],
        ['1', '100', '199'],
        ['2', '200', '299'],
        ['3', '300', '399'],
      ],
    );
    const table = await page.locator('.laps .lap-table tbody tr').allInnerTexts();
    assert.match(table[1]!, /≈ 10\.000/);
    assert.deepEqual(faults, []);
  });

  it('are not taken from a channel that does not count, and why is said; by choice they are by whole parts', async () => {
    const rows = Array.from({ length: 200 }, (_row, i) => i);
    await client.writeParameterData('halves', 'run', {
      timestamps: rows.map((i) => drivenStart + BigInt(i) * 100n * ms),
      numericValues: { Torque: rows, LapNumber: rows.map((i) => 1 + Math.floor(i / 30) / 2) },
    });
    const { page, faults } = await signedIn('#s=halves/run&p=Torque');
    const laps = page.getByRole('region', { name: 'Laps' });
    await laps.getByText('The channel LapNumber is not taken for one that counts laps').waitFor();
    await laps.getByText('values that are not whole numbers (1.5)').waitFor();
    await choiceIn(page).selectOption('channel:LapNumber');
    await laps.getByText('laps are by their whole part').waitFor();
    assert.deepEqual(
      (await lapTable(page)).map(({ lap }) => lap),
      ['1', '2', '3', '4'],
    );
    await page.getByRole('button', { name: '2', exact: true }).click();
    await page.waitForURL(/from=/);
    assert.deepEqual(rangeOf(page), { from: drivenStart + 6000n * ms, to: drivenStart + 12_000n * ms });
    assert.deepEqual(faults, []);
  });
});
