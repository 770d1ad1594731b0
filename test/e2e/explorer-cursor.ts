import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  evaluated,
  type PagePeek,
  type PlotPeek,
  peek,
  peekScript,
  type ReadText,
  readText,
  valueScale,
} from './explorer-peek.ts';
import type { SeedRow } from './explorer-seed.ts';

export const places = 200;
/** Pixels from a point that still mean it, and what whole pixels of the pointer may be off. */
export const reach = 4;

/**
 * What the page says at places evenly over a plot, from edge to edge. The pointer goes to the first one; to all others only
 * its events do, in one turn with the page: each turn through the browser would take longer than the page itself.
 * @param more a script that gives an object of what else is looked at
 */
export async function overPlaces<More = unknown>(
  page: Page,
  plot: number,
  more = '{}',
): Promise<readonly (PagePeek & More)[]> {
  const frame = (await page.locator('.plot .u-over').nth(plot).boundingBox())!;
  const across = Array.from(
    { length: places },
    (_, i) => frame.x + Math.round(((i + 0.5) * (frame.width - 1)) / places),
  );
  const down = frame.y + frame.height / 3;
  await page.mouse.move(across[0]!, down);
  const pointed = await peek(page);
  const seen = await evaluated<(PagePeek & More)[]>(
    page,
    `(async () => {
    const over = document.querySelectorAll('.plot .u-over')[${plot}];
    const seen = [];
    for (const clientX of ${JSON.stringify(across)}) {
      const at = { clientX, clientY: ${down}, bubbles: true, view: window };
      over.dispatchEvent(new PointerEvent('pointermove', { ...at, pointerId: 1, pointerType: 'mouse', isPrimary: true }));
      over.dispatchEvent(new MouseEvent('mousemove', at));
      await new Promise((drawn) => setTimeout(drawn));
      seen.push({ ...${peekScript}, ...${more} });
    }
    return seen;
  })()`,
  );
  // A row may have been read meanwhile.
  assert.equal(seen[0]!.cursor, pointed.cursor, 'the events do what the pointer does');
  return seen;
}

/** The readings of a plot line by line: where a time is said once for all, each has it. */
export function readingsOf({ readings }: PlotPeek, lines: number): (ReadText | undefined)[] {
  const shared = readings.length > lines ? ` ${readings.at(-1)}` : '';
  return readings.slice(0, lines).map((text) => (text === '' ? undefined : readText(text + shared)));
}

/** That a reading says what the rows are: one row to the nanosecond, or all rows of its time. */
export function holds(read: ReadText, rows: readonly SeedRow[], what: string): void {
  const own = rows
    .slice(countUntil(rows, read.from), countUntil(rows, read.to + 1n))
    .map(({ value }) => value);
  assert.equal(own.length, read.rows, `${what}: how many rows`);
  assert.deepEqual([read.low, read.high], [Math.min(...own), Math.max(...own)], what);
}

/** So many rows, which are in order of time, are before a time. */
function countUntil(rows: readonly SeedRow[], time: bigint): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.time < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** That the dots stand where the text says: on the values, at the place across. */
export function isMarked(
  plot: PlotPeek,
  reads: readonly (ReadText | undefined)[],
  xOf: (read: ReadText, line: number) => number,
): void {
  const valueAt = valueScale(plot);
  const perPixel = Math.abs(valueAt(1) - valueAt(0));
  const expected = reads.flatMap((read, line) =>
    read === undefined
      ? []
      : [...new Set([read.low, read.high])].map((value) => ({ x: xOf(read, line), value })),
  );
  assert.equal(plot.dots.length, expected.length, `dots of ${plot.title}: ${plot.readings.join(' | ')}`);
  for (const [i, { x, value }] of expected.entries()) {
    const dot = plot.dots[i]!;
    assert.ok(Math.abs(valueAt(dot.y) - value) < 1.5 * perPixel, `a dot at ${valueAt(dot.y)} for ${value}`);
    assert.ok(Math.abs(dot.x - x) < 1.5, `a dot at ${dot.x} px for ${x}`);
  }
}
