import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { browserPages, type Opening, skip } from './explorer-page.ts';
import { peek, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const start = 1_800_000_000_000_000_001n;
const ms = 1_000_000n;
const rows = Array.from({ length: 1000 }, (_, i) => i);

// Loggers, CAN and ROS write channels at several rates, each in rows of its own.
describe('channels with rows of their own in XY and on the map', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  /** 10 s of channels at 100, 10, 10 and 1 Hz, each with rows of its own; Fast is as large as Temp at the same time, and `more`. */
  const writeRates = async (streamId: string, more: number, isThere: (time: number) => boolean) => {
    const channels = [
      ['Fast', 10, 0, (time: number) => time / 100 + more],
      ['Temp', 100, 5, (time: number) => (time - 5) / 100],
      ['Late', 100, 7, (time: number) => (time - 7) / 100 + 0.5],
      ['Slow', 1000, 1, (time: number) => (time - 1) / 1000],
    ] as const;
    for (const [name, step, late, value] of channels) {
      const times = rows.slice(0, 10_000 / step).map((i) => i * step + late);
      const own = name === 'Fast' ? times.filter(isThere) : times;
      await client.writeParameterData('xy', streamId, {
        timestamps: own.map((time) => start + BigInt(time) * ms),
        numericValues: { [name]: own.map(value) },
      });
    }
  };
  const open = browserPages();
  const signedIn = (hash: string, options: Opening = {}) =>
    open(service.url, hash, { token: service.token, script: watchCanvases, ...options });

  it('holds values of channels at 100 Hz for those at 10 Hz, up to a gap, in two runs, with fit and colour', async () => {
    await writeRates('rates', 0, (time) => time < 4000 || time >= 6000);
    await writeRates('whole', 200, () => true);
    const runs = '#s=xy/rates&s=xy/whole&p=Temp&beside=xy';
    const { page, faults } = await signedIn(`${runs}&xy=Temp,Fast,Slow&xywith=fit,hull`);
    await page.locator('.xy-panel[aria-busy="false"] .plot canvas').waitFor();
    const said = await page.locator('.xy-panel > p.soft:not(.xy-extras)').allTextContents();
    // From 4.045 s to 6 s nothing holds: of the rows of Temp, those from 4.105 s to 5.905 s.
    assert.deepEqual(said, [
      '181 rows take the last value of Fast before them, 181 rows that of Slow, written at other times.',
      'Left out: 19 rows of Temp and 1 row of Fast, written when the other was not.',
    ]);
    const extras = await page.locator('.xy-extras .row-text').allTextContents();
    assert.match(extras[1]!, /^whole: Fast = 1 · Temp \+ 200; R² 1\.000; 100 rows; area of the hull: 0$/);
    assert.match(extras[0]!, /; 81 rows; /);
    assert.equal(await page.locator('.xy-panel .scale').textContent(), '09 ');

    const frame = (await page.locator('.xy-panel .plot canvas').boundingBox())!;
    const read = new Set<number>();
    for (let i = 0; i <= 98; i += 2) {
      // The line of `rates` is the lower one: from 0 to 99 of up to 299, with a margin.
      const up = (i + 299 * 0.05) / (299 * 1.1);
      await page.mouse.move(
        frame.x + 64 + ((frame.width - 76) * i) / 99,
        frame.y + 8 + (frame.height - 44) * (1 - up),
      );
      const { xy } = await peek(page);
      const match = /rates: Temp (\S+), Fast (\S+), Slow (\S+) /.exec(xy);
      if (match === null) continue;
      const [temp, fast, slow] = match.slice(1).map(Number);
      assert.equal(fast, temp === 40 ? 39.9 : temp, xy);
      assert.equal(slow, Math.floor(temp! / 10), xy);
      assert.ok(temp! <= 40 || temp! >= 60, xy);
      read.add(temp!);
    }
    assert.ok(read.size > 20, [...read].join(' '));

    // What holds at the left edge was written before it.
    const range = (from: bigint, to: bigint) => `&from=${start + from * ms}&to=${start + to * ms}`;
    const part = await signedIn(`#s=xy/rates&p=Temp&beside=xy&xy=Fast,Temp,Slow${range(2503n, 2803n)}`);
    await part.page
      .getByText(
        '3 rows take the last value of Fast before them, 3 rows that of Slow, written at other times.',
      )
      .waitFor();
    assert.equal(await part.page.getByText(/Left out|Without a colour/).count(), 0);

    // A map is coloured by a channel with other rows, and its position may be in two.
    const map = await signedIn('#s=xy/whole&p=Temp&panel=map&map=Temp,Late,Fast');
    await map.page.locator('.map[aria-busy="false"] canvas').waitFor();
    const onMap = await map.page.locator('.map > p.soft').allTextContents();
    assert.deepEqual(onMap.slice(0, 1), [
      '100 rows take the last value of Temp before them, 100 rows that of Fast, written at other times.',
    ]);
    await map.page.locator('.map').focus();
    await map.page.keyboard.press('ArrowRight');
    await map.page.locator('.map-row', { hasText: /^Fast/ }).waitFor();
    const row = (await map.page.locator('.map-row').textContent())!.replaceAll('\u00a0', ' ');
    const [fast, temp, late] = (/^Fast (\S+), Temp (\S+), Late (\S+) /.exec(row) ?? []).slice(1).map(Number);
    assert.deepEqual([fast, late], [200 + temp!, temp! + 0.5], row);
    assert.deepEqual([...faults, ...part.faults, ...map.faults], []);
  });

  it('holds values while live data comes, and so does the map', async () => {
    const begin = BigInt(Date.now() - 5000) * ms;
    const write = async (from: number, to: number) => {
      const times = (step: number, late: number) =>
        rows.slice(0, to / step).flatMap((i) => (i * step < from ? [] : [i * step + late]));
      for (const [name, step, late] of [
        ['Fast', 10, 0],
        ['posX', 100, 5],
      ] as const)
        await client.writeParameterData('xy', 'driving', {
          timestamps: times(step, late).map((time) => begin + BigInt(time) * ms),
          numericValues: Object.fromEntries(
            [name, ...(name === 'posX' ? ['posY'] : [])].map((own) => [
              own,
              times(step, late).map((time) => (time - late) / 10),
            ]),
          ),
        });
    };
    await write(0, 4000);
    const { page, faults } = await signedIn(
      '#s=xy/driving&p=Fast&live=1&beside=xy&xy=posX,Fast&panel=map&map=posX,posY,Fast',
    );
    const newest = async (place: string, pattern: RegExp) => {
      const text = (await page.locator(place).textContent())?.replaceAll('\u00a0', ' ') ?? '';
      return (pattern.exec(text) ?? []).slice(1).map(Number);
    };
    const shown = async (value: number) => {
      await page.locator('.xy-reading output', { hasText: `posX ${value}, Fast ${value} ` }).waitFor();
      await page.locator('.map-row', { hasText: `Fast\u00a0${value}` }).waitFor();
      assert.deepEqual(await newest('.map-row', /^Fast (\S+), posX (\S+), posY (\S+) /), [
        value,
        value,
        value,
      ]);
    };
    await shown(390);
    await page.locator('.map').getByText('40 rows take the last value of Fast before them').waitFor();
    await page.locator('.xy-panel').getByText('40 rows take the last value of Fast before them').waitFor();
    await write(4000, 4500);
    await shown(440);
    await page.locator('.map').getByText('45 rows take the last value of Fast before them').waitFor();
    await page.locator('.xy-panel').getByText('45 rows take the last value of Fast before them').waitFor();
    assert.deepEqual(faults, []);
  });

  it('colours all of a long way by a channel with other rows, and not its first rows', async () => {
    const many = Array.from({ length: 30_000 }, (_, i) => i);
    const at = (late: bigint) => many.map((i) => start + BigInt(i) * 2n * ms + late);
    await client.writeParameterData('xy', 'long', {
      timestamps: at(0n),
      numericValues: { East: many, North: many.map((i) => i % 7) },
    });
    await client.writeParameterData('xy', 'long', { timestamps: at(ms), numericValues: { Heat: many } });
    const { page, faults } = await signedIn('#s=xy/long&p=East&beside=xy&xy=East,North,Heat');
    await page.locator('.xy-panel[aria-busy="false"] .plot canvas').waitFor();
    const said = await page.locator('.xy-reading .pixel').textContent();
    assert.equal(said, '30,000 of 30,000 rows: the first in every 1.2 ms');
    assert.equal(await page.locator('.xy-panel .scale').textContent(), '029998 ');
    const frame = (await page.locator('.xy-panel .plot canvas').boundingBox())!;
    for (let i = 1; i < 20; i++) {
      const across = frame.x + 64 + ((frame.width - 76) * i) / 20;
      await page.mouse.move(across, frame.y + 8 + (frame.height - 44) / 2);
      const { xy } = await peek(page);
      const [east, heat] = (/^East (\S+), North \S+, Heat (\S+) /.exec(xy) ?? []).slice(1).map(Number);
      assert.ok(Math.abs(east! - 1500 * i) < 1000 && Math.abs(heat! - east!) <= 1, xy);
    }
    assert.deepEqual(faults, []);
  });
});
