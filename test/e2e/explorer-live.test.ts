import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { browserPages, following, plotted, skip, statisticsIn, toTab } from './explorer-page.ts';
import { columnsOf, peek, scaleThrough, timeOf, watchCanvases } from './explorer-peek.ts';
import { ownWorkspace } from './explorer-service.ts';

const topic = 'live';
const stepMs = 50;
/** So many rows are a lap, and its length. */
const lapRows = 60;
const lapLength = 300;

interface Row {
  readonly time: bigint;
  readonly lap: number;
  readonly values: Readonly<Record<'Speed' | 'Distance' | 'posX' | 'posY', number>>;
}

describe('the explorer while live data comes', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await ownWorkspace();
  const open = browserPages();
  const signedIn = (hash: string, options: Parameters<typeof open>[2] = {}) =>
    open(service.url, hash, { token: service.token, script: watchCanvases, ...options });

  /** A car that drives around a circle; each lap is a little faster than the one before. */
  const drivenRow = (start: bigint, i: number): Row => {
    const lap = 1 + Math.floor(i / lapRows);
    const share = (i % lapRows) / lapRows + 0.004;
    const way = share + 0.01 * lap * Math.sin(Math.PI * share);
    const round = (value: number) => Math.round(value * 1000) / 1000;
    return {
      time: start + BigInt(i * stepMs) * 1_000_000n,
      lap,
      values: {
        Speed: round(100 + 30 * Math.sin(i / 9)),
        Distance: round(lapLength * way),
        posX: round(50 * Math.cos(2 * Math.PI * way)),
        posY: round(50 * Math.sin(2 * Math.PI * way)),
      },
    };
  };
  const write = (streamId: string, rows: readonly Row[]) =>
    client.writeParameterData(topic, streamId, {
      timestamps: rows.map(({ time }) => time),
      numericValues: Object.fromEntries(
        (['Speed', 'Distance', 'posX', 'posY'] as const).map((name) => [
          name,
          rows.map(({ values }) => values[name]),
        ]),
      ),
      tagValues: { lap: rows.map(({ lap }) => String(lap)) },
    });
  /** A run with so many rows until now; the next ones are written by `more`. */
  const run = async (streamId: string, count: number) => {
    await client.defineParameters(topic, streamId, [
      { id: 'Speed', unit: 'km/h', minimumValue: 60, maximumValue: 150 },
      { id: 'Distance', unit: 'm' },
      { id: 'posX', unit: 'm' },
      { id: 'posY', unit: 'm' },
    ]);
    const start = BigInt(Date.now() - count * stepMs) * 1_000_000n;
    const rows: Row[] = [];
    const more = async (wanted: number) => {
      const own = Array.from({ length: wanted }, (_, i) => drivenRow(start, rows.length + i));
      rows.push(...own);
      await write(streamId, own);
    };
    await more(count);
    return { rows, more, last: () => rows.at(-1)! };
  };
  const nowTexts = async (page: Page) =>
    (await page.locator('.now-values dd').allTextContents()).map((text) =>
      text.replaceAll('\u00a0', ' ').trim(),
    );
  const laps = (page: Page) =>
    page
      .locator('.lap-table tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '').slice(1)),
      );

  it('shows the newest value of each plot large, with its unit, and says where it is beyond limits', async () => {
    const { rows, more, last } = await run('values', 100);
    const { page, faults } = await signedIn(`#s=${topic}/values&p=Speed&p=Distance&live=1`);
    await following(page);
    for (let round = 0; round < 5; round++) {
      await more(3);
      const { Speed, Distance } = last().values;
      await until(async () => (await nowTexts(page)).join() === `${Speed} km/h,${Distance} m`);
    }
    assert.equal(await page.locator('.now-values .beyond').count(), 0);
    const base = last().time;
    const beyond = async (value: number, after: bigint, text: string) => {
      await write('values', [{ ...last(), time: base + after, values: { ...last().values, Speed: value } }]);
      await until(async () => (await nowTexts(page))[0] === `${value} km/h ${text}`);
      const colour = await page.evaluate(
        "getComputedStyle(document.querySelector('.now-values .beyond dd')).color",
      );
      assert.equal(colour, 'rgb(179, 38, 30)');
    };
    await beyond(151.5, 60_000_000n, 'above 150');
    await beyond(59.25, 70_000_000n, 'below 60');
    await write('values', [{ ...last(), time: base + 80_000_000n }]);
    await until(async () => (await page.locator('.now-values .beyond').count()) === 0);
    // What was beyond them is told still.
    await page.getByRole('button', { name: '2 rows of Speed outside of 60 … 150: go to the next' }).waitFor();
    assert.ok(rows.length > 100);
    await page.getByRole('button', { name: 'Pause' }).click();
    await until(async () => (await page.locator('.now-values').count()) === 0);
    assert.deepEqual(faults, []);
    // Of a division there are more digits than mean anything.
    const { page: other } = await signedIn(`#s=${topic}/values&p=Third&m=Third,Distance / 3,m&live=1`);
    const third = Number((last().values.Distance / 3).toPrecision(5));
    await until(async () => (await nowTexts(other)).join() === `${third} m`);
    await other.close();
  });

  it("says how far behind the service's clock the newest row is, also in a browser with a wrong clock", async () => {
    // An hour is what the clock of the browser is wrong by.
    const script = `
      const now = Date.now;
      Date.now = () => now.call(Date) + 3_600_000;
    `;
    for (const [streamId, lateMs, wrong] of [
      ['late', 3000, ''],
      ['wrong', 3000, script],
    ] as const) {
      const write = () =>
        client.writeParameterData(topic, streamId, {
          timestamps: [BigInt(Date.now() - lateMs) * 1_000_000n],
          numericValues: { Speed: [1] },
        });
      await write();
      const { page } = await signedIn(`#s=${topic}/${streamId}&p=Speed&live=1`, { script: wrong });
      await following(page);
      const read = async () => {
        await write();
        return Number(/^(\d+\.\d) s behind$/.exec((await page.locator('.behind').textContent()) ?? '')?.[1]);
      };
      // Not before half a second is sure of a clock that is told in seconds; what it takes to write comes on top.
      await until(async () => {
        const behind = await read();
        return behind >= lateMs / 1000 - 0.6 && behind < lateMs / 1000 + 1.5;
      });
    }
  });

  it('has the newest values of two channels above what is drawn', async () => {
    const { more } = await run('two-scales', 20);
    await client.defineParameters(topic, 'two-scales', [{ id: 'posX', unit: 'm' }]);
    const { page } = await signedIn(`#s=${topic}/two-scales&p=Speed,posX&live=1`);
    await following(page);
    await more(2);
    const values = page.locator('.now-values dd');
    await until(async () => (await values.count()) === 2);
    const last = (await values.last().boundingBox())!;
    const drawn = (await page.locator('.plot .u-over').boundingBox())!;
    assert.ok(last.y + last.height <= drawn.y, JSON.stringify([last, drawn]));
  });

  it('says so where the stream goes silent, and goes on when it does', async () => {
    const { more } = await run('silent', 20);
    const { page } = await signedIn(`#s=${topic}/silent&p=Speed&live=1`);
    await following(page);
    // It is seen for the seconds after a row only: who looks begins before.
    const goesOn = () =>
      Promise.all([page.locator('.live:has(.behind):not(:has(.silent))').waitFor(), more(1)]);
    await goesOn();
    await page.locator('.live').getByText('no data').waitFor();
    const [, seconds] = /no data ?for (\d+) s/.exec((await page.locator('.live').textContent()) ?? '') ?? [];
    assert.ok(Number(seconds) >= 5, `for ${seconds} s`);
    await goesOn();
  });

  it('counts silence from when it is connected: a minute before says nothing', async () => {
    await run('held', 20);
    // The clock of the page stands still but for what the test adds. What the hub answers waits.
    const script = `
      const begun = Date.now();
      globalThis.minutes = 0;
      Date.now = () => begun + globalThis.minutes * 60_000;
      globalThis.held = [];
      const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
      Object.defineProperty(WebSocket.prototype, 'onmessage', {
        configurable: true,
        set(handler) {
          set.call(this, (event) => {
            if (globalThis.held === undefined) handler.call(this, event);
            else globalThis.held.push(() => handler.call(this, event));
          });
        },
      });
    `;
    const { page, faults } = await signedIn(`#s=${topic}/held&p=Speed&live=1`, { script });
    await page.locator('fieldset.live').getByText('connecting…', { exact: true }).waitFor();
    await until(async () => page.evaluate('held.length > 0'));
    await page.evaluate('minutes = 1; for (const go of held) go(); held = undefined');
    await following(page);
    // Two drawings of the text that is made anew from time to time.
    await page.evaluate('new Promise((drawn) => setTimeout(drawn, 600))');
    assert.equal(await page.locator('.silent').count(), 0);
    await page.evaluate('minutes = 2');
    await page.locator('.live').getByText('no data').waitFor();
    assert.equal(await page.locator('.silent').textContent(), 'for 1 min');
    await following(page);
    assert.deepEqual(faults, []);
  });

  it('takes a device that sends once a minute for silent after some minutes', async () => {
    const start = BigInt(Date.now() - 10 * 60_000) * 1_000_000n;
    const rows = Array.from({ length: 10 }, (_, i) => ({
      ...drivenRow(start, i),
      time: start + BigInt(i) * 60_000_000_000n,
    }));
    await write('minutely', rows);
    const script = `
      const begun = Date.now();
      globalThis.minutes = 0;
      Date.now = () => begun + globalThis.minutes * 60_000;
    `;
    const { page, faults } = await signedIn(`#s=${topic}/minutely&p=Speed&live=1`, { script });
    await following(page);
    await page.evaluate('minutes = 1');
    await page.evaluate('new Promise((drawn) => setTimeout(drawn, 600))');
    assert.equal(await page.locator('.silent').count(), 0);
    await page.evaluate('minutes = 60');
    await page.locator('.silent').waitFor();
    assert.deepEqual(faults, []);
  });

  it('shows all data that there is by now, without following', async () => {
    const { more, last } = await run('goes-on', 20);
    const { page, faults } = await signedIn(`#s=${topic}/goes-on&p=Speed`);
    await plotted(page);
    await more(50);
    const to = page.getByRole('textbox', { name: /^To/ });
    const ms = last().time / 1_000_000n;
    const wanted = new Date(Number(ms)).toISOString().replace('T', ' ').replace('Z', '');
    assert.notEqual(await to.inputValue(), wanted);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await until(async () => (await to.inputValue()) === wanted);
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('lists channels that come while one looks, and what is defined of them', async () => {
    for (const live of ['&live=1', '']) {
      const streamId = `coming${live.length}`;
      const { more, last } = await run(streamId, 20);
      const { page, faults } = await signedIn(`#s=${topic}/${streamId}&p=Speed${live}`);
      await toTab(page, 'Channels');
      const names = async () => (await page.locator('.channel .name').allTextContents()).join();
      await until(async () => (await names()) === 'Distance,Speed,posX,posY');
      if (live !== '') await following(page);
      await client.writeParameterData(topic, streamId, {
        timestamps: [last().time + 1_000_000n],
        numericValues: { Oil: [81.5] },
        stringValues: { Flag: ['green'] },
      });
      await until(async () => (await names()) === 'Distance,Flag,Oil,Speed,posX,posY');
      const oil = page.locator('.channel', { hasText: 'Oil' });
      await client.defineParameters(topic, streamId, [{ id: 'Oil', unit: '°C' }]);
      await oil.getByText('°C').waitFor();
      // It has its value, and can be plotted.
      await oil.locator('.value', { hasText: /^81\.5 / }).waitFor();
      await page.getByRole('checkbox', { name: /^Oil/ }).check();
      if (live === '') {
        await page.getByRole('figure', { name: 'Oil' }).waitFor();
        await page.getByRole('region', { name: 'Plots' }).focus();
        const heading = page.getByRole('heading', { name: 'Oil', exact: true });
        const value = page.locator('.plot-row').filter({ has: heading }).locator('.reading dd');
        await until(async () => {
          await page.keyboard.press('ArrowRight');
          return (await value.textContent())?.startsWith('81.5') === true;
        });
      } else {
        await more(2);
        await until(async () => (await nowTexts(page))[1] === '81.5 °C');
      }
      assert.deepEqual(faults, []);
    }
  });

  it('finds the tag of laps where it comes with later rows', async () => {
    await client.writeParameterData(topic, 'untagged', {
      timestamps: [BigInt(Date.now()) * 1_000_000n],
      numericValues: { Speed: [1] },
    });
    const { page } = await signedIn(`#s=${topic}/untagged&p=Speed&live=1`);
    await following(page);
    await page.locator('.lap-table .run-cell').first().waitFor();
    await client.writeParameterData(topic, 'untagged', {
      timestamps: [1, 2, 3].map((i) => BigInt(Date.now() + i * 100) * 1_000_000n),
      numericValues: { Speed: [1, 2, 3] },
      tagValues: { lap: ['1', '1', '2'] },
    });
    await until(async () => (await laps(page)).map(([lap]) => lap).join() === '1,2');
  });

  it('has the values of now in the list of channels, of what is plotted and of what is not', async () => {
    const { more, last } = await run('listed', 100);
    const { page, faults } = await signedIn(`#s=${topic}/listed&p=Speed&p=Half&m=Half,Distance / 2,m&live=1`);
    await toTab(page, 'Channels');
    await following(page);
    const listed = async (name: string) => {
      const box = page.getByRole('checkbox', { name: new RegExp(`^${name}\\b`) });
      const line = page.locator('.channel').filter({ has: box });
      return Number.parseFloat((await line.locator('.value').textContent()) ?? '');
    };
    const shown = (value: number) => Number(value.toPrecision(4));
    const isNear = async (name: string, value: number) =>
      Math.abs((await listed(name)) - value) <= Math.abs(shown(value)) * 1e-3;
    for (let round = 0; round < 3; round++) {
      await more(7);
      const { Speed, Distance, posX } = last().values;
      await until(async () => isNear('Speed', Speed));
      await until(async () => isNear('posX', posX));
      await until(async () => isNear('Half', Distance / 2));
    }
    // The line of a channel goes on, too: a peak is the highest of all.
    const path = () => page.locator('.channel', { hasText: 'posX' }).locator('.spark path').getAttribute('d');
    const before = await path();
    await client.writeParameterData(topic, 'listed', {
      timestamps: [last().time + 10_000_000n],
      numericValues: { posX: [900], Speed: [100] },
    });
    await until(async () => (await path()) !== before);
    await until(async () => isNear('posX', 900));
    // A jump of more than is seen: what lies between is read.
    for (const [minutes, value] of [
      [2n, 300],
      [4n, 400],
    ] as const) {
      await client.writeParameterData(topic, 'listed', {
        timestamps: [last().time + minutes * 60_000_000_000n],
        numericValues: { posX: [value], Speed: [value], Distance: [value] },
      });
      for (const name of ['posX', 'Speed']) await until(async () => isNear(name, value));
      await until(async () => isNear('Half', value / 2));
    }
    assert.deepEqual(faults, []);
  });

  it('follows a run by a shared link as well: a view that was saved live', async () => {
    const { rows, more, last } = await run('shared', lapRows + 20);
    for (const [id, part] of [
      ['saved-live', 'p=Speed&p=Distance&panel=laps&live=1'],
      ['saved-driven', `p=Speed&panel=map&live=1&mode=overlay&tag=lap&pick=${topic}/shared/1&by=Distance`],
    ] as const) {
      const state = { explorer: `#s=${topic}/shared&${part}` };
      await client.putView(id, { name: id, topic, streamIds: ['shared'], state });
      const { token } = await client.share(id);
      const { page, faults } = await open(service.url, `#view=${id}&token=${token}`, {
        script: watchCanvases,
      });
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
      });
      await page.getByText('Shared, read only').waitFor();
      await following(page);
      for (let round = 0; round < 2; round++) {
        await more(5);
        const { Speed, Distance, posX } = last().values;
        if (id === 'saved-live')
          await until(async () => (await nowTexts(page)).join() === `${Speed} km/h,${Distance} m`);
        else
          await until(async () =>
            ((await page.locator('.map-row').last().textContent()) ?? '').includes(`posX\u00a0${posX}`),
          );
      }
      if (id === 'saved-live') {
        const lapCount = 1 + Math.floor((rows.length - 1) / lapRows);
        while (rows.length < lapCount * lapRows + 5) await more(5);
        await until(async () => (await laps(page)).length === lapCount + 1);
        await page.getByRole('button', { name: 'Pause' }).click();
        await plotted(page);
        await page.getByRole('button', { name: 'Follow live' }).click();
        await following(page);
      }
      await page.reload();
      await following(page);
      assert.deepEqual(refused, []);
      assert.deepEqual(faults, []);
    }
  });

  it('shows a lap that ends while one looks by itself', async () => {
    for (const live of ['&live=1', '']) {
      const streamId = `ends${live.length}`;
      const { rows, more } = await run(streamId, lapRows + 30);
      const { page, faults } = await signedIn(`#s=${topic}/${streamId}&p=Speed${live}`);
      await until(async () => (await laps(page)).map(([lap]) => lap).join() === '1,2');
      if (live !== '') await following(page);
      assert.equal((await laps(page)).at(-1)![2], 'not whole');
      while (rows.length < 2 * lapRows + 15) await more(5);
      await until(async () => (await laps(page)).map(([lap]) => lap).join() === '1,2,3');
      // The lap has the time that its rows have, from line to line.
      const wanted = (lapRows * stepMs) / 1000;
      await until(async () => Math.abs(Number((await laps(page))[1]![1]!.replace('≈ ', '')) - wanted) < 0.08);
      const [, second, third] = await laps(page);
      assert.notEqual(second![2], 'not whole');
      assert.equal(third![2], 'not whole');
      assert.deepEqual(faults, []);
    }
  });

  it('follows in the comparison of laps: the lap that is driven grows, Δt and map with it, and the next one takes over', async () => {
    const { rows, more, last } = await run('compared', lapRows + 12);
    const hash = `#s=${topic}/compared&p=Speed&panel=map&map=posX,posY,Speed&live=1&mode=overlay&tag=lap&pick=${topic}/compared/1&by=Distance`;
    const { page, faults } = await signedIn(hash);
    await page.getByRole('figure', { name: 'Speed: lap 1, lap 2' }).waitFor();
    await page.locator('.map canvas').waitFor();
    const driven = () => page.locator('.map-row').last().textContent();
    const isThere = async () => {
      const text = ((await driven()) ?? '').replaceAll('\u00a0', ' ');
      const { Speed, posX, posY } = last().values;
      return text.includes(`Speed ${Speed} km/h, posX ${posX} m, posY ${posY} m`);
    };
    for (let round = 0; round < 3; round++) {
      await more(10);
      await until(isThere);
      // Δt at the last row: how long the lap took to there, and how long lap 1 did.
      const place = last().values.Distance;
      const own = rows.filter(({ lap }) => lap === 1);
      const next = own.findIndex(({ values }) => values.Distance >= place);
      const [before, behind] = [own[next - 1]!, own[next]!];
      const share = (place - before.values.Distance) / (behind.values.Distance - before.values.Distance);
      const lap1 = Number(before.time - own[0]!.time) / 1e9 + (share * stepMs) / 1000;
      const lap2 = Number(last().time - rows[lapRows]!.time) / 1e9;
      await until(async () => {
        const text = (await page.locator('.delta .now-values dd').textContent()) ?? '';
        return Math.abs(Number(text.replace('−', '-').replace(' s', '')) - (lap2 - lap1)) < 0.02;
      });
    }
    // Lap 3 begins: it lies over lap 1 without a hand.
    while (rows.length < 2 * lapRows + 20) await more(6);
    await page.getByRole('figure', { name: 'Speed: lap 1, lap 3' }).waitFor();
    await until(isThere);
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 1);
    assert.deepEqual(faults, []);
  });

  it('follows on the map: the way of the last while, and the dot where the newest row is', async () => {
    const { more, last, rows } = await run('mapped', 50);
    const { page, faults } = await signedIn(`#s=${topic}/mapped&p=Speed&live=1`);
    await following(page);
    await toTab(page, 'Map');
    await page.locator('.map canvas').waitFor();
    const asked: string[] = [];
    for (let round = 0; round < 12; round++) {
      await more(4);
      const { Speed, posX, posY } = last().values;
      await until(async () => {
        const text = ((await page.locator('.map-row').textContent()) ?? '').replaceAll('\u00a0', ' ');
        return text.startsWith(`Speed ${Speed} km/h, posX ${posX} m, posY ${posY} m`);
      });
      if (round === 1)
        page.on('request', (request) => {
          if ((request.postData() ?? '').includes('posX')) asked.push(request.postData()!);
        });
    }
    // All of the way is read again after laps, and not with each row.
    assert.ok(asked.length <= 2, asked.join('\n'));
    // Pointing at the map stands still while rows come.
    const box = (await page.locator('.track canvas').boundingBox())!;
    const dot = (await page.locator('.map-dot').boundingBox())!;
    await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
    assert.ok(dot.x > box.x && dot.y > box.y);
    const pointed = await page.locator('.map-row').textContent();
    for (let round = 0; round < 4; round++) {
      const before = rows.length;
      await more(4);
      await until(
        async () => (await nowTexts(page))[0] === `${last().values.Speed} km/h` && before < rows.length,
      );
    }
    assert.equal(await page.locator('.map-row').textContent(), pointed);
    await plotted(page);
    assert.deepEqual(faults, []);
  });

  it('has the rows of before, also where rows come while it is still connecting', async () => {
    // Answers of the hub come late, what it sends of rows does not.
    const script = `
      const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'onmessage');
      Object.defineProperty(WebSocket.prototype, 'onmessage', {
        configurable: true,
        set(handler) {
          set.call(this, (event) => {
            if (/"type":3/.test(event.data)) setTimeout(() => handler.call(this, event), 2000);
            else handler.call(this, event);
          });
        },
      });
    `;
    const { rows, more } = await run('before', 200);
    const { page, faults } = await signedIn(`#s=${topic}/before&p=Speed&live=1`, { script });
    const isConnected = page.getByText('connected', { exact: true });
    await until(async () => {
      await more(2);
      return (await isConnected.count()) > 0;
    });
    await page.locator('.plot .u-over').waitFor();
    const old = rows[20]!;
    await until(async () => {
      const { range } = await peek(page);
      const [from, to] = range.map(timeOf) as [bigint, bigint];
      const over = (await page.locator('.plot .u-over').boundingBox())!;
      const share = Number(old.time - from) / Number(to - from);
      await page.mouse.move(over.x + over.width * share, over.y + over.height / 2);
      return (await peek(page)).plots[0]!.readings[0] !== '';
    });
    assert.deepEqual(faults, []);
  });

  it('keeps what is seen where more channels are followed, until the past of all has come', async () => {
    const { more, last } = await run('kept', 100);
    const { page, faults } = await signedIn(`#s=${topic}/kept&p=Speed&live=1`);
    await following(page);
    await more(2);
    await until(async () => (await nowTexts(page))[0] === `${last().values.Speed} km/h`);
    const seen = last().values.Speed;
    // Lines of the plot, of the strip and of the list, of which none may have a gap.
    const drawn = async () => (await columnsOf(page, 0, '#0072b2')).filter(Boolean).length;
    const lines = () =>
      page
        .locator('.strip path, .channel .spark path')
        .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')!.split('M').length - 1));
    await page.locator('.channel .spark').nth(3).waitFor();
    const before = await drawn();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let isAsked = false;
    await page.route('**/parameters/data*', async (route) => {
      if (route.request().postData()?.includes('"limit":50000')) {
        isAsked = true;
        await held;
      }
      await route.continue();
    });
    await toTab(page, 'Map');
    await until(async () => isAsked);
    await following(page);
    await more(40);
    // What came is not drawn by itself.
    await page.evaluate('new Promise((drawn) => setTimeout(drawn, 300))');
    assert.equal((await nowTexts(page))[0], `${seen} km/h`);
    assert.ok((await drawn()) >= before);
    goOn();
    await until(async () => (await nowTexts(page))[0] === `${last().values.Speed} km/h`);
    await more(20);
    await until(async () => (await nowTexts(page))[0] === `${last().values.Speed} km/h`);
    await until(async () => (await lines()).length >= 5);
    assert.deepEqual(new Set(await lines()), new Set([1]));
    assert.deepEqual(faults, []);
  });

  it('says that rows of before could not be read, and reads them when they can be', async () => {
    const { rows, more } = await run('refused', 100);
    const { page } = await signedIn(`#s=${topic}/refused&p=Speed`);
    await plotted(page);
    await page.route('**/parameters/data*', (route) => route.fulfill({ status: 400, body: '{}' }));
    await page.getByRole('button', { name: 'Follow live' }).click();
    const problem = page.locator('fieldset.live').getByRole('alert');
    await problem.filter({ hasText: /^Not all rows could be read, trying again: / }).waitFor();
    await page.unroute('**/parameters/data*');
    await problem.waitFor({ state: 'detached' });
    await more(1);
    await until(async () => {
      const { range } = await peek(page);
      const [from, to] = range.map(timeOf) as [bigint, bigint];
      const over = (await page.locator('.plot .u-over').boundingBox())!;
      await page.mouse.move(
        over.x + (over.width * Number(rows[50]!.time - from)) / Number(to - from),
        over.y + 40,
      );
      return (await peek(page)).plots[0]!.readings[0] !== '';
    });
  });

  it('follows in the table of rows: the newest first, and in pages again after a pause', async () => {
    const { rows, more, last } = await run('table', 250);
    const { page, faults } = await signedIn(`#s=${topic}/table&p=Speed&mode=table&live=1`);
    const cells = () => page.locator('.rows tbody tr td').allTextContents();
    for (let round = 0; round < 3; round++) {
      await more(3);
      const newest = rows.slice(-200).map(({ values }) => String(values.Speed));
      await until(async () => (await cells()).join() === newest.toReversed().join());
    }
    await page.getByText('The newest 200 rows').waitFor();
    await page.locator('.rows tbody tr button').nth(3).click();
    assert.equal(await page.locator('.rows tbody tr').nth(3).getAttribute('aria-current'), 'true');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Rows 1 to \d+$/).waitFor();
    assert.equal((await cells())[0], String(rows[0]!.values.Speed));
    assert.ok(last().time > rows[0]!.time);
    assert.deepEqual(faults, []);
  });

  it('follows with events, colours of a tag and statistics: of what is seen then', async () => {
    const { rows, more, last } = await run('marked', lapRows + 10);
    const { page, faults } = await signedIn(`#s=${topic}/marked&p=Speed&panel=events&bands=lap&live=1`);
    await following(page);
    await page.getByLabel('How much is seen').selectOption('10 s');
    const labels = async () => (await peek(page)).plots[0]?.texts.map(({ text }) => text) ?? [];
    for (const value of ['first', 'second']) {
      await more(3);
      await client.writeEvents(topic, 'marked', [{ id: 'Knock', timestamp: last().time - 1n, value }]);
      await page.getByRole('button', { name: `Knock: ${value}` }).waitFor();
    }
    await page.getByText('2 events', { exact: true }).waitFor();
    while (rows.length < 3 * lapRows) await more(6);
    await until(async () => (await labels()).includes('lap 3'));
    await toTab(page, 'Measure');
    for (let round = 0; round < 2; round++) {
      await more(2);
      // All that was written is seen: it is less than ten seconds.
      await until(async () => {
        const count = page.locator('.measure .statistics dd').nth(5);
        return (await count.count()) > 0 && Number(await count.getAttribute('title')) === rows.length;
      });
      const largest = Math.max(...rows.map(({ values }) => values.Speed));
      const said = await page.locator('.measure .statistics dd').nth(1).getAttribute('title');
      assert.equal(Number(said), largest);
    }
    assert.deepEqual(faults, []);
  });

  it('follows with statistics of laps: of the one that is driven as soon as it has passed A and B', async () => {
    const { rows, more, last } = await run('measured', lapRows + 12);
    const { page, faults } = await signedIn(
      `#s=${topic}/measured&p=Speed&panel=measure&live=1&mode=overlay&tag=lap&pick=${topic}/measured/1&by=Distance`,
    );
    const part = (lap: number) =>
      page.locator('.measure .values').filter({
        has: page.getByRole('heading', { name: new RegExp(`^Speed .*lap ${lap}$`) }),
      });
    const said = (lap: number) => statisticsIn(part(lap));
    const isSaid = (lap: number, own: readonly Row[]) =>
      until(async () => {
        const speeds = own.map(({ values }) => values.Speed);
        const [least, largest, , , , count] = await said(lap);
        return least === Math.min(...speeds) && largest === Math.max(...speeds) && count === own.length;
      });
    const ofLap = (lap: number) => rows.filter((row) => row.lap === lap);
    for (let round = 0; round < 2; round++) {
      await more(3);
      await isSaid(2, ofLap(2));
      await isSaid(1, ofLap(1));
    }
    // Between places of no row.
    const [a, b] = [20.0001, 150.0001];
    await page.evaluate(`location.hash += '&pa=${a}&pb=${b}'`);
    const between = (lap: number) =>
      ofLap(lap).filter(({ values }) => values.Distance > a && values.Distance < b);
    await isSaid(1, between(1));
    await part(2).getByText('– It does not pass B, or has no rows there.').waitFor();
    while (last().values.Distance < b) await more(3);
    await isSaid(2, between(2));
    assert.deepEqual(faults, []);
  });

  it('follows in XY as well', async () => {
    const { more, last } = await run('xy', 40);
    const { page, faults } = await signedIn(`#s=${topic}/xy&p=Speed&mode=xy&xy=posX,posY&live=1`);
    // Wide enough for two numbers below the panel.
    await page.setViewportSize({ width: 1800, height: 900 });
    await page.locator('.plot.xy canvas').waitFor();
    for (let round = 0; round < 2; round++) {
      await more(5);
      const { posX, posY } = last().values;
      await page.mouse.move(0, 0);
      // Where nobody points at anything, the newest row is marked and told.
      await until(async () => {
        const text = (await page.locator('.xy-reading output').textContent()) ?? '';
        return text.startsWith(`posX ${posX} m, posY ${posY} m`);
      });
      assert.equal(await page.locator('.plot.xy .dot').count(), 1);
      await until(async () => {
        // Along the scales that the chart has now, to where the newest row is.
        const plot = (await peek(page)).plots.at(-1);
        const across = plot!.texts.filter(({ text, y }) => isNumber(text) && y > plot!.box.height - 30);
        const up = plot!.texts.filter(({ text, x }) => isNumber(text) && x < 60);
        if (across.length < 2 || up.length < 2) return false;
        const xOf = scaleThrough(across.map(({ text, x }) => [Number(text), x]));
        const yOf = scaleThrough(up.map(({ text, y }) => [Number(text), y - 4]));
        const frame = (await page.locator('.plot.xy canvas').boundingBox())!;
        await page.mouse.move(frame.x + xOf(posX) + 1, frame.y + yOf(posY));
        await page.mouse.move(frame.x + xOf(posX), frame.y + yOf(posY));
        const text = (await page.locator('.xy-reading output').textContent()) ?? '';
        return text.startsWith(`posX ${posX} m, posY ${posY} m`);
      });
    }
    assert.deepEqual(faults, []);
  });
});

function isNumber(text: string): boolean {
  return /^-?[\d.]+$/.test(text);
}
