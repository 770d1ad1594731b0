import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { parameterName } from './data.ts';
import type { MeasuredPage, Stretch } from './explorer-page.ts';
import { printTable, show } from './figures.ts';
import { bodyOf, token } from './pitwall.ts';
import { seededRandom } from './random.ts';

/** What is written to a stream that the page follows. */
export interface LiveLoad {
  readonly url: string;
  readonly stream: string;
  readonly parameters: number;
  /** A second. */
  readonly packages: number;
  /** Of a package, a millisecond apart. */
  readonly rows: number;
  /** Beside them a parameter with a text of its own in each package. */
  readonly hasTexts: boolean;
}

const writers = 8;

/** Rows of a millisecond each: numbers that walk, with three decimals. */
export function nextValues(walk: number[], length: number, random: () => number): Float64Array[] {
  return walk.map((_, parameter) =>
    Float64Array.from({ length }, () => {
      const next = walk[parameter]! + (random() - 0.5) * 0.5;
      walk[parameter] = Math.min(100, Math.max(0, Math.round(next * 1000) / 1000));
      return walk[parameter];
    }),
  );
}

export async function write(
  url: string,
  stream: string,
  startMs: number,
  values: readonly Float64Array[],
  text?: string,
): Promise<void> {
  const numbers = bodyOf({ stream, startMs, stepMs: 1, firstParameter: 0, values });
  const column = Array.from({ length: values[0]!.length }, (_, row) => (row === 0 ? text : null));
  const texts = `,"stringValues":{"log":${JSON.stringify(column)}}}`;
  const response = await fetch(`${url}/topics/bench/streams/${stream}/parameters/data`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: text === undefined ? numbers : numbers.slice(0, -1) + texts,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

/** Writes the first package, and gives what writes on in real time for some seconds, once or more. */
async function beginWrites(load: LiveLoad): Promise<(seconds: number) => Promise<void>> {
  const { url, stream, parameters, packages, rows, hasTexts } = load;
  const random = seededRandom(8);
  const walk = Array.from({ length: parameters }, () => 50);
  const begun = Date.now();
  let written = 0;
  const next = async () => {
    const own = written++;
    const text = hasTexts ? `line ${own}` : undefined;
    await write(url, stream, begun + own * rows, nextValues(walk, rows, random), text);
  };
  await next();
  return async (seconds) => {
    const start = Date.now();
    const total = packages * seconds;
    let sent = 0;
    // Several at once: one that takes long does not make them fewer.
    const writeDue = async () => {
      while (sent < total) {
        const dueMs = start + (1000 * ++sent) / packages;
        if (Date.now() < dueMs) await sleep(dueMs - Date.now());
        await next();
      }
    };
    await Promise.all(Array.from({ length: writers }, writeDue));
    console.log(`${Math.round(sent / ((Date.now() - start) / 1000))} packages a second were written`);
  };
}

/** Opens the stream in the page, which follows it. */
async function beginToFollow(page: Page, { stream, parameters, hasTexts }: LiveLoad): Promise<void> {
  const plots = Array.from({ length: parameters }, (_, i) => `p=${parameterName(i)}`).join('&');
  const texts = hasTexts ? '&p=log&states=log' : '';
  await page.evaluate(`location.hash = '#s=bench/${stream}&${plots}${texts}&live=1'`);
  await page.getByText('connected', { exact: true }).waitFor();
}

/**
 * Times of frames while the page follows; before it those of a page that only fills as many pictures as often, beside the same
 * writes: what machine and browser hold up by themselves.
 */
export async function follow(
  { page, measure }: MeasuredPage,
  load: LiveLoad,
  seconds: number,
): Promise<[string, Stretch][]> {
  const go = await beginWrites(load);
  await page.goto('about:blank');
  await page.evaluate(`(${fillPictures})(${load.parameters})`);
  const beside = await measure(() => go(seconds));
  await page.goto(load.url);
  await page.locator('.app').waitFor();
  await beginToFollow(page, load);
  // What was written before is drawn, and the scripts are warm.
  await go(3);
  return [
    ['a page of plain pictures', beside],
    ['following live', await measure(() => go(seconds))],
  ];
}

/** Pictures over the whole page, one below the other; each gets another colour twenty times a second, as plots are drawn. */
const fillPictures = `(count) => {
  document.body.style.margin = '0';
  const inks = Array.from({ length: count }, () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [innerWidth, Math.floor(innerHeight / count)];
    canvas.style.display = 'block';
    document.body.append(canvas);
    return canvas.getContext('2d');
  });
  let shade = 0;
  setInterval(() => {
    shade = (shade + 1) % 256;
    for (const ink of inks) {
      ink.fillStyle = 'rgb(' + shade + ', 128, 128)';
      ink.fillRect(0, 0, ink.canvas.width, ink.canvas.height);
    }
  }, 50);
}`;

const parts = 12;

/** Prints what the page keeps while it follows `minutes` of data, which come as fast as the packages bring them. */
export async function keep({ page, kept }: MeasuredPage, load: LiveLoad, minutes: number): Promise<void> {
  const go = await beginWrites(load);
  await beginToFollow(page, load);
  const dataSeconds = (load.packages * load.rows) / 1000;
  const table = [['minutes of data', 'heap MB', 'arrays MB', 'elements', 'listeners']];
  for (let part = 0; part <= parts; part++) {
    if (part > 0) await go((minutes * 60) / parts / dataSeconds);
    const { heapMb, arraysMb, nodes, listeners } = await kept();
    table.push([
      show((minutes * part) / parts),
      show(heapMb),
      show(arraysMb),
      String(nodes),
      String(listeners),
    ]);
  }
  printTable(table);
}
