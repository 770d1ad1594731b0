import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../until.ts';
import { overPlaces, reach } from './explorer-cursor.ts';
import { looksStart, looksTopic, serviceWithLooks, writeLooks } from './explorer-looks-seed.ts';
import { browserPages, copiedQuery, following, holdBack, plotted, skip, toTab } from './explorer-page.ts';
import { type PagePeek, peek, timeOf, watchCanvases } from './explorer-peek.ts';

const second = 1_000_000_000n;

interface StateRow {
  readonly time: bigint;
  readonly state: string;
}

const reading =
  /^(?:first (?<first>.+), last (?<last>.+?)|(?<low>.+?)(?: … (?<high>.+?))?) (?:(?<rows>\d+) rows?, )?(?<day>\d{4}-\d\d-\d\d )(?<from>[\d:.]{18})(?: … (?<to>[\d:.]{18}))?$/;

/** That the states at the cursor are those of the rows: gives how many readings are empty, and how many stand for several rows. */
function check({ cursor, range, plots }: PagePeek, lines: readonly (readonly StateRow[])[], usual: bigint[]) {
  const [from, to] = range.map(timeOf) as [bigint, bigint];
  const at = timeOf(cursor);
  let [empty, several] = [0, 0];
  for (const [i, rows] of lines.entries()) {
    const plot = plots[i]!;
    const perPixel = Number(to - from) / plot.box.width;
    const [text = ''] = plot.readings;
    const before = rows.findLast(({ time }) => time <= at);
    const after = rows.find(({ time }) => time > at);
    if (text === '') {
      empty++;
      const isSilent = !before || !after || after.time - before.time > 5n * usual[i]!;
      assert.ok(isSilent, `${plot.title} says nothing at ${cursor}, between rows`);
      continue;
    }
    const match = reading.exec(text);
    assert.ok(match?.groups !== undefined, `'${text}' is a state`);
    const said = match.groups;
    const begin = timeOf(`${said['day']}${said['from']}`);
    const end = said['to'] === undefined ? begin : timeOf(`${said['day']}${said['to']}`);
    const own = rows.filter(({ time }) => time >= begin && time <= end).map(({ state }) => state);
    assert.equal(own.length, Number(said['rows'] ?? 1), text);
    const states =
      said['first'] === undefined
        ? [said['low'], said['high'] ?? said['low']]
        : [said['first'], said['last']];
    const wanted =
      said['first'] === undefined ? [own.toSorted()[0], own.toSorted().at(-1)] : [own[0], own.at(-1)];
    assert.deepEqual(states, wanted, text);
    if (begin === end) {
      const isNear = Math.abs(Number(at - begin)) <= (reach + 1) * perPixel;
      assert.ok(before?.time === begin || isNear, `${text} is said at ${cursor}`);
    } else {
      several++;
      // In front of a gap one means a state from a few pixels away, too.
      const away = Number(at < begin ? begin - at : at - end);
      assert.ok(away <= (reach + 1) * perPixel, `${text} is said at ${cursor}`);
    }
  }
  return { empty, several };
}

