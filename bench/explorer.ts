import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { parameterName } from './data.ts';
import { firstDrawings } from './explorer-first.ts';
import { follow, keep, type LiveLoad, nextValues, write } from './explorer-live.ts';
import { sideWithMany, writeMany } from './explorer-many.ts';
import { type MeasuredPage, openMeasuredPage, type Stretch } from './explorer-page.ts';
import { printTable, show } from './figures.ts';
import { startPitwall, token } from './pitwall.ts';
import { seededRandom } from './random.ts';

/**
 * What the explorer costs the browser: opening a recording at 1 kHz, zooming and panning over it and single views of it, following a
 * stream that is written to in hundreds of packages a second, and what it keeps after an hour of that. Figures are for
 * README.md.
 */
const help = `node build/bench/explorer.js [--minutes 60] [--parameters 12] [--packages 300] [--rows 10] [--seconds 20]
    [--channels 200] [--only first|look|follow|many|keep] [--trace FILE]

Needs a built project (npm run build) and Chromium at /usr/bin/chromium. An hour of twelve parameters at 1 kHz is 43
million samples. --packages is how many packages of --rows rows a second are followed, for --seconds.
many: 5,000 runs and one of --channels, of which the lists at the side are scrolled and searched.
--only keep follows --minutes of data, ten times as many rows in each package, and a text that is new in each; it is not
part of a run without --only. --trace writes the last stretch for Chromium's tools.`;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    parameters: { type: 'string', default: '12' },
    packages: { type: 'string', default: '300' },
    channels: { type: 'string', default: '200' },
    rows: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    trace: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const parameters = Number(options.parameters);
