import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { parameterName } from './data.ts';
import { type MeasuredPage, openMeasuredPage, type Stretch } from './explorer-page.ts';
import { printTable, show } from './figures.ts';
import { bodyOf, startPitwall, token } from './pitwall.ts';
import { seededRandom } from './random.ts';

/**
 * What the explorer costs the browser: zooming over a recording at 1 kHz, single views of it, and following a stream that
 * is written to in hundreds of packages a second. Figures are for README.md.
 */
const help = `node build/bench/explorer.js [--minutes 60] [--parameters 10] [--packages 300] [--seconds 20] [--only follow]

Needs a built project (npm run build) and Chromium at /usr/bin/chromium. An hour of ten parameters at 1 kHz is 36
million samples. --packages is how many packages of ten rows a second are followed, for --seconds.`;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    parameters: { type: 'string', default: '10' },
    packages: { type: 'string', default: '300' },
    seconds: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
const parameters = Number(options.parameters);
const rowsPerRequest = 5000;
const rowsPerPackage = 10;
const writers = 8;
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
    const table: [string, Stretch][] = [];
    if (options.only === '') await load(url, rows);
    measured = await openMeasuredPage(url, token);
    if (options.only === '') table.push(...(await looks(measured, rows)));
    table.push(['following live', await follow(url, measured)]);
    print(table);
  } finally {
    await measured?.close();
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  }
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

function nextValues(walk: number[], length: number, random: () => number): Float64Array[] {
  return walk.map((_, parameter) =>
    Float64Array.from({ length }, () => {
      const next = walk[parameter]! + (random() - 0.5) * 0.5;
      walk[parameter] = Math.min(100, Math.max(0, Math.round(next * 1000) / 1000));
      return walk[parameter];
    }),
  );
}

async function write(
  url: string,
  stream: string,
  startMs: number,
  values: readonly Float64Array[],
): Promise<void> {
  const response = await fetch(`${url}/topics/bench/streams/${stream}/parameters/data`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: bodyOf({ stream, startMs, stepMs: 1, firstParameter: 0, values }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** Opens the middle share of the recording and waits until it is drawn. */
async function look(page: Page, rows: number, share: number): Promise<void> {
  const from = BigInt(Math.round(firstMs + (rows * (1 - share)) / 2)) * 1_000_000n;
  const to = from + BigInt(Math.round(rows * share)) * 1_000_000n;
  const plots = Array.from({ length: parameters }, (_, i) => `p=${parameterName(i)}`).join('&');
  await page.evaluate(`location.hash = '#s=bench/recording&${plots}&from=${from}&to=${to}'`);
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

/** Writes packages in real time while the page follows them. */
async function follow(url: string, { page, measure }: MeasuredPage): Promise<Stretch> {
  const perSecond = Number(options.packages);
  const random = seededRandom(8);
  const walk = Array.from({ length: parameters }, () => 50);
  const begun = Date.now();
  await write(url, 'live', begun, nextValues(walk, rowsPerPackage, random));
  const plots = Array.from({ length: parameters }, (_, i) => `p=${parameterName(i)}`).join('&');
  await page.evaluate(`location.hash = '#s=bench/live&${plots}&live=1'`);
  await page.getByText('connected', { exact: true }).waitFor();
  const total = perSecond * Number(options.seconds);
  let sent = 0;
  const sendAll = async () => {
    const start = Date.now();
    // Several at once: one that takes long does not make them fewer.
    const writeDue = async () => {
      while (sent < total) {
        const own = ++sent;
        const dueMs = start + (1000 * own) / perSecond;
        if (Date.now() < dueMs) await sleep(dueMs - Date.now());
        const values = nextValues(walk, rowsPerPackage, random);
        await write(url, 'live', begun + own * rowsPerPackage, values);
      }
    };
    await Promise.all(Array.from({ length: writers }, writeDue));
    console.log(`${Math.round(sent / ((Date.now() - start) / 1000))} packages a second were written`);
  };
  return measure(sendAll);
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
