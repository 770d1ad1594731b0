import type { Page } from 'playwright-core';
import { createClient } from '../src/client/client.ts';
import type { MeasuredPage, Stretch } from './explorer-page.ts';

export interface ManyLoad {
  readonly url: string;
  readonly token: string;
  readonly streams: number;
  readonly channels: number;
}

const rows = 600;
const channelsPerRequest = 500;
const firstNs = 1_767_225_600_000_000_000n;

/** Writes a run with many channels, and many runs of two rows. */
export async function writeMany({ url, token, streams, channels }: ManyLoad): Promise<void> {
  const client = createClient({ url, token });
  const timestamps = Array.from({ length: rows }, (_, row) => firstNs + BigInt(row) * 1_000_000_000n);
  const values = (channel: number) => timestamps.map((_, row) => Math.sin(row / 50) * channel);
  const all = Array.from({ length: channels }, (_, channel) => channel);
  for (let from = 0; from < channels; from += channelsPerRequest) {
    const some = all.slice(from, from + channelsPerRequest);
    const numericValues = Object.fromEntries(some.map((channel) => [`Channel${channel}`, values(channel)]));
    await client.writeParameterData('many', 'wide', { timestamps, numericValues });
  }
  const writer = client.writer('many');
  for (let i = 0; i < streams; i++)
    for (const second of [0n, 1n])
      await writer.write(`run-${i}`, {
        timestamp: firstNs + second * 1_000_000_000n,
        numeric: { Speed: i },
        tags: { driver: `Driver ${i % 20}` },
      });
  await writer.close();
}

/** The side of the page with all of them: its two lists scrolled from end to end, and searched. */
export async function sideWithMany({ page, measure }: MeasuredPage): Promise<[string, Stretch][]> {
  const table: [string, Stretch][] = [];
  await page.evaluate(`location.hash = '#s=many/wide&p=Channel1'`);
  for (const [list, item, search, text] of [
    ['Channels', '.channel .name', 'Filter channels', 'channel19'],
    ['Runs', '.virtual li', 'Search runs', 'run-4321'],
  ] as const) {
    await page.getByRole('tab', { name: list, exact: true }).click();
    await page.locator(item).first().waitFor();
    table.push([`scrolling ${list}`, await measure(() => scroll(page))]);
    table.push([
      `searching ${list}`,
      await measure(async () => {
        await page.getByLabel(search).pressSequentially(text, { delay: 80 });
        await page.waitForTimeout(1000);
      }),
    ]);
    await page.getByLabel(search).fill('');
    await page.waitForTimeout(500);
  }
  return table;
}

/** To the end of a list that reads on as one comes near its end, by the wheel. */
async function scroll(page: Page): Promise<void> {
  const box = (await page.locator('.virtual').first().boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const place = () =>
    page.evaluate("(() => { const list = document.querySelector('.virtual'); return list.scrollTop; })()");
  for (let before = -1, same = 0; same < 10; ) {
    await page.mouse.wheel(0, 2000);
    await page.waitForTimeout(30);
    const now = (await place()) as number;
    same = now === before ? same + 1 : 0;
    before = now;
  }
}
