import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import { browserPath } from './explorer-page.ts';

/** Of several openings: the median, ms. */
export interface FirstDrawing {
  /** From the navigation to the end of the first drawing, in a new browser profile. */
  readonly cold: number;
  /** The same after that in the same profile: the page's files are known. */
  readonly again: number;
  /** Processor time of the page's main thread in a cold opening, ms. */
  readonly work: number;
}

/** Notes when lines were drawn first, all that one task draws: lines have many pieces, axes have few. */
const watchLines = `
  globalThis.drawnAt = undefined;
  let pieces = 0;
  let isOver = false;
  const { lineTo, stroke } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
    pieces++;
    lineTo.call(this, x, y);
  };
  CanvasRenderingContext2D.prototype.stroke = function (...args) {
    stroke.apply(this, args);
    if (pieces > 50 && !isOver) {
      drawnAt = performance.now();
      setTimeout(() => { isOver = true; });
    }
    pieces = 0;
  };
`;

/** So many openings warm up the service, whose code is compiled meanwhile: they are left out. */
const warmUps = 4;
/** A new tab is left alone for so long: its processes begin on the same cores. */
const settleMs = 1500;

/** Opens an address of the page so many times and waits until it is drawn. */
export async function firstDrawings(address: string, token: string, times: number): Promise<FirstDrawing> {
  const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
  try {
    const found: FirstDrawing[] = [];
    for (let i = 0; i < warmUps + times; i++) found.push(await openTwice(browser, address, token));
    const middle = (name: keyof FirstDrawing) =>
      found
        .slice(warmUps)
        .map((own) => own[name])
        .sort((a, b) => a - b)[times >> 1]!;
    return { cold: middle('cold'), again: middle('again'), work: middle('work') };
  } finally {
    await browser.close();
  }
}

async function openTwice(browser: Browser, address: string, token: string): Promise<FirstDrawing> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 1600 } });
  try {
    const open = async () => {
      const page = await context.newPage();
      await page.addInitScript(
        `sessionStorage.setItem('pitwall.token', ${JSON.stringify(token)});${watchLines}`,
      );
      const session = await context.newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await sleep(settleMs);
      await page.goto(address, { waitUntil: 'commit' });
      let drawn: unknown;
      while (drawn === undefined) {
        await sleep(50);
        drawn = await page.evaluate('globalThis.drawnAt');
      }
      const { metrics } = await session.send('Performance.getMetrics');
      const work = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
      await page.close();
      return { drawn: Number(drawn), work };
    };
    const first = await open();
    const { drawn: again } = await open();
    return { cold: first.drawn, again, work: first.work };
  } finally {
    await context.close();
  }
}
