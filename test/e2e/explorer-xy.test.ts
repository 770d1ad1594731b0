import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient } from '../../src/client/client.ts';
import { browserPages, copiedQuery, skip } from './explorer-page.ts';
import { type PagePeek, peek, readText, watchCanvases } from './explorer-peek.ts';
import { adminToken, startService } from './service.ts';

const start = 1_800_000_000_000_000_001n;
const ms = 1_000_000n;
const place = { topic: 'xy', streamIds: ['noise'] };

/** The panel among the plots. */
function xyOf({ plots }: PagePeek) {
  return plots.find(({ title }) => title.includes(' over '))!;
}

describe('one parameter over another in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const service = await startService();
  const client = createClient({ url: service.url, token: adminToken });
  // Means over any while would be near 250, which nobody wrote.
  const rows = Array.from({ length: 60_000 }, (_, i) => i);
  await client.writeParameterData('xy', 'noise', {
    timestamps: rows.map((i) => start + BigInt(i) * ms),
    numericValues: {
      Way: rows.map((i) => i / 8),
      Wave: rows.map((i) => ((i * 7) % 11 < 5 ? 0 : 500)),
    },
  });
  await client.writeParameterData('xy', 'apart', {
    timestamps: rows.slice(0, 200).map((i) => start + BigInt(i) * ms),
    numericValues: {
      Way: rows.slice(0, 200).map((i) => (i % 2 === 0 ? i : null)),
      Wave: rows.slice(0, 200).map((i) => (i % 2 === 0 ? null : i)),
    },
  });
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: adminToken, script: watchCanvases });

  it('is drawn row by row where rows are few enough, and needs no words for it', async () => {
    const to = start + 40_000n * ms;
    const { page, faults } = await signedIn(`#s=xy/noise&mode=xy&xy=Way,Wave&from=${start}&to=${to}`);
    await page.locator('.xy-panel .plot canvas').waitFor();
    assert.equal(await page.getByText(/ of .* rows/).count(), 0);
    const scale = xyOf(await peek(page)).texts.map(({ text }) => text);
    for (const text of ['0', '500', '5000'])
      assert.ok(scale.includes(text), `${scale.join(' ')} has ${text}`);
    assert.deepEqual(faults, []);
  });

  it('is drawn by some rows where they are many, says which, and shows none that was not written', async () => {
    const { page } = await signedIn('#s=xy/noise&mode=xy&xy=Way,Wave');
    await page.locator('.xy-panel .plot canvas').waitFor();
    const said = (await page.locator('.xy-reading .pixel').textContent()) ?? '';
    const [drawn, of] = (/^([\d,]+) of ([\d,]+) rows: the first in every 1\.2 ms$/.exec(said) ?? [])
      .slice(1)
      .map((text) => Number(text.replaceAll(',', '')));
    assert.equal(of, 60_000, said);
    assert.ok(drawn! > 40_000 && drawn! <= 50_001, said);
    const scale = xyOf(await peek(page)).texts.map(({ text }) => text);
    for (const text of ['0', '500']) assert.ok(scale.includes(text), `${scale.join(' ')} has ${text}`);

    const frame = (await page.locator('.xy-panel .plot canvas').boundingBox())!;
    for (let i = 1; i < 50; i++) {
      // Along the bottom line and the top one.
      const y = frame.y + 8 + (frame.height - 44) * (i % 2 === 0 ? 0.05 / 1.1 : 1.05 / 1.1);
      await page.mouse.move(frame.x + 64 + ((frame.width - 76) * i) / 50, y);
      const { xy: cursor } = await peek(page);
      const match = /^Way (\S+), Wave (\S+) first row of (.*)$/.exec(cursor);
      assert.ok(match !== null, `'${cursor}' at ${i}`);
      const { from, to } = readText(`0 2 rows, ${match[3]}`);
      const first = await client.page({
        ...place,
        from,
        to,
        limit: 1,
        numericParameters: [{ parameterName: 'Way' }, { parameterName: 'Wave' }],
      });
      const { Way, Wave } = first.data.numericValues;
      assert.deepEqual([match[1], match[2]], [String(Way![0]), String(Wave![0])], cursor);
    }
  });

  it('is not made up of rows that have but one of them', async () => {
    const { page } = await signedIn('#s=xy/apart&mode=xy&xy=Way,Wave');
    await page.getByText('No row has both').waitFor();
    assert.equal(await page.locator('.xy-panel .plot canvas').count(), 0);
  });

  it('exports the rows that are drawn', async () => {
    const to = start + 9n * ms;
    const { page } = await signedIn(`#s=xy/noise&p=Way&mode=xy&xy=Way,Wave&from=${start}&to=${to}`);
    await page.getByText('Export', { exact: true }).click();
    const curl = await copiedQuery(page);
    const body = JSON.parse(/-d '(.*)'$/.exec(curl)?.[1] ?? '');
    assert.deepEqual(body.numericParameters, [{ parameterName: 'Way' }, { parameterName: 'Wave' }]);
    assert.deepEqual([body.from, body.to], [String(start), String(to)]);
  });
});