describe('states along time in the explorer', { skip }, async () => {
  if (skip !== false) return;
  const { service, client } = await serviceWithLooks();
  const open = browserPages();
  const signedIn = (hash: string) => open(service.url, hash, { token: service.token, script: watchCanvases });
  const textRows = async (streamId: string, parameterName: string): Promise<StateRow[]> => {
    const { timestamps, stringValues } = await client.query({
      topic: looksTopic,
      streamIds: [streamId],
      stringParameters: [{ parameterName }],
    });
    return timestamps.map((time, i) => ({ time, state: stringValues[parameterName]![i]! }));
  };
  const gearRows = async (streamId: string): Promise<StateRow[]> => {
    const { timestamps, numericValues } = await client.query({
      topic: looksTopic,
      streamIds: [streamId],
      numericParameters: [{ parameterName: 'Gear' }],
    });
    return timestamps.map((time, i) => ({ time, state: String(numericValues['Gear']![i]) }));
  };
  const view = `p=Phase&p=Gear&p=Note&states=Phase,Gear,Note`;
  const usual = [second / 50n, second / 50n, 15n * second];

  it('are those of the rows at 200 places, of all of a run and of a few seconds; gaps stay gaps', async () => {
    const lines = [await textRows('one', 'Phase'), await gearRows('one'), await textRows('one', 'Note')];
    const { page, faults } = await signedIn(`#s=${looksTopic}/one&${view}`);
    await plotted(page);
    let [empty, several] = [0, 0];
    for (const now of await overPlaces(page, 0)) {
      const found = check(now, lines, usual);
      empty += found.empty;
      several += found.several;
    }
    assert.ok(empty > 20 && several > 200, `${empty} are empty, ${several} stand for several rows`);
    const from = looksStart + 35n * second;
    // Answers that come at once would leave no time to see the plots busy.
    const { goOn } = await holdBack(page, '**/parameters/data*');
    await page.evaluate(`location.hash += '&from=${from}&to=${from + 10n * second}'`);
    await page.locator('.plots[aria-busy="true"]').waitFor();
    await goOn();
    await plotted(page);
    several = 0;
    for (const now of await overPlaces(page, 0)) several += check(now, lines, usual).several;
    assert.equal(several, 0);
    assert.deepEqual(faults, []);
  });

  it('stand with their names where there is room, and are read by keys, row by row', async () => {
    const from = looksStart + 2n * second;
    const { page } = await signedIn(
      `#s=${looksTopic}/one&p=Phase&states=Phase&from=${from}&to=${from + 16n * second}`,
    );
    await plotted(page);
    const texts = (await peek(page)).plots[0]!.texts.map(({ text }) => text);
    for (const name of ['idle', 'warm-up', 'push', 'cool-down'])
      assert.ok(texts.includes(name), texts.join());
    const rows = await textRows('one', 'Phase');
    await page.getByRole('region', { name: 'Plots' }).focus();
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('ArrowRight');
      const { cursor, plots } = await peek(page);
      const row = rows.find(({ time }) => time === timeOf(cursor));
      assert.ok(plots[0]!.readings[0]!.startsWith(`${row?.state} `), plots[0]!.readings[0]);
    }
  });

  it('are chosen in the list of channels, or for whole numbers in the menu of a plot', async () => {
    const { page, faults } = await signedIn(`#s=${looksTopic}/one&p=Gear`);
    await plotted(page);
    await toTab(page, 'Channels');
    await page.getByRole('checkbox', { name: 'Phase' }).check();
    await page.waitForURL(/p=Gear&p=Phase&states=Phase/);
    await page.getByRole('heading', { name: 'Phase' }).waitFor();
    const scaleTexts = async () =>
      (await peek(page)).plots[0]!.texts.filter(({ text }) => text === '2.5').length;
    await page.getByRole('button', { name: 'Look of Gear' }).click();
    await page.getByLabel('Drawn as').selectOption('states');
    await page.waitForURL(/states=Phase%2CGear/);
    await page.keyboard.press('Escape');
    await until(async () => (await scaleTexts()) === 0);
    await page.getByText('Export', { exact: true }).click();
    const curl = await copiedQuery(page);
    assert.ok(curl.includes('"stringParameters":[{"parameterName":"Phase"}]'), curl);
    assert.ok(curl.includes('"numericParameters":[{"parameterName":"Gear"}]'), curl);
    assert.deepEqual(faults, []);
  });

  it('are what text is drawn as when it is dragged to a plot', async () => {
    const { page, faults } = await signedIn(
      `#s=${looksTopic}/one&p=Gear&from=${looksStart}&to=${looksStart + 20n * second}`,
    );
    await plotted(page);
    await toTab(page, 'Channels');
    await page.locator('.parameter', { hasText: 'Phase' }).dragTo(page.locator('.plot-row .u-over'));
    await page.waitForURL(/p=Gear%2CPhase.*&states=Phase/);
    await until(async () => (await peek(page)).plots[0]!.texts.some(({ text }) => text === 'push'));
    assert.deepEqual(faults, []);
  });

  it('are drawn over distance, a strip for each lap, and read where the lap was then', async () => {
    // Two laps of 400 m, each with a speed of its own that changes.
    const wayOf = (lap: number, i: number) => i + (15 + 10 * lap) * Math.sin((i * Math.PI) / 400);
    const driven = Array.from({ length: 800 }, (_, i) => ({
      time: looksStart + BigInt(i) * (second / 20n),
      lap: 1 + Math.floor(i / 400),
      way: Math.round(1000 * wayOf(Math.floor(i / 400), i % 400)) / 1000,
      phase: ['brake', 'turn', 'exit'][Math.floor((i + 30) / 70) % 3]!,
      gear: 2 + (Math.floor(i / 55) % 4),
    }));
    await client.writeParameterData(looksTopic, 'driven', {
      timestamps: driven.map(({ time }) => time),
      numericValues: { Way: driven.map(({ way }) => way), Gear: driven.map(({ gear }) => gear) },
      stringValues: { Phase: driven.map(({ phase }) => phase) },
      tagValues: { lap: driven.map(({ lap }) => String(lap)) },
    });
    const over = `mode=overlay&tag=lap&by=Way&pick=${looksTopic}/driven/1&pick=${looksTopic}/driven/2`;
    const { page, faults } = await signedIn(
      `#s=${looksTopic}/driven&p=Phase&p=Gear&states=Phase,Gear&${over}`,
    );
    await plotted(page);
    await until(async () => (await peek(page)).plots.length === 3);
    const drawn = (await peek(page)).plots[1]!.texts.map(({ text }) => text);
    for (const name of ['brake', 'turn', 'exit', 'lap 1', 'lap 2'])
      assert.ok(drawn.includes(name), `${name} of ${drawn.join()}`);
    let read = 0;
    for (const { cursor, plots } of await overPlaces(page, 1)) {
      const place = Number(/^Way (\S+)/.exec(cursor)?.[1]);
      for (const lap of [1, 2]) {
        const own = driven.filter((row) => row.lap === lap);
        // The cursor is said with six digits.
        const near = [place - 0.01, place + 0.01].map((at) => own.findLast(({ way }) => way <= at));
        for (const [plot, state] of [
          [plots[1]!, 'phase'],
          [plots[2]!, 'gear'],
        ] as const) {
          const text = plot.readings[lap - 1]!;
          if (text === '') continue;
          const isRow = near.some(
            (row) => row !== undefined && text.startsWith(`${row[state]} `) && timeOf(text) === row.time,
          );
          assert.ok(isRow, `'${text}' of lap ${lap} at ${place}`);
          read++;
        }
      }
    }
    assert.ok(read > 700, `${read} readings`);
    await page.getByText('Export', { exact: true }).click();
    assert.match(await copiedQuery(page), /"stringParameters":\[\{"parameterName":"Phase"\}\]/);
    assert.deepEqual(faults, []);
  });

  it('are not drawn over what goes back and forth, and the page says so', async () => {
    const over = 'mode=overlay&tag=lap&value=1&value=2&by=Pressure';
    const hash = `#topic=${looksTopic}&s=${looksTopic}/one&p=Calm&p=Phase&states=Phase&${over}`;
    const { page } = await open(service.url, hash, { token: service.token });
    await plotted(page);
    await page.getByText('Not drawn here: Phase. Text is drawn over time and along a way.').waitFor();
    assert.equal(await page.locator('.plot').count(), 1);
  });

  it('follow live data', async () => {
    const start = BigInt(Date.now()) * 1_000_000n;
    await client.writeParameterData(looksTopic, 'now', {
      timestamps: [start - second],
      numericValues: { Gear: [1] },
      stringValues: { Phase: ['idle'], Note: ['out'] },
    });
    const { page, faults } = await signedIn(`#s=${looksTopic}/now&${view}&live=1`);
    await following(page);
    await writeLooks(client, 'now', start, 0);
    const lines = [await textRows('now', 'Phase'), await gearRows('now'), await textRows('now', 'Note')];
    const newest = lines.map((rows) => rows.at(-1)!.time).reduce((a, b) => (a > b ? a : b));
    await until(async () => timeOf((await peek(page)).range[1]!) === newest);
    for (const now of await overPlaces(page, 0)) check(now, lines, usual);
    assert.deepEqual(faults, []);
  });

  it('have their last text in the list of channels, the beginning of a long one', async () => {
    await client.writeParameterData(looksTopic, 'texts', {
      timestamps: [looksStart, looksStart + second],
      numericValues: { Speed: [1, 2] },
      stringValues: { Phase: ['brake', 'turn'], Note: ['a', 'a note that goes on and on'], Empty: ['x', ''] },
    });
    const { page, faults } = await signedIn(`#s=${looksTopic}/texts&p=Speed`);
    await plotted(page);
    await toTab(page, 'Channels');
    const shownOf = (name: string) => page.locator('.parameter', { hasText: name }).locator('.value');
    await shownOf('Phase').getByText('turn').waitFor();
    assert.deepEqual(
      await Promise.all(['Phase', 'Note', 'Empty'].map((name) => shownOf(name).textContent())),
      ['turn String', 'a note that… String', ' String'],
    );
    assert.deepEqual(faults, []);
  });
});
