import type { Page } from 'playwright-core';
import { until } from '../until.ts';

/** What plots show besides text of the page: their canvases are watched, from before they are drawn. */
export const watchCanvases = `
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  Object.assign(CanvasRenderingContext2D.prototype, {
    fillText(text, x, y, ...rest) {
      const at = this.getTransform().transformPoint({ x, y });
      const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = this.measureText(text);
      (this.canvas.texts ??= []).push({ text, x: at.x, y: at.y, top: at.y - up, bottom: at.y + down });
      return fillText.call(this, text, x, y, ...rest);
    },
    clearRect(...rest) {
      this.canvas.texts = [];
      return clearRect.apply(this, rest);
    },
  });
`;

/** Text on a canvas, in pixels of the page from its left and top. */
export interface CanvasText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  /** Where its letters begin and end. */
  readonly top: number;
  readonly bottom: number;
}

/** One plot as it is now. Pixels are those of the page, from the left and top of its canvas. */
export interface PlotPeek {
  readonly title: string;
  readonly texts: readonly CanvasText[];
  /** Where lines are drawn. */
  readonly box: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  /** What is marked at the cursor. */
  readonly dots: readonly { readonly x: number; readonly y: number; readonly colour: string }[];
  /** Text of each reading, of its pixel while its row is on its way; empty where there is none. */
  readonly readings: readonly string[];
  /** Of each reading what is said of its pixel beside it. */
  readonly bands: readonly string[];
}

/** All plots of the page, and what else it says at one moment. */
export interface PagePeek {
  readonly plots: readonly PlotPeek[];
  /** Time or place at the cursor; empty where there is none. */
  readonly cursor: string;
  /** What is read of one parameter over another. */
  readonly xy: string;
  /** The fields of the range, to the nanosecond. */
  readonly range: readonly string[];
  /** What the one axis below all plots says, and where, in pixels from the left of their canvases. */
  readonly ticks: readonly { readonly text: string; readonly x: number }[];
}

/** Gives a `PagePeek` in the page. */
export const peekScript = `(() => {
  const textOf = (reading, which) =>
    (reading.querySelector('dd' + which)?.textContent ?? '').replace(' in this pixel', '').trim();
  const plots = [...document.querySelectorAll('.plot')].map((figure) => {
    const canvas = figure.querySelector('canvas');
    const frame = canvas.getBoundingClientRect();
    const ratio = canvas.width / frame.width;
    const over = (figure.querySelector('.u-over') ?? canvas).getBoundingClientRect();
    const row = figure.closest('.plot-row');
    return {
      title: figure.getAttribute('aria-label') ?? canvas.getAttribute('aria-label'),
      texts: (canvas.texts ?? []).map(({ text, ...at }) => {
        const inPage = Object.entries(at).map(([side, pixels]) => [side, pixels / ratio]);
        return { text, ...Object.fromEntries(inPage) };
      }),
      box: { left: over.left - frame.left, top: over.top - frame.top, width: over.width, height: over.height },
      dots: [...figure.querySelectorAll('.dot')].map((dot) => {
        const { left, top, width, height } = dot.getBoundingClientRect();
        return {
          x: left + width / 2 - frame.left,
          y: top + height / 2 - frame.top,
          colour: getComputedStyle(dot).backgroundColor,
        };
      }),
      readings: [...(row?.querySelectorAll('.reading') ?? [])].map((own) => textOf(own, ':not(.band)') || textOf(own, '.band')),
      bands: [...(row?.querySelectorAll('.reading') ?? [])].map((own) => textOf(own, ':not(.band)') && textOf(own, '.band')),
    };
  });
  return {
    plots,
    cursor: document.querySelector('.cursor-time')?.textContent ?? '',
    xy: document.querySelector('.xy-reading output')?.textContent ?? '',
    range: [...document.querySelectorAll('.time input')].map(({ title }) => title),
    ticks: [...document.querySelectorAll('.axis .tick')].map((tick) => {
      const { left, width } = tick.getBoundingClientRect();
      const [text] = tick.textContent.split('\\n');
      // Between two drawings there may be no plot.
      const plot = document.querySelector('.plot canvas');
      return { text, x: left + width / 2 - (plot?.getBoundingClientRect().left ?? 0) };
    }),
  };
})()`;