const rowsPerRequest = 5000;
const openings = 7;
const firstMs = 1767225600000;

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  // Requests that the page cancels are in the log.
  process.env['PITWALL_LOG_LEVEL'] ??= 'fatal';
  const folder = mkdtempSync(join(tmpdir(), 'pitwall-bench-'));
  const system = await startPitwall(folder);
  const url = `http://127.0.0.1:${system.port}`;
  let measured: MeasuredPage | undefined;
  try {
    const rows = Number(options.minutes) * 60_000;
    const isWanted = (part: string) => options.only === '' || options.only === part;
    const live: LiveLoad = {
      url,
      stream: 'live',
      parameters,
      packages: Number(options.packages),
      rows: Number(options.rows),
      hasTexts: false,
    };
    const table: [string, Stretch][] = [];
    if (isWanted('first') || isWanted('look')) await load(url, rows);
    if (isWanted('first')) await open(url, rows);
    measured = await openMeasuredPage(url, token, options.trace);
    if (isWanted('look')) table.push(...(await looks(measured, rows)));
    if (isWanted('follow')) table.push(...(await follow(measured, live, Number(options.seconds))));
    if (isWanted('many')) {
      await writeMany({ url, token, streams: 5000, channels: Number(options.channels) });
      table.push(...(await sideWithMany(measured)));
    }
    if (options.only === 'keep')
      await keep(measured, { ...live, rows: 10 * live.rows, hasTexts: true }, Number(options.minutes));
    if (table.length > 0) print(table);
  } finally {
    await measured?.close();
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The page with all of the recording, from a closed browser to a drawn picture. */
async function open(url: string, rows: number): Promise<void> {
  const range = `&from=${firstMs}000000&to=${firstMs + rows - 1}000000`;
  const table = [['first drawing', 'cold, ms', 'files known', 'processor ms']];
  for (const [name, part] of [
    ['of the run', ''],
    ['of a range', range],
  ] as const) {
    const { cold, again, work } = await firstDrawings(
      `${url}/#s=bench/recording&${plots()}${part}`,
      token,
      openings,
    );
    table.push([name, show(cold), show(again), show(work)]);
  }
  printTable(table);
}

function plots(): string {
  return Array.from({ length: parameters }, (_, i) => `p=${parameterName(i)}`).join('&');
}

/** The recording, all of it and parts of it, and zooming. */
async function looks({ page, measure }: MeasuredPage, rows: number): Promise<[string, Stretch][]> {
  console.log(`${(rows * parameters) / 1e6} million samples are loaded`);
  const table: [string, Stretch][] = [];
  for (const [name, share] of [
    ['view of all', 1],
    ['view of a tenth', 0.1],
    ['view of a hundredth', 0.01],
    ['view of a thousandth', 0.001],
  ] as const) {
    table.push([name, await measure(() => look(page, rows, share))]);
  }
  await look(page, rows, 1);
  table.push(['zooming by wheel', await measure(() => zoom(page))]);
  await look(page, rows, 0.1);
  table.push(['panning by hand', await measure(() => pan(page))]);
  return table;
}

/** Writes rows a millisecond apart: numbers that walk, with three decimals. */
async function load(url: string, rows: number): Promise<void> {
  const random = seededRandom(7);
  const walk = Array.from({ length: parameters }, () => 50);
  for (let row = 0; row < rows; row += rowsPerRequest) {
    const length = Math.min(rowsPerRequest, rows - row);
    await write(url, 'recording', firstMs + row, nextValues(walk, length, random));
  }
}

/** Opens the middle share of the recording and waits until it is drawn. */
async function look(page: Page, rows: number, share: number): Promise<void> {
  const from = BigInt(Math.round(firstMs + (rows * (1 - share)) / 2)) * 1_000_000n;
  const to = from + BigInt(Math.round(rows * share)) * 1_000_000n;
  await page.evaluate(`location.hash = '#s=bench/recording&${plots()}&from=${from}&to=${to}'`);
  await page.locator('.plots[aria-busy="true"]').waitFor();
  await drawn(page);
}

async function drawn(page: Page): Promise<void> {
  await page.locator('.plots[aria-busy="false"] .plot canvas').first().waitFor({ timeout: 120_000 });
  await sleep(200);
}

/** In to single rows and out again, four times, a notch of the wheel every 30 ms. */
async function zoom(page: Page): Promise<void> {
  const box = (await page.locator('.plot .u-over').first().boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2);
  await page.keyboard.down('Control');
  for (const direction of [-1, 1, -1, 1, -1, 1, -1, 1]) {
    for (let notch = 0; notch < 25; notch++) {
      await page.mouse.wheel(0, direction * 100);
      await sleep(30);
    }
    await drawn(page);
  }
  await page.keyboard.up('Control');
}

/** By a share of what is shown and back again, four times, a step of the hand every 30 ms. */
async function pan(page: Page): Promise<void> {
  const box = (await page.locator('.plot .u-over').first().boundingBox())!;
  const y = box.y + box.height / 2;
  for (const direction of [-1, 1, -1, 1, -1, 1, -1, 1]) {
    const x = box.x + box.width * (0.5 - direction * 0.4);
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let step = 1; step <= 25; step++) {
      await page.mouse.move(x + (direction * box.width * 0.8 * step) / 25, y);
      await sleep(30);
    }
    await page.mouse.up();
    await drawn(page);
  }
}

function print(stretches: readonly (readonly [string, Stretch])[]): void {
  printTable([
    [
      '',
      'frame p50',
      'p99',
      'longest',
      'longest task',
      'over 100 ms',
      'share',
      'processor ms',
      'a second',
      'work p99',
      'longest work',
      'heap MB',
      'requests',
      'KB',
      'largest KB',
    ],
    ...stretches.map(([name, { ...s }]) => [
      name,
      show(s.frameP50),
      show(s.frameP99),
      show(s.longestFrame),
      show(s.longestTask),
      String(s.longTasks),
      s.longShare.toFixed(3),
      show(s.processorMs),
      show((1000 * s.processorMs) / s.tookMs),
      show(s.workP99),
      show(s.longestWork),
      `${show(s.heapBefore)} → ${show(s.heapAfter)}`,
      String(s.requests),
      show(s.bytes / 1000),
      show(s.largestAnswer / 1000),
    ]),
  ]);
}