export function peek(page: Page): Promise<PagePeek> {
  return evaluated(page, peekScript);
}

/** What a script gives. It comes as text: the library looks at each value of an object, on both sides. */
export async function evaluated<Value>(page: Page, script: string): Promise<Value> {
  return JSON.parse(await page.evaluate<string>(`(async () => JSON.stringify(await ${script}))()`)) as Value;
}

/** The page once it stands still: axis, plots and fields need not be drawn in one turn. */
export async function peekStill(page: Page): Promise<PagePeek> {
  let seen = await peek(page);
  await until(async () => {
    const before = JSON.stringify(seen);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 20)))');
    seen = await peek(page);
    return JSON.stringify(seen) === before;
  });
  return seen;
}

/** Whether the range that the page tells ends at a time, ns. At first it tells none. */
export async function endsAt(page: Page, time: bigint): Promise<boolean> {
  const text = (await peek(page)).range[1] ?? '';
  return clock.test(text) && timeOf(text) === time;
}

/** The value that a plot has at a pixel from its top, by the texts of the scale on the left. */
export function valueScale({ texts, box }: PlotPeek): (y: number) => number {
  const ticks = texts.filter(({ text, x }) => x < box.left && /^[-−]?[\d.,]+$/.test(text));
  return scaleThrough(ticks.map(({ text, y }) => [y, Number(text.replaceAll(',', ''))]));
}

/** A straight line through the first and the last point. */
export function scaleThrough(points: readonly (readonly [number, number])[]): (x: number) => number {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first === last) throw new Error('a scale needs two ticks');
  return (x) => first[1] + ((x - first[0]) * (last[1] - first[1])) / (last[0] - first[0]);
}

const clock = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.(\d{9})/;

/** A time as the page writes it, in ns. */
export function timeOf(text: string): bigint {
  const [, day, seconds, rest] = clock.exec(text) ?? [];
  if (day === undefined) throw new Error(`'${text}' has no time`);
  return BigInt(Date.parse(`${day}T${seconds}Z`)) * 1_000_000n + BigInt(rest!);
}

/** A reading as the page writes it. */
export interface ReadText {
  readonly low: number;
  readonly high: number;
  readonly rows: number;
  readonly from: bigint;
  readonly to: bigint;
}

const reading =
  /^(\S+)(?: … (\S+))? ?(?:(\d+) rows?, )?(\d{4}-\d\d-\d\d )(\d\d:\d\d:\d\d\.\d{9})(?: … (\d{4}-\d\d-\d\d )?(\d\d:\d\d:\d\d\.\d{9}))?$/;

/** Reads it, or a value alone with the time that others say for all. */
export function readText(text: string): ReadText {
  const match = reading.exec(text);
  if (match === null) throw new Error(`'${text}' is no reading`);
  const [, low, high = low, rows = '1', day, from, otherDay = day, to = from] = match;
  return {
    low: Number(low),
    high: Number(high),
    rows: Number(rows),
    from: timeOf(`${day}${from}`),
    to: timeOf(`${otherDay}${to}`),
  };
}

/** Per pixel across a plot, whether its canvas has a colour there (`#rrggbb`), about. */
export function columnsOf(page: Page, plot: number, colour: string): Promise<boolean[]> {
  const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return evaluated(
    page,
    `(() => {
    const canvas = document.querySelectorAll('.plot canvas')[${plot}];
    const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const wanted = ${JSON.stringify(wanted)};
    const isWanted = (at) => data[at + 3] > 50 && wanted.every((part, i) => Math.abs(data[at + i] - part) < 24);
    return Array.from({ length: width }, (_, x) => {
      for (let y = 0; y < height; y++) if (isWanted((y * width + x) * 4)) return true;
      return false;
    });
  })()`,
  );
}
